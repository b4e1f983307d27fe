//! Jobs that are groups of launches on one stream, with long gaps between the groups.

use std::collections::BTreeMap;

use super::{Activities, Activity, Job, Options, Outsiders};
use crate::model::{Recording, StreamKey};
use gpusched_model::time::Time;

/// Shortest gap that can separate two jobs [ns]. Shorter gaps are launch overheads.
const SHORTEST: u64 = 1_000;

pub fn group(recording: &Recording, options: &Options<'_>) -> Activities {
    let mut streams: BTreeMap<StreamKey, Vec<usize>> = BTreeMap::new();
    for (index, launch) in recording.launches.iter().enumerate() {
        streams
            .entry(named(recording.streams.get(launch.stream)))
            .or_default()
            .push(index);
    }
    let several = recording.streams.processes() > 1;
    let (mut list, mut unassigned, mut gaps) = (Vec::new(), 0, Vec::new());
    let mut open = recording
        .open
        .iter()
        .filter(|launch| !streams.contains_key(&named(launch.key)))
        .count();
    for (key, mut indices) in streams {
        let name = name(key, several);
        if !options.names.is_empty() && !options.names.contains(&name) {
            unassigned += indices.len();
            continue;
        }
        let times = |index: &usize| {
            let launch = recording.launches.get(*index);
            launch.map_or((0, 0), |launch| (launch.start, launch.end))
        };
        indices.sort_by_key(times);
        let intervals: Vec<(i64, i64)> = indices.iter().map(times).collect();
        let gap = options
            .gap_ns
            .or_else(|| natural_gap(&intervals))
            .unwrap_or(u64::MAX);
        if gap < u64::MAX {
            gaps.push(format!("{name}: {}", Time::from_ns(gap)));
        }
        let (mut jobs, mut current, mut end) = (Vec::new(), Vec::new(), i64::MIN);
        for (&index, &(start, last)) in indices.iter().zip(&intervals) {
            let separate = start > end && start.abs_diff(end) >= gap;
            if separate && !current.is_empty() {
                jobs.push(std::mem::take(&mut current));
            }
            current.push(index);
            end = end.max(last);
        }
        jobs.push(current);
        let released = |launches: &Vec<usize>| recording.call(*launches.first()?).map(|call| call.start);
        for (index, launch) in recording
            .open
            .iter()
            .enumerate()
            .filter(|(_, launch)| named(launch.key) == key)
        {
            // The job whose first host call is the last one before the host call of the launch.
            let job = launch.call.and_then(|call| {
                let before = jobs
                    .iter()
                    .rposition(|job| released(job).is_some_and(|start| start <= call.start));
                jobs.get_mut(before?)
            });
            match job {
                Some(job) => job.push(recording.launches.len() + index),
                None => open += 1,
            }
        }
        let jobs = jobs.into_iter().filter_map(|launches| {
            let first = launches.first().and_then(|&index| recording.call(index));
            Job::new(recording, first.map(|call| call.start), launches)
        });
        let jobs = jobs.collect();
        list.push(Activity { name, jobs });
    }
    let rule = match gaps.is_empty() {
        true => "no gap separates jobs".to_owned(),
        false => format!("a job starts after a minimum gap ({})", gaps.join(", ")),
    };
    let jobs = list.iter().flat_map(|activity: &Activity| &activity.jobs);
    let hidden = jobs.filter(|job| !job.shows_release).count();
    Activities {
        list,
        unassigned,
        open,
        copies: recording.copies.len(),
        outside: Outsiders::default(),
        after: Vec::new(),
        inner: Vec::new(),
        steps: 0,
        method: rule + &super::without_calls(hidden),
    }
}

/// Returns `key` with the defaults of unknown numbers, and without the green context. Keys of one [`name`] become equal, so that
/// no launch is lost if some rows omit a number.
fn named(key: StreamKey) -> StreamKey {
    StreamKey {
        device: key.device.or(Some(0)),
        context: key.context.or(Some(1)),
        green: None,
        ..key
    }
}

/// Name of a stream, such as `stream 7` or `device 1 context 2 stream 7`. With `several` processes, the name also states
/// the process.
fn name(key: StreamKey, several: bool) -> String {
    let parts = [
        ("process", key.process.filter(|_| several)),
        ("device", key.device),
        ("context", key.context),
        ("stream", key.stream),
    ];
    let named = parts.iter().filter_map(|(what, id)| {
        let id = id.as_ref()?;
        let default = match *what {
            "device" => Some(0),
            "context" => Some(1),
            _ => None,
        };
        (Some(*id) != default).then(|| format!("{what} {id}"))
    });
    named.collect::<Vec<String>>().join(" ")
}

/// Returns the shortest gap that separates jobs. In the sorted list of gaps, the largest relative increase is just
/// before this gap. Returns `None` if no gap is at least twice as long as the next shorter gap. `intervals` are sorted
/// by their starts.
pub fn natural_gap(intervals: &[(i64, i64)]) -> Option<u64> {
    let mut gaps = Vec::new();
    let mut covered = i64::MIN;
    for &(start, end) in intervals {
        if covered > i64::MIN && start > covered {
            gaps.push(start.abs_diff(covered));
        }
        covered = covered.max(end);
    }
    gaps.push(SHORTEST);
    gaps.sort_unstable();
    let increases = gaps.windows(2).filter_map(|pair| match *pair {
        [less, more] if less >= SHORTEST && more >= less.saturating_mul(2) => Some((less, more)),
        _ => None,
    });
    // The loop compares the quotients more/less exactly, without division.
    let largest = increases.max_by(|a, b| {
        let (left, right) = (
            u128::from(a.1) * u128::from(b.0),
            u128::from(b.1) * u128::from(a.0),
        );
        left.cmp(&right).then(b.1.cmp(&a.1))
    });
    largest.map(|(_, gap)| gap)
}
