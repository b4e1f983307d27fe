//! Jobs that are named ranges.
//!
//! A launch belongs to the innermost selected range around its host call in the same thread. `outside` states the rules for
//! launches without such a range. If the file contains no host calls, a launch belongs to the GPU range of its stream that
//! contains the start of the launch. If the ranges state threads and no streams, it belongs to the range of the only thread with a
//! range around its start.

use std::collections::BTreeMap;

use gpusched_model::counted;

use super::outside::{Assigned, Lanes, Launches, Outside, assign, innermost, link, process};
use super::outsiders::Outsiders;
use super::{Activities, Activity, Job, Options, of_several_processes, wanted};
use crate::model::{Lane, NameId, Range, Recording, Side};

/// Name of the ranges that the profiler of PyTorch writes around each step of its schedule. They are no jobs.
const STEP: &str = "ProfilerStep";

/// Times of launches or copies, and their positions in the recording, by thread or stream.
type Points = BTreeMap<Option<Lane>, Vec<(i64, usize)>>;

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
    let mut lanes: Lanes<'_> = BTreeMap::new();
    let step = recording.names.find(STEP);
    let step = step.filter(|_| !options.names.iter().any(|name| name == STEP));
    let of_side = || recording.ranges.iter().filter(|range| range.side == side);
    // Without other ranges, the steps are the only jobs.
    let step = step.filter(|&step| of_side().any(|range| range.name != step));
    let steps = of_side().filter(|range| Some(range.name) == step).count();
    for range in of_side().filter(|range| Some(range.name) != step) {
        lanes.entry(range.lane).or_default().push(range);
    }
    let mut doubled = 0;
    for ranges in lanes.values_mut() {
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end), range.name));
        let all = ranges.len();
        ranges.dedup();
        doubled += all - ranges.len();
    }
    let selected: Lanes<'_> = lanes
        .iter()
        .map(|(&lane, ranges)| (lane, select(recording, options.names, ranges.clone())))
        .collect();
    let inner = match options.names {
        [] => inner(recording, &lanes, &selected),
        _ => Vec::new(),
    };

    // Times and lanes of the launches.
    let mut points = Points::new();
    let (mut unassigned, mut open, mut without_call) = (0, 0, Vec::new());
    for (index, launch) in recording.launches.iter().enumerate() {
        let point = match side {
            Side::Host => recording.call(index).map(|call| (Some(call.thread), call.start)),
            Side::Gpu => {
                let key = recording.streams.get(launch.stream);
                let (device, process) = (key.device, key.process);
                let lane = key.stream.map(|stream| Lane::Stream {
                    device,
                    process,
                    stream,
                });
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

    let places = (&lanes, &selected);
    let (mut launches, mut outside, others) = place(places, points);
    unassigned += others;
    let process_of = |point: &Outside| process(recording, point.index);
    let mut outsiders = Outsiders::new(recording, places, &outside, &without_call);
    let assigned = match (side, options.borrow) {
        (_, true) => assign(process_of, places, &mut outside, &mut launches, true),
        (Side::Host, false) => Assigned::default(),
        (Side::Gpu, false) => {
            let mut threads = selected.clone();
            threads.retain(|_, ranges| ranges.iter().any(|range| on_a_thread(range)));
            assign(process_of, (&lanes, &threads), &mut outside, &mut launches, false)
        }
    };
    let linked = match options.borrow {
        true => link(recording, &mut without_call, &mut launches),
        false => 0,
    };
    outsiders.assigned(&selected, &launches, &assigned.around);
    if side == Side::Gpu {
        outsiders.without_around();
    }
    let launches_outside = outside.iter().map(|point| point.index);
    // The job of a launch without times can be the job of a lost range.
    open += launches_outside
        .clone()
        .filter(|&index| index >= recording.launches.len())
        .count();
    let launches_outside = launches_outside.filter(|&index| index < recording.launches.len());
    unassigned += without_call.len() + launches_outside.count();

    let (mut copies, copies_outside) = match side {
        Side::Host => copies(recording, places, options.borrow),
        // Ranges on the GPU contain no calls.
        Side::Gpu => (Launches::new(), recording.copies.len()),
    };
    let mut jobs: BTreeMap<NameId, Vec<Job>> = BTreeMap::new();
    for (lane, ranges) in &selected {
        let of = launches.remove(lane).unwrap_or_default();
        let mut copies = copies.remove(lane).unwrap_or_default();
        copies.resize(ranges.len(), Vec::new());
        for ((range, launches), copies) in ranges.iter().zip(of).zip(copies) {
            // A range on the GPU is a release even if it has no launches.
            let release = (side == Side::Host || launches.is_empty()).then_some(range.start);
            let job = Job::new(recording, release, launches);
            let job = job.map(|job| Job { copies, ..job });
            jobs.entry(range.name).or_default().extend(job);
        }
    }
    let method = match assigned.around.len() {
        some if some > 0 && side == Side::Host => format!(
            "{method}; {} of threads without ranges belong to the ranges of other threads around them",
            counted(some, "launch")
        ),
        _ => method.to_owned(),
    };
    let method = match linked {
        0 => method,
        some => format!(
            "{method}; {} without a host call count to the jobs before and after them on their streams, so a job can look as long as two: \
             C(m) can be too long, which is pessimistic",
            counted(some, "launch")
        ),
    };
    let method = match doubled {
        0 => method,
        some => format!(
            "{method}; {} in the file twice: each counts once",
            counted(some, "range")
        ),
    };
    let of_ranges = selected.iter().flat_map(|(lane, ranges)| {
        let process = lane.and_then(Lane::process);
        ranges.iter().map(move |range| (range.name, process))
    });
    let method = method + &of_several_processes(recording, of_ranges);
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Ok(Activities {
        list: named.collect(),
        unassigned,
        open,
        copies: copies_outside,
        outside: outsiders,
        after: { assigned.after.into_iter() }
            .map(|(name, count)| (recording.names.get(name).to_owned(), count))
            .collect(),
        inner,
        steps,
        method,
    })
}

/// Assigns `points` to the innermost `selected` ranges around them. Returns the launches of each range, the points outside `all` ranges,
/// and the number of the other points.
fn place((all, selected): (&Lanes<'_>, &Lanes<'_>), mut points: Points) -> (Launches, Vec<Outside>, usize) {
    let (mut launches, mut outside, mut others) = (Launches::new(), Vec::new(), 0);
    let free = |lane, (time, index)| Outside { time, index, lane };
    for (&lane, ranges) in selected {
        let mut points = points.remove(&lane).unwrap_or_default();
        points.sort_unstable();
        let mut of = vec![Vec::new(); ranges.len()];
        // If a launch is inside a range that is not selected, it is work of another activity.
        let own = innermost(all.get(&lane).map_or(&[][..], Vec::as_slice), &points);
        for ((range, own), point) in innermost(ranges, &points).into_iter().zip(own).zip(points) {
            match (range.and_then(|range| of.get_mut(range)), own) {
                (Some(launches), _) => launches.push(point.1),
                (None, Some(_)) => others += 1,
                (None, None) => outside.push(free(lane, point)),
            }
        }
        launches.insert(lane, of);
    }
    let rest = { points.into_iter() }
        .flat_map(|(lane, points)| points.into_iter().map(move |point| free(lane, point)));
    outside.extend(rest);
    (launches, outside, others)
}

/// Returns the copies of each range, and the number of copies of no range. The rules for launches count for the host calls of copies, too.
fn copies(recording: &Recording, places: (&Lanes<'_>, &Lanes<'_>), borrow: bool) -> (Launches, usize) {
    let mut points = Points::new();
    for (index, copy) in recording.copies.iter().enumerate() {
        let of = points.entry(Some(copy.call.thread)).or_default();
        of.push((copy.call.start, index));
    }
    let (mut copies, mut outside, _) = place(places, points);
    if borrow {
        let process = |point: &Outside| point.lane.and_then(Lane::process);
        assign(process, places, &mut outside, &mut copies, true);
    }
    (copies, outside.len())
}

/// Returns the names of ranges that are no jobs, because they are inside ranges of other names.
fn inner(recording: &Recording, all: &Lanes<'_>, selected: &Lanes<'_>) -> Vec<String> {
    let count = |lanes: &Lanes<'_>| {
        let mut counts: BTreeMap<NameId, usize> = BTreeMap::new();
        for range in lanes.values().flatten() {
            *counts.entry(range.name).or_default() += 1;
        }
        counts
    };
    let selected = count(selected);
    let fewer = |(name, count): &(NameId, usize)| selected.get(name).is_none_or(|kept| kept < count);
    let names = count(all).into_iter().filter(fewer);
    names
        .map(|(name, _)| recording.names.get(name).to_owned())
        .collect()
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

/// Whether `range` is on the GPU, and states only the thread that started it.
fn on_a_thread(range: &Range) -> bool {
    range.side == Side::Gpu && matches!(range.lane, Some(Lane::Thread { .. }) | None)
}
