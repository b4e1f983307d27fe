//! Jobs that are named ranges.
//!
//! A launch belongs to the innermost selected range around its host call in the same thread. If the file contains no host calls,
//! a launch belongs to the range on the GPU around its start on the same stream.

use std::collections::{BTreeMap, HashMap};

use super::{Activities, Activity, Job, wanted};
use crate::recording::{NameId, Range, Recording, Side};

pub fn group(recording: &Recording, names: &[String]) -> Result<Activities, &'static str> {
    let on = |side| recording.ranges.iter().any(|range| range.side == side);
    let calls = recording.calls.iter().any(Option::is_some);
    let (side, method) = match (on(Side::Host) && calls, on(Side::Gpu)) {
        (true, _) => (
            Side::Host,
            "a launch belongs to the innermost range around its host call",
        ),
        (false, true) => (
            Side::Gpu,
            "a launch belongs to the range on the GPU around its start, on the same stream; releases are starts on the GPU",
        ),
        (false, false) if on(Side::Host) => {
            return Err("ranges, but no host calls that link launches with ranges");
        }
        (false, false) => return Err("no named ranges (NVTX, roctx or profiler steps)"),
    };
    let mut lanes: BTreeMap<Option<i64>, Vec<&Range>> = BTreeMap::new();
    for range in recording.ranges.iter().filter(|range| range.side == side) {
        lanes.entry(range.lane).or_default().push(range);
    }
    let selected: HashMap<Option<i64>, Vec<&Range>> = lanes
        .into_iter()
        .map(|(lane, ranges)| (lane, select(recording, names, ranges)))
        .collect();

    // Times and lanes of the launches.
    let mut points: BTreeMap<Option<i64>, Vec<(i64, usize)>> = BTreeMap::new();
    let mut unassigned = 0;
    for (index, launch) in recording.launches.iter().enumerate() {
        let point = match side {
            Side::Host => recording.call(index).map(|call| (Some(call.thread), call.start)),
            Side::Gpu => Some((recording.streams.get(launch.stream).stream, launch.start)),
        };
        match point {
            Some((lane, time)) => points.entry(lane).or_default().push((time, index)),
            None => unassigned += 1,
        }
    }

    let mut jobs: BTreeMap<NameId, Vec<Job>> = BTreeMap::new();
    for (lane, ranges) in &selected {
        let mut points = points.remove(lane).unwrap_or_default();
        points.sort_unstable();
        let (launches, outside) = assign(ranges, &points);
        unassigned += outside;
        for (range, launches) in ranges.iter().zip(launches) {
            let release = match side {
                Side::Host => Some(range.start),
                Side::Gpu => None,
            };
            let release = release.or_else(|| launches.is_empty().then_some(range.start));
            let job = Job::new(recording, release, launches);
            jobs.entry(range.name).or_default().extend(job);
        }
    }
    unassigned += points.values().map(Vec::len).sum::<usize>();
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Ok(Activities {
        list: named.collect(),
        unassigned,
        method: method.to_owned(),
    })
}

/// Returns the selected ranges of one lane, sorted by start. Without names, these are the ranges that no other range contains.
fn select<'a>(recording: &Recording, names: &[String], mut ranges: Vec<&'a Range>) -> Vec<&'a Range> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    if !names.is_empty() {
        ranges.retain(|range| wanted(recording, names, range.name));
        return ranges;
    }
    let mut covered = i64::MIN;
    ranges.retain(|range| {
        let outermost = range.end > covered;
        covered = covered.max(range.end);
        outermost
    });
    ranges
}

/// Assigns each point (time, launch) to the innermost range: the range that starts last among all ranges around the point. Also
/// returns the number of points outside all ranges. Ranges and points are sorted by time.
fn assign(ranges: &[&Range], points: &[(i64, usize)]) -> (Vec<Vec<usize>>, usize) {
    let mut launches = vec![Vec::new(); ranges.len()];
    let (mut open, mut next, mut outside): (Vec<usize>, _, _) = (Vec::new(), 0, 0);
    for &(time, launch) in points {
        while ranges.get(next).is_some_and(|range| range.start <= time) {
            open.push(next);
            next += 1;
        }
        open.retain(|&range| ranges.get(range).is_some_and(|range| range.end >= time));
        match open.last().and_then(|&range| launches.get_mut(range)) {
            Some(launches) => launches.push(launch),
            None => outside += 1,
        }
    }
    (launches, outside)
}
