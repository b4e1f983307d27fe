//! Words of the claim language.

use std::fmt;

use super::parser::ParseError;

/// The smallest unit of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// Finite, not negative.
    Number(f64),
    /// Between quotes.
    Text(String),
    /// A keyword, a function or a column.
    Word(String),
    Symbol(&'static str),
    End,
}

/// Longer ones first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 13] = ["!=", "<=", ">=", "(", ")", ",", "<", ">", "=", "+", "-", "*", "/"];

/// The longest expression accepted [tokens]: keeps every recursion over it shallow.
const LIMIT: usize = 2000;

/// Cuts an expression into tokens, each with its position in characters from 1; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    let (mut rest, mut position) = (text, 1);
    loop {
        let trimmed = rest.trim_start();
        position += skipped(rest, trimmed);
        rest = trimmed;
        let fail = |message: &str| ParseError::new(position, message);
        let Some(first) = rest.chars().next() else {
            tokens.push((position, Token::End));
            return Ok(tokens);
        };
        if tokens.len() == LIMIT {
            return Err(fail(&format!("longer than {LIMIT} words and signs")));
        }
        let (token, remaining) = if first.is_ascii_digit() {
            let (number, remaining) = rest.split_at(number_length(rest));
            let value: Option<f64> = number.parse().ok().filter(|value: &f64| value.is_finite());
            let value = value.ok_or_else(|| fail(&format!("the number {number} is too large")))?;
            (Token::Number(value), remaining)
        } else if first == '"' || first == '\'' {
            let (text, remaining) = rest
                .get(1..)
                .and_then(|inner| inner.split_once(first))
                .ok_or_else(|| fail(&format!("found {first} without a second one that ends the text")))?;
            (Token::Text(text.to_owned()), remaining)
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let (word, remaining) = rest.split_at(end.unwrap_or(rest.len()));
            (Token::Word(word.to_owned()), remaining)
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
            let symbol =
                symbol.ok_or_else(|| fail(&format!("the character `{first}` has no meaning here")))?;
            (
                Token::Symbol(symbol),
                rest.strip_prefix(symbol).unwrap_or_default(),
            )
        };
        tokens.push((position, token));
        position += skipped(rest, remaining);
        rest = remaining;
    }
}

/// How many characters stand before `rest`, which ends `text`.
fn skipped(text: &str, rest: &str) -> usize {
    let bytes = text.len() - rest.len();
    text.get(..bytes).map_or(0, |skipped| skipped.chars().count())
}

/// How many of the first bytes form a decimal number: `35`, `0.99`, `2.5e-3`.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let tail = |at: usize| text.get(at..).unwrap_or_default();
    let mut length = digits(text);
    if let Some(fraction) = tail(length).strip_prefix('.') {
        length += match digits(fraction) {
            0 => 0, // not ours: the point will be reported
            count => 1 + count,
        };
    }
    if let Some(exponent) = tail(length).strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        length += match digits(unsigned) {
            0 => 0,
            count => 1 + (exponent.len() - unsigned.len()) + count,
        };
    }
    length
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(value) => write!(f, "{value}"),
            Token::Text(text) => write!(f, "\"{text}\""),
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Symbol(symbol) => write!(f, "`{symbol}`"),
            Token::End => f.write_str("the end"),
        }
    }
}
