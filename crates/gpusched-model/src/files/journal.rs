//! Journals: files to which a long computation appends one line for each finished piece of work. A later run continues
//! after the finished pieces.
//!
//! The first line identifies the computation. A line is valid only if its line end is present. If a process is killed,
//! its journal stays valid, but the last line may be incomplete. The next run removes this line. A process that writes a
//! journal locks the file. When the process ends, the operating system releases the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::{Error, Result};

/// A journal to which this process writes. The file is locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// Longest wait for the lock of a journal. A killed process and the program that it was about to start keep the lock for some
/// milliseconds: the copy of a process has all locks until it becomes the new program.
pub const PATIENCE: Duration = Duration::from_secs(2);

impl Journal {
    /// Opens the journal at `path` or creates it, and locks the file. If another process uses the file, waits for up to
    /// [`PATIENCE`].
    ///
    /// # Errors
    /// Fails with the error `busy` if another process still uses the file. Fails with [`Error::Io`] if the file cannot be
    /// opened or locked.
    pub fn open(path: &Path, busy: impl FnOnce() -> Error) -> Result<Journal> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options
            .open(path)
            .map_err(|cause| Error::io(path, "open", cause))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => {
                    let path = path.to_owned();
                    return Ok(Journal { path, file });
                }
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Err(busy()),
                Err(TryLockError::Error(cause)) => return Err(Error::io(path, "lock", cause)),
            }
        }
    }

    /// Returns the complete lines of the file, from the first line.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(&self.path, &self.file)
    }

    /// Removes all bytes after the first `bytes` bytes.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn keep(&mut self, bytes: u64) -> Result<()> {
        let path = &self.path;
        let fail = |action| move |cause| Error::io(path, action, cause);
        self.file.set_len(bytes).map_err(fail("shorten"))?;
        let seek = self.file.seek(SeekFrom::Start(bytes));
        seek.map(drop).map_err(fail("write"))
    }

    /// Appends a line. The operating system receives only complete lines, unless the process is killed during the call.
    ///
    /// # Errors
    /// Fails with [`Error::Io`], for instance if the disk is full. A later run can continue.
    pub fn append(&mut self, line: &impl Serialize) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        let mut bytes = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(fail)
    }

    /// Writes all data of the journal to the disk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn sync(&self) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        self.file.sync_data().map_err(fail)
    }
}

/// Reader of the complete lines of a journal.
#[derive(Debug)]
pub struct Lines<'a> {
    path: &'a Path,
    lines: BufReader<&'a File>,
    buffer: Vec<u8>,
    number: usize,
    position: u64,
}

/// Upper bound on the length of a line [bytes].
const LONGEST_LINE: u64 = 1 << 28;

impl<'a> Lines<'a> {
    /// Creates a reader of `file`, which has the path `path`.
    pub fn new(path: &'a Path, file: &'a File) -> Lines<'a> {
        Lines {
            path,
            lines: BufReader::new(file),
            buffer: Vec::new(),
            number: 0,
            position: 0,
        }
    }

    /// Returns the next complete line, with its line end. Returns `None` at the end of the file and at an incomplete line.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "a line borrows the reader")]
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        self.buffer.clear();
        let mut limited = (&mut self.lines).take(LONGEST_LINE);
        let read = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|cause| Error::io(self.path, "read", cause))?;
        self.number += 1;
        if !self.buffer.ends_with(b"\n") {
            return Ok(None);
        }
        self.position += read as u64;
        Ok(Some(&self.buffer))
    }

    /// Returns the number of the last line that was read. The first line has number 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the position after the last complete line [bytes].
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the incomplete line at the end of the file, after [`Lines::next`] returned `None`.
    pub fn rest(&self) -> &[u8] {
        &self.buffer
    }
}
