//! The overheads of dispatchers: a program of kernels with known times, and bounds from its run.

use std::num::{NonZeroU32, NonZeroU64};

use gpusched_model::error::{Error, Result};
use gpusched_model::overheads::{MeasuredOverheads, OverheadsShape};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Overheads, Policy};

use crate::core::{Order, Overrun, Record};
use crate::program::{Part, PlannedTask, Program};
use crate::run::{Run, Statistics};
use crate::work::Work;

/// Periods of the tasks of each partition, as multiples of the shortest period in tenths. Some jobs directly follow other jobs, and some
/// arrive in an idle partition.
const PERIODS: [u64; 4] = [10, 13, 17, 30];

/// Time of a job on the GPU: its period divided by this number. The tasks use half of the time of their partition.
const PARTS: u64 = 8;

/// Smallest number of jobs and of wake-ups of each dispatcher from which gpusched states bounds.
const FEWEST: usize = 100;

/// Returns a program with one dispatcher for each of `sizes`, which are numbers of SMs. The shortest period of its tasks is `period`.
/// `costs` are the longest overheads of dispatchers in virtual time.
///
/// # Errors
/// Refuses an empty list of sizes, a size of 0, and a period below 10 µs or above an hour.
pub fn program(sizes: &[u32], gpu_sms: u32, period: Time, costs: Option<Overheads>) -> Result<Program> {
    if sizes.is_empty() || sizes.contains(&0) {
        let expected = "at least one partition, each with at least 1 SM";
        return Err(Error::parameter("sms", format!("{sizes:?}"), expected));
    }
    let (least, most) = (Time::from_ns(10_000), Time::from_ns(3_600_000_000_000));
    if !(least..=most).contains(&period) {
        return Err(Error::parameter("period", period, format!("{least} to {most}")));
    }
    let part = |(index, &sms): (usize, &u32)| {
        let tasks = PERIODS.iter().enumerate().map(|(number, tenths)| {
            let period = Time::from_ns(period.ns() * tenths / 10);
            let wcet = Time::from_ns(period.ns() / PARTS);
            // No bound is known yet. The dispatcher reports a job that takes ten times its budget.
            let budget = Time::from_ns(period.ns() * 100);
            PlannedTask {
                position: index * PERIODS.len() + number,
                name: format!("probe-{index}-{number}"),
                period,
                deadline: period,
                wcet,
                block: None,
                budget,
                chunk: budget,
                sporadic: false,
            }
        });
        Part {
            sms,
            policy: Policy::NpEdf,
            order: Order::Deadlines,
            tasks: tasks.collect(),
        }
    };
    Ok(Program {
        partitions: sizes.iter().enumerate().map(part).collect(),
        overheads: costs,
        overrun: Overrun::Record,
        gpu_sms,
        hardware: None,
        unproven: None,
        plan_sha256: String::new(),
        set_sha256: String::new(),
    })
}

/// Returns the work of [`program`]: each job takes its whole time.
pub fn work(seed: u64) -> Work {
    Work {
        seed,
        shortest: Factor::ONE,
        stated: Default::default(),
        faults: Default::default(),
    }
}

/// Overheads of one dispatcher.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// Number of SMs of its partition.
    pub sms: u32,
    /// Times from the decision to the next decision, without the time of the job on the GPU [ns].
    pub overhead: Statistics,
    /// Times from an arrival in the idle partition to the decision [ns].
    pub wake: Statistics,
}

/// Returns the overheads of each dispatcher in `run`, which is a run of `program` with [`work`].
///
/// # Errors
/// Fails if an error ended the run of a partition, if a job failed, or if a dispatcher had fewer than 100 jobs
/// or wake-ups.
pub fn observed(program: &Program, run: &Run) -> Result<Vec<Observed>> {
    let parts = program.partitions.iter().zip(&run.partitions).enumerate();
    let of = |(index, (part, run)): (usize, (&Part, &crate::run::PartRun))| {
        let field = format!("partition {index}");
        if let Some(lost) = &run.lost {
            return Err(Error::parameter(field, lost, "a run without faults"));
        }
        if run.counters.failed > 0 {
            let found = format!("{} failed jobs", run.counters.failed);
            return Err(Error::parameter(field, found, "jobs that run"));
        }
        let overhead = |record: &Record| {
            let wcet = part.tasks.get(record.job.task).map_or(0, |task| task.wcet.ns());
            record.span().saturating_sub(wcet)
        };
        let observed = Observed {
            sms: part.sms,
            overhead: Statistics::of(run.records.iter().map(overhead).collect()),
            wake: Statistics::of_wakes(&run.records),
        };
        let (jobs, wakes) = (observed.overhead.count, observed.wake.count);
        if jobs.min(wakes) < FEWEST {
            let found = format!("a time with {jobs} jobs and {wakes} wake-ups of partition {index}");
            let expected = format!("a time with at least {FEWEST} of both");
            return Err(Error::parameter("duration", found, expected));
        }
        Ok(observed)
    };
    parts.map(of).collect()
}

/// Returns the file with bounds that exceed all observed overheads by `margin` percent. `origin` states the GPU, the driver and the way
/// to wait, as far as they are known.
///
/// `timer` is the step of the timer of the GPU, by which the kernels of the measurement count their time; `None` for virtual time. A kernel
/// that starts just before a step ends up to one step too early. Then its overhead is longer than observed, so the bound on the occupancy
/// adds the step.
///
/// # Errors
/// Fails if a bound is not a valid time.
pub fn bounds(
    observed: &[Observed],
    margin: u32,
    timer: Option<Time>,
    origin: [Option<String>; 3],
) -> Result<MeasuredOverheads> {
    let longest = |of: fn(&Observed) -> u64| observed.iter().map(of).max().unwrap_or(0);
    let bound = |longest: u64| {
        let scaled = (u128::from(longest) * (100 + u128::from(margin))).div_ceil(100);
        let time = u64::try_from(scaled).ok().map(Time::from_ns);
        let valid = time.filter(|time| *time <= Time::LIMIT);
        valid.ok_or_else(|| Error::parameter("margin", margin, "a margin whose bounds are valid times"))
    };
    let (overhead, wake) = (longest(|of| of.overhead.max), longest(|of| of.wake.max));
    let samples = observed.iter().map(|of| of.overhead.count as u64).sum();
    let [device, driver, wait] = origin;
    let shape = OverheadsShape {
        occupancy_ns: bound(overhead.saturating_add(timer.map_or(0, Time::ns)))?,
        wake_ns: bound(wake)?,
        device,
        driver,
        wait,
        dispatchers: u32::try_from(observed.len()).ok().and_then(NonZeroU32::new),
        samples: NonZeroU64::new(samples),
        longest: Some(Time::from_ns(overhead)),
        timer_ns: timer,
        margin: Some(margin),
    };
    MeasuredOverheads::try_from(shape).map_err(|error| Error::Internal(error.to_string()))
}
