//! A file of fixed records that receives each record at once. If the process is killed, the file keeps all complete records,
//! because the system writes the memory of the file. A loss of power may lose more.
//!
//! The file contains 64-bit words in little-endian order: a header of 8 words, the [`Heading`] as JSON, and for each
//! partition one block. A block is 8 words, the first two with the number of records that did not fit, and then 8 words per
//! record. The last word of a record is a checksum over its words and its place, written last. So a record that was being
//! written, and a place without a record, have wrong checksums.
//!
//! The file is allocated before the run, with one place for each launch: for each job that arrives, or for each of its chunks.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::{counted, interrupt};

use super::{Heading, recovered};
use crate::core::{Job, Order, Record, Status};
use crate::program::Part;
use crate::run::Run;

/// Words of the header, of the start of a block, and of a record.
const WORDS: usize = 8;
/// First word of the file.
const MAGIC: u64 = u64::from_le_bytes(*b"GPURING2");
/// Positions of words in the header.
const LENGTH: usize = 1;
const SUM: usize = 2;
const ORIGIN: usize = 3;
const ORIGIN_SUM: usize = 4;

/// A file for the records of one run. If the value is dropped, the file disappears, unless a panic ends the run.
#[derive(Debug)]
pub struct Ring {
    path: PathBuf,
    file: File,
    layout: OnceLock<(Map, Vec<Block>)>,
}

impl Ring {
    /// Lets the file stay when the value is dropped.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

/// Place of the records of a partition in the file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Block {
    /// First word of the block.
    start: usize,
    /// Number of places for records.
    places: usize,
}

/// Writer of the records of one partition.
#[derive(Debug)]
pub struct Slots<'a> {
    partition: usize,
    words: &'a [AtomicU64],
    next: usize,
}

impl Ring {
    /// Creates the file at `path`.
    ///
    /// # Errors
    /// Refuses a file that exists, because it may contain the records of a killed run. Fails with [`Error::Io`] if the file
    /// cannot be created.
    pub fn create(path: &Path) -> Result<Ring> {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        let file = file.map_err(|cause| match cause.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let found = "a file, which may contain the records of an earlier run";
                let hint =
                    "`gpusched recording recover` writes the trace of an earlier run; then remove the file";
                Refusal::new("", found, "no file")
                    .at(path, None)
                    .hint(hint)
                    .into()
            }
            _ => Error::io(path, "create", cause),
        })?;
        Ok(Ring {
            path: path.to_owned(),
            file,
            layout: OnceLock::new(),
        })
    }

    /// Allocates the file for the run that `heading` describes.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the disk has no space, or if the system does not map the file.
    pub fn prepare(&self, heading: &Heading) -> Result<()> {
        let failed = |cause| Error::io(&self.path, "write", cause);
        let text = serde_json::to_vec(heading).map_err(|error| Error::Internal(error.to_string()))?;
        let (blocks, words) = blocks(heading, text.len())
            .ok_or_else(|| Error::parameter("duration", heading.duration, "a time with fewer jobs"))?;
        let mut start = [0; WORDS];
        (start[0], start[LENGTH], start[SUM]) = (MAGIC, text.len() as u64, checksum_of(&text));
        let start: Vec<u8> = start.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut file = &self.file;
        file.write_all(&start).map_err(failed)?;
        file.write_all(&text).map_err(failed)?;
        let map = Map::new(&self.file, words).map_err(failed)?;
        drop(self.layout.set((map, blocks)));
        Ok(())
    }

    /// Stores the time of the first arrivals on the clock of the run [ns].
    pub fn begin(&self, origin: u64) {
        if let Some((map, _)) = self.layout.get() {
            put(&map.words()[ORIGIN], origin);
            put(&map.words()[ORIGIN_SUM], mixed([origin].into_iter()));
        }
    }

    /// Returns the writer of the records of partition `index`. Call this function once per partition, after
    /// [`prepare`](Ring::prepare).
    pub fn slots(&self, index: usize) -> Option<Slots<'_>> {
        let (map, blocks) = self.layout.get()?;
        let block = blocks.get(index)?;
        Some(Slots {
            partition: index,
            words: &map.words()[block.start..][..WORDS * (1 + block.places)],
            next: 0,
        })
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // After a panic, the records are the only trace of the run. A requested interrupt also unwinds the stack.
        if !std::thread::panicking() || interrupt::is_requested() {
            drop(fs::remove_file(&self.path));
        }
    }
}

impl Slots<'_> {
    /// Writes `record`. Without a free place, the function counts the record as lost.
    pub fn push(&mut self, record: &Record) {
        let start = WORDS * (1 + self.next);
        let Some(place) = self.words.get(start..start + WORDS) else {
            // Twice, so that a damaged count does not hide a lost record.
            for count in &self.words[..2] {
                count.fetch_add(1, Ordering::Relaxed);
            }
            return;
        };
        let words = encoded(record);
        for (place, word) in place.iter().zip(words) {
            put(place, word);
        }
        place[WORDS - 1].store(
            checksum(self.partition, self.next, &words).to_le(),
            Ordering::Release,
        );
        self.next += 1;
    }
}

impl Slots<'_> {
    /// Removes the records that an earlier writer of the partition wrote after the present ones.
    pub fn clear(&mut self) {
        let places = self.words[WORDS * (1 + self.next)..].chunks(WORDS);
        let written = |place: &&[AtomicU64]| place[WORDS - 1].load(Ordering::Relaxed) != 0;
        for word in places.take_while(written).flatten() {
            put(word, 0);
        }
    }
}

fn put(place: &AtomicU64, word: u64) {
    place.store(word.to_le(), Ordering::Relaxed);
}

/// Returns the blocks of the partitions, and the number of words of the file. `text` is the length of the heading in
/// bytes.
fn blocks(heading: &Heading, text: usize) -> Option<(Vec<Block>, usize)> {
    let mut start = WORDS.checked_add(text.div_ceil(8).checked_next_multiple_of(WORDS)?)?;
    let block = |part: &Part| {
        let places = usize::try_from(heading.work.launches(&part.tasks, heading.duration)).ok()?;
        // A record has 24 bits for the position of a task.
        if part.tasks.len() > 1 << 24 {
            return None;
        }
        let block = Block { start, places };
        start = places.checked_add(1)?.checked_mul(WORDS)?.checked_add(start)?;
        Some(block)
    };
    let blocks: Option<Vec<Block>> = heading.program.partitions.iter().map(block).collect();
    // The length in bytes is a signed number of 64 bits.
    (start < usize::MAX >> 4).then_some((blocks?, start))
}

/// Returns the words of a record without its checksum. The arrival and the deadline follow from the number of the job, and the
/// occupancy from the records of the job.
fn encoded(record: &Record) -> [u64; WORDS - 1] {
    let Status {
        missed,
        overrun,
        late_wake,
        failed,
        overhead,
    } = record.status;
    let (resumed, woken) = (record.job.resumed, record.wake.is_some());
    let flags = [
        missed,
        overrun,
        late_wake,
        failed,
        overhead,
        record.last,
        resumed,
        woken,
    ];
    let flags = flags
        .iter()
        .rev()
        .fold(0, |bits, &flag| bits << 1 | u64::from(flag));
    [
        u64::from(record.job.chunk) << 32 | (record.job.task as u64) << 8 | flags,
        record.job.number,
        record.wake.unwrap_or(0),
        record.visible,
        record.decision,
        record.enqueued,
        record.completion,
    ]
}

/// Returns the record of `words`, or `None` if its task is not in `part`. The occupancy is still 0.
fn decoded(words: &[u64; WORDS - 1], part: &Part, origin: u64) -> Option<Record> {
    let [first, number, wake, visible, decision, enqueued, completion] = *words;
    let task = usize::try_from(first >> 8 & 0xFF_FFFF).ok()?;
    let planned = part.tasks.get(task)?;
    let arrival = origin.saturating_add(number.saturating_mul(planned.period.ns()));
    let flag = |bit: u32| first >> bit & 1 == 1;
    Some(Record {
        job: Job {
            task,
            number,
            arrival,
            deadline: arrival.saturating_add(planned.deadline.ns()),
            chunk: u32::try_from(first >> 32).ok()?,
            resumed: flag(6),
        },
        last: flag(5),
        visible,
        decision,
        wake: flag(7).then_some(wake),
        enqueued,
        completion,
        occupancy: 0,
        status: Status {
            missed: flag(0),
            overrun: flag(1),
            late_wake: flag(2),
            failed: flag(3),
            overhead: flag(4),
        },
    })
}

/// Returns the checksum of a record in place `index` of `partition`. A place without a record contains zeros, and the
/// checksum of zeros is not 0.
fn checksum(partition: usize, index: usize, words: &[u64; WORDS - 1]) -> u64 {
    let place = [partition as u64, index as u64];
    mixed(place.into_iter().chain(words.iter().copied()))
}

fn checksum_of(text: &[u8]) -> u64 {
    mixed(text.iter().map(|&byte| u64::from(byte)))
}

/// Mixes words with the finalizer of SplitMix64. The result is never 0.
fn mixed(words: impl Iterator<Item = u64>) -> u64 {
    let mix = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum ^ (sum >> 31)
    };
    words.fold(MAGIC, mix).max(1)
}

/// The content of a file of records.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovered {
    /// The run as it was known before its first job.
    pub heading: Heading,
    /// All complete records.
    pub run: Run,
    /// Number of records that were being written, or that are damaged.
    pub incomplete: u64,
    /// Number of records for which the file had no place.
    pub lost: u64,
}

/// Reads the file at `path`.
///
/// # Errors
/// Fails with [`Error::Io`] if the file cannot be read. Refuses a file without a complete heading, and a file that is cut
/// off.
pub fn recover(path: &Path) -> Result<Recovered> {
    let bytes = fs::read(path).map_err(|cause| Error::io(path, "read", cause))?;
    let refuse =
        |found: String, expected: &str| Error::from(Refusal::new("", found, expected).at(path, None));
    let (chunks, _) = bytes.as_chunks::<8>();
    let words: Vec<u64> = chunks.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let expected = "a file that `gpusched run --ring` wrote";
    if words.len() < WORDS || words[0] != MAGIC {
        return Err(refuse("another file".to_owned(), expected));
    }
    let length = usize::try_from(words[LENGTH]).unwrap_or(usize::MAX);
    let text = bytes.get(8 * WORDS..).and_then(|rest| rest.get(..length));
    let text = text.filter(|text| checksum_of(text) == words[SUM]);
    let text = text.ok_or_else(|| refuse("a damaged heading".to_owned(), expected))?;
    let heading: Heading =
        serde_json::from_slice(text).map_err(|error| refuse(format!("a heading with {error}"), expected))?;
    let tasks: usize = heading
        .program
        .partitions
        .iter()
        .map(|part| part.tasks.len())
        .sum();
    let all = heading.program.partitions.iter().flat_map(|part| &part.tasks);
    let layout = blocks(&heading, length);
    let (blocks, needed) =
        layout.ok_or_else(|| refuse("a heading with too many jobs".to_owned(), expected))?;
    if needed > words.len() {
        let found = format!("a file of {}", counted(bytes.len(), "byte"));
        return Err(refuse(found, &format!("{} bytes", 8 * needed)));
    }
    let places = heading.program.partitions.iter().all(consistent);
    if heading.contexts.len() != blocks.len() || !places || { all }.any(|task| task.position >= tasks) {
        return Err(refuse("a heading whose lists do not match".to_owned(), expected));
    }
    // The arrivals of all records follow from the first one. Without it, the run has not begun.
    let (mut incomplete, mut lost, origin) = (0u64, 0u64, words[ORIGIN]);
    let begun = words[ORIGIN_SUM] == mixed([origin].into_iter());
    if !begun && (origin, words[ORIGIN_SUM]) != (0, 0) {
        return Err(refuse(
            "a damaged time of the first arrivals".to_owned(),
            expected,
        ));
    }
    let mut partitions = Vec::new();
    let parts = heading.program.partitions.iter();
    for (index, (block, part)) in blocks.iter().zip(parts).enumerate() {
        let block = &words[block.start..][..WORDS * (1 + block.places)];
        lost = lost.saturating_add(block[0].max(block[1]));
        let mut records = Vec::new();
        let (places, _) = block[WORDS..].as_chunks::<WORDS>();
        for (place, &[ref words @ .., sum]) in places.iter().enumerate() {
            let record = (sum == checksum(index, place, words)).then(|| decoded(words, part, origin));
            match record.flatten() {
                Some(record) => records.push(record),
                None => incomplete += u64::from(words.iter().any(|&word| word != 0) || sum != 0),
            }
        }
        partitions.push(recovered::part_run(&heading, origin, (index, part), records));
    }
    let run = Run {
        origin,
        interrupted: 0,
        duration: heading.duration,
        wake_bound: heading.wake_bound,
        stopped: true,
        own: false,
        partitions,
        machine: heading.machine.clone(),
    };
    Ok(Recovered {
        heading,
        run,
        incomplete,
        lost,
    })
}

/// Whether the order of `part` contains only tasks of the partition.
fn consistent(part: &Part) -> bool {
    match &part.order {
        Order::Deadlines | Order::Arrivals => true,
        Order::Ranks(ranks) => ranks.iter().all(|&task| task < part.tasks.len()),
    }
}

#[cfg(target_os = "linux")]
use map::Map;
#[cfg(not(target_os = "linux"))]
use no_map::Map;

/// The memory of the file.
#[cfg(target_os = "linux")]
mod map {
    #![allow(unsafe_code, reason = "calls of the C library")]

    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd as _;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A shared mapping of a file.
    #[derive(Debug)]
    pub struct Map {
        start: *mut libc::c_void,
        words: usize,
    }

    // SAFETY: the mapping belongs to the value until it is dropped, and threads access it only as atomic words.
    unsafe impl Send for Map {}
    // SAFETY: as above.
    unsafe impl Sync for Map {}

    impl Map {
        /// Allocates `words` words of `file`, and maps them.
        pub fn new(file: &File, words: usize) -> io::Result<Map> {
            let bytes = words * 8;
            let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
            // Without allocated blocks, a full disk would end the process at a write.
            // SAFETY: the descriptor is open.
            let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
            if code != 0 {
                return Err(io::Error::from_raw_os_error(code));
            }
            // SAFETY: the system chooses an unused address, and the file has the mapped length.
            let start = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED | libc::MAP_POPULATE,
                    file.as_raw_fd(),
                    0,
                )
            };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let map = Map { start, words };
            // A write to each page of 4 KiB now, so that the first write of a dispatcher meets no page fault.
            for word in map.words().iter().step_by(512) {
                word.store(word.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            Ok(map)
        }

        /// Returns the words of the file.
        pub fn words(&self) -> &[AtomicU64] {
            // SAFETY: the mapping has this length and the alignment of a page, and it lasts as long as `self`. Another
            // process that changes the file changes only values.
            unsafe { std::slice::from_raw_parts(self.start.cast::<AtomicU64>(), self.words) }
        }
    }

    impl Drop for Map {
        fn drop(&mut self) {
            // SAFETY: the mapping has this start and length, and nothing borrows it any more.
            unsafe { libc::munmap(self.start, self.words * 8) };
        }
    }
}

/// Without a mapping, a run has no such file.
#[cfg(not(target_os = "linux"))]
mod no_map {
    use std::fs::File;
    use std::io;
    use std::sync::atomic::AtomicU64;

    #[derive(Debug)]
    pub struct Map;

    impl Map {
        pub fn new(_: &File, _: usize) -> io::Result<Map> {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        }

        pub fn words(&self) -> &[AtomicU64] {
            &[]
        }
    }
}
