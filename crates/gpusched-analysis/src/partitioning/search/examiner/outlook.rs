//! What a search expects of the memory traffic around a partition, before it knows the other partitions.
//!
//! Each task not in the partition counts by itself, as on the smallest partition that is its own. Its bytes per job do not depend on
//! who shares its partition, and a partition that runs one kernel at a time draws no more than its tasks side by side. The verdicts of
//! a plan are those of [`Problem::verdicts`], beside the partitions as they are.

use crate::interference::bandwidth::{Delay, Load, Source};
use crate::partitioning::search::candidate::Candidate;
use crate::partitioning::search::problem::Problem;
use crate::schedulability::Demand;
use crate::schedulability::beside::{self, Contended};
use gpusched_model::SharedMemory;

/// Traffic by task.
#[derive(Debug)]
pub(crate) struct Outlook {
    memory: SharedMemory,
    /// By task.
    loads: Vec<Load>,
    others: Vec<Load>,
}

impl Outlook {
    /// That of the tasks of `problem` on `singles`, one for each task in their order; `None` if traffic does not count.
    pub fn new(problem: &Problem<'_>, singles: &[Candidate]) -> Option<Outlook> {
        let memory = problem.memory()?;
        let load = |single: &Candidate| {
            let demands = problem.demands(&single.tasks, single.sms).ok();
            let sources: Vec<Source> = problem.sources(memory, &single.tasks, single.sms, demands.as_deref());
            Load::new(sources)
        };
        Some(Outlook {
            memory,
            loads: singles.iter().map(load).collect(),
            others: problem.other_loads(memory).collect(),
        })
    }

    /// Whether the test passes for `tasks`, ascending, which ask for `demands`, beside all others.
    pub fn accepts(&self, problem: &Problem<'_>, tasks: &[usize], demands: &[Demand], sms: u32) -> bool {
        let outside = self.loads.iter().enumerate();
        let outside = outside.filter(|(task, _)| tasks.binary_search(task).is_err());
        let loads = outside.map(|(_, load)| load).chain(&self.others).cloned();
        let contended = Contended {
            demands,
            slowest: None,
            delay: &Delay::new(self.memory.bandwidth, loads),
        };
        beside::test(problem.policy(), &contended, sms).schedulable
    }
}
