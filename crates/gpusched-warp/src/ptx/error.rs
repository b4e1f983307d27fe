//! Errors in PTX text and PTX features that programs cannot express.

/// An error in PTX text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PtxError {
    /// Line of the error, from 1; 0 for the whole text.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
    /// Whether the error is a modifier that is unknown for its opcode. [`Options::any_modifier`](super::Options)
    /// permits such modifiers.
    pub unknown_modifier: bool,
}

impl PtxError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> PtxError {
        PtxError {
            line,
            message: message.into(),
            unknown_modifier: false,
        }
    }
}
