//! Policies: scheduling of the kernels of a partition, and schedulability tests.

mod names;

pub use names::UnknownPolicy;

use serde::{Deserialize, Serialize};

/// Scheduling of the kernels of one partition, and its schedulability test. The text form is a flat name such as `np-fp-rm`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Policy {
    /// Preemptive earliest deadline first.
    #[default]
    Edf,
    /// Non-preemptive earliest deadline first.
    NpEdf,
    /// Earliest deadline first with preemption at the boundaries of thread blocks.
    LpEdf,
    /// Fixed priorities.
    FixedPriority(Preemption, Priorities),
    /// Test Σ C/min(T, D − J) ≤ 1, for preemptive EDF.
    Density,
    /// Test Π (C/T' + 1) ≤ 2, for preemptive priorities in the order of T' = min(T, D) − J.
    Hyperbolic,
    /// Test Σ C/T' ≤ n·(2^(1/n) − 1), for preemptive priorities in the order of T' = min(T, D) − J.
    LiuLayland,
    /// Test Σ C(1)/T ≤ m: an interpretation of [Singh21] §3.6.
    WorkCapacity,
    /// Test Σ C(1)/T ≤ m, and C(m) ≤ D for each task.
    WorkCapacityDeadline,
}

/// Points where a more urgent kernel preempts a running kernel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Preemption {
    /// At any point, without delay or cost.
    Preemptive,
    /// Nowhere: a kernel runs to its end.
    NonPreemptive,
    /// At the end of a thread block. A preemption costs one more block.
    Limited,
}

/// Order of fixed priorities.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Priorities {
    /// Smaller D − J first. If equal, the task with the lower position comes first.
    DeadlineMonotonic,
    /// Smaller T first. If equal, the task with the lower position comes first.
    RateMonotonic,
    /// Position in the task set, lower first.
    Given,
    /// An order that meets all deadlines, if such an order exists (Audsley's algorithm).
    Audsley,
}

/// Strength of a positive verdict.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Strength {
    /// Exact: a task set is schedulable if and only if it passes the test.
    Exact,
    /// Sufficient: a task set that passes is schedulable. A task set that fails may be schedulable.
    Sufficient,
    /// Necessary: a task set that fails is not schedulable. A task set that passes may miss deadlines.
    NecessaryOnly,
}

impl Policy {
    /// Returns the strength of a positive verdict under this policy.
    pub fn strength(self) -> Strength {
        match self {
            Policy::Edf | Policy::NpEdf => Strength::Exact,
            Policy::FixedPriority(Preemption::Preemptive | Preemption::NonPreemptive, _) => Strength::Exact,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => Strength::Sufficient,
            Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => Strength::Sufficient,
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => Strength::NecessaryOnly,
        }
    }

    /// Whether the test uses the longest thread block of a task.
    pub fn counts_blocks(self) -> bool {
        matches!(
            self,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _)
        )
    }

    /// Whether the test is proven for partitions that share a memory: EDF and fixed priorities, preemptive or not.
    pub fn shares_memory(self) -> bool {
        match self {
            Policy::Edf | Policy::NpEdf => true,
            Policy::FixedPriority(preemption, _) => preemption != Preemption::Limited,
            _ => false,
        }
    }

    /// Whether the test uses the work of a task besides its WCET.
    pub fn counts_work(self) -> bool {
        matches!(self, Policy::WorkCapacity | Policy::WorkCapacityDeadline)
    }
}
