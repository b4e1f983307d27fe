//! What can go wrong with input and files. A task set that misses deadlines is a result, not an error.

use std::path::{Path, PathBuf};

/// The cause of exit code 2: something outside gpusched must change before the run can succeed. (But see
/// [`Error::Internal`].)
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A value in an input file is malformed or absurd.
    #[error(transparent)]
    Input(#[from] InputError),

    /// A file or stream could not be read or written.
    #[error("{}", one_line(&format!("{}: cannot {action}: {cause}", path.display())))]
    Io {
        /// The file, or `-` for a standard stream.
        path: PathBuf,
        /// What was tried, such as `read` or `create`.
        action: &'static str,
        /// The operating system's answer.
        cause: std::io::Error,
    },

    /// gpusched contradicts itself: exit code 3.
    #[error("internal error, please report: {}", one_line(.0))]
    Internal(String),

    /// The request itself does not make sense (flags, combinations, parameters).
    #[error("{}", one_line(.0))]
    Usage(String),
}

/// A bad value in an input file: where it stands, what was found, what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", one_line(&format!("{}: {message}", self.place())))]
pub struct InputError {
    /// The file as the user named it, `-` for standard input.
    pub file: String,
    /// The line, counted from 1, where known.
    pub line: Option<usize>,
    /// The field's path such as `tasks[0].wcet.amdahl.work`; empty for the whole document.
    pub field: String,
    /// What was found and what was expected.
    pub message: String,
}

impl InputError {
    fn place(&self) -> String {
        let mut place = self.file.clone();
        if let Some(line) = self.line {
            place += &format!(":{line}");
        }
        if !self.field.is_empty() {
            place += &format!(": at {}", self.field);
        }
        place
    }
}

/// The result of everything that reads input or touches files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An I/O failure on `path` while trying to `action` ("read", "create", …).
    pub fn io(path: impl AsRef<Path>, action: &'static str, cause: std::io::Error) -> Error {
        Error::Io {
            path: path.as_ref().to_owned(),
            action,
            cause,
        }
    }
}

/// `message` as one line that a terminal can show, whatever input it repeats: control characters are replaced, and the middle is
/// left out of a long quotation, of a long word, and of the rest if it is still long. Every [`Error`] is shown so.
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

/// As much of `input` as a message repeats.
pub fn excerpt(input: &str) -> String {
    clipped(&clean(input), PIECE).into_iter().collect()
}

/// `text` without control characters.
fn clean(text: &str) -> Vec<char> {
    let clean = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() || is_invisible(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    clean.collect()
}

/// The most of a quotation or word that a message repeats [characters].
const PIECE: usize = 160;

/// The longest message [characters].
const LINE: usize = 1000;

/// Characters without a shape that change how others are shown, such as the order in which a terminal shows them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The length of the quotation, word or space that `text` begins with; at least 1.
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

/// `text` with its middle left out if it has more than `most` characters.
fn clipped(text: &[char], most: usize) -> Vec<char> {
    if text.len() <= most {
        return text.to_vec();
    }
    let tail = most / 3;
    let (head, rest) = text.split_at(most - tail - 1);
    let (_, tail) = rest.split_at(rest.len() - tail);
    [head, &['…'], tail].concat()
}

/// `message` of a parser, with the numbers that fit in place of the name of a type.
pub fn in_words(message: &str) -> String {
    const TYPES: [(&str, &str); 9] = [
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number from 0 to 65535"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number from 0 to 18446744073709551615"),
        ("usize", "a whole number from 0 to 18446744073709551615"),
        ("i32", "a whole number from -2147483648 to 2147483647"),
        (
            "i64",
            "a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        ("f32", "a number"),
        ("f64", "a number"),
    ];
    for (name, words) in TYPES {
        if let Some(start) = message
            .strip_suffix(name)
            .filter(|start| start.ends_with("expected "))
        {
            return format!("{start}{words}");
        }
    }
    message.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line() {
        let said = |text: &str| Error::Usage(text.to_owned()).to_string();
        let plain = "--seed: found \"a b\", expected a `whole` number";
        assert_eq!(said(plain), plain);
        assert_eq!(said("a\nb\tc\u{1b}[31m\u{202e}d\n"), "a b c\u{fffd}[31m\u{fffd}d");
    }

    /// However long the input is that a message repeats, what stands around it is there.
    #[test]
    fn long_input_loses_its_middle() {
        let long = "x y\\\"".repeat(100_000);
        for found in [
            format!("\"{long}\""),
            format!("`{long}`"),
            "x".repeat(1_000_000),
            "ä".repeat(500),
        ] {
            let error = InputError {
                file: "f.json".to_owned(),
                line: Some(1),
                field: "tasks[0]".to_owned(),
                message: format!("found {found}, expected less"),
            };
            let message = error.to_string();
            assert!(message.chars().count() < 2 * PIECE, "{message}");
            assert!(message.starts_with("f.json:1: at tasks[0]: found "), "{message}");
            assert!(message.contains('…'), "{message}");
            assert!(
                message.ends_with(", expected less") || !found.starts_with(['"', '`']),
                "{message}"
            );
        }
    }

    /// Many short words are cut as a whole.
    #[test]
    fn long_lists_lose_their_middle() {
        let message = Error::Usage(format!("found {}the end", "K1, ".repeat(100_000))).to_string();
        assert_eq!(message.chars().count(), LINE);
        assert!(message.starts_with("found K1, ") && message.ends_with("the end"));
    }

    /// Messages are parts of other messages.
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
