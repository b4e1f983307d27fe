//! Launches outside all ranges. For a task set, each such launch counts to the jobs that probably launched it. `outsiders` states the
//! other activities whose jobs may have launched it.

use std::collections::BTreeMap;

use crate::model::{Lane, NameId, Range, Recording};

/// Ranges of each thread or stream, sorted by start.
pub type Lanes<'a> = BTreeMap<Option<Lane>, Vec<&'a Range>>;

/// Launches of each range, as positions in the recording.
pub type Launches = BTreeMap<Option<Lane>, Vec<Vec<usize>>>;

/// A launch outside all ranges of its thread or stream.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outside {
    /// Start of the host call, or of the launch [ns].
    pub time: i64,
    /// Position of the launch in the recording.
    pub index: usize,
    /// Thread or stream of the launch.
    pub lane: Option<Lane>,
}

/// The launches that [`assign`] has assigned.
#[derive(Clone, Debug, Default)]
pub struct Assigned {
    /// Launches inside a range of another thread.
    pub around: Vec<usize>,
    /// Number of launches after a range, by the name of the range.
    pub after: BTreeMap<NameId, usize>,
}

/// Ranges that may have launched a launch: the thread, and the position of the range.
type Candidates = Vec<(Option<Lane>, usize)>;

/// Assigns the launches in `outside` to `selected` ranges, removes them from `outside`, and counts them. `all` contains the ranges
/// of all activities.
///
/// `process` returns the process of a launch. A launch of a thread with ranges belongs to the last range before it, and never to
/// another thread. A launch of a thread without ranges belongs to each range of its process around it. If there is no such range, it
/// belongs to the last range of each thread. If `guess` is false, a launch only belongs to the range around it, if there is exactly one.
pub fn assign(
    process: impl Fn(&Outside) -> Option<i64>,
    (all, selected): (&Lanes<'_>, &Lanes<'_>),
    outside: &mut Vec<Outside>,
    launches: &mut Launches,
    guess: bool,
) -> Assigned {
    outside.sort_unstable();
    let points: Vec<(i64, usize)> = outside.iter().map(|point| (point.time, point.index)).collect();
    let mut found: Vec<[Candidates; 2]> = vec![Default::default(); outside.len()];
    for (&lane, ranges) in selected {
        let every = all.get(&lane).map_or(&[][..], Vec::as_slice);
        let places = innermost(ranges, &points)
            .into_iter()
            .zip(last_before(every, ranges, &points));
        for (((around, before), point), [inside, after]) in places.zip(&*outside).zip(&mut found) {
            let own = guess && point.lane == lane;
            let foreign = guess && !own && all.get(&point.lane).is_some_and(|ranges| !ranges.is_empty());
            let processes = (lane.and_then(Lane::process), process(point));
            let other = matches!(processes, (Some(one), Some(other)) if one != other);
            if foreign || other {
                continue;
            }
            inside.extend(around.map(|range| (lane, range)));
            after.extend(before.map(|range| (lane, range)));
        }
    }
    let mut assigned = Assigned::default();
    let mut found = found.into_iter();
    outside.retain(|point| {
        let [inside, after] = found.next().unwrap_or_default();
        let jobs = match (inside.len(), guess) {
            (0, true) => {
                for &(lane, range) in &after {
                    if let Some(range) = selected.get(&lane).and_then(|ranges| ranges.get(range)) {
                        *assigned.after.entry(range.name).or_default() += 1;
                    }
                }
                after
            }
            (0, false) => Vec::new(),
            (1, _) | (_, true) => {
                assigned.around.push(point.index);
                inside
            }
            (_, false) => Vec::new(),
        };
        for &(lane, range) in &jobs {
            let of = launches.get_mut(&lane).and_then(|ranges| ranges.get_mut(range));
            of.into_iter().for_each(|launches| launches.push(point.index));
        }
        jobs.is_empty()
    });
    assigned
}

/// Returns the innermost range around each point (time, launch). This is the range around the point that starts last.
/// Ranges and points are sorted by time.
pub fn innermost(ranges: &[&Range], points: &[(i64, usize)]) -> Vec<Option<usize>> {
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

/// Returns for each point (time, launch) the range that ends last among the ranges that start before the point: its position in
/// `selected`, or `None` if it is not selected. `all` contains the ranges in `selected`. All lists are sorted.
fn last_before(all: &[&Range], selected: &[&Range], points: &[(i64, usize)]) -> Vec<Option<usize>> {
    let (mut next, mut chosen) = (0, 0);
    let mut last: Option<(i64, Option<usize>)> = None;
    let found = points.iter().map(|&(time, _)| {
        while let Some(&range) = all.get(next).filter(|range| range.start <= time) {
            let is_selected = { selected.get(chosen) }.is_some_and(|&one| std::ptr::eq(one, range));
            if last.is_none_or(|(end, _)| range.end > end) {
                last = Some((range.end, is_selected.then_some(chosen)));
            }
            chosen += usize::from(is_selected);
            next += 1;
        }
        last.and_then(|(_, position)| position)
    });
    found.collect()
}

/// Assigns each launch in `hidden`, whose host call the file does not contain, to the jobs of the launches before and after it on
/// its stream. A stream executes its launches in the order of their calls. Removes these launches from `hidden`, and returns their
/// number.
pub fn link(recording: &Recording, hidden: &mut Vec<usize>, launches: &mut Launches) -> usize {
    let all = hidden.len();
    if all == 0 {
        return 0;
    }
    let mut jobs: Vec<Option<(Option<Lane>, usize)>> = vec![None; recording.launches.len()];
    for (&lane, ranges) in &*launches {
        for (range, of) in ranges.iter().enumerate() {
            for &index in of {
                if let Some(job) = jobs.get_mut(index) {
                    *job = Some((lane, range));
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..recording.launches.len()).collect();
    order.sort_by_key(|&index| { recording.launches.get(index) }.map(|launch| (launch.stream, launch.start)));
    let mut found: BTreeMap<usize, Vec<(Option<Lane>, usize)>> = BTreeMap::new();
    let mut note = |order: &mut dyn Iterator<Item = &usize>| {
        let mut last = None;
        for &index in order {
            let stream = { recording.launches.get(index) }.map(|launch| launch.stream);
            let job = jobs.get(index).copied().flatten();
            match (job, last) {
                (Some(job), _) => last = Some((stream, job)),
                (None, Some((other, job))) if other == stream => found.entry(index).or_default().push(job),
                (None, _) => {}
            }
        }
    };
    note(&mut order.iter());
    note(&mut order.iter().rev());
    hidden.retain(|index| {
        let mut jobs = found.remove(index).unwrap_or_default();
        jobs.sort_unstable();
        jobs.dedup();
        for &(lane, range) in &jobs {
            let of = launches.get_mut(&lane).and_then(|ranges| ranges.get_mut(range));
            of.into_iter().for_each(|launches| launches.push(*index));
        }
        jobs.is_empty()
    });
    all - hidden.len()
}

/// Returns the process of launch number `index`, if the file states it.
pub fn process(recording: &Recording, index: usize) -> Option<i64> {
    let open = || recording.open.get(index.checked_sub(recording.launches.len())?);
    let call = recording.call(index).or_else(|| open()?.call);
    let stream = || {
        let launch = recording.launches.get(index)?;
        recording.streams.get(launch.stream).process
    };
    call.and_then(|call| call.thread.process()).or_else(stream)
}
