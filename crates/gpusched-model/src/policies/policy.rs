//! The scheduling policies and tests a partition can be analysed under.

mod names;

pub use names::UnknownPolicy;

use serde::{Deserialize, Serialize};

/// How the kernels of one partition are scheduled, and which test decides. Written as a flat name, such as `np-fp-rm`.
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
    /// Σ C/min(T, D − J) ≤ 1, for preemptive EDF.
    Density,
    /// Π (C/T' + 1) ≤ 2, for preemptive priorities in the order of T' = min(T, D) − J.
    Hyperbolic,
    /// Σ C/T' ≤ n·(2^(1/n) − 1), for preemptive priorities in the order of T' = min(T, D) − J.
    LiuLayland,
    /// Σ C(1)/T ≤ m: a reading of [Singh21] §3.6.
    WorkCapacity,
    /// The same, and C(m) ≤ D for each task.
    WorkCapacityDeadline,
}

/// When a running kernel makes way for a more urgent one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Preemption {
    /// At once, for free.
    Preemptive,
    /// Never.
    NonPreemptive,
    /// At the end of a thread block, at the price of one more block.
    Limited,
}

/// Who is more urgent, under fixed priorities.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Priorities {
    /// The smaller D − J; ties: the lower position.
    DeadlineMonotonic,
    /// The smaller T; ties: the lower position.
    RateMonotonic,
    /// The lower position in the task set.
    Given,
    /// An order under which all deadlines are met, if there is one (Audsley's algorithm).
    Audsley,
}

/// What a positive verdict of a test is worth.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Strength {
    /// Schedulable if and only if the test says so.
    Exact,
    /// Schedulable if the test says so; sets that fail it may be, too.
    Sufficient,
    /// The test may pass sets that miss deadlines: it proves nothing.
    NecessaryOnly,
}

impl Policy {
    /// What a positive verdict under this policy is worth.
    pub fn strength(self) -> Strength {
        match self {
            Policy::Edf | Policy::NpEdf => Strength::Exact,
            Policy::FixedPriority(Preemption::Preemptive | Preemption::NonPreemptive, _) => Strength::Exact,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => Strength::Sufficient,
            Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => Strength::Sufficient,
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => Strength::NecessaryOnly,
        }
    }

    /// Whether the test looks at the longest thread block of a task.
    pub fn counts_blocks(self) -> bool {
        matches!(
            self,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _)
        )
    }

    /// Whether there is a proof for partitions that share a memory: EDF and fixed priorities, preemptive or not.
    pub fn shares_memory(self) -> bool {
        match self {
            Policy::Edf | Policy::NpEdf => true,
            Policy::FixedPriority(preemption, _) => preemption != Preemption::Limited,
            _ => false,
        }
    }

    /// Whether the test looks at the work of a task besides its WCET.
    pub fn counts_work(self) -> bool {
        matches!(self, Policy::WorkCapacity | Policy::WorkCapacityDeadline)
    }
}
