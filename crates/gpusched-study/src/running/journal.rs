//! The checkpoint of a study: a file with one line for each finished chunk.
//!
//! The first line identifies the study. Each further line contains the results of one chunk. A line is valid only if its
//! line end is present. If a process is killed, its journal stays valid, but the last line may be incomplete. The next
//! run removes this line. A process that uses a journal locks the file. When the process ends, the operating system
//! releases the lock.

mod line;
mod reader;

pub use line::{Header, Record};
pub use reader::{START_ANEW, first_line, read};

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::collection::Collection;
use gpusched_model::error::{Error, Refusal, Result};
use line::Line;
use reader::JournalReader;

/// A journal to which this process writes. The file is locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

/// Maximum time during which only the memory of the operating system contains a finished chunk. A power failure can
/// lose such chunks. The end of the process alone loses no chunk.
const SYNC: Duration = Duration::from_secs(5);

impl Journal {
    /// Opens the journal at `path` or creates it, and adds its finished chunks to `collection`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process uses the journal, or if the journal is damaged. Also fails if the
    /// journal belongs to another experiment, version or shard. Fails with [`Error::Io`] if the file cannot be accessed.
    pub fn open(path: &Path, header: &Header, collection: &mut Collection) -> Result<Journal> {
        let fail = |action| move |cause| Error::io(path, action, cause);
        let file = locked(path)?;
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

    /// Deletes the content of the journal at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process uses the journal. Fails with [`Error::Io`] if the file cannot be
    /// accessed.
    pub fn discard(path: &Path) -> Result<()> {
        let fail = |cause| Error::io(path, "shorten", cause);
        locked(path)?.set_len(0).map_err(fail)
    }

    /// Appends the record of a finished chunk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`], for instance if the disk is full. The run can be resumed later.
    pub fn record(&mut self, record: &Record) -> Result<()> {
        self.append(&Line::new(record))?;
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
        self.file
            .sync_data()
            .map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Writes each line in one call. The operating system then receives only complete lines, unless the process is
    /// killed during the call.
    fn append(&mut self, line: &impl Serialize) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        let mut bytes = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(fail)
    }
}

/// Opens the journal at `path` or creates it, and locks the file.
fn locked(path: &Path) -> Result<File> {
    let fail = |action| move |cause| Error::io(path, action, cause);
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Error::file(path, "a folder or a special file", "a regular file"));
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(fail("open"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(busy(path)),
        Err(TryLockError::Error(cause)) => Err(Error::io(path, "lock", cause)),
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
