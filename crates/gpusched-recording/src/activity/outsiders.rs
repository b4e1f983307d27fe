//! Launches outside all ranges, and the activities whose jobs may have launched them.

use std::collections::{BTreeMap, BTreeSet};

use super::Activity;
use super::outside::{Lanes, Launches, Outside, process};
use crate::model::{Lane, NameId, Recording};

/// The launches outside all ranges. A host call outside all ranges shows no job, so a launch can belong to other jobs than the jobs
/// that contain it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outsiders {
    launches: Vec<Outsider>,
    threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Outsider {
    /// Position of the launch in the recording.
    index: usize,
    /// Start of the host call, or of the launch [ns].
    time: i64,
    /// Position of its thread in the list of threads. `None` if the thread has no ranges, or is unknown.
    thread: Option<usize>,
    /// Number of its thread, if the file states it.
    number: Option<i64>,
    /// Whether ranges of other threads are around the launch.
    around: bool,
    /// Activities whose jobs contain the launch.
    jobs: Vec<NameId>,
}

/// A thread or stream with ranges.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Thread {
    process: Option<i64>,
    number: Option<i64>,
    /// Activities of its ranges.
    activities: BTreeSet<NameId>,
}

impl Outsiders {
    /// Collects the launches in `outside` and the launches in `hidden`, whose host calls the file does not contain. `all` contains
    /// the ranges of all activities.
    pub(super) fn new(
        recording: &Recording,
        (all, selected): (&Lanes<'_>, &Lanes<'_>),
        outside: &[Outside],
        hidden: &[usize],
    ) -> Outsiders {
        let positions: BTreeMap<Option<Lane>, usize> = { all.keys().enumerate() }
            .map(|(position, &lane)| (lane, position))
            .collect();
        let threads = all.keys().map(|lane| Thread {
            process: lane.and_then(Lane::process),
            number: lane.and_then(number),
            activities: { selected.get(lane).into_iter().flatten() }
                .map(|range| range.name)
                .collect(),
        });
        let outsider = |index, time, thread, lane: Option<Lane>| Outsider {
            index,
            time,
            thread,
            number: lane.and_then(number),
            around: false,
            jobs: Vec::new(),
        };
        let with_lane = outside.iter().map(|point| {
            let thread = positions.get(&point.lane).copied();
            outsider(point.index, point.time, thread, point.lane)
        });
        let without = hidden.iter().filter_map(|&index| {
            let launch = recording.launches.get(index)?;
            Some(outsider(index, launch.start, None, None))
        });
        let mut launches: Vec<Outsider> = with_lane.chain(without).collect();
        launches.retain(|launch| launch.index < recording.launches.len());
        launches.sort_unstable_by_key(|launch| launch.index);
        Outsiders {
            launches,
            threads: threads.collect(),
        }
    }

    /// States the jobs in `launches`, and the launches in `around` with ranges of other threads around them.
    pub(super) fn assigned(&mut self, selected: &Lanes<'_>, launches: &Launches, around: &[usize]) {
        let mut place = |index: usize, change: &dyn Fn(&mut Outsider)| {
            let found = self.launches.binary_search_by_key(&index, |launch| launch.index);
            let launch = found.ok().and_then(|position| self.launches.get_mut(position));
            launch.into_iter().for_each(change);
        };
        for (lane, ranges) in launches {
            let names = selected.get(lane).into_iter().flatten().map(|range| range.name);
            for (name, of) in names.zip(ranges) {
                of.iter()
                    .for_each(|&index| place(index, &|launch| launch.jobs.push(name)));
            }
        }
        around
            .iter()
            .for_each(|&index| place(index, &|launch| launch.around = true));
    }

    /// Removes the launches with a range around them. Ranges on the GPU contain only their own launches.
    pub(super) fn without_around(&mut self) {
        self.launches.retain(|launch| !launch.around);
    }

    /// Returns the positions of the launches that belong to no job, in increasing order.
    pub fn unassigned(&self) -> impl Iterator<Item = usize> + '_ {
        let unassigned = self.launches.iter().filter(|launch| launch.jobs.is_empty());
        unassigned.map(|launch| launch.index)
    }

    /// Returns the number of launches after the time `from` [ns] that may belong to jobs of `activity`, and that these jobs do not
    /// contain. A launch that starts after the first of these jobs has ended is no launch before it, although its call states so. On one
    /// machine, threads of two processes have different numbers, so another process of a thread with this number is no evidence.
    pub fn possible(&self, recording: &Recording, activity: &Activity, from: i64) -> usize {
        let Some(name) = recording
            .names
            .find(&activity.name)
            .filter(|_| !self.launches.is_empty())
        else {
            return 0;
        };
        let of = activity.jobs.iter().flat_map(|job| &job.launches);
        let of = of.filter_map(|&index| recording.launches.get(index));
        let kernels: BTreeSet<_> = of.clone().map(|launch| launch.name).collect();
        let streams: BTreeSet<_> = of.map(|launch| launch.stream).collect();
        let first = { activity.jobs.iter() }.filter(|job| job.release >= from);
        let first = first.min_by_key(|job| job.release);
        let ends_before = |launch: &Outsider| {
            let start = recording.launches.get(launch.index).map(|one| one.start);
            first.zip(start).is_some_and(|(first, start)| first.end < start)
        };
        let later = { self.launches.iter() }.filter(|launch| launch.time >= from || ends_before(launch));
        let possible = later.filter(|launch| {
            if launch.jobs.contains(&name) {
                return false;
            }
            let own = launch.thread.and_then(|thread| self.threads.get(thread));
            if let Some(thread) = own {
                let same = { recording.launches.get(launch.index) }
                    .is_some_and(|one| streams.contains(&one.stream) || kernels.contains(&one.name));
                return thread.activities.contains(&name) || launch.jobs.is_empty() && same;
            }
            let process = process(recording, launch.index);
            self.threads.iter().any(|thread| {
                let other = matches!((thread.process, process), (Some(one), Some(other)) if one != other);
                let other = other && (launch.number.is_none() || launch.number != thread.number);
                let inside = launch.around && launch.jobs.iter().any(|job| thread.activities.contains(job));
                thread.activities.contains(&name) && !other && !inside
            })
        });
        possible.count()
    }
}

fn number(lane: Lane) -> Option<i64> {
    match lane {
        Lane::Thread { thread, .. } => Some(thread),
        Lane::Stream { .. } => None,
    }
}
