//! Expressions as text for every language of gpusched: kernel programs and the claims of studies.
//!
//! A language defines its words and signs ([`Lexis`]) and its operators and atoms ([`Grammar`]). All languages share two parts:
//! [`token`] splits the text, and [`parser`] joins operands by the precedence of the operators between them.

pub mod parser;
pub mod token;

pub use parser::{Grammar, Operand, Parser, parse};
pub use token::{Lexis, Token};

/// An error in an expression, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {position} of the expression: {message}")]
pub struct ParseError {
    /// Position in characters, counted from 1.
    pub position: usize,
    /// The found and expected text.
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
