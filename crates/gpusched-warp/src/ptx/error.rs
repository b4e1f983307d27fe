//! What is wrong with PTX, or beyond what programs can say.

/// An error in PTX text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PtxError {
    /// The line, from 1; 0 for the text as a whole.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl PtxError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> PtxError {
        PtxError {
            line,
            message: message.into(),
        }
    }
}
