//! The XML of a model file, with limits against files that would need excessive time or memory.

use std::collections::BTreeMap;
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

/// The namespace of every version of the format starts with this text.
const NAMESPACE: &str = "http://app4mc.eclipse.org/amalthea/";

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// An element of the file.
pub type Node<'a> = roxmltree::Node<'a, 'a>;

/// Reads the text of the file at `path`. The path `-` is standard input.
pub fn read_text(path: &Path) -> Result<String> {
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
        let refusal = Refusal::new("", "a ZIP archive", "XML").at(path, None);
        return Err(refusal.hint("extract the model with `unzip`").into());
    }
    String::from_utf8(bytes).map_err(|_| Error::file(path, "bytes that are not UTF-8", "XML in UTF-8"))
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

/// A parsed model.
pub struct Model<'a> {
    path: &'a Path,
    document: &'a Document<'a>,
}

impl<'a> Model<'a> {
    /// Checks the root of `document`, which was read from the file at `path`.
    pub fn new(path: &'a Path, document: &'a Document<'a>) -> Result<Model<'a>, Refusal> {
        let model = Model { path, document };
        let root = document.root_element();
        let namespace = root.tag_name().namespace().unwrap_or_default();
        if root.tag_name().name() != "Amalthea" || !namespace.starts_with(NAMESPACE) {
            let found = format!(
                "an element {:?} of the namespace {namespace:?}",
                root.tag_name().name()
            );
            let expected = format!("an element \"Amalthea\" of a namespace {NAMESPACE}…");
            return Err(model.refuse(root, "", found, expected));
        }
        Ok(model)
    }

    /// Returns the version of the format, such as `1.0.0`.
    pub fn version(&self) -> &'a str {
        let namespace = self.document.root_element().tag_name().namespace();
        let version = namespace.and_then(|namespace| namespace.strip_prefix(NAMESPACE));
        version.unwrap_or_default()
    }

    /// Returns the children with name `tag` of all parts with name `part`, such as the `tasks` of the `swModel`.
    pub fn elements(
        &self,
        part: &'static str,
        tag: &'static str,
    ) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let parts = children(self.document.root_element(), part);
        parts.flat_map(move |part| children(part, tag))
    }

    /// Returns the parts of the model, such as `swModel`.
    pub fn parts(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.document.root_element().children().filter(Node::is_element)
    }

    /// Returns `nodes` by name.
    ///
    /// Fails if two nodes have the same name, because references to this name are ambiguous.
    pub fn by_name(
        &self,
        nodes: impl Iterator<Item = Node<'a>>,
    ) -> Result<BTreeMap<&'a str, Node<'a>>, Refusal> {
        let mut named = BTreeMap::new();
        for node in nodes {
            if named.insert(name(node), node).is_some() {
                let field = node.tag_name().name();
                let found = format!("the name {:?} twice", name(node));
                return Err(self.refuse(node, field, found, "one element per name"));
            }
        }
        Ok(named)
    }

    /// Returns the refusal of `node` or of its part `field`.
    pub fn refuse(
        &self,
        node: Node<'_>,
        field: impl Into<String>,
        found: impl ToString,
        expected: impl ToString,
    ) -> Refusal {
        let line = self.document.text_pos_at(node.range().start).row as usize;
        Refusal::new(field, found, expected).at(self.path, line)
    }

    /// Returns the refusal of the whole file.
    pub fn refuse_all(&self, found: impl ToString, expected: impl ToString) -> Refusal {
        Refusal::new("", found, expected).at(self.path, None)
    }
}

/// Returns the child elements of `node` with the name `tag`.
pub fn children<'a>(node: Node<'a>, tag: &'static str) -> impl Iterator<Item = Node<'a>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == tag)
}

/// Returns the first child element of `node` with the name `tag`.
pub fn child<'a>(node: Node<'a>, tag: &'static str) -> Option<Node<'a>> {
    children(node, tag).next()
}

/// Returns the type of `node` without its namespace, such as `RunnableCall`. The result is empty if the file states no
/// type.
pub fn kind<'a>(node: Node<'a>) -> &'a str {
    let kind = node.attribute((XSI, "type")).unwrap_or_default();
    kind.rsplit(':').next().unwrap_or_default()
}

/// Returns the name of `node`.
pub fn name<'a>(node: Node<'a>) -> &'a str {
    // APP4MC uses this text to refer to an element without a name.
    node.attribute("name").unwrap_or("no-name")
}

/// Returns the task or runnable that contains `node`.
pub fn owner(node: Node<'_>) -> String {
    let owner = node
        .ancestors()
        .find(|node| ["tasks", "isrs", "runnables"].contains(&node.tag_name().name()));
    owner.map_or_else(String::new, |owner| {
        format!("{} {:?}", owner.tag_name().name(), name(owner))
    })
}
