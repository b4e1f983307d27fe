//! One document: whether it is one, and what is wrong with it where.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_path_to_error::Track;

use super::Document;
use super::likeness::likeness;
use crate::error::{Error, Refusal, Result, in_words};
use crate::program::line_of;

/// The text of one document, not yet parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawDocument {
    /// Where it starts in the file, counted from 1.
    pub line: usize,
    pub(super) text: Vec<u8>,
}

impl RawDocument {
    /// Whether it is an object with a field of that name, as far as can be said before it is parsed.
    pub fn has(&self, name: &str) -> bool {
        let fields = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(&self.text);
        fields.is_ok_and(|fields| fields.contains_key(name))
    }

    /// Whether it looks like an object, which all documents are.
    pub fn is_object(&self) -> bool {
        self.text.trim_ascii_start().starts_with(b"{")
    }

    /// Whether it is JSON at all, for those who look at its fields before they parse it; errors call the file `file`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the line, what was found and what was expected.
    pub fn check_syntax(&self, file: &str) -> Result<()> {
        if !self.is_object() {
            return Ok(()); // parsing it says that better
        }
        match serde_json::from_slice::<IgnoredAny>(&self.text) {
            Ok(_) => Ok(()),
            Err(error) => {
                let (line, refusal) = describe(&error, "");
                Err(self.at_line(line, refusal, file))
            }
        }
    }

    /// The document; errors call the file `file`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the line, the field, what was found and what was expected.
    pub fn parse<T: Document>(&self, file: &str) -> Result<T> {
        self.try_parse()
            .map_err(|(line, refusal)| self.at_line(line, refusal, file))
    }

    /// `refusal` of what is on `line` of this text, counted from 1.
    fn at_line(&self, line: usize, refusal: Refusal, file: &str) -> Error {
        refusal.at(file, self.line + line.saturating_sub(1)).into()
    }

    /// Errors come with the line of this text, counted from 1.
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

/// What is wrong with a document, and in which line of its text, counted from 1.
pub type Fault = (usize, Refusal);

/// The `T` that `text` describes in the shape `S` of its file.
///
/// Well-formed text is read once. Where something is wrong, it is read again, now with the path to each field, which takes longer.
///
/// # Errors
/// The first line that is wrong, and why.
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

/// As [`serde_json::from_str`], with the field that is wrong.
fn located<S: DeserializeOwned>(text: &str, expected: &str) -> Result<S, Fault> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut track = Track::new();
    let read = S::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    let shape = read.map_err(|error| {
        let path = track.path().to_string();
        let field = if path == "." || path == "?" { "" } else { &path };
        let (line, refusal) = match serde_json::from_str::<IgnoredAny>(text) {
            // serde_json calls a number in place of a name bad syntax.
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

/// What serde_json says of bad syntax, with what was expected.
fn syntax(message: &str) -> String {
    match (message, message.strip_prefix("EOF while parsing ")) {
        ("trailing comma", _) => "found a comma after the last item, expected none".to_owned(),
        ("expected value", _) => "found no JSON value, expected one".to_owned(),
        (_, Some(open)) => format!("found the end of the text, expected the rest of {open}"),
        (message, None) => message.to_owned(),
    }
}

/// The line of a JSON error, and what it says, without the position that serde_json appends to its message.
fn describe(error: &serde_json::Error, field: &str) -> (usize, Refusal) {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&message);
    // The field says where a bad value is; bad syntax is found by its column.
    let message = match error.is_data() {
        true => in_words(message),
        false => format!("{} (column {column})", syntax(message)),
    };
    (line, Refusal::told(field, message))
}
