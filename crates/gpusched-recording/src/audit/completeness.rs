//! Records that a file lacks. A violation may be in them, so the file does not show that the run had none.

use gpusched_model::counted;

use super::Run;
use crate::activity::{Activity, Job};

/// Returns a reason why the file does not show that `jobs`, the jobs of one task and of `activity`, had no violation. Also returns
/// whether the file may lack whole jobs, so that it does not show all releases either.
pub fn doubt(run: &Run<'_>, activity: Option<&Activity>, jobs: &[Job]) -> Option<(String, bool)> {
    let missing = &run.recording.missing;
    let launches = |count: usize| counted(count, "launch");
    if missing.dropped > 0 {
        return Some(("the profiler dropped events".to_owned(), true));
    }
    if missing.ranges > 0 {
        let ranges = counted(missing.ranges, "range");
        return Some((
            format!("{ranges} without a start or an end: the file may lack jobs"),
            true,
        ));
    }
    if run.open > 0 {
        let launches = launches(run.open);
        return Some((
            format!("{launches} without times, whose jobs the file does not show"),
            true,
        ));
    }
    // Launches before the first job are a warm-up of the program.
    let first = jobs.iter().map(|job| job.release).min();
    let last = jobs.iter().map(|job| job.end).max();
    let possible = { activity.zip(first).zip(last) }.map_or(0, |((activity, first), last)| {
        if run.recording.dispatcher.is_none() {
            return run.outside.possible(run.recording, activity, first);
        }
        // A dispatcher names each chunk after its task. Chunks at the end are of a job that had not ended.
        let launches = { run.outside.unassigned() }.filter_map(|index| run.recording.launches.get(index));
        let own = launches.filter(|launch| run.recording.names.get(launch.name) == activity.name);
        own.filter(|launch| (first..last).contains(&launch.start)).count()
    });
    if possible > 0 {
        let launches = launches(possible);
        return Some((
            format!("{launches} outside all ranges may belong to this task: jobs may be longer, or missing"),
            true,
        ));
    }
    let idle = jobs
        .iter()
        .filter(|job| job.launches.is_empty() && job.open == 0)
        .count();
    if idle > 0 {
        let jobs = counted(idle, "job");
        return Some((
            format!("{jobs} without GPU work: the file may lack launches"),
            false,
        ));
    }
    let incomplete = jobs.iter().filter(|job| job.open > 0).count();
    let open = jobs.iter().map(|job| job.open).sum();
    (incomplete > 0).then(|| {
        let jobs = counted(incomplete, "job");
        (format!("{jobs} with {} without times", launches(open)), false)
    })
}
