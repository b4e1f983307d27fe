//! Errors in inputs and files. A missed deadline is a result, not an error.

use std::path::{Path, PathBuf};

pub use crate::messages::one_line::{excerpt, one_line};
pub use crate::messages::refusal::Refusal;

/// The reason why a run fails. [`Error::Internal`] is a bug of gpusched and has exit code 3. All
/// other errors have exit code 2, and the user can correct their causes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// gpusched refuses a value in an input file, the value of a parameter, or a combination of values.
    #[error(transparent)]
    Refused(#[from] Refusal),

    /// The operating system could not read or write a file or stream.
    #[error("{}", one_line(&format!("{}: cannot {action}: {cause}", path.display())))]
    Io {
        /// Path of the file, or `-` for a standard stream.
        path: PathBuf,
        /// Action that failed, such as `read` or `create`.
        action: &'static str,
        /// Error of the operating system.
        cause: std::io::Error,
    },

    /// A bug of gpusched: an internal check failed. The exit code is 3.
    #[error("internal error, please report: {}", one_line(.0))]
    Internal(String),
}

/// The result of a function that can fail with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates the error for the parameter `name`, whose value is `found` instead of `expected`.
    pub fn parameter(name: impl Into<String>, found: impl ToString, expected: impl ToString) -> Error {
        Refusal::new(name, found, expected).into()
    }

    /// Creates the error for the file at `path`, which contains `found` instead of `expected`.
    pub fn file(path: impl AsRef<Path>, found: impl ToString, expected: impl ToString) -> Error {
        Refusal::new("", found, expected).at(path, None).into()
    }

    /// Applies `change` to the refusal in the error. Other errors stay unchanged.
    #[must_use]
    pub fn map_refusal(self, change: impl FnOnce(Refusal) -> Refusal) -> Error {
        match self {
            Error::Refused(refusal) => Error::Refused(change(refusal)),
            other => other,
        }
    }

    /// Creates the error for a failed operation on the file at `path`. `action` is a verb such as
    /// "read" or "create".
    pub fn io(path: impl AsRef<Path>, action: &'static str, cause: std::io::Error) -> Error {
        Error::Io {
            path: path.as_ref().to_owned(),
            action,
            cause,
        }
    }
}

/// In the `message` of a parser, replaces the name of a number type such as `u8` by the range of this type.
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
