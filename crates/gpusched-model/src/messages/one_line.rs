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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refusal;

    #[test]
    fn messages_are_one_line() {
        let said = one_line;
        let plain = "--seed: found \"a b\", expected a `whole` number";
        assert_eq!(said(plain), plain);
        assert_eq!(said("a\nb\tc\u{1b}[31m\u{202e}d\n"), "a b c\u{fffd}[31m\u{fffd}d");
    }

    /// Checks that a message with a long input still contains the text around this input.
    #[test]
    fn long_input_loses_its_middle() {
        let long = "x y\\\"".repeat(100_000);
        for found in [
            format!("\"{long}\""),
            format!("`{long}`"),
            "x".repeat(1_000_000),
            "ä".repeat(500),
        ] {
            let refusal = Refusal::new("tasks[0]", &found, "less").at("f.json", 1);
            let message = refusal.to_string();
            assert!(message.chars().count() < 2 * PIECE, "{message}");
            assert!(message.starts_with("f.json:1: at tasks[0]: found "), "{message}");
            assert!(message.contains('…'), "{message}");
            assert!(message.ends_with(", expected less"), "{message}");
        }
    }

    /// Checks that `one_line` omits the middle of a long list of short words.
    #[test]
    fn long_lists_lose_their_middle() {
        let message = one_line(&format!("found {}the end", "K1, ".repeat(100_000)));
        assert_eq!(message.chars().count(), LINE);
        assert!(message.starts_with("found K1, ") && message.ends_with("the end"));
    }

    /// Checks that a second call of `one_line` does not change the message. A message can be a part of another message,
    /// so gpusched may apply `one_line` twice.
    #[test]
    fn it_changes_nothing_twice() {
        for text in [
            "x".repeat(5000),
            "a b ".repeat(5000),
            format!("`{}`", "a b".repeat(99)),
        ] {
            assert_eq!(one_line(&one_line(&text)), one_line(&text));
        }
    }
}
