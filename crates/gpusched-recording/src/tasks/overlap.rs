//! Kernels of several activities that ran at the same time on one GPU in a recording in isolation.

use std::collections::BTreeSet;

use super::Run;
use crate::activity::{WarmUps, split};
use crate::model::Launch;

/// Activities of one recording whose kernels ran at the same time on one GPU. The times of these activities contain interference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// File of the recording.
    pub file: String,
    /// Names of the activities, in the order of the recording.
    pub activities: Vec<String>,
}

impl Overlap {
    /// Returns the activities of `run` that overlap after the warm-up, or `None` if no activities overlap.
    pub fn of(run: &Run<'_>, warm_up: &WarmUps) -> Option<Overlap> {
        let mut kernels: Vec<(i64, i64, usize, Option<i64>)> = Vec::new();
        for (position, activity) in run.activities.iter().enumerate() {
            let (_, jobs) = split(warm_up.of(&activity.name), run.recording, &activity.jobs);
            let launches = jobs.iter().flat_map(|job| &job.launches);
            let launches = launches.filter_map(|&launch| run.recording.launches.get(launch));
            let launches = launches.filter(|launch| launch.end > launch.start);
            let device = |launch: &Launch| run.recording.streams.get(launch.stream).device;
            kernels.extend(launches.map(|launch| (launch.start, launch.end, position, device(launch))));
        }
        kernels.sort_unstable();
        let mut found = BTreeSet::new();
        // Kernels that may still run: for each activity and GPU, the kernel that ends last.
        let mut running: Vec<(i64, usize, Option<i64>)> = Vec::new();
        for (start, end, activity, device) in kernels {
            running.retain(|&(end, ..)| end > start);
            // A kernel without a GPU may have run on each GPU.
            let apart = |other: Option<i64>| device.zip(other).is_some_and(|(one, other)| one != other);
            let beside = running
                .iter()
                .filter(|&&(_, other, of)| other != activity && !apart(of));
            for &(_, other, _) in beside {
                found.extend([activity, other]);
            }
            match { running.iter_mut() }.find(|&&mut (_, other, of)| (other, of) == (activity, device)) {
                Some((last, ..)) => *last = end.max(*last),
                None => running.push((end, activity, device)),
            }
        }
        let names = found
            .into_iter()
            .filter_map(|position| run.activities.get(position));
        let activities: Vec<String> = names.map(|activity| activity.name.clone()).collect();
        (!activities.is_empty()).then(|| Overlap {
            file: run.file.to_owned(),
            activities,
        })
    }
}
