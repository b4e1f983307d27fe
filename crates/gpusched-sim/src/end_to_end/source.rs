//! Sources of jobs, and the source that draws random jobs.

use rand_chacha::ChaCha8Rng;

use crate::engine::releases::uniform;
use gpusched_model::end_to_end::System;
use gpusched_model::error::Error;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Arrival of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Time of the arrival [ns].
    pub at: Time,
    /// Time from the arrival to the earliest release of the first segment [ns].
    pub jitter: Time,
}

/// Supplies the jobs of a run.
pub trait Source {
    /// Returns the arrival of the next job of `task`, in the order of arrivals. Returns `None` after the last job.
    fn arrival(&mut self, task: usize) -> Option<Arrival>;

    /// Returns the execution time of `segment` of a job of `task` [ns]. The simulator calls this function once for each segment
    /// of each job. For each segment, the calls are in the order of the jobs. If the task is sequential, all calls are in the
    /// order of execution.
    fn execution(&mut self, task: usize, segment: usize) -> Time;
}

/// Delay between the arrivals and the releases of jobs.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Delay {
    /// No delay between arrival and release.
    #[default]
    Zero,
    /// A random delay for each job, from 0 to the jitter of the task.
    Random,
    /// The jitter of the task, for all jobs.
    Max,
}

/// Execution times of segments.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Execution {
    /// The WCET of the segment.
    #[default]
    Wcet,
    /// The BCET of the segment.
    Bcet,
    /// A random time from the BCET to the WCET.
    Random,
    /// At random, either the BCET or the WCET.
    Extremes,
}

/// Rules for the arrivals, releases and execution times of the jobs of one task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskRun {
    /// Arrival of the first job [ns].
    pub first: Time,
    /// Earliest release of a job [ns]; at most the first arrival plus the jitter of the task.
    pub earliest: Time,
    /// Delay between the arrival and the release of a job.
    pub delay: Delay,
    /// Maximum random extension of the period [ns]. Two consecutive arrivals are one period plus an extension apart.
    pub gap: Time,
    /// Execution times of the segments.
    pub execution: Execution,
}

/// Source that draws the jobs of a system. The jobs of a task depend only on the seed, on the set, on the position of
/// the task, and on its [`TaskRun`].
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    system: &'a System,
    tasks: Vec<Draws>,
}

#[derive(Clone, Debug)]
struct Draws {
    run: TaskRun,
    /// Next arrival [ns]; `None` after the largest possible time.
    next: Option<u64>,
    jitters: Option<ChaCha8Rng>,
    gaps: Option<ChaCha8Rng>,
    /// One stream for a sequential task, and one for each segment of a pipelined task. The segments of a pipelined task overlap,
    /// so one stream would give other times to the same job in other schedules.
    times: Vec<ChaCha8Rng>,
}

impl<'a> Drawn<'a> {
    /// Creates the source of jobs of `system`. `runs` contains the rules of each task. `seed` and `set` select the
    /// random streams.
    ///
    /// # Errors
    /// Fails if `runs` does not have one entry per task, or if the earliest release is later than the jitter allows.
    pub fn new(system: &'a System, runs: &[TaskRun], (seed, set): (u64, u64)) -> Result<Drawn<'a>, Error> {
        if runs.len() != system.tasks().len() {
            let expected = format!("one entry for each of the {} tasks", system.tasks().len());
            return Err(Error::parameter(
                "runs",
                format!("{} entries", runs.len()),
                expected,
            ));
        }
        let mut tasks = Vec::with_capacity(runs.len());
        for (position, (task, &run)) in system.tasks().iter().zip(runs).enumerate() {
            let latest = run.first.ns().saturating_add(task.jitter.ns());
            if run.earliest.ns() > latest {
                let place = format!("runs[{position}].earliest");
                let expected = format!("at most {}, because of the jitter", Time::from_ns(latest));
                return Err(Error::parameter(place, run.earliest, expected));
            }
            let of = |needed: bool, purpose| needed.then(|| stream(seed, purpose, set, position as u64));
            let varies = task.segments.iter().any(|segment| segment.bcet < segment.wcet);
            let random = matches!(run.execution, Execution::Random | Execution::Extremes);
            tasks.push(Draws {
                run,
                next: Some(run.first.ns()),
                jitters: of(
                    run.delay == Delay::Random && task.jitter > Time::ZERO,
                    Purpose::ReleaseJitter,
                ),
                gaps: of(run.gap > Time::ZERO, Purpose::ArrivalGaps),
                times: match varies && random {
                    true => (0..if task.is_pipelined() {
                        task.segments.len()
                    } else {
                        1
                    } as u64)
                        .map(|segment| {
                            let number = position as u64 | (segment << 32);
                            stream(seed, Purpose::ExecutionTimes, set, number)
                        })
                        .collect(),
                    false => Vec::new(),
                },
            });
        }
        Ok(Drawn { system, tasks })
    }
}

impl Source for Drawn<'_> {
    fn arrival(&mut self, task: usize) -> Option<Arrival> {
        let (of, draws) = (&self.system.tasks()[task], &mut self.tasks[task]);
        let at = draws.next?;
        let gap = draws
            .gaps
            .as_mut()
            .map_or(0, |rng| uniform(rng, draws.run.gap.ns()));
        let next = at.checked_add(of.period.ns());
        draws.next = next.and_then(|next| next.checked_add(gap));
        let jitter = match (draws.run.delay, &mut draws.jitters) {
            (Delay::Max, _) => of.jitter.ns(),
            (Delay::Random, Some(rng)) => uniform(rng, of.jitter.ns()),
            _ => 0, // no delay is requested, or the jitter of the task is 0
        };
        Some(Arrival {
            at: Time::from_ns(at),
            jitter: Time::from_ns(jitter.max(draws.run.earliest.ns().saturating_sub(at))),
        })
    }

    fn execution(&mut self, task: usize, segment: usize) -> Time {
        let (of, draws) = (
            &self.system.tasks()[task].segments[segment],
            &mut self.tasks[task],
        );
        let streams = draws.times.len();
        let times = draws.times.get_mut(if streams > 1 { segment } else { 0 });
        let (low, high) = (of.bcet.ns(), of.wcet.ns());
        match (draws.run.execution, times) {
            (Execution::Bcet, _) => of.bcet,
            (Execution::Random, Some(rng)) => Time::from_ns(low + uniform(rng, high - low)),
            (Execution::Extremes, Some(rng)) => match uniform(rng, 1) {
                0 => of.bcet,
                _ => of.wcet,
            },
            _ => of.wcet, // the WCET is requested, or all BCETs of the task equal the WCETs
        }
    }
}
