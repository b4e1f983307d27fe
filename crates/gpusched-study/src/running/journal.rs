//! The checkpoint of a study: a file with one line per finished chunk.
//!
//! The first line identifies the study. Every other line is one chunk. A line counts only if its line end is present. A kill
//! at any time leaves a valid journal, perhaps with an incomplete last line, which is removed when the study resumes. A
//! process that uses a journal holds a lock on it. The operating system releases the lock if the process dies.

mod line;
mod reader;

pub use line::{Header, Record};
pub use reader::{first_line, read};

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::collection::Collection;
use gpusched_model::error::{Error, Refusal, Result};
use line::Line;
use reader::JournalReader;

/// A journal that is being written. It is locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

/// Longest time that finished chunks may stay only in the memory of the operating system. A power cut may lose them; a kill does not.
const SYNC: Duration = Duration::from_secs(5);

impl Journal {
    /// Opens the journal at `path`, or creates one, and adds its finished chunks to `collection`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process uses the journal, or if it belongs to another experiment, version or
    /// shard, or is damaged. Fails with [`Error::Io`] if access fails.
    pub fn open(path: &Path, header: &Header, collection: &mut Collection) -> Result<Journal> {
        let fail = |action| move |cause| Error::io(path, action, cause);
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::file(path, "no file", "a file"));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(path)),
            Err(TryLockError::Error(cause)) => return Err(Error::io(path, "lock", cause)),
        }

        let mut reader = JournalReader::new(path, &file);
        let valid = match reader.header(header, true)? {
            Some(()) => {
                while let Some(record) = reader.record(collection)? {
                    reader.insist_on_new(&record)?;
                }
                reader.position
            }
            None => 0,
        };
        let mut journal = Journal {
            path: path.to_owned(),
            file,
            synced: Instant::now(),
        };
        journal.file.set_len(valid).map_err(fail("shorten"))?;
        journal.file.seek(SeekFrom::Start(valid)).map_err(fail("write"))?;
        if valid == 0 {
            journal.append(header)?;
            journal.sync()?;
        }
        Ok(journal)
    }

    /// Adds a finished chunk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`], for instance if the disk is full. The study can be resumed afterwards.
    pub fn record(&mut self, record: &Record) -> Result<()> {
        self.append(&Line::new(record))?;
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Writes all data to the disk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        self.file
            .sync_data()
            .map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Writes each line at once, so that the operating system gets whole lines unless the process dies during the call.
    fn append(&mut self, line: &impl Serialize) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        let mut bytes = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(fail)
    }
}

fn busy(path: &Path) -> Error {
    let found = "a study that another process uses";
    let refusal = Refusal::new("", found, "a study that no other process uses");
    refusal
        .at(path, None)
        .hint("wait for the other process, or choose another folder")
        .into()
}
