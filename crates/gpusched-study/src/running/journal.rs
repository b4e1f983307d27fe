//! The journal of a study. Its first line identifies the study, and each further line contains the results of one chunk.

mod line;
mod reader;

pub use line::{Header, Record};
pub use reader::{START_ANEW, first_line, read};

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::work::collection::Collection;
use gpusched_model::error::{Error, Result};
use gpusched_model::journal;
use line::Line;
use reader::{JournalReader, busy};

/// A journal to which this process writes. The file is locked against other processes.
#[derive(Debug)]
pub struct Journal {
    journal: journal::Journal,
    synced: Instant,
}

/// Maximum time during which only the memory of the operating system contains a finished chunk. A power failure can
/// lose such chunks. The end of the process alone loses no chunk.
const SYNC: Duration = Duration::from_secs(5);

impl Journal {
    /// Opens the journal at `path` or creates it, and adds its finished chunks to `collection`. If another process uses the
    /// journal, waits for up to [`PATIENCE`](journal::PATIENCE).
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process still uses the journal, or if the journal is damaged. Also fails if the
    /// journal belongs to another experiment, version or shard. Fails with [`Error::Io`] if the file cannot be accessed.
    pub fn open(path: &Path, header: &Header, collection: &mut Collection) -> Result<Journal> {
        let mut journal = Journal {
            journal: locked(path)?,
            synced: Instant::now(),
        };
        let mut reader = JournalReader::new(path, journal.journal.lines());
        if reader.header(header, true)?.is_some() {
            while let Some(record) = reader.record(collection)? {
                reader.insist_on_new(&record)?;
            }
        }
        let valid = reader.position();
        journal.journal.keep(valid)?;
        if valid == 0 {
            journal.journal.append(header)?;
            journal.sync()?;
        }
        Ok(journal)
    }

    /// Deletes the content of the journal at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process uses the journal. Fails with [`Error::Io`] if the file cannot be
    /// accessed.
    pub fn discard(path: &Path) -> Result<()> {
        locked(path)?.keep(0)
    }

    /// Appends the record of a finished chunk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`], for instance if the disk is full. The run can be resumed later.
    pub fn record(&mut self, record: &Record) -> Result<()> {
        self.journal.append(&Line::new(record))?;
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Writes all data of the journal to the disk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        self.journal.sync()
    }
}

/// Opens the journal at `path` or creates it, and locks the file.
fn locked(path: &Path) -> Result<journal::Journal> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Error::file(path, "a folder or a special file", "a regular file"));
    }
    journal::Journal::open(path, || {
        let since = format!(", also after {} s", journal::PATIENCE.as_secs());
        busy(path, &since)
    })
}
