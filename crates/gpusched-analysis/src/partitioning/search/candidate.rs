//! A partition in the making.

use super::part::Part;
use super::problem::Problem;
use super::work::LeastWork;
use crate::interference::CoLocated;

/// Tasks and the SMs they get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// |P|.
    pub sms: u32,
    /// 𝒯(P): positions in the task set, ascending.
    pub tasks: Vec<usize>,
    /// What the tasks are to each other.
    pub(crate) co_located: CoLocated,
    /// Their least work: on fewer SMs than that U is above 1.
    pub(crate) work: LeastWork,
}

impl Candidate {
    /// `tasks` (positions in the set of `problem`, ascending) on `sms` SMs.
    pub(crate) fn new(problem: &Problem<'_>, sms: u32, tasks: Vec<usize>) -> Candidate {
        let co_located = problem.co_located(&tasks);
        Candidate {
            sms,
            work: LeastWork::of(problem, &tasks, &co_located),
            tasks,
            co_located,
        }
    }

    /// The same for a partition that is never merged.
    pub(crate) fn unmerged(problem: &Problem<'_>, sms: u32, tasks: Vec<usize>) -> Candidate {
        Candidate {
            sms,
            co_located: problem.co_located(&tasks),
            tasks,
            work: LeastWork::unknown(),
        }
    }

    /// Takes `other` in.
    pub(crate) fn absorb(&mut self, other: &Candidate, problem: &Problem<'_>) {
        self.co_located = self.co_located.with(&other.co_located);
        self.work = self.work.joined(&other.work, problem, &self.co_located);
        for &task in &other.tasks {
            let place = self.tasks.partition_point(|&before| before < task);
            self.tasks.insert(place, task);
        }
    }

    /// The same partition, ready to be merged.
    pub(crate) fn mergeable(self, problem: &Problem<'_>) -> Candidate {
        Candidate::new(problem, self.sms, self.tasks)
    }

    /// The tasks of `self` and `other` on `sms` SMs.
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

/// Without what a merge wants to know.
pub(crate) fn parts_of(partitions: Vec<Candidate>) -> Vec<Part> {
    partitions
        .into_iter()
        .map(|partition| Part {
            sms: partition.sms,
            tasks: partition.tasks,
        })
        .collect()
}
