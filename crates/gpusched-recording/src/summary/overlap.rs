//! Overlap of kernels on one stream, which runs one kernel after the other.

use std::collections::BTreeMap;

use crate::model::{Launch, NameId, Recording, StreamKey};

/// Two kernels of one stream that ran at the same time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// Time from the start of the kernel to the latest end of the kernels before it [ns].
    pub by_ns: u64,
    /// Kernel that started before the end of the other one.
    pub kernel: NameId,
    /// Stream of both kernels.
    pub stream: StreamKey,
}

/// Returns the longest time during which kernels of two processes ran on one GPU at the same time [ns], if the recording states
/// processes.
pub fn of_processes(recording: &Recording) -> Option<u64> {
    if recording.streams.processes() < 2 {
        return None;
    }
    let key = |launch: &Launch| recording.streams.get(launch.stream);
    let mut launches: Vec<(Option<i64>, i64, i64, i64)> = { recording.launches.iter() }
        .filter_map(|launch| Some((key(launch).device, launch.start, launch.end, key(launch).process?)))
        .collect();
    launches.sort_unstable();
    // The latest end of the kernels of each process so far.
    let (mut ends, mut gpu, mut longest) = (BTreeMap::<i64, i64>::new(), None, None);
    for (device, start, end, process) in launches {
        if gpu != Some(device) {
            (ends, gpu) = (BTreeMap::new(), Some(device));
        }
        ends.retain(|_, last| *last > start);
        let others = ends.iter().filter(|&(&other, _)| other != process);
        let common = others.map(|(_, &last)| last.min(end).saturating_sub(start).unsigned_abs());
        longest = longest.max(common.max().filter(|&common| common > 0));
        let last = ends.entry(process).or_insert(end);
        *last = end.max(*last);
    }
    longest
}

impl Overlap {
    /// Overlaps up to this length are normal [ns]: a kernel with programmatic dependent launch starts while the kernel
    /// before it ends.
    const NORMAL: u64 = 100_000;

    /// Returns the longest overlap of `recording` that is not normal. Kernels on parallel branches of a CUDA graph
    /// overlap, too.
    pub fn longest(recording: &Recording) -> Option<Overlap> {
        let mut order: Vec<usize> = (0..recording.launches.len()).collect();
        let launch = |index: usize| recording.launches.get(index);
        let key = |&index: &usize| launch(index).map(|launch| (launch.stream, launch.start));
        if !order.is_sorted_by_key(key) {
            order.sort_by_key(key);
        }
        let launches = order.into_iter().filter_map(launch);
        // Stream, and the latest end of its kernels so far.
        let mut before = None;
        let mut longest: Option<Overlap> = None;
        for launch in launches {
            let stated = recording.streams.get(launch.stream).stream.is_some();
            let covered = match before {
                Some((stream, end)) if stream == launch.stream && stated => end,
                _ => i64::MIN,
            };
            let by_ns = u64::try_from(covered.saturating_sub(launch.start)).unwrap_or_default();
            if by_ns > Self::NORMAL && longest.is_none_or(|longest| by_ns > longest.by_ns) {
                longest = Some(Overlap {
                    by_ns,
                    kernel: launch.name,
                    stream: recording.streams.get(launch.stream),
                });
            }
            before = Some((launch.stream, covered.max(launch.end)));
        }
        longest
    }
}
