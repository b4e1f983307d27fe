//! Jobs that consist of one launch each.

use std::collections::{BTreeMap, BTreeSet};

use super::{Activities, Activity, Job, Outsiders, of_several_processes, wanted};
use crate::model::{NameId, Recording, StreamId};

pub fn group(recording: &Recording, names: &[String]) -> Activities {
    let mut jobs: BTreeMap<NameId, Vec<Job>> = BTreeMap::new();
    let (mut unassigned, mut hidden) = (0, 0usize);
    for (index, launch) in recording.launches.iter().enumerate() {
        if !wanted(recording, names, launch.name) {
            unassigned += 1;
            continue;
        }
        let release = recording.call(index).map(|call| call.start.min(launch.start));
        hidden += usize::from(release.is_none());
        jobs.entry(launch.name)
            .or_default()
            .extend(Job::new(recording, release, vec![index]));
    }
    let mut open = 0;
    for (index, launch) in recording.open.iter().enumerate() {
        if recording.names.get(launch.name).is_empty() {
            // The name of the kernel is unknown.
            open += 1;
        } else if wanted(recording, names, launch.name) {
            let release = launch.call.map(|call| call.start);
            let job = Job::new(recording, release, vec![recording.launches.len() + index]);
            open += usize::from(job.is_none());
            jobs.entry(launch.name).or_default().extend(job);
        }
    }
    let of_launch = |(name, jobs): (&NameId, &Vec<Job>)| {
        let first = |job: &Job| {
            recording
                .launches
                .get(*job.launches.first()?)
                .map(|launch| launch.stream)
        };
        let streams: BTreeSet<StreamId> = jobs.iter().filter_map(first).collect();
        let name = *name;
        let processes = streams
            .into_iter()
            .map(move |stream| (name, recording.streams.get(stream).process));
        processes.collect::<Vec<_>>()
    };
    let several = of_several_processes(recording, jobs.iter().flat_map(of_launch));
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Activities {
        list: named.collect(),
        unassigned,
        open,
        copies: recording.copies.len(),
        outside: Outsiders::default(),
        after: Vec::new(),
        inner: Vec::new(),
        steps: 0,
        method: format!("each launch is a job{}{several}", super::without_calls(hidden)),
    }
}
