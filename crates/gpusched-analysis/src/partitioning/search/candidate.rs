//! A partition under construction.

use super::part::Part;
use super::problem::Problem;
use super::work::LeastWork;
use crate::interference::CoLocated;

/// A set of tasks and the SMs of its partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// |P|.
    pub sms: u32,
    /// 𝒯(P): positions in the task set, ascending.
    pub tasks: Vec<usize>,
    /// Number of tasks of each kind.
    pub(crate) co_located: CoLocated,
    /// Least work of the tasks. On fewer SMs than this work, U exceeds 1.
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

    /// As [`Candidate::new`], for a partition that is never merged.
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

    /// Computes the data that merges require.
    pub(crate) fn mergeable(self, problem: &Problem<'_>) -> Candidate {
        Candidate::new(problem, self.sms, self.tasks)
    }

    /// Returns the tasks of `self` and `other` as one candidate on `sms` SMs.
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

/// Converts candidates to parts, without the data that merges require.
pub(crate) fn parts_of(partitions: Vec<Candidate>) -> Vec<Part> {
    partitions
        .into_iter()
        .map(|partition| Part {
            sms: partition.sms,
            tasks: partition.tasks,
        })
        .collect()
}
