//! Words and signs of expressions.

use super::parser::ParseError;
use super::{Binary, Unary};

/// The smallest unit of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    Name(String),
    Sign(&'static str),
    End,
}

const OTHERS: [&str; 8] = ["(", ")", ",", "?", ":", "!", "~", "-"];

/// The longest expression accepted [words and signs]: keeps every recursion over it shallow.
const LIMIT: usize = 1000;

/// Cuts an expression into tokens, each with its position in characters from 1; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let position = text.chars().count() - rest.chars().count() + 1;
        let fail = |message: String| ParseError { position, message };
        let Some(first) = rest.chars().next() else {
            tokens.push((position, Token::End));
            return Ok(tokens);
        };
        if tokens.len() == LIMIT {
            return Err(fail(format!("longer than {LIMIT} words and signs")));
        }
        let word = |rest: &str| {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
            end.unwrap_or(rest.len())
        };
        let length = if first.is_ascii_digit() {
            let length = word(rest);
            let digits = rest.get(..length).unwrap_or(rest);
            let number = match digits.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            let number = number.map_err(|_| {
                fail(format!(
                    "found {digits:?}, expected a whole number less than 2^63"
                ))
            })?;
            tokens.push((position, Token::Number(number)));
            length
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = word(rest);
            tokens.push((
                position,
                Token::Name(rest.get(..length).unwrap_or(rest).to_owned()),
            ));
            length
        } else {
            let signs = Binary::ALL.iter().map(|operator| operator.sign()).chain(OTHERS);
            let sign = signs.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or_else(|| fail(format!("the character `{first}` has no meaning here")))?;
            tokens.push((position, Token::Sign(sign)));
            sign.len()
        };
        rest = rest.get(length..).unwrap_or("").trim_start();
    }
}

/// The operator before an operand that `token` is.
pub(super) fn unary(token: &Token) -> Option<Unary> {
    match token {
        Token::Sign("-") => Some(Unary::Minus),
        Token::Sign("!") => Some(Unary::Not),
        Token::Sign("~") => Some(Unary::Invert),
        _ => None,
    }
}

/// The operator between operands that `token` is.
pub(super) fn binary(token: &Token) -> Option<Binary> {
    match token {
        Token::Sign(sign) => Binary::ALL.into_iter().find(|operator| operator.sign() == *sign),
        _ => None,
    }
}
