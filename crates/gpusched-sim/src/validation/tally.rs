//! Integer results of many systems. The results can be added in any order.

use std::ops::AddAssign;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::campaign::Record;

/// Results of all systems with one policy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyTally {
    /// Number of task sets for which the heuristic found a plan.
    pub systems: u64,
    /// Number of task sets for which the heuristic found a schedulable plan.
    pub schedulable: u64,
    /// Number of accepted partitions. Every accepted partition was simulated.
    pub partitions: u64,
    /// Number of simulated runs of accepted partitions.
    pub runs: u64,
    /// Number of jobs in the runs of accepted partitions.
    pub jobs: u64,
    /// Number of preemptions in the runs of accepted partitions.
    pub preemptions: u64,
    /// Number of accepted partitions that missed a deadline in a simulation.
    pub misses: u64,
    /// Number of accepted partitions where a response time exceeded its bound before any deadline
    /// was missed.
    pub above_bound: u64,
    /// Number of rejected partitions that were simulated.
    pub rejected: u64,
    /// Number of rejected partitions that missed a deadline in a simulation.
    pub rejected_missed: u64,
    /// Number of rejected partitions that have a utilization above 1 in the test but miss no deadline in a simulation.
    /// These partitions may miss deadlines after the end of the simulation.
    pub rejected_overloaded: u64,
    /// Number of tasks for each ratio of longest response time to response-time bound. The index
    /// is the ratio in hundredths, rounded up.
    pub ratios: Vec<u64>,
}

/// Number of possible ratios from 0 to 1, in steps of one hundredth.
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

impl AddAssign<&PolicyTally> for PolicyTally {
    fn add_assign(&mut self, other: &PolicyTally) {
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
}

impl PolicyTally {
    /// Counts a task whose longest response time is `longest` and whose response-time bound is
    /// `bound` [ns].
    pub(super) fn count(&mut self, longest: u64, bound: u64) {
        let hundredths = (u128::from(longest) * 100).div_ceil(u128::from(bound.max(1)));
        let place = usize::try_from(hundredths).unwrap_or(RATIOS).min(RATIOS - 1);
        if let Some(tasks) = self.ratios.get_mut(place) {
            *tasks += 1;
        }
    }

    /// Returns the number of partitions that violated a guarantee.
    pub fn breaches(&self) -> u64 {
        self.misses + self.above_bound
    }

    /// Returns the number of tasks that have a response-time bound.
    pub fn bounded(&self) -> u64 {
        self.ratios.iter().sum()
    }

    /// Returns the mean ratio of longest response time to response-time bound, with each ratio
    /// rounded up to hundredths. Returns `None` without ratios.
    pub fn mean_ratio(&self) -> Option<f64> {
        let weighted = self.ratios.iter().zip(0u64..).map(|(tasks, ratio)| tasks * ratio);
        let bounded = self.bounded();
        (bounded > 0).then(|| weighted.sum::<u64>() as f64 / 100.0 / bounded as f64)
    }
}

/// Results of some systems for each policy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tallies<T> {
    chunk: u64,
    /// Results for each policy.
    pub(super) tallies: Vec<T>,
    /// Number of the first system that violates a guarantee.
    pub(super) broken: Option<u64>,
}

impl<T: Clone + Default> Tallies<T> {
    pub(super) fn new(chunk: u64, policies: usize) -> Tallies<T> {
        Tallies {
            chunk,
            tallies: vec![T::default(); policies],
            broken: None,
        }
    }
}

impl<T: Serialize + DeserializeOwned + Send + for<'t> AddAssign<&'t T>> Record for Tallies<T> {
    fn chunk(&self) -> u64 {
        self.chunk
    }

    fn add(&mut self, other: Tallies<T>) {
        for (sum, tally) in self.tallies.iter_mut().zip(&other.tallies) {
            *sum += tally;
        }
        self.broken = self.broken.into_iter().chain(other.broken).min();
    }
}
