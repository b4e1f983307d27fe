//! Jobs that are named ranges.
//!
//! A launch belongs to the innermost selected range around its host call in the same thread. If a library launches
//! kernels from its own threads, the thread may have no such range. In this case, the launch can belong to a range of
//! another thread around the host call, if exactly one other thread has such a range. If the file contains no host
//! calls, a launch belongs to the GPU range of its stream that contains the start of the launch.

use std::collections::BTreeMap;

use super::{Activities, Activity, Job, Options, wanted};
use crate::model::{NameId, Range, Recording, Side};

pub fn group(recording: &Recording, options: &Options<'_>) -> Result<Activities, &'static str> {
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
    for ranges in lanes.values_mut() {
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    }
    let selected: BTreeMap<Option<i64>, Vec<&Range>> = lanes
        .iter()
        .map(|(&lane, ranges)| (lane, select(recording, options.names, ranges.clone())))
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

    let mut launches: BTreeMap<Option<i64>, Vec<Vec<usize>>> = BTreeMap::new();
    let mut outside: Vec<(i64, usize)> = Vec::new();
    for (&lane, ranges) in &selected {
        let mut points = points.remove(&lane).unwrap_or_default();
        points.sort_unstable();
        let mut of = vec![Vec::new(); ranges.len()];
        // If a launch is inside a range that is not selected, it is work of another activity.
        let all = lanes.get(&lane).map_or(&[][..], Vec::as_slice);
        let own = innermost(all, &points);
        for ((range, own), point) in innermost(ranges, &points).into_iter().zip(own).zip(points) {
            match (range.and_then(|range| of.get_mut(range)), own) {
                (Some(launches), _) => launches.push(point.1),
                (None, Some(_)) => unassigned += 1,
                (None, None) => outside.push(point),
            }
        }
        launches.insert(lane, of);
    }
    outside.extend(points.into_values().flatten());
    let borrowed = match side {
        Side::Host if options.borrow => borrow(&selected, &mut outside, &mut launches),
        _ => 0,
    };
    unassigned += outside.len();

    let mut jobs: BTreeMap<NameId, Vec<Job>> = BTreeMap::new();
    for (lane, ranges) in &selected {
        let of = launches.remove(lane).unwrap_or_default();
        for (range, launches) in ranges.iter().zip(of) {
            // A range on the GPU is a release even if it has no launches.
            let release = (side == Side::Host || launches.is_empty()).then_some(range.start);
            let job = Job::new(recording, release, launches);
            jobs.entry(range.name).or_default().extend(job);
        }
    }
    let method = match borrowed {
        0 => method.to_owned(),
        some => format!(
            "{method}; {some} launches of threads without ranges belong to ranges of the only thread with ranges"
        ),
    };
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Ok(Activities {
        list: named.collect(),
        unassigned,
        method,
    })
}

/// Returns the selected ranges of one lane. `ranges` are sorted by start. If the user states no names, the function
/// selects each range that is not inside a range with another name. A range inside a range of the same name counts as
/// the next job of a task whose jobs overlap.
fn select<'a>(recording: &Recording, names: &[String], mut ranges: Vec<&'a Range>) -> Vec<&'a Range> {
    if !names.is_empty() {
        ranges.retain(|range| wanted(recording, names, range.name));
        return ranges;
    }
    // Among the ranges so far, the two ranges with different names that end last.
    let (mut latest, mut second): (Option<&Range>, Option<&Range>) = (None, None);
    ranges.retain(|range| {
        let around = [latest, second]
            .into_iter()
            .flatten()
            .find(|other| other.name != range.name);
        let outermost = around.is_none_or(|other| range.end > other.end);
        if latest.is_none_or(|other| range.end > other.end) {
            if latest.is_some_and(|other| other.name != range.name) {
                second = latest;
            }
            latest = Some(range);
        } else if latest.is_some_and(|other| other.name != range.name)
            && second.is_none_or(|other| range.end > other.end)
        {
            second = Some(range);
        }
        outermost
    });
    ranges
}

/// Returns the innermost range around each point (time, launch). This is the range around the point that starts last.
/// Ranges and points are sorted by time.
fn innermost(ranges: &[&Range], points: &[(i64, usize)]) -> Vec<Option<usize>> {
    let (mut open, mut next): (Vec<usize>, _) = (Vec::new(), 0);
    let found = points.iter().map(|&(time, _)| {
        while ranges.get(next).is_some_and(|range| range.start <= time) {
            open.push(next);
            next += 1;
        }
        open.retain(|&range| ranges.get(range).is_some_and(|range| range.end >= time));
        open.last().copied()
    });
    found.collect()
}

/// If exactly one thread has a range around a point in `outside`, assigns the point to this range. Removes the assigned
/// points from `outside`, and returns their number.
fn borrow(
    selected: &BTreeMap<Option<i64>, Vec<&Range>>,
    outside: &mut Vec<(i64, usize)>,
    launches: &mut BTreeMap<Option<i64>, Vec<Vec<usize>>>,
) -> usize {
    outside.sort_unstable();
    let mut found: Vec<Vec<(Option<i64>, usize)>> = vec![Vec::new(); outside.len()];
    for (&lane, ranges) in selected {
        for (range, found) in innermost(ranges, outside).into_iter().zip(&mut found) {
            found.extend(range.map(|range| (lane, range)));
        }
    }
    let before = outside.len();
    let mut found = found.into_iter();
    outside.retain(|&(_, launch)| {
        let [(lane, range)] = found.next().unwrap_or_default()[..] else {
            return true;
        };
        let of = launches.get_mut(&lane).and_then(|ranges| ranges.get_mut(range));
        of.into_iter().for_each(|launches| launches.push(launch));
        false
    });
    before - outside.len()
}
