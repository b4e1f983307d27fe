//! The file or stream that contains a trace.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::columns::Fault;
use gpusched_model::error::{Error, Refusal, Result};

/// Largest length of a line [bytes].
pub(super) const LONGEST_LINE: u64 = 1 << 16;

/// A file or standard input, as a source of bytes.
pub(super) struct Source {
    name: String,
    reader: BufReader<Box<dyn Read>>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source> {
        let bytes: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(path).map_err(|cause| Error::io(path, "open", cause))?)
        };
        Ok(Source {
            name: path.display().to_string(),
            reader: BufReader::with_capacity(1 << 16, bytes),
        })
    }

    /// Returns the first bytes without consuming them.
    pub(super) fn peek(&mut self) -> Result<&[u8]> {
        let name = &self.name;
        self.reader
            .fill_buf()
            .map_err(|cause| Error::io(name, "read", cause))
    }

    /// Returns the name of the source, for error messages, and the reader of its bytes.
    pub(super) fn into_parts(self) -> (Place, BufReader<Box<dyn Read>>) {
        (Place(self.name), self.reader)
    }
}

/// Name of the file, for error messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place(String);

impl Place {
    /// Returns an error at `line`, or in the whole file if `line` is `None`.
    pub(super) fn error(&self, line: Option<u64>, message: impl Into<String>) -> Error {
        self.fault(line, Fault::new("", message))
    }

    /// Returns an error about one value.
    pub(super) fn fault(&self, line: Option<u64>, fault: Fault) -> Error {
        Error::Refused(
            Refusal::told(fault.field, fault.message)
                .at(&self.0, line.and_then(|line| usize::try_from(line).ok())),
        )
    }

    /// Returns an error of the operating system.
    pub(super) fn io(&self, cause: io::Error) -> Error {
        Error::io(&self.0, "read", cause)
    }
}
