//! The checkpoint: a file that gets one line for each chunk that is done.
//!
//! The first line says what it belongs to; every other line is one chunk. A line counts once its line end is there, so a
//! kill at any moment leaves a valid journal and perhaps the beginning of a line, which is cut off on resuming. While a
//! process works on a journal it holds a lock on it, which the operating system releases if the process dies.

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

/// A journal being written, locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

/// How long finished chunks may stay in the operating system's memory only. A kill loses none of them; a power cut may.
const SYNC: Duration = Duration::from_secs(5);

impl Journal {
    /// Opens the journal at `path`, or starts one, and adds the chunks that are done to `collection`.
    ///
    /// # Errors
    /// [`Error::Refused`] if another process holds it; [`Error::Refused`] if it belongs to another experiment, version or
    /// shard, or is damaged; [`Error::Io`].
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
    /// [`Error::Io`], for instance if the disk is full; the study can be resumed afterwards.
    pub fn record(&mut self, record: &Record) -> Result<()> {
        self.append(&Line::new(record))?;
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that everything is on disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        self.file
            .sync_data()
            .map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// One write per line, so that lines reach the operating system whole unless the process dies in between.
    fn append(&mut self, line: &impl Serialize) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        let mut bytes = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(fail)
    }
}

fn busy(path: &Path) -> Error {
    let found = "a study that another process is working on";
    let refusal = Refusal::new("", found, "one that no process uses");
    refusal
        .at(path, None)
        .hint("wait for the other process, or choose another folder")
        .into()
}
