//! What is wrong with PTX, or beyond what programs can say.

/// An error in PTX text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PtxError {
    /// The line, from 1; 0 for the text as a whole.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
    /// Whether it is a modifier that its opcode does not have, which [`Options::any_modifier`](super::Options) lets pass.
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
