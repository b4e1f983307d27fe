//! Derives a task set from recordings. The set has one task per activity, with period, release jitter and C(m).
//!
//! All numbers are observations. A longer execution time or a shorter period is possible in a later run. A margin
//! enlarges the execution times. Each task omits all values that the recordings do not contain.

mod block;
mod counters;
mod numbered;
mod origin;
mod overlap;
mod releases;
mod report;
mod sample;
mod size;
mod warm_up;

use std::collections::BTreeMap;

use gpusched_analysis::kernel_wcet::fit::classification::Reason;
use gpusched_analysis::kernel_wcet::fit::envelope::Measured;
use gpusched_analysis::kernel_wcet::fit::points::Points;
use gpusched_analysis::kernel_wcet::fit::scaling::{EnvelopeForm, fit};
use gpusched_analysis::kernel_wcet::fit::tail::{self, Estimate};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::kernel::TailFamily;
use gpusched_model::time::Time;
use gpusched_model::traffic::Bytes;
use gpusched_model::{Device, Factor, Task, TaskSet, Times, WarmUp};

use crate::activity::{Activity, Job, Outsiders, Rhythm, WarmUps, listed};
use crate::model::Recording;
pub use counters::Counters;
pub use numbered::numbered;
pub use overlap::Overlap;
pub use report::{Copies, Point, TaskReport, Worst};
use sample::{Sample, samples};
use size::Size;
pub use size::{Contradiction, named_size};
pub use warm_up::Settles;

/// One recording on a known number of SMs.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Name of the file, for messages.
    pub file: &'a str,
    /// The recording.
    pub recording: &'a Recording,
    /// Activities of the recording.
    pub activities: &'a [Activity],
    /// The launches outside all ranges.
    pub outside: &'a Outsiders,
    /// Number of SMs on which all kernels of the recording ran. If `None`, the green contexts of the kernels determine
    /// the number.
    pub sms: Option<u32>,
    /// Whether `sms` is the size of a client of MPS or of a MIG slice. Such a client needs no green context, and is a process of its own.
    pub client: bool,
    /// GPU of the run, if the user states it. It replaces the GPU of a recording that states none.
    pub gpu: Option<&'a Device>,
    /// Whether other kernels of the same kind ran at the same time. If so, the measured times are times in conflict. The times of an
    /// activity whose kernels never ran at the same time as kernels of another activity are times in isolation nevertheless.
    pub conflict: bool,
}

/// Options of [`build`].
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Jobs to drop at the start of each recording.
    pub warm_up: WarmUps,
    /// Ratio of C(m) to the longest measured time; at least 1.
    pub margin: Factor,
    /// Form of C(m).
    pub form: EnvelopeForm,
    /// Whether gaps between the kernels of a job count as execution.
    pub gaps: Gaps,
    /// Whether copies before the first and after the last kernel of a job count as execution.
    pub copies: CopyRule,
    /// Memory traffic of kernels, from hardware counters.
    pub counters: &'a Counters,
    /// Stated periods of the recorded system, by name of the activity.
    pub periods: &'a BTreeMap<String, Time>,
    /// Stated periods of the deployed system, by name of the activity. They replace the recorded period in the task.
    pub deployed: &'a BTreeMap<String, Time>,
    /// Stated deadlines by name of the activity.
    pub deadlines: &'a BTreeMap<String, Time>,
    /// Exceedance probability per job for the extreme-value fit.
    pub exceedance: f64,
}

/// Treatment of gaps between the kernels of a job.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Gaps {
    /// The execution time is the time from the first start to the last end of a kernel. This choice is safe for jobs
    /// with gaps.
    #[default]
    Count,
    /// The execution time is the time during which a kernel of the job runs. No test counts the gaps, and each verdict
    /// assumes jobs without gaps.
    Separate,
}

/// Treatment of copies before the first kernel and after the last kernel of a job.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum CopyRule {
    /// C(m) contains no such copy. If measured jobs have such copies, each verdict assumes jobs without them.
    #[default]
    LeaveOut,
    /// C(m) of each size contains the longest time from the release to the first kernel of a job that copies before, and from the last
    /// kernel to the end of the last copy.
    Count,
}

impl Gaps {
    /// Returns the execution time of `job` [ns].
    pub fn execution_ns(self, job: &Job) -> u64 {
        match self {
            Gaps::Separate => job.busy_ns,
            Gaps::Count => job.busy_ns.saturating_add(job.gaps_ns()),
        }
    }
}

/// A task set, with a report on each task and the names of activities that are not tasks.
#[derive(Clone, PartialEq, Debug)]
pub struct Derived {
    /// The task set.
    pub set: TaskSet,
    /// One report per task, in the order of the set.
    pub tasks: Vec<TaskReport>,
    /// Activities for which the task set has no task, each with the reason.
    pub left_out: Vec<(String, &'static str)>,
    /// Recordings in isolation where kernels of several activities ran at the same time.
    pub overlaps: Vec<Overlap>,
    /// Recordings with contention, each with the activities whose kernels never ran at the same time as kernels of another activity. These
    /// times count as times in isolation. The list is empty for a recording of one activity, whose times count as times in conflict.
    pub no_contention: Vec<(String, Vec<String>)>,
    /// Files that state no number of SMs for the kernels, each with the number of SMs of the GPU. The tasks assume this
    /// number.
    pub whole_gpus: Vec<(String, u32)>,
}

/// Derives a task set from `runs`.
///
/// # Errors
/// Returns [`Error::Refused`] if no activity becomes a task, if a number of SMs is unknown, or if the times of a task
/// allow no C(m) of the requested form. Also refuses two runs with the same launches, and an activity without a complete job in
/// one of its runs.
pub fn build(runs: &[Run<'_>], options: &Options<'_>) -> Result<Derived> {
    refuse_twice(runs)?;
    let mut names: Vec<&str> = Vec::new();
    for activity in runs.iter().flat_map(|run| run.activities) {
        if !names.contains(&activity.name.as_str()) {
            names.push(&activity.name);
        }
    }
    let options_of = [
        ("period", options.periods.keys().collect::<Vec<&String>>()),
        ("deployed-period", options.deployed.keys().collect()),
        ("deadline", options.deadlines.keys().collect()),
        ("warm-up", options.warm_up.of.keys().collect()),
    ];
    for (option, stated) in options_of {
        if let Some(unknown) = stated
            .into_iter()
            .find(|stated| !names.contains(&stated.as_str()))
        {
            let expected = format!("the name of an activity: {}", listed(names));
            return Err(Error::parameter(option, format!("{unknown:?}"), expected));
        }
    }
    let contended: Vec<Vec<String>> = runs
        .iter()
        .map(|run| match (run.conflict, run.activities) {
            (false, _) => Vec::new(),
            // Other programs may have run, which the profiler did not record.
            (true, [only]) => vec![only.name.clone()],
            (true, _) => Overlap::of(run, &options.warm_up).map_or(Vec::new(), |overlap| overlap.activities),
        })
        .collect();
    let (mut tasks, mut reports, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match derive(name, (runs, &contended), options)? {
            Ok((task, report)) => {
                tasks.push(task);
                reports.push(report);
            }
            Err(reason) => left_out.push((name.to_owned(), reason)),
        }
    }
    // Each launch of a dispatcher lasts until its end is observed. All other recordings contain times on the GPU.
    let dispatched = runs.iter().all(|run| run.recording.dispatcher.is_some());
    let times = if dispatched { Times::Occupancy } else { Times::Gpu };
    let set = TaskSet::new(None, tasks)
        .map(|set| set.with_times(Some(times)))
        .map_err(|_| {
            let first = left_out.first();
            let found = first.map_or_else(
                || "no activity".to_owned(),
                |(name, reason)| format!("no activity that gives a task: {reason} (activity {name:?})"),
            );
            let mut refusal = Refusal::new("", found, "at least one activity with two jobs and GPU work");
            if let Some((numbered, hash)) = numbered(left_out.iter().map(|(name, _)| name.as_str())) {
                let hint = format!("if these are jobs of one task, separate its name from the number of the job with `#`: `{hash}` instead of `{numbered}`");
                refusal = refusal.hint(hint);
            }
            match runs.first() {
                Some(run) => Error::from(refusal.at(run.file, None)),
                None => Error::from(refusal),
            }
        })?;
    let mut whole_gpus: Vec<(String, u32)> = Vec::new();
    for file in reports.iter().flat_map(|report: &TaskReport| &report.whole_gpus) {
        if !whole_gpus.contains(file) {
            whole_gpus.push(file.clone());
        }
    }
    let isolated = runs.iter().filter(|run| !run.conflict);
    let no_contention = runs.iter().zip(&contended).filter(|(run, _)| run.conflict);
    let no_contention = no_contention.filter_map(|(run, contended)| {
        let names = run.activities.iter().map(|activity| activity.name.clone());
        let names: Vec<String> = names.filter(|name| !contended.contains(name)).collect();
        (!names.is_empty() || run.activities.len() == 1).then(|| (run.file.to_owned(), names))
    });
    Ok(Derived {
        set,
        tasks: reports,
        left_out,
        overlaps: isolated
            .filter_map(|run| Overlap::of(run, &options.warm_up))
            .collect(),
        no_contention: no_contention.collect(),
        whole_gpus,
    })
}

/// Refuses two runs with the same launches. A copy of a recording with another size makes a WCET unsafe.
fn refuse_twice(runs: &[Run<'_>]) -> Result<()> {
    for (index, run) in runs.iter().enumerate() {
        let same = |other: &&Run<'_>| {
            let [one, other] = [run, other].map(|run| run.recording);
            one.launches == other.launches && one.names == other.names
        };
        if let Some(other) = runs.iter().take(index).find(same) {
            let found = format!("the same launches as in {}", other.file);
            let refusal = Refusal::new("", found, "the recording of another run");
            return Err(refusal.at(run.file, None).into());
        }
    }
    Ok(())
}

type Outcome = std::result::Result<(Task, TaskReport), &'static str>;

/// The runs, and for each run the activities in conflict.
type Runs<'a> = (&'a [Run<'a>], &'a [Vec<String>]);

/// Returns the task of the activity `name`, or the reason why the activity does not become a task.
fn derive(name: &str, runs: Runs<'_>, options: &Options<'_>) -> Result<Outcome> {
    let samples = samples(name, runs, options)?;
    let mut outcome = of_samples(name, &samples, options)?;
    let stated = options.periods.get(name).copied();
    if let (Ok((_, report)), Some((jobs, slow))) =
        (&mut outcome, warm_up::first_jobs(&samples, options.gaps, stated))
    {
        let later = Options {
            warm_up: WarmUp::Jobs(jobs).into(),
            ..options.clone()
        };
        let warm = sample::samples(name, runs, &later).and_then(|warm| of_samples(name, &warm, &later));
        if let Ok(Ok((_, warm))) = warm {
            report.settles = Settles::of((jobs, slow), report, &warm);
            // Late first jobs make the second half of a recording look faster.
            if report.settles.is_some() && warm.shorter.is_none() {
                report.shorter = None;
            }
        }
    }
    Ok(outcome)
}

/// Returns the task of the jobs `samples`, or the reason why they do not become a task.
fn of_samples(name: &str, samples: &[Sample<'_>], options: &Options<'_>) -> Result<Outcome> {
    if samples.is_empty() {
        return Ok(Err("no GPU work after the warm-up"));
    }
    if samples.iter().all(|sample| sample.conflict) {
        return Ok(Err("no recording in isolation"));
    }
    let releases = |sample: &Sample<'_>| sample.jobs.iter().map(|job| job.release).collect::<Vec<i64>>();
    let rhythms: Vec<Rhythm> = samples
        .iter()
        .filter_map(|sample| Rhythm::of(&releases(sample)))
        .collect();
    let stated = options.periods.get(name).copied();
    let rhythm = joint(&rhythms);
    let (period, jitter) = match (stated, rhythm) {
        (Some(period), _) => {
            let jitter = samples
                .iter()
                .map(|sample| Rhythm::jitter_for(&releases(sample), period.ns()));
            (period, Time::from_ns(jitter.max().unwrap_or_default()))
        }
        (None, Some(rhythm)) => (Time::from_ns(rhythm.period_ns), Time::from_ns(rhythm.jitter_ns)),
        (None, None) => {
            return Ok(Err(
                "fewer than two jobs, or two jobs with the same release, and no stated period",
            ));
        }
    };

    let recorded = period;
    let period = match options.deployed.get(name) {
        Some(_) if stated.is_none() && rhythm.is_some_and(|rhythm| !rhythm.periodic) => {
            let found = format!(
                "irregular releases of {name:?}, which have no jitter without the period of the recorded system"
            );
            let expected = "regular releases, or also the recorded period (--period)";
            return Err(Error::parameter("deployed-period", found, expected));
        }
        Some(&deployed) => deployed,
        None => recorded,
    };

    let place =
        |error: &dyn std::fmt::Display| Error::from(Refusal::told(format!("activity {name:?}"), error));
    let copies = match options.copies {
        CopyRule::LeaveOut => 0,
        CopyRule::Count => Copies::of(samples).around_ns(),
    };
    let points = |conflict: bool| -> Result<Option<Points>> {
        let chosen = samples.iter().filter(|sample| sample.conflict == conflict);
        let mut measured = Vec::new();
        for sample in chosen {
            for job in sample.jobs.iter().filter(|job| job.busy_ns > 0) {
                measured.push((
                    sample.sms,
                    enlarged(
                        options.gaps.execution_ns(job).saturating_add(copies),
                        options.margin,
                    ),
                ));
            }
        }
        match measured.is_empty() {
            true => Ok(None),
            false => Points::new(measured).map(Some).map_err(|error| place(&error)),
        }
    };
    let Some(isolated) = points(false)? else {
        return Ok(Err("no recording in isolation"));
    };
    let traffic = traffic(samples, options.counters);
    let measured = Measured {
        isolated,
        conflict: points(true)?,
        estimate: None,
        utilization: Err(Reason::NoBandwidth),
        traffic,
        sectors: None,
        block: None,
        measured_on: None,
    };
    let fitted = fit(&measured, options.form, Factor::ONE).map_err(|error| place(&error))?;
    let mut shape = Task::new(period, fitted.wcet.clone())
        .name(name)
        .wcet_source(fitted.wcet_source);
    shape.jitter = (jitter > Time::ZERO).then_some(jitter);
    shape.deadline = options.deadlines.get(name).copied();
    shape.traffic = traffic;
    shape.block = block::longest(samples, options.margin, &fitted.wcet);
    shape.measured_on = origin::of(name, samples, options)?.map(Box::new);
    let task = shape.build().map_err(|error| place(&error))?;
    let report = TaskReport::new(
        name,
        options.gaps,
        samples,
        (rhythm, stated, (recorded, jitter)),
        &fitted,
        tail(samples, options),
    );
    Ok(Ok((task, report)))
}

/// Returns a rhythm that covers all rhythms: the smallest period and the largest jitter. If at least one activity is
/// not periodic, the period is the smallest distance between two releases.
fn joint(rhythms: &[Rhythm]) -> Option<Rhythm> {
    let least = rhythms.iter().map(|rhythm| rhythm.least_distance_ns).min()?;
    let period = rhythms.iter().map(|rhythm| rhythm.period_ns).min()?;
    let jitter = rhythms.iter().map(|rhythm| rhythm.jitter_ns).max()?;
    let periodic = rhythms.iter().all(|rhythm| rhythm.periodic);
    Some(match periodic {
        true => Rhythm {
            period_ns: period,
            jitter_ns: jitter,
            least_distance_ns: least,
            periodic,
        },
        false => Rhythm {
            period_ns: least,
            jitter_ns: 0,
            least_distance_ns: least,
            periodic,
        },
    })
}

/// Returns `ns`, enlarged by `margin` and rounded up.
fn enlarged(ns: u64, margin: Factor) -> Time {
    let (numerator, denominator) = margin.ratio();
    let product = u128::from(ns) * u128::from(numerator);
    let enlarged = product.div_ceil(u128::from(denominator));
    Time::from_ns(u64::try_from(enlarged).unwrap_or(u64::MAX))
}

/// Returns the largest memory traffic of a job, or `None` if one kernel has no counters, or if a job lacks a launch.
fn traffic(samples: &[Sample<'_>], counters: &Counters) -> Option<Bytes> {
    let mut most = 0u64;
    for sample in samples {
        for job in sample.jobs {
            if job.open > 0 {
                return None;
            }
            let mut bytes = 0u64;
            for &index in &job.launches {
                let launch = sample.run.recording.launches.get(index)?;
                let name = sample.run.recording.names.get(launch.name);
                bytes = bytes.checked_add(counters.traffic(name)?)?;
            }
            most = most.max(bytes);
        }
    }
    Bytes::new(most)
}

/// If there are enough jobs, estimates the execution time in isolation on the largest number of SMs, and returns this number.
fn tail(samples: &[Sample<'_>], options: &Options<'_>) -> Option<(u32, Estimate)> {
    let isolated = || samples.iter().filter(|sample| !sample.conflict);
    let sms = isolated().map(|sample| sample.sms).max()?;
    let times: Vec<Time> = isolated()
        .filter(|sample| sample.sms == sms)
        .flat_map(|sample| sample.jobs)
        .filter(|job| job.open == 0)
        .map(|job| Time::from_ns(options.gaps.execution_ns(job)))
        .collect();
    let estimate = tail::estimate(&times, TailFamily::Gpd, options.exceedance).ok()?;
    Some((sms, estimate))
}
