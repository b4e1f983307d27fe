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

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::{counted, interrupt};

use super::{Heading, recovered};
use crate::core::{Counters, Job, Order, Record, Status};
use crate::program::{Part, PlannedTask};
use crate::run::Run;

/// Words of the header and of a record.
const WORDS: usize = 8;
/// Words of the start of a block.
const START: usize = 16;
/// First word of the file. All checksums depend on it, so a damaged version is found.
const MAGIC: u64 = u64::from_le_bytes(*b"GPURING3");
/// First word of a file of the previous version, and words of the start of its blocks.
const PREVIOUS: (u64, usize) = (u64::from_le_bytes(*b"GPURING2"), 8);
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
    layout: OnceLock<(Map, Layout)>,
    /// Whether the file stays when the value is dropped.
    stays: AtomicBool,
}

impl Ring {
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

/// Places of the records in the file.
#[derive(Debug)]
struct Layout {
    blocks: Vec<Block>,
    /// Number of words of the file.
    words: usize,
    /// Whether later records replace earlier ones.
    wraps: bool,
}

/// Place of the records of a partition in the file.
#[derive(Clone, Debug)]
struct Block {
    /// First word of the block.
    start: usize,
    /// Number of places for records.
    places: usize,
    /// By position of the task: whether its records state their arrivals, because these do not follow from the numbers of the jobs.
    stated: Vec<bool>,
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

/// First words of a block with counts of replaced records, and with the same counts again.
const REPLACED: usize = 2;
const AGAIN: usize = REPLACED + COUNTED.len();

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
}

/// Bits of a record that a block counts when the record is replaced: last, missed, overrun, late wake-up, failed, overhead.
const COUNTED: [u32; 6] = [5, 0, 1, 2, 3, 4];

impl Slots<'_> {
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

/// Returns the places of the records. `text` is the length of the heading in bytes, and `counts` the number of words at the start of a block.
fn layout(heading: &Heading, text: usize, counts: usize) -> Option<Layout> {
    let mut start = WORDS.checked_add(text.div_ceil(8).checked_next_multiple_of(WORDS)?)?;
    let block = |part: &Part| {
        let launches = || {
            let work = heading.work.as_ref()?;
            usize::try_from(work.launches(&part.tasks, heading.duration)).ok()
        };
        let places = match heading.places {
            Some(places) => places.checked_mul(part.tasks.len())?,
            None => launches()?,
        };
        // A record has 24 bits for the position of a task.
        if part.tasks.len() > 1 << 24 {
            return None;
        }
        let sporadic = |task: &PlannedTask| task.sporadic && heading.places.is_some();
        let block = Block {
            start,
            places,
            stated: part.tasks.iter().map(sporadic).collect(),
        };
        start = places
            .checked_mul(WORDS)?
            .checked_add(counts)?
            .checked_add(start)?;
        Some(block)
    };
    let blocks: Option<Vec<Block>> = heading.program.partitions.iter().map(block).collect();
    // The length in bytes is a signed number of 64 bits.
    (start < usize::MAX >> 4).then_some(Layout {
        blocks: blocks?,
        words: start,
        wraps: heading.places.is_some(),
    })
}

/// Returns the words of a record without its checksum. The arrival and the deadline follow from the number of the job, and the
/// occupancy from the records of the job. With `stated`, a record contains its arrival. If a decision ended an idle time, the job became
/// visible at this decision, so the record needs one word for both times.
fn encoded(record: &Record, stated: bool) -> [u64; WORDS - 1] {
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
    let (wake, visible) = match stated {
        true => (record.job.arrival, record.wake.unwrap_or(record.visible)),
        false => (record.wake.unwrap_or(0), record.visible),
    };
    [
        u64::from(record.job.chunk) << 32 | (record.job.task as u64) << 8 | flags,
        record.job.number,
        wake,
        visible,
        record.decision,
        record.enqueued,
        record.completion,
    ]
}

/// Returns the record of `words`. The occupancy is still 0. Returns `None` if the task is not in `part`, or if it states an enqueue before
/// the decision or after the completion.
fn decoded(words: &[u64; WORDS - 1], part: &Part, stated: &[bool], origin: u64) -> Option<Record> {
    let [
        first,
        number,
        mut wake,
        mut visible,
        decision,
        enqueued,
        completion,
    ] = *words;
    if decision > enqueued || enqueued > completion {
        return None;
    }
    let task = usize::try_from(first >> 8 & 0xFF_FFFF).ok()?;
    let planned = part.tasks.get(task)?;
    let mut arrival = origin.saturating_add(number.saturating_mul(planned.period.ns()));
    let flag = |bit: u32| first >> bit & 1 == 1;
    if *stated.get(task)? {
        arrival = wake;
        if flag(7) {
            (wake, visible) = (visible, decision);
        }
    }
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
fn checksum(magic: u64, (partition, index): (usize, usize), words: &[u64; WORDS - 1]) -> u64 {
    let place = [partition as u64, index as u64];
    mixed(magic, place.into_iter().chain(words.iter().copied()))
}

fn checksum_of(magic: u64, text: &[u8]) -> u64 {
    mixed(magic, text.iter().map(|&byte| u64::from(byte)))
}

/// Mixes `magic` and words with the finalizer of SplitMix64. The result is never 0.
fn mixed(magic: u64, words: impl Iterator<Item = u64>) -> u64 {
    let mix = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum ^ (sum >> 31)
    };
    words.fold(magic, mix).max(1)
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
    /// Number of jobs whose records later records replaced.
    pub replaced: u64,
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
    let expected = "a file with the records of a run";
    let another = || refuse("another file".to_owned(), expected);
    let magic = *words.first().ok_or_else(another)?;
    let counts = match magic {
        MAGIC => START,
        magic if magic == PREVIOUS.0 => PREVIOUS.1,
        _ => return Err(another()),
    };
    if words.len() < WORDS {
        return Err(another());
    }
    let length = usize::try_from(words[LENGTH]).unwrap_or(usize::MAX);
    let text = bytes.get(8 * WORDS..).and_then(|rest| rest.get(..length));
    let text = text.filter(|text| checksum_of(magic, text) == words[SUM]);
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
    let many = || refuse("a heading with too many jobs".to_owned(), expected);
    let layout = layout(&heading, length, counts).ok_or_else(many)?;
    let (blocks, needed) = (&layout.blocks, layout.words);
    if needed > words.len() {
        let found = format!("a file of {}", counted(bytes.len(), "byte"));
        return Err(refuse(found, &format!("{} bytes", 8 * needed)));
    }
    let places = heading.program.partitions.iter().all(consistent);
    if heading.contexts.len() != blocks.len() || !places || { all }.any(|task| task.position >= tasks) {
        return Err(refuse("a heading whose lists do not match".to_owned(), expected));
    }
    // The arrivals of all records follow from the first one. Without it, the run has not begun.
    let (mut incomplete, mut lost, mut replaced, origin) = (0u64, 0u64, 0u64, words[ORIGIN]);
    let begun = words[ORIGIN_SUM] == mixed(magic, [origin].into_iter());
    if !begun && (origin, words[ORIGIN_SUM]) != (0, 0) {
        return Err(refuse(
            "a damaged time of the first arrivals".to_owned(),
            expected,
        ));
    }
    let mut partitions = Vec::new();
    let parts = heading.program.partitions.iter();
    for (index, (places, part)) in blocks.iter().zip(parts).enumerate() {
        let (start, block) = words[places.start..][..counts + WORDS * places.places].split_at(counts);
        let stated = &places.stated;
        lost = lost.saturating_add(start[0].max(start[1]));
        let mut records = Vec::new();
        let (places, _) = block.as_chunks::<WORDS>();
        for (place, &[ref words @ .., sum]) in places.iter().enumerate() {
            let whole = sum == checksum(magic, (index, place), words);
            match whole.then(|| decoded(words, part, stated, origin)).flatten() {
                Some(record) => records.push(record),
                None => incomplete += u64::from(words.iter().any(|&word| word != 0) || sum != 0),
            }
        }
        if layout.wraps {
            records.sort_by_key(|record| (record.decision, record.completion));
        }
        let mut run = recovered::part_run(&heading, origin, (index, part), records);
        if layout.wraps {
            let again = start.get(AGAIN..).unwrap_or_default();
            let totals: [u64; COUNTED.len()] = std::array::from_fn(|count| {
                start[REPLACED + count].max(again.get(count).copied().unwrap_or(0))
            });
            add(&mut run.counters, totals);
            replaced = replaced.saturating_add(totals[0]);
        }
        partitions.push(run);
    }
    // A program ends its run, so the planned duration is the time of its last record.
    let own = heading.work.is_none();
    let completions = partitions.iter().flat_map(|part| &part.records);
    let last = completions
        .map(|record| record.completion)
        .max()
        .unwrap_or(origin);
    let run = Run {
        origin,
        interrupted: 0,
        duration: match own {
            true => Time::from_ns(last.saturating_sub(origin)),
            false => heading.duration,
        },
        wake_bound: heading.wake_bound,
        stopped: true,
        own,
        partitions,
        machine: heading.machine.clone(),
    };
    Ok(Recovered {
        heading,
        run,
        incomplete,
        lost,
        replaced,
    })
}

/// Adds the `counts` of replaced records, in the order of [`COUNTED`].
fn add(counters: &mut Counters, counts: [u64; COUNTED.len()]) {
    let totals = [
        &mut counters.jobs,
        &mut counters.misses,
        &mut counters.overruns,
        &mut counters.late_wakes,
        &mut counters.failed,
        &mut counters.overheads,
    ];
    for (total, count) in totals.into_iter().zip(counts) {
        *total = total.saturating_add(count);
    }
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
            // process that changes the file changes only values of atomic words. If another process cuts the file, an
            // access behind its end raises SIGBUS, which ends this process without any wrong value. `Ring` relies on
            // other processes to respect its lock, so that this does not happen.
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
