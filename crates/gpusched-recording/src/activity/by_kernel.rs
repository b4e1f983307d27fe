//! Jobs that consist of one launch each.

use std::collections::BTreeMap;

use super::{Activities, Activity, Job, wanted};
use crate::model::{NameId, Recording};

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
    let named = jobs.into_iter().map(|(name, jobs)| Activity {
        name: recording.names.get(name).to_owned(),
        jobs,
    });
    Activities {
        list: named.collect(),
        unassigned,
        method: format!("each launch is a job{}", super::without_calls(hidden)),
    }
}
