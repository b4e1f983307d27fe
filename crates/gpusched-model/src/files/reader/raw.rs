//! One document of a stream, and the positions of the faults in the document.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;

use super::Document;
use super::likeness::likeness;
use super::line_of;
use super::tree::Tree;
use crate::error::{Error, Refusal, Result};

/// The text of one document that has not been parsed yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawDocument {
    /// Line of the file where the document starts, counted from 1.
    pub line: usize,
    pub(super) text: Vec<u8>,
}

impl RawDocument {
    /// Returns whether the document is a JSON object with a field called `name`. The function
    /// does not check the values of the fields.
    pub fn has(&self, name: &str) -> bool {
        let fields = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(&self.text);
        fields.is_ok_and(|fields| fields.contains_key(name))
    }

    /// Returns the fields of the document with the texts of their values. If the document is no JSON object, there are no fields.
    pub fn fields(&self) -> BTreeMap<String, Box<RawValue>> {
        serde_json::from_slice(&self.text).unwrap_or_default()
    }

    /// Returns whether the document is an end-to-end system: a JSON object with `cores`, with `copy_engines`, or with a
    /// task that has `segments`.
    pub fn is_end_to_end(&self) -> bool {
        #[derive(serde::Deserialize)]
        struct Probe {
            #[serde(default)]
            tasks: Vec<BTreeMap<String, IgnoredAny>>,
            cores: Option<IgnoredAny>,
            copy_engines: Option<IgnoredAny>,
        }
        match serde_json::from_slice::<Probe>(&self.text) {
            Ok(probe) => {
                let segments = probe.tasks.iter().any(|task| task.contains_key("segments"));
                segments || probe.cores.is_some() || probe.copy_engines.is_some()
            }
            // If a file with a syntax error contains `segments`, it is probably a system.
            Err(error) if !error.is_data() => {
                let name = b"\"segments\"";
                self.text.windows(name.len()).any(|bytes| bytes == name)
            }
            Err(_) => false,
        }
    }

    /// Returns whether the text starts with `{`. Every valid document is a JSON object.
    pub fn is_object(&self) -> bool {
        self.text.trim_ascii_start().starts_with(b"{")
    }

    /// Checks the JSON syntax of a document that starts with `{`. Callers that examine individual fields of a document
    /// call this function first. Error messages use `file` as the name of the file.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which states the line, the found text and the expected text.
    pub fn check_syntax(&self, file: &str) -> Result<()> {
        if !self.is_object() {
            return Ok(()); // the parser gives a better error
        }
        match serde_json::from_slice::<IgnoredAny>(&self.text) {
            Ok(_) => Ok(()),
            Err(error) => {
                let (line, refusal) = describe(&error);
                Err(self.at_line(line, refusal, file))
            }
        }
    }

    /// Parses the document. Error messages use `file` as the name of the file.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which states the line, the field, the found value and the expected value.
    pub fn parse<T: Document>(&self, file: &str) -> Result<T> {
        self.try_parse()
            .map_err(|(line, refusal)| self.at_line(line, refusal, file))
    }

    /// Returns the error for `refusal` on line number `line` of this document, counted from 1.
    fn at_line(&self, line: usize, refusal: Refusal, file: &str) -> Error {
        refusal.at(file, self.line + line.saturating_sub(1)).into()
    }

    /// Parses the document. An error contains the number of the line within this document, counted from 1.
    fn try_parse<T: Document>(&self) -> Result<T, (usize, Refusal)> {
        let text = str::from_utf8(&self.text).map_err(|error| {
            let before = &self.text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            (
                line,
                Refusal::new("", "bytes that are not UTF-8", "JSON in UTF-8"),
            )
        })?;
        if text.starts_with('\u{feff}') {
            let refusal = Refusal::new("", "a byte order mark", "JSON in UTF-8 without a byte order mark");
            return Err((1, refusal));
        }
        let start = text.trim_ascii();
        if !start.starts_with('{') {
            let found: String = start.chars().take(20).collect();
            return Err((1, Refusal::new("", format!("{found:?}"), T::EXPECTED)));
        }
        T::from_json(text)
    }
}

/// The line of a fault in a document, counted from 1, together with the refusal.
pub type Fault = (usize, Refusal);

/// Parses `text` as the file format `S`, and converts the result to the type `T`.
///
/// # Errors
/// Fails at the first fault. The error states the line and the reason.
pub fn from_json<S, T>(text: &str) -> Result<T, Fault>
where
    S: DeserializeOwned,
    T: Document + TryFrom<S>,
    Refusal: From<T::Error>,
{
    let at_line = |refusal: Refusal| (line_of(text, refusal.field()), refusal);
    let tree: Tree<'_> = serde_json::from_str(text).map_err(|error| describe(&error))?;
    let shape = tree.read::<S>().map_err(|refusal| {
        let inside = refusal.field().contains(['.', '[']);
        let kind = likeness(&tree, T::EXPECTED, inside);
        at_line(refusal.looks_like(kind))
    })?;
    T::try_from(shape).map_err(|refused| at_line(Refusal::from(refused)))
}

/// Converts a syntax error message of serde_json to a message that states the found and expected text.
fn syntax(message: &str) -> String {
    match (message, message.strip_prefix("EOF while parsing ")) {
        ("trailing comma", _) => "found a comma after the last item, expected no comma".to_owned(),
        ("expected value", _) => "found no JSON value, expected a JSON value".to_owned(),
        (_, Some(open)) => format!("found the end of the text, expected the rest of {open}"),
        (message, None) => message.to_owned(),
    }
}

/// Returns the line of a JSON syntax error, and the error with its column.
fn describe(error: &serde_json::Error) -> Fault {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&message);
    (
        line,
        Refusal::told("", format!("{} (column {column})", syntax(message))),
    )
}
