//! A partition that a search constructs.

use super::part::Part;
use super::work::LeastWork;
use crate::interference::CoLocated;
use crate::partitioning::problem::Problem;

/// A set of tasks, and the number of SMs of its partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// |P|: number of SMs of the partition.
    pub sms: u32,
    /// 𝒯(P): positions of the tasks in the task set, ascending.
    pub tasks: Vec<usize>,
    /// Number of tasks of each kind.
    pub(crate) co_located: CoLocated,
    /// Least work of the tasks [SMs]. With fewer SMs, the utilization U exceeds 1.
    pub(crate) work: LeastWork,
}

impl Candidate {
    /// Creates a candidate with `tasks` (positions in the set of `problem`, ascending) on `sms` SMs.
    pub(crate) fn new(problem: &Problem<'_>, sms: u32, tasks: Vec<usize>) -> Candidate {
        let co_located = problem.co_located(&tasks);
        Candidate {
            sms,
            work: LeastWork::of(problem, &tasks, &co_located),
            tasks,
            co_located,
        }
    }

    /// Creates a candidate like [`Candidate::new`], for a partition that the search never merges.
    pub(crate) fn unmerged(problem: &Problem<'_>, sms: u32, tasks: Vec<usize>) -> Candidate {
        Candidate {
            sms,
            co_located: problem.co_located(&tasks),
            tasks,
            work: LeastWork::unknown(),
        }
    }

    /// Adds the tasks of `other`.
    pub(crate) fn absorb(&mut self, other: &Candidate, problem: &Problem<'_>) {
        self.co_located = self.co_located.with(&other.co_located);
        self.work = self.work.joined(&other.work, problem, &self.co_located);
        for &task in &other.tasks {
            let place = self.tasks.partition_point(|&before| before < task);
            self.tasks.insert(place, task);
        }
    }

    /// Returns the candidate with the data that merges require.
    pub(crate) fn mergeable(self, problem: &Problem<'_>) -> Candidate {
        Candidate::new(problem, self.sms, self.tasks)
    }

    /// Returns a candidate that contains the tasks of `self` and `other`, on `sms` SMs.
    pub(crate) fn joined(&self, other: &Candidate, problem: &Problem<'_>, sms: u32) -> Candidate {
        let mut tasks = Vec::with_capacity(self.tasks.len() + other.tasks.len());
        tasks.extend_from_slice(&self.tasks);
        tasks.extend_from_slice(&other.tasks);
        tasks.sort_unstable();
        let co_located = self.co_located.with(&other.co_located);
        Candidate {
            sms,
            work: self.work.joined(&other.work, problem, &co_located),
            tasks,
            co_located,
        }
    }
}

/// Converts candidates to parts. Parts lack the data that merges require.
pub(crate) fn parts_of(partitions: Vec<Candidate>) -> Vec<Part> {
    partitions
        .into_iter()
        .map(|partition| Part {
            sms: partition.sms,
            tasks: partition.tasks,
        })
        .collect()
}
