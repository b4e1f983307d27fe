//! Reader of journals.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::line::{Header, Line};
use crate::work::collection::{Added, Collection};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::journal::{Lines, PATIENCE};

/// Hint of every error about the content of a journal.
pub const START_ANEW: &str = "delete this file to start anew, or choose another folder";

/// Reads the journal at `path` and adds its chunks to `collection`. The journal can belong to any
/// shard of the study. If another process uses the journal, waits for up to [`PATIENCE`], as [`Journal::open`] does.
///
/// # Errors
/// Fails under the same conditions as [`Journal::open`]. Also fails with [`Error::Refused`] if `collection` has other
/// results for a chunk.
pub fn read(path: &Path, header: &Header, collection: &mut Collection) -> Result<()> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    let start = Instant::now();
    // If the file system has no file locks, the journal can still be read.
    while let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
        if start.elapsed() >= PATIENCE {
            return Err(busy(path, ""));
        }
        thread::sleep(Duration::from_millis(10));
    }
    let mut reader = JournalReader::new(path, Lines::new(path, &file));
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
    let mut lines = Lines::new(path, &file);
    let line = lines.next()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(without_end(line)).into_owned())
}

/// Returns the error for a journal that another process uses. `since` ends the description of the journal.
pub(super) fn busy(path: &Path, since: &str) -> Error {
    let found = format!("a study that another process uses{since}");
    let refusal = Refusal::new("", found, "a study that no other process uses");
    refusal
        .at(path, None)
        .hint("wait for the other process, or choose another folder")
        .into()
}

/// Returns `line` without its line end.
fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Reads the complete lines of a journal.
pub(super) struct JournalReader<'a> {
    path: &'a Path,
    lines: Lines<'a>,
}

impl<'a> JournalReader<'a> {
    pub(super) fn new(path: &'a Path, lines: Lines<'a>) -> JournalReader<'a> {
        JournalReader { path, lines }
    }

    /// Returns the position after the last complete line [bytes].
    pub(super) fn position(&self) -> u64 {
        self.lines.position()
    }

    /// Checks the first line. Returns `None` if the first line is incomplete.
    pub(super) fn header(&mut self, expected: &Header, shard_counts: bool) -> Result<Option<()>> {
        let Some(line) = self.lines.next()? else {
            // An incomplete first line may be overwritten only if it is the beginning of exactly this header.
            let whole = serde_json::to_vec(expected).map_err(|error| Error::Internal(error.to_string()))?;
            if !shard_counts || whole.starts_with(self.lines.rest()) {
                return Ok(None);
            }
            return Err(self.error(Refusal::new(
                "",
                "another file",
                "the beginning of a journal of this study",
            )));
        };
        let found: Header = match serde_json::from_slice(without_end(line)) {
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
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let line: Line = match serde_json::from_slice(without_end(line)) {
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
            Added::Mixed(algorithm) => Err(self.error(collection.mixed(algorithm))),
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
        let refusal = refusal.at(self.path, self.lines.number());
        refusal.hint(START_ANEW).into()
    }
}
