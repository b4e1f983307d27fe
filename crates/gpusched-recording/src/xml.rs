//! XML files, with limits against files that would need excessive time or memory.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result};
use roxmltree::{Document, ParsingOptions};

/// Maximum size of a file [bytes].
const MAX_BYTES: u64 = 1 << 26;

/// Maximum number of XML nodes. APP4MC writes at least 16 bytes per node on average.
const MAX_NODES: u32 = 1 << 22;

/// Maximum number of attributes of an element. The time to parse an element grows with the square of this number.
const MAX_ATTRIBUTES: usize = 64;

/// Maximum number of namespace declarations. The time to parse an element grows with this number.
const MAX_NAMESPACES: usize = 64;

/// Reads the text of the file at `path`, a file in `format`. The path `-` is standard input.
pub fn read_text(path: &Path, format: &str) -> Result<String> {
    let source: Box<dyn std::io::Read> = match path == Path::new("-") {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(File::open(path).map_err(|cause| Error::io(path, "open", cause))?),
    };
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|cause| Error::io(path, "read", cause))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::file(path, "more than 64 MiB", "at most 64 MiB"));
    }
    if bytes.starts_with(b"PK\x03\x04") {
        let refusal = Refusal::new("", "a ZIP archive", format).at(path, None);
        return Err(refusal.hint("extract the model with `unzip`").into());
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::file(path, "bytes that are not UTF-8", format!("{format} in UTF-8")))
}

/// Parses `text`, the content of the file at `path`.
pub fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>, Refusal> {
    let many = |what: &str, most: usize| {
        let found = format!("more than {most} {what}");
        Refusal::new("", found, format!("at most {most}")).at(path, None)
    };
    if text.matches("xmlns").nth(MAX_NAMESPACES).is_some() {
        return Err(many("namespace declarations", MAX_NAMESPACES));
    }
    if most_attributes(text) > MAX_ATTRIBUTES {
        return Err(many("attributes of one element", MAX_ATTRIBUTES));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => {
            Refusal::new("", "a document type definition (DTD)", "XML without a DTD").at(path, None)
        }
        roxmltree::Error::NodesLimitReached => many("XML nodes", MAX_NODES as usize),
        error => {
            let position = error.pos();
            let message = error.to_string();
            let place = format!(" at {position}");
            let message = message.strip_suffix(&place).unwrap_or(&message);
            let message = format!("invalid XML: {message} (column {})", position.col);
            Refusal::told("", message).at(path, position.row as usize)
        }
    })
}

/// Returns the largest number of attributes of an element. For text that is not XML, the result is arbitrary, because
/// the parser refuses such text later.
fn most_attributes(text: &str) -> usize {
    const SPECIAL: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (mut rest, mut most) = (text, 0);
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some((start, end)) = SPECIAL.iter().find(|(start, _)| rest.starts_with(start)) {
            let inner = &rest[start.len()..];
            rest = inner.find(end).map_or("", |at| &inner[at + end.len()..]);
            continue;
        }
        rest = &rest[1..];
        let mut count = 0;
        while let Some((at, mark)) = rest.match_indices(['"', '\'', '<', '>']).next() {
            if mark == "<" {
                break; // the parser refuses the file here
            }
            rest = &rest[at + 1..];
            if mark == ">" {
                break;
            }
            count += 1;
            rest = rest.find(mark).map_or("", |end| &rest[end + 1..]);
        }
        most = most.max(count);
    }
    most
}

/// Returns the name of the file at `path` without its ending; `None` for standard input.
pub fn stem(path: &Path) -> Option<String> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    name.filter(|name| name != "-")
}
