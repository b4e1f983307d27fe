//! Messages that stay one short line, even if they repeat long or unusual input.

/// Returns `message` as one line that every terminal can show. The function replaces control
/// characters and omits the middle of long quotations and long words. If the line is still too
/// long, the function also omits the middle of the line. gpusched applies this function to all
/// parts of error messages.
pub fn one_line(message: &str) -> String {
    let clean = clean(message.trim_end());
    let (mut line, mut rest) = (Vec::new(), clean.as_slice());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(piece(rest));
        line.extend(clipped(piece, PIECE));
        rest = later;
    }
    clipped(&line, LINE).into_iter().collect()
}

/// Returns `input` in one line for messages, without the middle of a long input.
pub fn excerpt(input: &str) -> String {
    clipped(&clean(input), PIECE).into_iter().collect()
}

/// Returns the characters of `text` after the replacement of control characters.
fn clean(text: &str) -> Vec<char> {
    let clean = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() || is_invisible(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    clean.collect()
}

/// Maximum length of a quotation or word in a message [characters].
const PIECE: usize = 160;

/// Maximum length of a message [characters].
const LINE: usize = 1000;

/// Returns whether `c` is invisible and affects other characters in a terminal, for example their order.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the length of the quotation, word or space at the start of `text`. The length is at least 1.
fn piece(text: &[char]) -> usize {
    let quoted = match text.first() {
        Some(&quote @ ('"' | '`')) => {
            let mut escaped = false;
            let end = text.iter().skip(1).position(|&c| {
                let ends = c == quote && !escaped;
                escaped = c == '\\' && !escaped && quote == '"';
                ends
            });
            end.map(|end| end + 2)
        }
        _ => None,
    };
    let ends = |&c: &char| matches!(c, ' ' | '"' | '`');
    let word = || text.iter().skip(1).position(ends).map(|end| end + 1);
    quoted.or_else(word).unwrap_or(text.len())
}

/// Returns `text`, or `text` without its middle if it has more than `most` characters.
fn clipped(text: &[char], most: usize) -> Vec<char> {
    if text.len() <= most {
        return text.to_vec();
    }
    let tail = most / 3;
    let (head, rest) = text.split_at(most - tail - 1);
    let (_, tail) = rest.split_at(rest.len() - tail);
    [head, &['…'], tail].concat()
}
