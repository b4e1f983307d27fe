//! Synthetic work: the execution times of jobs that stand in for the user's kernels.

use std::collections::BTreeMap;

use gpusched_model::Factor;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::program::PlannedTask;

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
}

fn as_list<S: Serializer>(stated: &BTreeMap<(usize, u64), Time>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(stated.iter().map(|(&(task, job), &time)| (task, job, time)))
}

fn from_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<(usize, u64), Time>, D::Error> {
    let list: Vec<(usize, u64, Time)> = Vec::deserialize(deserializer)?;
    Ok(list
        .into_iter()
        .map(|(task, job, time)| ((task, job), time))
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
    stated: BTreeMap<u64, u64>,
}

impl Work {
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
                stated: stated.map(|(&(_, number), time)| (number, time.ns())).collect(),
            }
        };
        Draws {
            tasks: tasks.iter().map(of).collect(),
        }
    }
}

impl Draws {
    /// Returns the execution time of job `number` of the task at position `task` in the partition [ns]. Call this
    /// function once per job, in the order of the jobs.
    pub fn next(&mut self, task: usize, number: u64) -> u64 {
        let task = &mut self.tasks[task];
        // The draw is independent of stated times, so that all other jobs keep their times.
        let drawn = task.shortest + uniform(&mut task.rng, task.wcet - task.shortest);
        task.stated.get(&number).copied().unwrap_or(drawn)
    }
}

/// Returns a uniform random integer from 0 to `most`, computed from one random word.
pub(crate) fn uniform(rng: &mut impl Rng, most: u64) -> u64 {
    ((u128::from(rng.next_u64()) * (u128::from(most) + 1)) >> 64) as u64
}
