//! The plan as an input of the analysis, which computes demands and response times.

use gpusched_analysis::partitioning::{Offer, Problem};
use gpusched_analysis::schedulability::{Demand, edf};
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Partition, Plan, Policy, TaskSet};

/// The tasks and the GPU of a verified plan.
pub struct System<'a> {
    pub problem: Problem<'a>,
}

/// Returns the partition sizes that the GPU of `plan` supports, if the plan names a GPU.
pub fn offer(plan: &Plan) -> Option<Offer> {
    Offer::of_plan(plan).ok().flatten()
}

impl<'a> System<'a> {
    /// Returns the system of `plan`. Returns `None` if the plan has no partition, several policies, or no known interference
    /// model.
    pub fn new(plan: &Plan, set: &'a TaskSet, offer: Option<&'a Offer>) -> Option<System<'a>> {
        let problem = Problem::of_plan(plan, set, offer).ok()?;
        Some(System { problem })
    }

    /// Returns the demands of the tasks of `partition`, without interference from other partitions. Returns `None` if a WCET is
    /// unknown.
    pub fn demands(&self, partition: &Partition) -> Option<Vec<Demand>> {
        self.problem.demands(&partition.tasks, partition.sms).ok()
    }

    /// Returns the slack of `partition`: extra work per busy period that causes no deadline miss [ns]. Only for preemptive EDF
    /// without shared memory.
    pub fn slack(&self, partition: &Partition) -> Option<Time> {
        let applies = partition.verdict.policy == Policy::Edf && self.problem.memory().is_none();
        applies.then(|| edf::slack(&self.demands(partition)?)).flatten()
    }

    /// Returns a bound on the response time of each task of `partition` [ns]. The bounds are from the evidence, or from the analysis of
    /// preemptive EDF without shared memory.
    pub fn response_times(&self, partition: &Partition) -> Option<Vec<Time>> {
        match &partition.verdict.evidence {
            Evidence::ResponseTimes {
                response_times_ns, ..
            } => Some(response_times_ns.clone()),
            _ if partition.verdict.policy == Policy::Edf && self.problem.memory().is_none() => {
                edf::response_times(&self.demands(partition)?)
            }
            _ => None,
        }
    }
}
