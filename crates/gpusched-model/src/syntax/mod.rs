//! Parser for expressions in kernel programs and in the claims of studies.
//!
//! Each language of expressions defines its words and signs ([`Lexis`]), and its operators and operands ([`Grammar`]).
//! All languages use two common modules. [`token`] splits the text into tokens. [`parser`] combines operands by the
//! precedence of the operators between them.

pub mod parser;
pub mod token;

pub use parser::{Grammar, Operand, Parser, parse};
pub use token::{Lexis, Token};

/// An error in an expression, with the position of the error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {position} of the expression: {message}")]
pub struct ParseError {
    /// Position of the error in characters, counted from 1.
    pub position: usize,
    /// Message that states the found and expected text.
    pub message: String,
}

impl ParseError {
    /// Creates the error `message` at `position`.
    pub fn new(position: usize, message: impl Into<String>) -> ParseError {
        ParseError {
            position,
            message: message.into(),
        }
    }
}
