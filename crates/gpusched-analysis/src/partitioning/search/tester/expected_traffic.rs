//! Memory traffic that a search assumes for the tasks outside a partition, before the search
//! knows the other partitions.
//!
//! Each task outside the partition counts as if it had its own smallest partition. The bytes per
//! job do not depend on co-located tasks. A partition runs one kernel at a time. The traffic of a
//! partition is therefore at most the sum of the traffic of its tasks in separate partitions. The
//! verdicts of a plan come from [`Problem::verdicts`], which uses the actual partitions.

use crate::interference::bandwidth::{Delay, Load};
use crate::partitioning::problem::Problem;
use crate::partitioning::search::candidate::Candidate;
use crate::schedulability::Demand;
use crate::schedulability::shared_memory::{self, Contended};

/// Expected memory traffic of each task.
#[derive(Debug)]
pub(crate) struct ExpectedTraffic {
    /// Memory traffic of each task, in task order.
    loads: Vec<Load>,
}

impl ExpectedTraffic {
    /// Returns the traffic of the tasks of `problem`. `singles` contains one partition per task, in task order.
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

    /// Whether `tasks` (ascending) with `demands` pass the test despite the traffic of all other tasks.
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
        shared_memory::answer(problem.policy(), &contended, sms) == Some(true)
    }
}
