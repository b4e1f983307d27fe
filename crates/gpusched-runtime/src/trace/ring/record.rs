//! Records as words, and their checksums.

use super::layout::WORDS;
use crate::core::{Job, Record, Status};
use crate::program::Part;

/// Returns the words of a record without its checksum. The arrival and the deadline follow from the number of the job, and the
/// occupancy from the records of the job. With `stated`, a record contains its arrival. If a decision ended an idle time, the job became
/// visible at this decision, so the record needs one word for both times.
pub fn encoded(record: &Record, stated: bool) -> [u64; WORDS - 1] {
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
pub fn decoded(words: &[u64; WORDS - 1], part: &Part, stated: &[bool], origin: u64) -> Option<Record> {
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
pub fn checksum(magic: u64, (partition, index): (usize, usize), words: &[u64; WORDS - 1]) -> u64 {
    let place = [partition as u64, index as u64];
    mixed(magic, place.into_iter().chain(words.iter().copied()))
}

pub fn checksum_of(magic: u64, text: &[u8]) -> u64 {
    mixed(magic, text.iter().map(|&byte| u64::from(byte)))
}

/// Mixes `magic` and words with the finalizer of SplitMix64. The result is never 0.
pub fn mixed(magic: u64, words: impl Iterator<Item = u64>) -> u64 {
    let mix = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum ^ (sum >> 31)
    };
    words.fold(magic, mix).max(1)
}
