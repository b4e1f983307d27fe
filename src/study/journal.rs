//! The checkpoint: a file that gets one line for each chunk that is done.
//!
//! The first line says what it belongs to; every other line is one chunk. A line counts once its line end is there, so a
//! kill at any moment leaves a valid journal and perhaps the beginning of a line, which is cut off on resuming. While a
//! process works on a journal it holds a lock on it, which the operating system releases if the process dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::collection::{Added, Collection};
use super::spec::Spec;
use super::tally::Tally;
use super::work::Shard;
use crate::error::{Error, InputError, Result};

/// What a journal belongs to: its first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the format.
    pub journal: u32,
    /// The study's name.
    pub study: String,
    /// [`Spec::experiment`].
    pub experiment: String,
    /// The version of gpusched.
    pub version: String,
    /// The seed.
    pub seed: u64,
    /// The part of the study, such as `1/1`.
    pub shard: String,
}

impl Header {
    /// The header of a journal that this gpusched writes for `shard` of `spec`.
    ///
    /// # Errors
    /// Those of [`Spec::experiment`].
    pub fn new(spec: &Spec, shard: Shard) -> Result<Header> {
        Ok(Header {
            journal: 1,
            study: spec.name().to_owned(),
            experiment: spec.experiment()?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: spec.seed(),
            shard: shard.to_string(),
        })
    }

    /// The first difference as (field, found, expected), `self` being what was found.
    fn difference(&self, expected: &Header, shard_counts: bool) -> Option<(&'static str, String, String)> {
        let fields = [
            ("journal", self.journal.to_string(), expected.journal.to_string()),
            ("version", self.version.clone(), expected.version.clone()),
            ("study", self.study.clone(), expected.study.clone()),
            ("seed", self.seed.to_string(), expected.seed.to_string()),
            ("experiment", self.experiment.clone(), expected.experiment.clone()),
            ("shard", self.shard.clone(), expected.shard.clone()),
        ];
        fields
            .into_iter()
            .filter(|(field, ..)| shard_counts || *field != "shard")
            .find(|(_, found, expected)| found != expected)
    }
}

/// One finished chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The chunk's position in the study.
    pub chunk: usize,
    /// Its tallies: by reading, then algorithm.
    pub cells: Vec<Tally>,
}

/// Every line but the first: a record with its checksum, so that a bad disk or an editor cannot change a result unseen.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    chunk: usize,
    cells: Vec<Tally>,
    check: String,
}

impl Line {
    fn new(record: &Record) -> Line {
        let Record { chunk, cells } = record;
        let mut hash = Sha256::new();
        hash.update((*chunk as u64).to_le_bytes());
        for number in cells.iter().flat_map(|&cell| <[u64; 6]>::from(cell)) {
            hash.update(number.to_le_bytes());
        }
        Line {
            chunk: *chunk,
            cells: cells.clone(),
            check: hash
                .finalize()
                .iter()
                .take(4)
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        }
    }
}

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
    /// [`Error::Usage`] if another process holds it; [`Error::Input`] if it belongs to another experiment, version or
    /// shard, or is damaged; [`Error::Io`].
    pub fn open(path: &Path, header: &Header, collection: &mut Collection) -> Result<Journal> {
        let fail = |action| move |cause| Error::io(path, action, cause);
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::Usage(format!("{}: expected a file", path.display())));
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

/// Adds the chunks of the journal at `path`, which any shard of the study may have written, to `collection`.
///
/// # Errors
/// As for [`Journal::open`]; [`Error::Input`] also if a chunk in `collection` has other results here.
pub fn read(path: &Path, header: &Header, collection: &mut Collection) -> Result<()> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => return Err(busy(path)),
        // Where there are no locks, what is there can still be read.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    let mut reader = JournalReader::new(path, &file);
    if reader.header(header, false)?.is_some() {
        while reader.record(collection)?.is_some() {}
    }
    Ok(())
}

/// The first line of the journal at `path`, empty if it is not complete.
///
/// # Errors
/// [`Error::Io`].
pub fn first_line(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    let mut reader = JournalReader::new(path, &file);
    let line = reader.next()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

fn busy(path: &Path) -> Error {
    Error::Usage(format!(
        "{}: another process is working on this study; wait for it, or choose another folder",
        path.display()
    ))
}

/// Reads the complete lines of a journal.
struct JournalReader<'a> {
    path: &'a Path,
    lines: BufReader<&'a File>,
    /// The current line, from 1.
    line: usize,
    /// Where the last complete line ended.
    position: u64,
    buffer: Vec<u8>,
}

/// No line of a journal is as long as this [bytes].
const LONGEST_LINE: u64 = 1 << 28;

impl<'a> JournalReader<'a> {
    fn new(path: &'a Path, file: &'a File) -> JournalReader<'a> {
        JournalReader {
            path,
            lines: BufReader::new(file),
            line: 0,
            position: 0,
            buffer: Vec::new(),
        }
    }

    /// The next complete line; `None` at the end, or where a line is only begun.
    fn next(&mut self) -> Result<Option<&[u8]>> {
        use std::io::Read as _;
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

    /// Checks the first line; `None` if it was never completed.
    fn header(&mut self, expected: &Header, shard_counts: bool) -> Result<Option<()>> {
        let Some(line) = self.next()? else {
            // Only what this very header began may be overwritten.
            let whole = serde_json::to_vec(expected).map_err(|error| Error::Usage(error.to_string()))?;
            if !shard_counts || whole.starts_with(&self.buffer) {
                return Ok(None);
            }
            return Err(self.error("", "not the beginning of a journal of this study"));
        };
        let found: Header = match serde_json::from_slice(line) {
            Ok(found) => found,
            Err(error) => return Err(self.error("", &format!("not the first line of a journal: {error}"))),
        };
        match found.difference(expected, shard_counts) {
            None => Ok(Some(())),
            Some((field, found, expected)) => {
                let message = format!("this journal has {field} {found}, expected {expected}");
                Err(self.error(field, &message))
            }
        }
    }

    /// Adds the next chunk to `collection`.
    fn record(&mut self, collection: &mut Collection) -> Result<Option<(usize, Added)>> {
        let Some(line) = self.next()? else {
            return Ok(None);
        };
        let Line { chunk, cells, check } = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(error) => return Err(self.error("", &format!("damaged: {error}"))),
        };
        let record = Record { chunk, cells };
        if Line::new(&record).check != check {
            return Err(self.error("check", "damaged: numbers and checksum do not agree"));
        }
        match collection.add(record.chunk, &record.cells) {
            Added::Malformed => Err(self.error("", "damaged: not the results of a chunk of this study")),
            Added::Conflict => {
                let message = format!("chunk {} is already there with other results", record.chunk);
                Err(self.error("chunk", &message))
            }
            added => Ok(Some((record.chunk, added))),
        }
    }

    /// One journal holds each chunk once.
    fn insist_on_new(&self, (chunk, added): &(usize, Added)) -> Result<()> {
        if *added == Added::New {
            return Ok(());
        }
        Err(self.error("chunk", &format!("chunk {chunk} is there twice")))
    }

    fn error(&self, field: &str, message: &str) -> Error {
        Error::Input(InputError {
            file: self.path.display().to_string(),
            line: Some(self.line),
            field: field.to_owned(),
            message: format!("{message}; delete this file to start anew, or choose another folder"),
        })
    }
}
