//! Jobs of one activity, for each run.

use gpusched_model::counted;
use gpusched_model::error::{Refusal, Result};

use super::size::{Contradiction, Size, sms};
use super::{Options, Run, Runs};
use crate::activity::signs::{self, Hole};
use crate::activity::{Job, named_gpus, split};

/// Jobs of one activity in one run, after the warm-up.
pub(super) struct Sample<'a> {
    pub run: &'a Run<'a>,
    pub sms: u32,
    /// Source of `sms`.
    pub size: Size,
    /// Signs against `sms`, if only the user states it.
    pub signs: Vec<Contradiction>,
    /// Whether the times are times in conflict.
    pub conflict: bool,
    pub jobs: &'a [Job],
    pub dropped: &'a [Job],
    /// Number of launches that may belong to these jobs, but count to other jobs or to no job.
    pub possible: usize,
    /// Holes in the releases. A dispatcher states its jobs itself.
    pub holes: Vec<Hole>,
}

/// Returns the jobs of the activity `name`, for each run with such jobs.
pub(super) fn samples<'a>(
    name: &str,
    (runs, contended): Runs<'a>,
    options: &Options<'_>,
) -> Result<Vec<Sample<'a>>> {
    let mut samples = Vec::new();
    for (run, contended) in runs.iter().zip(contended) {
        let Some(activity) = run.activities.iter().find(|activity| activity.name == name) else {
            continue;
        };
        let (dropped, jobs) = split(options.warm_up.of(name), run.recording, &activity.jobs);
        let working = || jobs.iter().filter(|job| job.busy_ns > 0 || job.open > 0);
        if working().next().is_none() {
            continue;
        }
        if working().all(|job| job.open > 0) {
            let jobs = counted(working().count(), "job");
            let found = format!("{jobs} of {name:?}, each without the times of a launch");
            let refusal = Refusal::new("", found, "at least one complete job").at(run.file, None);
            return Err(refusal
                .hint("record the run again, or choose other activities")
                .into());
        }
        let spread = |job: &&Job| job.devices(run.recording).len() > 1;
        if let Some(job) = jobs.iter().find(spread) {
            let gpus = named_gpus(&job.devices(run.recording));
            let count = counted(jobs.iter().filter(spread).count(), "job");
            let found = format!("{count} of {name:?} with kernels on {gpus}");
            let expected = "jobs with all kernels on one GPU, because a partition is on one GPU";
            let refusal = Refusal::new("", found, expected).at(run.file, None);
            return Err(refusal
                .hint("record the work of each GPU as a range of its own, or choose other activities with `--name`")
                .into());
        }
        let (sms, size) = sms(run, jobs)?;
        let first = jobs.iter().map(|job| job.release).min();
        samples.push(Sample {
            possible: first.map_or(0, |first| run.outside.possible(run.recording, activity, first)),
            holes: match run.recording.dispatcher {
                None => signs::holes(jobs),
                Some(_) => Vec::new(),
            },
            run,
            signs: match size {
                Size::Stated => Contradiction::all(run, jobs, sms),
                Size::Shown | Size::WholeGpu => Vec::new(),
            },
            conflict: contended.iter().any(|other| other == name),
            sms,
            size,
            jobs,
            dropped,
        });
    }
    Ok(samples)
}
