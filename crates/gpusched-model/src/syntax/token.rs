//! Tokens of expressions: words, signs, numbers and texts.

use std::fmt::{self, Display};

use super::ParseError;

/// The words and signs of a language.
pub trait Lexis {
    /// Type of the numbers in the language.
    type Number: Clone + PartialEq + Display;

    /// Maximum number of tokens in an expression.
    const LONGEST: usize;
    /// Whether expressions of the language may contain texts in quotes.
    const TEXTS: bool;

    /// Returns all signs of the language: operators, parentheses and separators.
    fn signs() -> impl Iterator<Item = &'static str>;

    /// Returns whether names and keywords may contain `c`. Every name or keyword starts with a
    /// letter or `_`.
    fn in_word(c: char) -> bool;

    /// Returns the length in bytes of the number at the start of `text`. The first character of `text` is a digit, so
    /// the length is at least 1.
    fn number_length(text: &str) -> usize {
        word_length::<Self>(text)
    }

    /// Parses `digits` as a number.
    ///
    /// # Errors
    /// Fails for an invalid number. The error states the found and expected text.
    fn number(digits: &str) -> Result<Self::Number, String>;
}

/// The smallest unit of an expression with numbers of type `N`.
#[derive(Clone, PartialEq, Debug)]
pub enum Token<'t, N> {
    /// A number. It has no sign, so it is never negative.
    Number(N),
    /// A text between quotes.
    Text(&'t str),
    /// A name or a keyword.
    Word(&'t str),
    /// An operator, a parenthesis or a separator.
    Sign(&'static str),
    /// The end of the expression.
    End,
}

/// A token and its position in characters, counted from 1.
pub(super) type Placed<'a, N> = (usize, Token<'a, N>);

/// Splits `text` into tokens. Each token has a position in characters, counted from 1. The last token is
/// [`Token::End`].
///
/// # Errors
/// Fails if a character starts no token, if a number is invalid, if a text has no closing quote,
/// or if there are too many tokens.
pub(super) fn tokens<L: Lexis>(text: &str) -> Result<Vec<Placed<'_, L::Number>>, ParseError> {
    let mut tokens = Vec::new();
    let (mut rest, mut position) = (text, 1);
    loop {
        let trimmed = rest.trim_start();
        position += characters(rest, trimmed);
        rest = trimmed;
        if rest.is_empty() {
            tokens.push((position, Token::End));
            return Ok(tokens);
        }
        if tokens.len() == L::LONGEST {
            let message = format!("found more than {} words and signs in one expression", L::LONGEST);
            return Err(ParseError::new(position, message));
        }
        let (token, after) = first::<L>(rest).map_err(|message| ParseError::new(position, message))?;
        tokens.push((position, token));
        position += characters(rest, after);
        rest = after;
    }
}

/// Returns the first token of `text`, and the part of `text` after this token.
fn first<L: Lexis>(text: &str) -> Result<(Token<'_, L::Number>, &str), String> {
    let Some(first) = text.chars().next() else {
        return Ok((Token::End, text));
    };
    if first.is_ascii_digit() {
        let (number, after) = text.split_at(L::number_length(text));
        return Ok((Token::Number(L::number(number)?), after));
    }
    if L::TEXTS && matches!(first, '"' | '\'') {
        let inner = text.get(1..).and_then(|inner| inner.split_once(first));
        let (inner, after) = inner.ok_or_else(|| format!("found {first} without a closing quote"))?;
        return Ok((Token::Text(inner), after));
    }
    if (first == '_' || first.is_alphabetic()) && L::in_word(first) {
        let (word, after) = text.split_at(word_length::<L>(text));
        return Ok((Token::Word(word), after));
    }
    let signs = L::signs().filter_map(|sign| Some((sign, text.strip_prefix(sign)?)));
    let longest = signs.min_by_key(|(_, after)| after.len());
    let (sign, after) = longest.ok_or_else(|| format!("the character `{first}` has no meaning here"))?;
    Ok((Token::Sign(sign), after))
}

/// Returns the length in bytes of the word at the start of `text`.
fn word_length<L: Lexis + ?Sized>(text: &str) -> usize {
    text.find(|c| !L::in_word(c)).unwrap_or(text.len())
}

/// Returns the number of characters of `text` before its last part `rest`.
fn characters(text: &str, rest: &str) -> usize {
    let bytes = text.len() - rest.len();
    text.get(..bytes).map_or(0, |before| before.chars().count())
}

impl<N: Display> Display for Token<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(number) => write!(f, "{number}"),
            Token::Text(text) => write!(f, "\"{text}\""),
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => f.write_str("the end"),
        }
    }
}
