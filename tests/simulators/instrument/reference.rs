//! The trace of `gpusched_trace.cuh`, computed by its definition.

use std::fmt::Write as _;

use crate::instrument::Record;

/// Returns the longest tick that divides all differences of recorded times.
fn tick(records: &[Record]) -> u64 {
    let times = records.iter().flat_map(|record| [record.start, record.end]);
    let first = records[0].start;
    times.fold(0, |tick, time| common_divisor(tick, time.abs_diff(first)))
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Returns the block that starts on the place of each block, if there is one.
pub fn successors(records: &[Record]) -> Vec<Option<usize>> {
    let mut by_start: Vec<usize> = (0..records.len()).collect();
    by_start.sort_by_key(|&block| records[block].start);
    let mut next: Vec<Option<usize>> = vec![None; records.len()];
    for block in by_start {
        let Record { start, sm, .. } = records[block];
        // The block on this SM that ended first and whose place is still free.
        let mut ended: Vec<usize> = (0..records.len()).collect();
        ended.retain(|&other| records[other].sm == sm && next[other].is_none());
        let before = ended.into_iter().min_by_key(|&other| (records[other].end, other));
        if let Some(before) = before.filter(|&before| before != block && records[before].end <= start) {
            next[before] = Some(block);
        }
    }
    next
}

/// Returns the duration of each block [ns].
pub fn durations(records: &[Record]) -> Vec<u64> {
    let next = successors(records);
    let gaps = (0..records.len()).filter_map(|block| Some(records[next[block]?].start - records[block].end));
    let longest_gap = gaps.max().unwrap_or(0);
    { next.iter().zip(records) }
        .map(|(next, record)| match next {
            Some(next) => records[*next].start - record.start + tick(records),
            None => record.end - record.start + longest_gap + tick(records),
        })
        .collect()
}

/// Returns the rows of one run.
pub fn rows(run: usize, q: u8, records: &[Record]) -> String {
    let first = records.iter().map(|record| record.start).min().unwrap();
    let mut text = String::new();
    for (block, (record, duration)) in records.iter().zip(durations(records)).enumerate() {
        writeln!(text, "{run},{block},{},{duration},{q}", record.start - first).unwrap();
    }
    text
}
