//! Jobs that are named ranges.
//!
//! A launch belongs to the innermost selected range around its host call in the same thread. If a library launches
//! kernels from its own threads, the thread may have no such range. In this case, the launch can belong to a range of
//! another thread of its process around the host call, if exactly one other thread has such a range. If the file contains
//! no host calls, a launch belongs to the GPU range of its stream that contains the start of the launch. If the ranges
//! state threads and no streams, it belongs to the range of the only thread with a range around its start.

use std::collections::BTreeMap;

use gpusched_model::counted;

use super::{Activities, Activity, Job, Options, wanted};
use crate::model::{Lane, NameId, Range, Recording, Side};

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
            match recording.ranges.iter().any(on_a_thread) {
                false => {
                    "a launch belongs to the range on the GPU around its start, on the same stream; releases are starts on the GPU"
                }
                true => {
                    "a launch belongs to the range on the GPU around its start, if only one thread has such a range; releases are starts on the GPU"
                }
            },
        ),
        (false, false) if on(Side::Host) => {
            return Err("ranges, but no host calls that link launches with ranges");
        }
        (false, false) => return Err("no named ranges (NVTX, roctx or profiler steps)"),
    };
    let mut lanes: BTreeMap<Option<Lane>, Vec<&Range>> = BTreeMap::new();
    for range in recording.ranges.iter().filter(|range| range.side == side) {
        lanes.entry(range.lane).or_default().push(range);
    }
    let mut doubled = 0;
    for ranges in lanes.values_mut() {
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end), range.name));
        let all = ranges.len();
        ranges.dedup();
        doubled += all - ranges.len();
    }
    let selected: BTreeMap<Option<Lane>, Vec<&Range>> = lanes
        .iter()
        .map(|(&lane, ranges)| (lane, select(recording, options.names, ranges.clone())))
        .collect();

    // Times and lanes of the launches.
    let mut points: BTreeMap<Option<Lane>, Vec<(i64, usize)>> = BTreeMap::new();
    let (mut unassigned, mut open, mut without_call) = (0, 0, Vec::new());
    for (index, launch) in recording.launches.iter().enumerate() {
        let point = match side {
            Side::Host => recording.call(index).map(|call| (Some(call.thread), call.start)),
            Side::Gpu => {
                let key = recording.streams.get(launch.stream);
                let process = key.process;
                let lane = key.stream.map(|stream| Lane::Stream { process, stream });
                Some((lane, launch.start))
            }
        };
        match point {
            Some((lane, time)) => points.entry(lane).or_default().push((time, index)),
            None => without_call.push(index),
        }
    }
    for (index, launch) in recording.open.iter().enumerate() {
        match launch.call.filter(|_| side == Side::Host) {
            Some(call) => {
                let point = (call.start, recording.launches.len() + index);
                points.entry(Some(call.thread)).or_default().push(point);
            }
            None => open += 1,
        }
    }

    let mut launches: BTreeMap<Option<Lane>, Vec<Vec<usize>>> = BTreeMap::new();
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
        Side::Host if options.borrow => borrow(recording, &selected, &mut outside, &mut launches),
        Side::Host => 0,
        Side::Gpu => {
            let mut threads = selected.clone();
            threads.retain(|_, ranges| ranges.iter().any(|range| on_a_thread(range)));
            borrow(recording, &threads, &mut outside, &mut launches);
            0
        }
    };
    let launches_outside = outside.iter().map(|&(_, index)| index);
    // The job of a launch without times can be the job of a lost range.
    open += outside
        .iter()
        .filter(|&&(_, index)| index >= recording.launches.len())
        .count();
    let launches_outside = launches_outside.filter(|&index| index < recording.launches.len());
    without_call.extend(launches_outside);
    let mut outside = without_call;
    outside.sort_unstable();
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
    let method = match doubled {
        0 => method,
        some => format!(
            "{method}; {} in the file twice: each counts once",
            counted(some, "range")
        ),
    };
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Ok(Activities {
        list: named.collect(),
        unassigned,
        open,
        outside,
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

/// Returns the process of launch number `index`, if the file states it.
fn process(recording: &Recording, index: usize) -> Option<i64> {
    let open = || recording.open.get(index.checked_sub(recording.launches.len())?);
    let call = recording.call(index).or_else(|| open()?.call);
    let stream = || {
        recording
            .streams
            .get(recording.launches.get(index)?.stream)
            .process
    };
    call.and_then(|call| call.thread.process()).or_else(stream)
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

/// Whether `range` is on the GPU, and states only the thread that started it.
fn on_a_thread(range: &Range) -> bool {
    range.side == Side::Gpu && matches!(range.lane, Some(Lane::Thread { .. }) | None)
}

/// If exactly one thread of the process has a range around a point in `outside`, assigns the point to this range. Removes the assigned
/// points from `outside`, and returns their number.
fn borrow(
    recording: &Recording,
    selected: &BTreeMap<Option<Lane>, Vec<&Range>>,
    outside: &mut Vec<(i64, usize)>,
    launches: &mut BTreeMap<Option<Lane>, Vec<Vec<usize>>>,
) -> usize {
    outside.sort_unstable();
    let mut found: Vec<Vec<(Option<Lane>, usize)>> = vec![Vec::new(); outside.len()];
    for (&lane, ranges) in selected {
        for ((range, found), &(_, index)) in innermost(ranges, outside)
            .into_iter()
            .zip(&mut found)
            .zip(&*outside)
        {
            let processes = (lane.and_then(Lane::process), process(recording, index));
            if !matches!(processes, (Some(one), Some(other)) if one != other) {
                found.extend(range.map(|range| (lane, range)));
            }
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
