//! Checkpoint of a validation: a file with a header and one line for each chunk.
//!
//! A line without a line end is incomplete and is ignored. A killed process loses only the chunks
//! that it has not yet written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use gpusched_model::error::{Error, Refusal, Result};

/// Name of the expected kind of file, for error messages.
const CHECKPOINT: &str = "a checkpoint of a validation";

/// The header of a checkpoint, which identifies the campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    gpusched: String,
    systems: u64,
    seed: u64,
}

impl Header {
    /// Creates the header for a campaign of `systems` systems with seed `seed` and this version
    /// of gpusched.
    pub fn new(systems: u64, seed: u64) -> Header {
        Header {
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            systems,
            seed,
        }
    }
}

/// A checkpoint to which this process writes. The file is locked against other processes.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    file: File,
}

impl Checkpoint {
    /// Opens the checkpoint at `path`, or creates it. Returns the checkpoint and the records that
    /// it contains.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if another process uses the file, or if the file is not a
    /// checkpoint of this campaign. Fails with [`Error::Io`] if the file cannot be accessed.
    pub fn open<R: DeserializeOwned>(path: &Path, header: &Header) -> Result<(Checkpoint, Vec<R>)> {
        let fail = |action| move |cause| Error::io(path, action, cause);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(fail("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let found = "a checkpoint that another process uses";
                return Err(Error::file(
                    path,
                    found,
                    "a checkpoint that no other process uses",
                ));
            }
            Err(TryLockError::Error(cause)) => return Err(Error::io(path, "lock", cause)),
        }
        let mut reader = BufReader::new(&file);
        let (mut records, mut line, mut number, mut valid) = (Vec::new(), Vec::new(), 0, 0);
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(fail("read"))?;
            if !line.ends_with(b"\n") {
                break; // This is the end of the file, or an incomplete line of a killed process.
            }
            number += 1;
            let at_line = |refusal: Refusal| Error::from(refusal.at(path, number));
            let told = |error| at_line(Refusal::told("", format!("{error}, expected {CHECKPOINT}")));
            if number == 1 {
                let found: Header = serde_json::from_slice(&line).map_err(told)?;
                if found != *header {
                    let (found, header) = (text(&found), text(header));
                    let found = format!("a checkpoint of {found}");
                    return Err(at_line(Refusal::new("", found, header)));
                }
            } else {
                let record = serde_json::from_slice(&line);
                records.push(record.map_err(told)?);
            }
            valid += read as u64;
        }
        if number == 0 && !line.is_empty() && !line.starts_with(b"{\"gpusched\"") {
            return Err(Error::file(
                path,
                "a file that is not a checkpoint",
                format!("{CHECKPOINT}, or a path where no file exists"),
            ));
        }
        let mut checkpoint = Checkpoint {
            path: path.to_owned(),
            file,
        };
        checkpoint.file.set_len(valid).map_err(fail("shorten"))?;
        checkpoint
            .file
            .seek(SeekFrom::Start(valid))
            .map_err(fail("write"))?;
        if number == 0 {
            checkpoint.add(header)?;
        }
        Ok((checkpoint, records))
    }

    /// Appends a line to the file, such as the record of a chunk.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn add(&mut self, line: &impl Serialize) -> Result<()> {
        let fail = |cause| Error::io(&self.path, "write", cause);
        let mut bytes = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(fail)
    }
}

fn text(header: &Header) -> String {
    format!(
        "{} systems with seed {} by gpusched {}",
        header.systems, header.seed, header.gpusched
    )
}
