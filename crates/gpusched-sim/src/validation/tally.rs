//! What became of many systems, in integers that can be added in any order.

use serde::{Deserialize, Serialize};

/// What became of the systems of one policy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyTally {
    /// Task sets with a plan.
    pub systems: u64,
    /// Those whose plan is schedulable.
    pub schedulable: u64,
    /// Accepted partitions, all of which were simulated.
    pub partitions: u64,
    /// Simulations of them.
    pub runs: u64,
    /// Jobs in these.
    pub jobs: u64,
    /// Preemptions in these.
    pub preemptions: u64,
    /// Accepted partitions with a missed deadline.
    pub misses: u64,
    /// Accepted partitions with a response time above its bound (and no miss before).
    pub above_bound: u64,
    /// Rejected partitions that were simulated.
    pub rejected: u64,
    /// Those of them with a missed deadline.
    pub rejected_missed: u64,
    /// Those of the others with a utilization above 1 as the test sees it: a deadline may be missed later.
    pub rejected_overloaded: u64,
    /// By hundredths, rounded up: tasks with that ratio of their longest response time to its bound.
    pub ratios: Vec<u64>,
}

/// Hundredths from 0 to 1.
const RATIOS: usize = 101;

impl Default for PolicyTally {
    fn default() -> PolicyTally {
        PolicyTally {
            systems: 0,
            schedulable: 0,
            partitions: 0,
            runs: 0,
            jobs: 0,
            preemptions: 0,
            misses: 0,
            above_bound: 0,
            rejected: 0,
            rejected_missed: 0,
            rejected_overloaded: 0,
            ratios: vec![0; RATIOS],
        }
    }
}

impl PolicyTally {
    /// Adds `other`.
    pub fn add(&mut self, other: &PolicyTally) {
        self.systems += other.systems;
        self.schedulable += other.schedulable;
        self.partitions += other.partitions;
        self.runs += other.runs;
        self.jobs += other.jobs;
        self.preemptions += other.preemptions;
        self.misses += other.misses;
        self.above_bound += other.above_bound;
        self.rejected += other.rejected;
        self.rejected_missed += other.rejected_missed;
        self.rejected_overloaded += other.rejected_overloaded;
        for (sum, tasks) in self.ratios.iter_mut().zip(&other.ratios) {
            *sum += tasks;
        }
    }

    /// Counts a task with a response time of `longest` and a bound of `bound` [ns].
    pub(super) fn count(&mut self, longest: u64, bound: u64) {
        let hundredths = (u128::from(longest) * 100).div_ceil(u128::from(bound.max(1)));
        let place = usize::try_from(hundredths).unwrap_or(RATIOS).min(RATIOS - 1);
        if let Some(tasks) = self.ratios.get_mut(place) {
            *tasks += 1;
        }
    }

    /// Partitions that broke a promise.
    pub fn breaches(&self) -> u64 {
        self.misses + self.above_bound
    }

    /// Tasks with a bound.
    pub fn bounded(&self) -> u64 {
        self.ratios.iter().sum()
    }

    /// The mean of the ratios, each rounded up to hundredths: a figure.
    pub fn mean_ratio(&self) -> Option<f64> {
        let weighted = self.ratios.iter().zip(0u64..).map(|(tasks, ratio)| tasks * ratio);
        let bounded = self.bounded();
        (bounded > 0).then(|| weighted.sum::<u64>() as f64 / 100.0 / bounded as f64)
    }
}
