//! A file of fixed records that receives each record at once. If the process is killed, the file keeps all complete records,
//! because the system writes the memory of the file. A loss of power may lose more.
//!
//! The file contains 64-bit words in little-endian order: a header of 8 words, the [`Heading`] as JSON, and for each
//! partition one block. A block is 16 words with counts, and then 8 words per record. The first two words contain the number of
//! records that did not fit. The last word of a record is a checksum over its words and its place, written last. So a record that was being
//! written, and a place without a record, have wrong checksums.
//!
//! The file is allocated before the run, with one place for each launch: for each job that arrives, or for each of its chunks. A program has
//! no planned end, so its file has a fixed number of places. When they are full, the last record of a partition replaces the first one, and
//! six further words of the block count what the replaced records stated, and the next six words repeat these counts. So a damaged count
//! never hides a finding: a reader takes the larger of two counts. A file of the previous version has blocks without the repeated counts.
//!
//! The process that writes the file holds an advisory lock on it.
//!
//! * `layout`: places of the words in the file;
//! * `record`: records as words, and their checksums;
//! * `map`: the memory of the file;
//! * `read`: the reader of the file.

mod layout;
#[cfg(target_os = "linux")]
mod map;
#[cfg(not(target_os = "linux"))]
#[path = "no_map.rs"]
mod map;
mod read;
mod record;

pub use read::{Recovered, recover};

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::interrupt;

use self::layout::{COUNTED, LENGTH, Layout, MAGIC, ORIGIN, ORIGIN_SUM, REPLACED, START, SUM, WORDS, layout};
use self::map::Map;
use self::record::{checksum, checksum_of, encoded, mixed};
use super::Heading;
use crate::core::Record;

/// A file for the records of one run. If the value is dropped, the file disappears, unless a panic ends the run.
#[derive(Debug)]
pub struct Ring {
    path: PathBuf,
    file: File,
    layout: OnceLock<(Map, Layout)>,
    /// Whether the file stays when the value is dropped.
    stays: AtomicBool,
}

/// Writer of the records of one partition.
#[derive(Debug)]
pub struct Slots<'a> {
    partition: usize,
    words: &'a [AtomicU64],
    stated: &'a [bool],
    wraps: bool,
    next: usize,
}

impl Ring {
    /// Creates the file at `path`.
    ///
    /// # Errors
    /// Refuses a file that exists and is not empty, because it may contain the records of a killed run. Fails with [`Error::Io`] if the file
    /// cannot be created.
    pub fn create(path: &Path) -> Result<Ring> {
        let mut options = File::options();
        options.read(true).write(true);
        let mut file = options.clone().create_new(true).open(path);
        // A run that was killed before its first job leaves an empty file.
        let is_empty = || fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0);
        if file.is_err() && is_empty() {
            file = options.open(path);
        }
        let file = file.map_err(|cause| match cause.kind() {
            std::io::ErrorKind::AlreadyExists if is_locked(path) => in_use(path),
            std::io::ErrorKind::AlreadyExists => used(path),
            _ => Error::io(path, "create", cause),
        })?;
        // Another process may have opened the same empty file. A file system without locks has no protection.
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(in_use(path));
        }
        // Another run may have ended between the look at the length and the lock.
        if file.metadata().is_ok_and(|file| file.len() > 0) {
            return Err(used(path));
        }
        Ok(Ring {
            path: path.to_owned(),
            file,
            layout: OnceLock::new(),
            stays: AtomicBool::new(false),
        })
    }

    /// Allocates the file for the run that `heading` describes.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the disk has no space, or if the system does not map the file.
    pub fn prepare(&self, heading: &Heading) -> Result<()> {
        let failed = |cause| Error::io(&self.path, "write", cause);
        let text = serde_json::to_vec(heading).map_err(|error| Error::Internal(error.to_string()))?;
        let many = || match heading.places {
            Some(places) => Error::parameter("records", places, "a smaller number"),
            None => Error::parameter("duration", heading.duration, "a time with fewer jobs"),
        };
        let layout = layout(heading, text.len(), START).ok_or_else(many)?;
        let mut start = [0; WORDS];
        (start[0], start[LENGTH], start[SUM]) = (MAGIC, text.len() as u64, checksum_of(MAGIC, &text));
        let start: Vec<u8> = start.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut file = &self.file;
        file.write_all(&start).map_err(failed)?;
        file.write_all(&text).map_err(failed)?;
        let map = Map::new(&self.file, layout.words).map_err(failed)?;
        drop(self.layout.set((map, layout)));
        Ok(())
    }

    /// Stores the time of the first arrivals on the clock of the run [ns].
    pub fn begin(&self, origin: u64) {
        if let Some((map, _)) = self.layout.get() {
            put(&map.words()[ORIGIN], origin);
            put(&map.words()[ORIGIN_SUM], mixed(MAGIC, [origin].into_iter()));
        }
    }

    /// Returns the writer of the records of partition `index`. Call this function once per partition, after
    /// [`prepare`](Ring::prepare).
    pub fn slots(&self, index: usize) -> Option<Slots<'_>> {
        let (map, layout) = self.layout.get()?;
        let block = layout.blocks.get(index)?;
        Some(Slots {
            partition: index,
            words: &map.words()[block.start..][..START + WORDS * block.places],
            stated: &block.stated,
            wraps: layout.wraps,
            next: 0,
        })
    }

    /// Lets the file stay when the value is dropped.
    pub fn keep(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    /// Removes the file now.
    pub fn remove(&self) {
        self.keep();
        drop(fs::remove_file(&self.path));
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // After a panic, the records are the only trace of the run. A requested interrupt also unwinds the stack.
        let panicked = std::thread::panicking() && !interrupt::is_requested();
        if !panicked && !self.stays.load(Ordering::Relaxed) {
            drop(fs::remove_file(&self.path));
        }
    }
}

impl Slots<'_> {
    /// Writes `record`. Without a free place, the function counts the record as lost, or replaces the first record.
    pub fn push(&mut self, record: &Record) {
        let (start, blocks) = self.words.split_at(START);
        let places = blocks.len() / WORDS;
        if self.next >= places && (!self.wraps || places == 0) {
            // Twice, so that a damaged count does not hide a lost record.
            for count in &start[..REPLACED] {
                count.fetch_add(1, Ordering::Relaxed);
            }
            return;
        }
        let index = self.next % places;
        let place = &blocks[WORDS * index..][..WORDS];
        if self.next >= places {
            // A kill between these lines counts the replaced record and keeps it, or the counts of it differ. Both are safe.
            let first = u64::from_le(place[0].load(Ordering::Relaxed));
            for (count, flag) in start[REPLACED..].iter().zip(COUNTED.into_iter().chain(COUNTED)) {
                let word = u64::from_le(count.load(Ordering::Relaxed));
                put(count, word.saturating_add(first >> flag & 1));
            }
            place[WORDS - 1].store(0, Ordering::Release);
        }
        let words = encoded(
            record,
            self.stated.get(record.job.task).is_some_and(|&stated| stated),
        );
        for (place, word) in place.iter().zip(words) {
            put(place, word);
        }
        let sum = checksum(MAGIC, (self.partition, index), &words);
        place[WORDS - 1].store(sum.to_le(), Ordering::Release);
        self.next += 1;
    }

    /// Removes the records that an earlier writer of the partition wrote after the present ones.
    pub fn clear(&mut self) {
        let places = self.words[START + WORDS * self.next..].chunks(WORDS);
        let written = |place: &&[AtomicU64]| place[WORDS - 1].load(Ordering::Relaxed) != 0;
        for word in places.take_while(written).flatten() {
            put(word, 0);
        }
    }
}

fn put(place: &AtomicU64, word: u64) {
    place.store(word.to_le(), Ordering::Relaxed);
}

/// Returns the error about the file of a run that lasts.
fn in_use(path: &Path) -> Error {
    let found = "the file of a run that has not ended";
    Refusal::new("", found, "no file").at(path, None).into()
}

/// Returns the error about the file of an earlier run.
fn used(path: &Path) -> Error {
    let found = "a file, which may contain the records of an earlier run";
    let hint = "`gpusched recording recover` writes the trace of an earlier run; then remove the file";
    Refusal::new("", found, "no file")
        .at(path, None)
        .hint(hint)
        .into()
}

/// Whether a process holds the lock of the file at `path`.
fn is_locked(path: &Path) -> bool {
    let file = File::open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
}
