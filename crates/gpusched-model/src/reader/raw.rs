//! One document: whether it is one, and what is wrong with it where.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::IgnoredAny;

use super::Document;
use super::likeness::likeness;
use crate::error::{Error, InputError, Result, in_words};
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
    /// [`Error::Input`] with the line, what was found and what was expected.
    pub fn check_syntax(&self, file: &str) -> Result<()> {
        if !self.is_object() {
            return Ok(()); // parsing it says that better
        }
        let Err(error) = serde_json::from_slice::<IgnoredAny>(&self.text) else {
            return Ok(());
        };
        let (line, _, message) = describe(&error, String::new());
        Err(Error::Input(InputError {
            file: file.to_owned(),
            line: Some(self.line + line.saturating_sub(1)),
            field: String::new(),
            message,
        }))
    }

    /// The document; errors call the file `file`.
    ///
    /// # Errors
    /// [`Error::Input`] with the line, the field, what was found and what was expected.
    pub fn parse<T: Document>(&self, file: &str) -> Result<T> {
        self.try_parse(file).map_err(|(line, field, message)| {
            Error::Input(InputError {
                file: file.to_owned(),
                line: Some(self.line + line.saturating_sub(1)),
                field,
                message,
            })
        })
    }

    /// Errors are (line of this text from 1, field, message).
    fn try_parse<T: Document>(&self, file: &str) -> Result<T, (usize, String, String)> {
        let refuse = |line, message: &str| (line, String::new(), message.to_owned());
        let text = str::from_utf8(&self.text).map_err(|error| {
            let before = &self.text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            refuse(line, "found bytes that are not UTF-8, expected JSON in UTF-8")
        })?;
        if text.starts_with('\u{feff}') {
            return Err(refuse(
                1,
                "found a byte order mark, expected JSON in UTF-8 without one",
            ));
        }
        let start = text.trim_ascii();
        if !start.starts_with('{') {
            let found: String = start.chars().take(20).collect();
            let message = format!("found {found:?}, expected {}{}", T::EXPECTED, instead(file));
            return Err(refuse(1, &message));
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let set = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let field = error.path().to_string();
            let field = if field == "." || field == "?" {
                String::new()
            } else {
                field
            };
            let (line, field, message) = describe(error.inner(), field);
            match T::field_of(&message).filter(|_| field.is_empty()) {
                Some((field, message)) => (line_of(text, field), field.to_owned(), message.to_owned()),
                None => {
                    let in_all = !field.contains(['.', '[']);
                    let about_field =
                        message.starts_with("unknown field") || message.starts_with("missing field");
                    let instead = match in_all && about_field {
                        true => likeness(text, T::EXPECTED),
                        false => String::new(),
                    };
                    (line, field, message + &instead)
                }
            }
        })?;
        json.end().map_err(|error| describe(&error, String::new()))?;
        Ok(set)
    }
}

/// What to do with a file that is no JSON, as far as its name tells.
fn instead(file: &str) -> &'static str {
    const FOREIGN: [(&str, &str); 4] = [
        ("ptx", "; `gpusched import ptx` makes a program of PTX"),
        (
            "config",
            "; `gpusched import gpgpusim-config` makes a machine of a configuration of GPGPU-Sim",
        ),
        (
            "g",
            "; `gpusched import accel-sim` says what is in a list of traces, and `simulate warps` takes each .traceg that it names",
        ),
        (
            "traceg",
            "; a trace in a scenario is {\"trace\":\"kernel-1.traceg\"}",
        ),
    ];
    let ending = Path::new(file).extension().unwrap_or_default();
    let known = FOREIGN
        .iter()
        .find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map_or("", |(_, instead)| instead)
}

/// (line, field, message) of a JSON error, without the position that serde_json appends to its message.
fn describe(error: &serde_json::Error, field: String) -> (usize, String, String) {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&message);
    // The field says where a bad value is; bad syntax is found by its column.
    match error.is_data() {
        true => (line, field, in_words(message)),
        false => (line, field, format!("{message} (column {column})")),
    }
}
