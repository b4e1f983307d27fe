//! What a search expects of the memory traffic around a partition, before it knows the other partitions.
//!
//! Each task not in the partition counts by itself, as on the smallest partition that is its own. Its bytes per job do not depend on
//! who shares its partition, and a partition that runs one kernel at a time draws no more than its tasks side by side. The verdicts of
//! a plan are those of [`Problem::verdicts`], beside the partitions as they are.

use crate::interference::bandwidth::{Delay, Load};
use crate::partitioning::search::candidate::Candidate;
use crate::partitioning::search::problem::Problem;
use crate::schedulability::Demand;
use crate::schedulability::shared_memory::{self, Contended};

/// Traffic by task.
#[derive(Debug)]
pub(crate) struct ExpectedTraffic {
    /// By task.
    loads: Vec<Load>,
}

impl ExpectedTraffic {
    /// That of the tasks of `problem` on `singles`, one for each task in their order.
    pub fn new(problem: &Problem<'_>, singles: &[Candidate]) -> ExpectedTraffic {
        let load = |single: &Candidate| {
            let sms = problem.sms_of(single.sms);
            let demands = problem.demands(&single.tasks, sms).ok();
            Load::new(problem.sources(&single.tasks, sms, demands.as_deref()))
        };
        let shared = !problem.has_slices();
        ExpectedTraffic {
            loads: singles.iter().filter(|_| shared).map(load).collect(),
        }
    }

    /// Whether the test passes for `tasks`, ascending, which ask for `demands`, beside all others.
    pub fn accepts(&self, problem: &Problem<'_>, tasks: &[usize], demands: &[Demand], sms: u32) -> bool {
        let Some(memory) = problem.memory_at(sms) else {
            return true;
        };
        let outside = self.loads.iter().enumerate();
        let outside = outside.filter(|(task, _)| tasks.binary_search(task).is_err());
        let loads = outside
            .map(|(_, load)| load.clone())
            .chain(problem.other_loads(memory));
        let contended = Contended {
            demands,
            slowest: None,
            delay: &Delay::new(memory.bandwidth, loads),
        };
        shared_memory::test(problem.policy(), &contended, sms).schedulable
    }
}
