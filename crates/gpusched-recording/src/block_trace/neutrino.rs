//! Block traces from the probe `block_sched` of [Neutrino](https://github.com/open-neutrino/neutrino).
//!
//! A file describes one execution of a kernel. It consists of little-endian numbers: a header, one section for each probe, and the data
//! of the probes. The header has eight numbers of 32 bits: the size of the grid (x, y, z), the size of a block (x, y, z), the
//! shared memory of a block, and the number of probes. A section has three numbers:
//!
//! * the bytes of one group of threads (32 bits);
//! * the number of threads of a group, a warp or one thread (32 bits; 0 in files of early versions);
//! * the number of bytes before the data (64 bits).
//!
//! `block_sched` writes 16 bytes for each warp: the start (64 bits) and the duration (32 bits) in cycles of the clock of the SM, and the
//! SM (32 bits). Each SM has its own clock, so the file does not show which blocks run at one time.

use std::io::{self, BufReader, ErrorKind, Read};

use super::Input;
use super::columns::{Fault, Record, sm};
use super::receiver::Receiver;
use super::source::{Place, Source};
use gpusched_analysis::kernel_wcet::trace::MAX_BLOCKS;
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Number of threads of a warp.
const WARP: u64 = 32;

/// Largest number of threads of a block in CUDA.
const MAX_THREADS: u64 = 1024;

/// Largest number of probes that gpusched accepts.
const MAX_PROBES: u64 = 1024;

/// Sizes of the header and of a section [bytes].
const HEADER: u64 = 32;
const SECTION: u64 = 16;

/// Size of a record of `block_sched` [bytes].
const RECORD: u64 = 16;

/// Number of blocks between two calls of the observer.
const STEP: u64 = 1 << 12;

/// The bytes of a file, in order.
struct Bytes {
    reader: BufReader<Box<dyn Read>>,
    place: Place,
    /// Number of bytes read so far.
    read: u64,
}

impl Bytes {
    /// Reads `N` bytes of `what`.
    fn take<const N: usize>(&mut self, what: impl Fn() -> String) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => {
                self.read += N as u64;
                Ok(bytes)
            }
            Err(cause) if cause.kind() == ErrorKind::UnexpectedEof => Err(self.short(&what())),
            Err(cause) => Err(self.place.io(cause)),
        }
    }

    /// Reads the bytes up to byte number `offset`.
    fn skip_to(&mut self, offset: u64) -> Result<()> {
        let count = offset.saturating_sub(self.read);
        let skipped = io::copy(&mut self.reader.by_ref().take(count), &mut io::sink());
        self.read += skipped.map_err(|cause| self.place.io(cause))?;
        match self.read == offset {
            true => Ok(()),
            false => Err(self.short(&format!("the data of a probe at byte {offset}"))),
        }
    }

    fn short(&self, what: &str) -> gpusched_model::error::Error {
        let message = format!(
            "found the end of the file after byte {}, expected {what}",
            self.read
        );
        self.place.error(None, message)
    }

    fn refuse<T>(&self, field: &'static str, message: String) -> Result<T> {
        Err(self.place.fault(None, Fault::new(field, message)))
    }
}

/// Size of a kernel.
struct Size {
    /// Number of blocks, up to [`MAX_BLOCKS`].
    blocks: u64,
    /// Number of threads of a block, up to [`MAX_THREADS`].
    threads: u64,
    /// Number of probes, up to [`MAX_PROBES`].
    probes: u64,
}

/// Data of one probe.
struct Section {
    /// Number of bytes for each group of threads.
    bytes: u64,
    /// Number of threads of a group: 1, or [`WARP`]. 0 if the file does not state it.
    group: u64,
    /// Number of bytes before the data.
    offset: u64,
}

impl Size {
    fn read(bytes: &mut Bytes) -> Result<Size> {
        let mut values = [0u64; 8];
        for value in &mut values {
            let number = bytes.take(|| "a header of 32 bytes".to_owned())?;
            *value = u32::from_le_bytes(number).into();
        }
        let [x, y, z, block_x, block_y, block_z, _, probes] = values;
        let product = |sides: [u64; 3], most| {
            let product = sides.iter().try_fold(1u64, |all, &side| all.checked_mul(side));
            product.filter(|product| (1..=most).contains(product))
        };
        let Some(blocks) = product([x, y, z], MAX_BLOCKS) else {
            let message = format!("found {x} × {y} × {z} blocks, expected 1 to {MAX_BLOCKS} in total");
            return bytes.refuse("gridDim", message);
        };
        let Some(threads) = product([block_x, block_y, block_z], MAX_THREADS) else {
            let found = format!("{block_x} × {block_y} × {block_z} threads");
            let message = format!("found {found}, expected 1 to {MAX_THREADS} in total");
            return bytes.refuse("blockDim", message);
        };
        if !(1..=MAX_PROBES).contains(&probes) {
            let message = format!("found {probes}, expected 1 to {MAX_PROBES} probes");
            return bytes.refuse("numProbes", message);
        }
        Ok(Size {
            blocks,
            threads,
            probes,
        })
    }

    fn warps(&self) -> u64 {
        self.threads.div_ceil(WARP)
    }

    /// Number of bytes of the records of all warps.
    fn records(&self) -> u64 {
        self.blocks * self.warps() * RECORD
    }
}

/// Reads the sections, and returns the position of the section with the records of `block_sched`. File names of probes are
/// not in the file, so only one probe may have records of this size.
fn section(bytes: &mut Bytes, size: &Size) -> Result<(usize, Vec<Section>)> {
    let mut sections = Vec::new();
    for probe in 0..size.probes {
        let what = || format!("the section of probe {probe}");
        let (low, high) = (bytes.take(what)?, bytes.take(what)?);
        sections.push(Section {
            bytes: u32::from_le_bytes(low).into(),
            group: u32::from_le_bytes(high).into(),
            offset: u64::from_le_bytes(bytes.take(what)?),
        });
    }
    let of_warps = |&at: &usize| {
        let section = &sections[at];
        let end = section.offset.checked_add(size.records());
        let next = sections.get(at + 1).map(|next| next.offset);
        let fits = next.is_none() || next == end;
        section.bytes == RECORD && (section.group == WARP || section.group == 0 && fits)
    };
    let found: Vec<usize> = (0..sections.len()).filter(of_warps).collect();
    let [position] = found[..] else {
        let probes = counted(sections.len(), "probe");
        let message = format!(
            "found {probes}, {} with {RECORD} bytes per warp, expected exactly one, the probe `block_sched`",
            found.len()
        );
        return bytes.refuse("size", message);
    };
    let mut offset = bytes.read;
    for (probe, section) in sections.iter().enumerate().take(position + 1) {
        if section.group > 0 && section.offset != offset || section.offset < bytes.read {
            let message = format!("found {} for probe {probe}, expected {offset}", section.offset);
            return bytes.refuse("offset", message);
        }
        // At most 2^34 groups.
        let groups = size.blocks * size.threads.div_ceil(section.group.max(1));
        let end = groups
            .checked_mul(section.bytes)
            .and_then(|data| offset.checked_add(data));
        let Some(end) = end else {
            let found = format!(
                "found {} for each of {groups} groups of probe {probe}",
                section.bytes
            );
            return bytes.refuse("size", format!("{found}, expected data of less than 2^64 bytes"));
        };
        offset = end;
    }
    Ok((position, sections))
}

/// Whether `start`, the first bytes of a file, are the header and the first section of such a file.
pub(super) fn is_header(start: &[u8]) -> bool {
    let number = |at: usize| {
        let bytes = start.get(4 * at..4 * at + 4)?.try_into().ok()?;
        Some(u64::from(u32::from_le_bytes(bytes)))
    };
    let product = |from: usize| (from..from + 3).try_fold(1u64, |all, at| all.checked_mul(number(at)?));
    let data = number(7).map(|probes| HEADER + SECTION * probes);
    product(0).is_some_and(|blocks| (1..=MAX_BLOCKS).contains(&blocks))
        && product(3).is_some_and(|threads| (1..=MAX_THREADS).contains(&threads))
        && data.is_some_and(|data| data > HEADER && number(10) == Some(data))
}

pub(super) fn read(
    source: Source,
    input: &Input<'_>,
    receiver: &mut dyn Receiver,
    observer: &mut dyn FnMut(u64),
) -> Result<()> {
    let (place, reader) = source.into_parts();
    let mut bytes = Bytes {
        reader,
        place,
        read: 0,
    };
    let size = Size::read(&mut bytes)?;
    let (position, sections) = section(&mut bytes, &size)?;
    bytes.skip_to(sections[position].offset)?;
    for block in 0..size.blocks {
        let (record, missing) = record(&mut bytes, block, &size)?;
        receiver.take(&record, input).map_err(|mut fault| {
            fault.message += &format!(" (block {block}");
            if missing > 0 {
                fault.message += &format!(
                    ": {missing} of {} without a record",
                    counted(size.warps(), "warp")
                );
            }
            fault.message += ")";
            bytes.place.fault(None, fault)
        })?;
        if (block + 1) % STEP == 0 {
            observer(bytes.read);
        }
    }
    let mut rest = [0; 1];
    let more = bytes
        .reader
        .read(&mut rest)
        .map_err(|cause| bytes.place.io(cause))?;
    if more > 0 && position + 1 == sections.len() {
        let message = format!(
            "found more than {} bytes, expected this size for {} of {}",
            bytes.read,
            counted(size.blocks, "block"),
            counted(size.warps(), "warp")
        );
        return Err(bytes.place.error(None, message));
    }
    let ended = receiver.end_file();
    ended.map_err(|message| bytes.place.error(None, message))
}

/// Reads the records of all warps of a block. A block lasts from the first start to the last end of its warps, which all run on
/// one SM. Also returns the number of warps without a record. Then the duration is unknown.
fn record(bytes: &mut Bytes, block: u64, size: &Size) -> Result<(Record, u64)> {
    let mut record = Record::of(0, block);
    let (mut missing, mut span) = (0, None::<(u64, u64)>);
    for warp in 0..size.warps() {
        let what = || format!("the record of warp {warp} of block {block}");
        let start = u64::from_le_bytes(bytes.take(what)?);
        let elapsed = u32::from_le_bytes(bytes.take(what)?);
        let number = u32::from_le_bytes(bytes.take(what)?);
        // Neutrino fills the memory with zeros before the kernel starts.
        if (start, elapsed) == (0, 0) {
            missing += 1;
            continue;
        }
        let at = |message: String| format!("{message} (warp {warp} of block {block})");
        let number = sm(number.into()).map_err(|mut fault| {
            fault.message = at(fault.message);
            bytes.place.fault(None, fault)
        })?;
        if record.sm.is_some_and(|other| other != number) {
            let other = record.sm.unwrap_or_default();
            let message =
                format!("found SM {number}, expected SM {other}, as for the other warps of the block");
            return bytes.refuse("sm", at(message));
        }
        record.sm = Some(number);
        let Some(end) = start.checked_add(elapsed.into()) else {
            return bytes.refuse(
                "start",
                at(format!("found {start} cycles, expected an end within 64 bits")),
            );
        };
        let (first, last) = span.unwrap_or((start, end));
        span = Some((first.min(start), last.max(end)));
    }
    record.cycles = span.filter(|_| missing == 0).map(|(first, last)| last - first);
    Ok((record, missing))
}
