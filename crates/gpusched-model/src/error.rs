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
    #[error("{}: cannot {action}: {cause}", path.display())]
    Io {
        /// The file, or `-` for a standard stream.
        path: PathBuf,
        /// What was tried, such as `read` or `create`.
        action: &'static str,
        /// The operating system's answer.
        cause: std::io::Error,
    },

    /// gpusched contradicts itself: exit code 3.
    #[error("internal error, please report: {0}")]
    Internal(String),

    /// The request itself does not make sense (flags, combinations, parameters).
    #[error("{0}")]
    Usage(String),
}

/// A bad value in an input file: where it stands, what was found, what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", self.place())]
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
