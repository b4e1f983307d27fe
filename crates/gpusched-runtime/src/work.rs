//! Synthetic work: the execution times of jobs that stand in for the user's kernels.

use std::collections::BTreeMap;

use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::core::Job;
use crate::program::{PlannedTask, Program};

/// Execution times of the jobs of all tasks. Job n of a task has the same time on each backend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Seed of the random times.
    pub seed: u64,
    /// Shortest execution time as a share of the WCET; at most 1.
    pub shortest: Factor,
    /// Stated execution times of single jobs, by position of the task in the task set and number of the job. They may
    /// exceed the WCET, so that a run shows what an overrun does.
    /// In a file, the map is a list of (task, job, time in ns).
    #[serde(serialize_with = "as_list", deserialize_with = "from_list")]
    pub stated: BTreeMap<(usize, u64), Time>,
    /// Faults of single jobs, by position of the task in the task set and number of the job. Only runs in virtual time have
    /// faults. In a file, the map is a list of (task, job, fault).
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "as_list",
        deserialize_with = "from_list"
    )]
    pub faults: BTreeMap<(usize, u64), Fault>,
}

/// A fault of one job, so that a run shows what follows.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The dispatcher observes the end of the job this time after the end.
    LateEnd(Time),
    /// If the partition is idle at the arrival of the job, the dispatcher wakes up this time later.
    LateWake(Time),
    /// The work of the job fails after its launch.
    Fails,
    /// The launch of the job fails, and later launches succeed.
    NoLaunch,
    /// The job ends the context of all partitions.
    Lost,
    /// The job never ends.
    Endless,
    /// The computer sleeps for this time while the job runs, and its clock stands still.
    Suspend(Time),
}

/// Largest number of launches of a run. The trace of a run is stored in memory.
pub const MAX_JOBS: u64 = 5_000_000;

fn as_list<S: Serializer, V: Serialize>(
    of_jobs: &BTreeMap<(usize, u64), V>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(of_jobs.iter().map(|(&(task, job), value)| (task, job, value)))
}

fn from_list<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<BTreeMap<(usize, u64), V>, D::Error> {
    let list: Vec<(usize, u64, V)> = Vec::deserialize(deserializer)?;
    Ok(list
        .into_iter()
        .map(|(task, job, value)| ((task, job), value))
        .collect())
}

/// Execution times of the jobs of one partition.
#[derive(Clone, Debug)]
pub struct Draws {
    tasks: Vec<TaskDraws>,
}

#[derive(Clone, Debug)]
struct TaskDraws {
    rng: ChaCha8Rng,
    shortest: u64,
    wcet: u64,
    /// Longest chunk of a job.
    chunk: u64,
    /// Time that the started job still runs.
    left: u64,
    stated: BTreeMap<u64, u64>,
}

impl Work {
    /// Checks that the jobs that arrive before `duration` have at most [`MAX_JOBS`] launches.
    ///
    /// # Errors
    /// Refuses a duration with more launches.
    pub fn check(&self, program: &Program, duration: Time) -> Result<()> {
        let parts = program.partitions.iter();
        let launches = parts
            .map(|part| self.launches(&part.tasks, duration))
            .fold(0, u128::saturating_add);
        if launches <= u128::from(MAX_JOBS) {
            return Ok(());
        }
        let noun = match program.partitions.iter().any(|part| part.policy.counts_blocks()) {
            true => "launches of chunks",
            false => "jobs",
        };
        Err(Error::parameter(
            "duration",
            format!("{duration} with {launches} {noun}"),
            format!("a time with at most {MAX_JOBS} {noun}"),
        ))
    }

    /// Returns the largest number of launches for the jobs of `tasks` that arrive before `duration`.
    pub fn launches(&self, tasks: &[PlannedTask], duration: Time) -> u128 {
        let of = |task: &PlannedTask| {
            let jobs = u128::from(duration.ns().div_ceil(task.period.ns().max(1)));
            let Some(block) = task.block else { return jobs };
            let chunks = |time: Time| u128::from(time.ns().div_ceil(block.ns().max(1)));
            let stated = self.stated.range((task.position, 0)..=(task.position, u64::MAX));
            let stated = stated.map(|(_, &time)| chunks(time));
            stated.fold(jobs.saturating_mul(chunks(task.wcet)), u128::saturating_add)
        };
        tasks.iter().map(of).fold(0, u128::saturating_add)
    }

    /// Returns the execution times of the jobs of `tasks`.
    pub fn of(&self, tasks: &[PlannedTask]) -> Draws {
        let (numerator, denominator) = self.shortest.ratio();
        let of = |task: &PlannedTask| {
            let wcet = task.wcet.ns();
            let least = (u128::from(wcet) * u128::from(numerator)).div_ceil(u128::from(denominator.max(1)));
            let stated = self.stated.range((task.position, 0)..=(task.position, u64::MAX));
            TaskDraws {
                rng: stream(self.seed, Purpose::ExecutionTimes, 0, task.position as u64),
                shortest: u64::try_from(least).unwrap_or(wcet).clamp(wcet.min(1), wcet),
                wcet,
                chunk: task.block.map_or(u64::MAX, |block| block.ns().max(1)),
                left: 0,
                stated: stated.map(|(&(_, number), time)| (number, time.ns())).collect(),
            }
        };
        Draws {
            tasks: tasks.iter().map(of).collect(),
        }
    }
}

impl Draws {
    /// Returns the execution time of the next chunk of `job` [ns], and whether it is the last one. Call this function once per
    /// chunk, in the order of the chunks.
    pub fn next(&mut self, job: &Job) -> (u64, bool) {
        let task = &mut self.tasks[job.task];
        if job.chunk == 0 {
            // The draw is independent of stated times, so that all other jobs keep their times.
            let drawn = task.shortest + uniform(&mut task.rng, task.wcet - task.shortest);
            task.left = task.stated.get(&job.number).copied().unwrap_or(drawn);
        }
        let time = task.left.min(task.chunk);
        task.left -= time;
        (time, task.left == 0)
    }
}

/// Returns a uniform random integer from 0 to `most`, computed from one random word.
pub(crate) fn uniform(rng: &mut impl Rng, most: u64) -> u64 {
    ((u128::from(rng.next_u64()) * (u128::from(most) + 1)) >> 64) as u64
}
