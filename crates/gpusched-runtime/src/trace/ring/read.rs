//! Reader of a file of records.

use std::fs;
use std::path::Path;

use gpusched_model::counted;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;

use super::super::{Heading, recovered};
use super::layout::{
    AGAIN, COUNTED, LENGTH, MAGIC, ORIGIN, ORIGIN_SUM, PREVIOUS, REPLACED, START, SUM, WORDS, layout,
};
use super::record::{checksum, checksum_of, decoded, mixed};
use crate::core::{Counters, Order};
use crate::program::Part;
use crate::run::Run;

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
