//! Lines of a file, and errors with line numbers.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use super::token::Fault;
use gpusched_model::error::{Error, Refusal, Result};

/// Maximum length of a line [bytes]. A line with 32 addresses has fewer than 1000 bytes, but a line with a kernel name
/// may be long.
const LONGEST: u64 = 1 << 16;

/// First bytes of files that `xz`, `gzip`, `zstd` and `bzip2` write.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\xfd7zXZ\0", "xz"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
];

/// Text file that is read line by line. Blank lines are skipped.
pub(super) struct Lines {
    file: String,
    reader: BufReader<Box<dyn Read + Send>>,
    number: usize,
    line: Vec<u8>,
}

impl Lines {
    /// Opens the file at `path`. The path `-` is standard input.
    pub(super) fn open(path: &Path) -> Result<Lines> {
        let bytes: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(|cause| Error::io(path, "open", cause))?)
        };
        Lines::new(path.display().to_string(), bytes)
    }

    /// Creates a file from its content `bytes`. Messages state the name `file`.
    pub(super) fn new(file: String, bytes: Box<dyn Read + Send>) -> Result<Lines> {
        let mut lines = Lines {
            file,
            reader: BufReader::with_capacity(1 << 17, bytes),
            number: 0,
            line: Vec::new(),
        };
        let first = lines
            .reader
            .fill_buf()
            .map_err(|cause| Error::io(&lines.file, "read", cause))?;
        match COMPRESSED.iter().find(|(magic, _)| first.starts_with(magic)) {
            Some((_, tool)) => Err(lines.whole(format!(
                "found a compressed file, expected text: decompress it first, such as with `{tool} -dk FILE`"
            ))),
            None => Ok(lines),
        }
    }

    /// Returns the first byte that is not blank; `None` if the buffer contains no such byte.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        let bytes = self
            .reader
            .fill_buf()
            .map_err(|cause| Error::io(&self.file, "read", cause))?;
        Ok(bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace()))
    }

    /// Advances to the next line that is not blank. Returns false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            let read = (&mut self.reader)
                .take(LONGEST + 1)
                .read_until(b'\n', &mut self.line)
                .map_err(|cause| Error::io(&self.file, "read", cause))?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            if read as u64 > LONGEST {
                let message = format!("found a line of more than {LONGEST} bytes");
                return Err(self.error(Fault::new("", message)));
            }
            let end = self.line.trim_ascii_end().len();
            self.line.truncate(end);
            if !self.line.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Returns the current line without trailing blanks.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Returns an error that states the number of the current line.
    pub(super) fn error(&self, fault: Fault) -> Error {
        self.at(Some(self.number.max(1)), fault)
    }

    /// Returns an error which states that the file ends unexpectedly.
    pub(super) fn cut(&self, message: impl Into<String>) -> Error {
        self.error(Fault::new("", message))
    }

    /// Returns an error that concerns the whole file.
    pub(super) fn whole(&self, message: impl Into<String>) -> Error {
        self.at(None, Fault::new("", message))
    }

    fn at(&self, line: Option<usize>, fault: Fault) -> Error {
        Error::Refused(Refusal::told(fault.field, fault.message).at(&self.file, line))
    }

    /// Returns the name of the file.
    pub(super) fn file(&self) -> &str {
        &self.file
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.number)
    }
}
