//! Reader of journals.

use std::fs::{File, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use super::busy;
use super::line::{Header, Line};
use crate::running::collection::{Added, Collection};
use gpusched_model::error::{Error, Refusal, Result};

/// Hint of every error about the content of a journal.
pub const START_ANEW: &str = "delete this file to start anew, or choose another folder";

/// Reads the journal at `path` and adds its chunks to `collection`. The journal can belong to any
/// shard of the study.
///
/// # Errors
/// Fails under the same conditions as [`Journal::open`]. Also fails with [`Error::Refused`] if `collection` has other
/// results for a chunk.
pub fn read(path: &Path, header: &Header, collection: &mut Collection) -> Result<()> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => return Err(busy(path)),
        // If the file system has no file locks, the journal can still be read.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    let mut reader = JournalReader::new(path, &file);
    if reader.header(header, false)?.is_some() {
        while reader.record(collection)?.is_some() {}
    }
    Ok(())
}

/// Returns the first line of the journal at `path`. If the line is incomplete, returns an empty text.
///
/// # Errors
/// Fails with [`Error::Io`] if the file cannot be read.
pub fn first_line(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    let mut reader = JournalReader::new(path, &file);
    let line = reader.next()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

/// Reads the complete lines of a journal.
pub(super) struct JournalReader<'a> {
    path: &'a Path,
    lines: BufReader<&'a File>,
    /// Number of the current line. The first line has number 1.
    line: usize,
    /// Position after the last complete line [bytes].
    pub(super) position: u64,
    buffer: Vec<u8>,
}

/// Upper bound on the length of a line [bytes].
const LONGEST_LINE: u64 = 1 << 28;

impl<'a> JournalReader<'a> {
    pub(super) fn new(path: &'a Path, file: &'a File) -> JournalReader<'a> {
        JournalReader {
            path,
            lines: BufReader::new(file),
            line: 0,
            position: 0,
            buffer: Vec::new(),
        }
    }

    /// Returns the next complete line. Returns `None` at the end of the file and at an incomplete line.
    fn next(&mut self) -> Result<Option<&[u8]>> {
        self.buffer.clear();
        let mut limited = (&mut self.lines).take(LONGEST_LINE);
        let read = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|cause| Error::io(self.path, "read", cause))?;
        self.line += 1;
        if self.buffer.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.position += read as u64;
        Ok(Some(&self.buffer[..read - 1]))
    }

    /// Checks the first line. Returns `None` if the first line is incomplete.
    pub(super) fn header(&mut self, expected: &Header, shard_counts: bool) -> Result<Option<()>> {
        let Some(line) = self.next()? else {
            // An incomplete first line may be overwritten only if it is the beginning of exactly this header.
            let whole = serde_json::to_vec(expected).map_err(|error| Error::Internal(error.to_string()))?;
            if !shard_counts || whole.starts_with(&self.buffer) {
                return Ok(None);
            }
            return Err(self.error(Refusal::new(
                "",
                "another file",
                "the beginning of a journal of this study",
            )));
        };
        let found: Header = match serde_json::from_slice(line) {
            Ok(found) => found,
            Err(error) => {
                return Err(self.error(Refusal::told(
                    "",
                    format!("found a line that is not the first line of a journal: {error}"),
                )));
            }
        };
        match found.difference(expected, shard_counts) {
            None => Ok(Some(())),
            Some((field, found, expected)) => Err(self.error(Refusal::new(
                field,
                format!("a journal of {field} {found}"),
                expected,
            ))),
        }
    }

    /// Reads the next chunk and adds it to `collection`.
    pub(super) fn record(&mut self, collection: &mut Collection) -> Result<Option<(usize, Added)>> {
        let Some(line) = self.next()? else {
            return Ok(None);
        };
        let line: Line = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(error) => return Err(self.error(Refusal::told("", format!("found a damaged line: {error}")))),
        };
        let Some(record) = line.record() else {
            return Err(self.error(Refusal::new(
                "check",
                "a damaged line",
                "the checksum of the results",
            )));
        };
        match collection.add(record.chunk, &record.content) {
            Added::Malformed => Err(self.error(Refusal::new(
                "",
                "a damaged line",
                "the results of a chunk of this study",
            ))),
            Added::Conflict => {
                let found = format!(
                    "chunk {} with results that differ from the results in an earlier line",
                    record.chunk
                );
                Err(self.error(Refusal::new(
                    "chunk",
                    found,
                    "the same results in all lines of a chunk",
                )))
            }
            added => Ok(Some((record.chunk, added))),
        }
    }

    /// Rejects a chunk that the journal contains for the second time.
    pub(super) fn insist_on_new(&self, (chunk, added): &(usize, Added)) -> Result<()> {
        if *added == Added::New {
            return Ok(());
        }
        Err(self.error(Refusal::new(
            "chunk",
            format!("chunk {chunk} twice"),
            "each chunk once",
        )))
    }

    fn error(&self, refusal: Refusal) -> Error {
        let refusal = refusal.at(self.path, self.line);
        refusal.hint(START_ANEW).into()
    }
}
