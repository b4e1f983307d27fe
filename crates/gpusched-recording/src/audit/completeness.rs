//! Records that a file lacks. A violation may be in them, so the file does not show that the run had none.

use gpusched_model::counted;

use super::Run;
use crate::activity::Job;

/// Returns a reason why the file does not show that `jobs`, the jobs of one task, had no violation. Also returns whether
/// the file may lack whole jobs, so that it does not show all releases either.
pub fn doubt(run: &Run<'_>, jobs: &[Job]) -> Option<(String, bool)> {
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
    let outside = outside(run, jobs);
    if outside > 0 {
        let launches = launches(outside);
        return Some((
            format!("{launches} of kernels of this task belong to no job: the file may lack jobs"),
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

/// Returns the number of launches outside all ranges that are of the same kernels as `jobs`, between the first and the
/// last of these jobs. Launches before the first job are a warm-up of the program.
fn outside(run: &Run<'_>, jobs: &[Job]) -> usize {
    let launch = |&index: &usize| run.recording.launches.get(index);
    let mut kernels: Vec<_> = jobs
        .iter()
        .flat_map(|job| &job.launches)
        .filter_map(launch)
        .collect();
    let (Some(first), Some(end)) = (
        jobs.iter().map(|job| job.release).min(),
        jobs.iter().map(|job| job.end).max(),
    ) else {
        return 0;
    };
    kernels.sort_unstable_by_key(|launch| launch.name);
    kernels.dedup_by_key(|launch| launch.name);
    let outside = run.outside.iter().filter_map(launch);
    let of_task = outside.filter(|launch| {
        let known = kernels.binary_search_by_key(&launch.name, |kernel| kernel.name);
        (first..end).contains(&launch.start) && known.is_ok()
    });
    of_task.count()
}
