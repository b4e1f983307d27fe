//! Expressions as text, for every language of gpusched: kernel programs and the claims of studies.
//!
//! A language states its words and signs ([`Lexis`]), and its operators and atoms ([`Grammar`]). The rest is common:
//! [`token`] cuts the text, [`parser`] joins operands by the precedence of the operators between them.

pub mod parser;
pub mod token;

pub use parser::{Grammar, Operand, Parser, parse};
pub use token::{Lexis, Token};

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {position} of the expression: {message}")]
pub struct ParseError {
    /// The position in characters, from 1.
    pub position: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl ParseError {
    /// `message` about what stands at `position`.
    pub fn new(position: usize, message: impl Into<String>) -> ParseError {
        ParseError {
            position,
            message: message.into(),
        }
    }
}
