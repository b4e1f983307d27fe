//! Errors for invalid PTX text, and for PTX features that programs cannot express.

use std::fmt;
use std::rc::Rc;

/// An error in PTX text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PtxError {
    /// Number of the faulty line; the first line has number 1. 0 if the error concerns the whole
    /// text.
    pub line: usize,
    /// Description of what the importer found and what it expected.
    pub message: String,
    /// Whether the error reports a modifier that is unknown for its opcode. [`Options::any_modifier`](super::Options)
    /// permits unknown modifiers.
    pub unknown_modifier: bool,
    /// Whether an address or condition depends on an unknown value that the kernel loads from a buffer. The contents of
    /// the loaded buffer ([`Options::contents`](super::Options)) may make this value known.
    pub needs_contents: bool,
}

impl PtxError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> PtxError {
        PtxError {
            line,
            message: message.into(),
            unknown_modifier: false,
            needs_contents: false,
        }
    }

    /// Returns the error that `what` in line `line` depends on an unknown value. `because` is the reason why the value
    /// is unknown.
    pub(super) fn depends(line: usize, what: &str, because: &Because) -> PtxError {
        let message = format!("the {what} depends on {because}, which programs cannot express");
        PtxError {
            needs_contents: because.needs_contents,
            ..PtxError::new(line, message)
        }
    }
}

/// Reason why a value is unknown. In messages, the reason follows the words "depends on".
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Because {
    text: Rc<str>,
    /// Whether the value depends on a load from a buffer. Stated contents of this buffer may make the result of the
    /// load known.
    pub needs_contents: bool,
}

impl<T: Into<Rc<str>>> From<T> for Because {
    fn from(text: T) -> Because {
        Because {
            text: text.into(),
            needs_contents: false,
        }
    }
}

impl Because {
    /// Returns the reason that the load in line `line` reads an unknown value. `more` continues the text of the reason.
    pub(super) fn loaded(line: usize, more: &str) -> Because {
        Because {
            needs_contents: true,
            ..format!("the value loaded in line {line}{more}").into()
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
