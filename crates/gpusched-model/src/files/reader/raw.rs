//! One document of a stream, and the positions of the faults in the document.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_path_to_error::Track;

use super::Document;
use super::likeness::likeness;
use crate::error::{Error, Refusal, Result, in_words};
use crate::program::line_of;

/// The text of one document that has not been parsed yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawDocument {
    /// Number of the line in the file where the document starts, counted from 1.
    pub line: usize,
    pub(super) text: Vec<u8>,
}

impl RawDocument {
    /// Whether the document is probably an object with a field called `name`. The text is not parsed, so the result is
    /// a guess.
    pub fn has(&self, name: &str) -> bool {
        let fields = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(&self.text);
        fields.is_ok_and(|fields| fields.contains_key(name))
    }

    /// Whether the document starts like an object. All valid documents are objects.
    pub fn is_object(&self) -> bool {
        self.text.trim_ascii_start().starts_with(b"{")
    }

    /// Checks that an object is valid JSON, for callers that examine its fields before they parse it. Error messages
    /// use `file` as the name of the file.
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
                let (line, refusal) = describe(&error, "");
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

    /// Parses the document. An error states a line of this document, counted from 1.
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
            let refusal = Refusal::new("", "a byte order mark", "JSON in UTF-8 without one");
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

/// Parses `text` in the format `S` of the file, and converts the result to the type `T`.
///
/// Valid text is parsed once. Invalid text is parsed a second time to find the path of the wrong field, which takes
/// longer.
///
/// # Errors
/// Fails with the first wrong line and the reason.
pub fn from_json<S, T>(text: &str) -> Result<T, Fault>
where
    S: DeserializeOwned,
    T: Document + TryFrom<S>,
    Refusal: From<T::Error>,
{
    let shape = serde_json::from_str::<S>(text).or_else(|_| located(text, T::EXPECTED))?;
    T::try_from(shape).map_err(|refused| {
        let refusal = Refusal::from(refused);
        (line_of(text, refusal.field()), refusal)
    })
}

/// Parses `text` with [`serde_json::from_str`]. An error states the wrong field.
fn located<S: DeserializeOwned>(text: &str, expected: &str) -> Result<S, Fault> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut track = Track::new();
    let read = S::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    let shape = read.map_err(|error| {
        let path = track.path().to_string();
        let field = if path == "." || path == "?" { "" } else { &path };
        let (line, refusal) = match serde_json::from_str::<IgnoredAny>(text) {
            // If a file contains a number where a name is expected, serde_json reports this error as bad syntax.
            Ok(_) if !error.is_data() => {
                let expected = "a name in quotes, or an object with one name";
                (
                    error.line(),
                    Refusal::new(field, "a value of another type", expected),
                )
            }
            _ => describe(&error, field),
        };
        let kind = match field.contains(['.', '[']) {
            true => None,
            false => likeness(text, expected),
        };
        (line, refusal.looks_like(kind))
    })?;
    json.end().map_err(|error| describe(&error, ""))?;
    Ok(shape)
}

/// Returns the message of serde_json about bad syntax, extended by the expected text.
fn syntax(message: &str) -> String {
    match (message, message.strip_prefix("EOF while parsing ")) {
        ("trailing comma", _) => "found a comma after the last item, expected none".to_owned(),
        ("expected value", _) => "found no JSON value, expected one".to_owned(),
        (_, Some(open)) => format!("found the end of the text, expected the rest of {open}"),
        (message, None) => message.to_owned(),
    }
}

/// Returns the line and the message of a JSON error. The position that serde_json appends to its message is removed.
fn describe(error: &serde_json::Error, field: &str) -> (usize, Refusal) {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&message);
    // For a wrong value, the field states the place of the error. For bad syntax, the column states the place.
    let message = match error.is_data() {
        true => in_words(message),
        false => format!("{} (column {column})", syntax(message)),
    };
    (line, Refusal::told(field, message))
}
