//! The checkpoint of a validation is a file with a header and one line for each chunk of systems.
//!
//! gpusched ignores an incomplete line, which has no line end. A killed process loses only the chunks that it has not
//! yet written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::interrupt;

/// Name of the expected kind of file, for error messages.
const CHECKPOINT: &str = "a checkpoint of a validation";

/// The header of a checkpoint, which identifies the campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    gpusched: String,
    systems: u64,
    seed: u64,
    /// Kind of the systems, such as `end-to-end`; empty for partitions without a shared memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    of: String,
    /// Hash of the other parameters of the campaign; 0 if there are no other parameters.
    #[serde(default, skip_serializing_if = "is_zero")]
    parameters: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(hash: &u64) -> bool {
    *hash == 0
}

impl Header {
    /// Creates the header for a campaign of `systems` systems with seed `seed` and this version
    /// of gpusched.
    pub fn new(systems: u64, seed: u64) -> Header {
        Header {
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            systems,
            seed,
            of: String::new(),
            parameters: 0,
        }
    }

    /// Adds the kind of the systems and the other parameters of the campaign to the header.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if the parameters have no JSON form.
    pub fn of(self, of: &str, parameters: &impl Serialize) -> Result<Header> {
        let text = serde_json::to_string(parameters).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Header {
            of: of.to_owned(),
            parameters: fnv_1a(text.as_bytes()),
            ..self
        })
    }

    /// Returns the first field that differs between two headers, with its values in `self` and in `expected`.
    fn difference(&self, expected: &Header) -> Option<(&'static str, String, String)> {
        let text = |header: &Header| {
            let kind = match header.of.as_str() {
                "" => "partitions without a shared memory",
                of => of,
            };
            [
                ("gpusched", header.gpusched.clone()),
                ("of", kind.to_owned()),
                ("systems", header.systems.to_string()),
                ("seed", header.seed.to_string()),
                (
                    "parameters",
                    format!("other options or programs ({:016x})", header.parameters),
                ),
            ]
        };
        let pairs = text(self).into_iter().zip(text(expected));
        pairs
            .filter(|((_, found), (_, expected))| found != expected)
            .map(|((field, found), (_, expected))| match field {
                "parameters" => (field, found, "the options and programs of this run".to_owned()),
                _ => (field, found, expected),
            })
            .next()
    }
}

/// Returns the 64-bit FNV-1a hash of `bytes`. A checkpoint stores this hash, so it must be the same in every version of
/// the compiler.
fn fnv_1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Results of one chunk of systems, stored as one line of the checkpoint.
pub trait Chunk: Serialize + DeserializeOwned + Send {
    /// Number of systems in a chunk. The last chunk can have fewer systems.
    const SYSTEMS: u64;

    /// Returns the number of the chunk, from 0.
    fn number(&self) -> u64;
}

/// Computes all chunks of a campaign that are not in the checkpoint at `path`. Uses the current threads of `rayon`.
/// `compute` returns the results of chunk `number`, which contains the given systems. `accept` receives the results of
/// each chunk and the number of its systems. gpusched calls `accept` once for each chunk, in any order.
///
/// # Errors
/// Fails with [`Error::Io`] or [`Error::Refused`] if the checkpoint cannot be used. Also fails if `compute`
/// fails.
pub fn chunks<C: Chunk>(
    header: &Header,
    path: Option<&Path>,
    compute: impl Fn(u64, Range<u64>) -> Result<C> + Sync,
    mut accept: impl FnMut(C, u64) + Send,
) -> Result<()> {
    let systems = |chunk: u64| {
        let end = |chunk: u64| chunk.saturating_mul(C::SYSTEMS).min(header.systems);
        end(chunk)..end(chunk.saturating_add(1))
    };
    let mut accept = |chunk: C| {
        let systems = systems(chunk.number());
        accept(chunk, systems.end - systems.start);
    };
    let count = header.systems.div_ceil(C::SYSTEMS);
    let mut done = vec![false; usize::try_from(count).unwrap_or(usize::MAX)];
    let mut checkpoint = None;
    if let Some(path) = path {
        let (opened, chunks) = Checkpoint::open::<C>(path, header)?;
        checkpoint = Some(opened);
        for chunk in chunks {
            let number = usize::try_from(chunk.number()).ok();
            if let Some(new @ false) = number.and_then(|number| done.get_mut(number)) {
                *new = true;
                accept(chunk);
            }
        }
    }
    let pending = (0..count).zip(done).filter(|(_, done)| !done);
    let pending: Vec<u64> = pending.map(|(chunk, _)| chunk).collect();
    let receiver = Mutex::new((checkpoint, accept));
    let all = pending.into_par_iter().with_max_len(1).try_for_each(|number| {
        if interrupt::is_requested() {
            return Err(None);
        }
        let chunk = compute(number, systems(number)).map_err(Some)?;
        let mut receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        let (checkpoint, accept) = &mut *receiver;
        if let Some(checkpoint) = checkpoint {
            checkpoint.add(&chunk).map_err(Some)?;
        }
        accept(chunk);
        Ok(())
    });
    interrupt::check();
    match all {
        Err(Some(error)) => Err(error),
        // This happens only if an interrupt was withdrawn.
        Err(None) => Err(Error::Internal("a campaign did not end".to_owned())),
        Ok(()) => Ok(()),
    }
}

/// A checkpoint to which this process writes. The file is locked against other processes.
#[derive(Debug)]
struct Checkpoint {
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
                if let Some((field, found, expected)) = found.difference(header) {
                    let refusal = Refusal::new(field, format!("a checkpoint with {found}"), expected);
                    return Err(at_line(
                        refusal.hint("delete this file to start anew, or choose another file"),
                    ));
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
