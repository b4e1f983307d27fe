//! Words and signs of expressions.

use std::fmt::{self, Display};

use super::{Grammar, ParseError};

/// The smallest unit of an expression whose numbers are `N`.
#[derive(Clone, PartialEq, Debug)]
pub enum Token<'t, N> {
    /// A number. Numbers have no sign, so it is never negative.
    Number(N),
    /// What stands between quotes.
    Text(&'t str),
    /// A name or a keyword.
    Word(&'t str),
    /// An operator, a parenthesis or a separator.
    Sign(&'static str),
    /// The end of the expression.
    End,
}

/// Cuts `text` into tokens, each with its position in characters from 1; the last is [`Token::End`].
///
/// # Errors
/// The first character that starts no token, a number that `G` refuses, a text without an end, or too many tokens.
pub(super) fn tokens<G: Grammar>(text: &str) -> Result<Vec<(usize, Token<'_, G::Number>)>, ParseError> {
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
        if tokens.len() == G::LONGEST {
            let message = format!("longer than {} words and signs", G::LONGEST);
            return Err(ParseError::new(position, message));
        }
        let (token, after) = first::<G>(rest).map_err(|message| ParseError::new(position, message))?;
        tokens.push((position, token));
        position += characters(rest, after);
        rest = after;
    }
}

/// The token that `text` starts with, and what follows it.
fn first<G: Grammar>(text: &str) -> Result<(Token<'_, G::Number>, &str), String> {
    let Some(first) = text.chars().next() else {
        return Ok((Token::End, text));
    };
    if first.is_ascii_digit() {
        let (number, after) = text.split_at(G::number_length(text));
        return Ok((Token::Number(G::number(number)?), after));
    }
    if G::TEXTS && matches!(first, '"' | '\'') {
        let inner = text.get(1..).and_then(|inner| inner.split_once(first));
        let (inner, after) =
            inner.ok_or_else(|| format!("found {first} without a second one that ends the text"))?;
        return Ok((Token::Text(inner), after));
    }
    if (first == '_' || first.is_alphabetic()) && G::in_word(first) {
        let (word, after) = text.split_at(word_length::<G>(text));
        return Ok((Token::Word(word), after));
    }
    let signs = G::signs().filter_map(|sign| Some((sign, text.strip_prefix(sign)?)));
    let longest = signs.min_by_key(|(_, after)| after.len());
    let (sign, after) = longest.ok_or_else(|| format!("the character `{first}` has no meaning here"))?;
    Ok((Token::Sign(sign), after))
}

/// How many of the first bytes form a word.
pub fn word_length<G: Grammar>(text: &str) -> usize {
    text.find(|c| !G::in_word(c)).unwrap_or(text.len())
}

/// How many characters stand before `rest`, which ends `text`.
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
