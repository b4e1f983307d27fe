//! Policies: scheduling rules for the kernels of a partition, and their schedulability tests.

mod names;

pub use names::UnknownPolicy;

use serde::{Deserialize, Serialize};

/// Scheduling rule for the kernels of one partition, together with its schedulability test. The
/// text form is a name such as `np-fp-rm`. In the formulas, a task has WCET C, period T, deadline
/// D and release jitter J. The partition has m SMs.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Policy {
    /// Preemptive earliest deadline first.
    Edf,
    /// Non-preemptive earliest deadline first.
    NpEdf,
    /// Earliest deadline first with preemption at the boundaries of thread blocks.
    LpEdf,
    /// First in, first out: non-preemptive, in the order of the releases. If two jobs are released at the same time, the
    /// job of the task with the lower position is first.
    NpFifo,
    /// The kernels of a partition run together, each task in its own stream. The test holds for every division of the SMs
    /// among kernels if the partition is never idle while a job waits.
    Concurrent,
    /// Fixed priorities, with the given preemption and order of priorities.
    FixedPriority(Preemption, Priorities),
    /// Density test for preemptive EDF: Σ C/min(T, D − J) ≤ 1.
    Density,
    /// Hyperbolic test Π (C/T' + 1) ≤ 2 with T' = min(T, D) − J, for preemptive fixed priorities.
    /// A smaller T' means a higher priority.
    Hyperbolic,
    /// Test Σ C/T' ≤ n·(2^(1/n) − 1) for n tasks, with T' = min(T, D) − J and preemptive fixed
    /// priorities. A smaller T' means a higher priority.
    LiuLayland,
    /// Test Σ C(1)/T ≤ m, which is one interpretation of [Singh21] §3.6.
    WorkCapacity,
    /// Test Σ C(1)/T ≤ m, together with the test C(m) ≤ D for each task.
    WorkCapacityDeadline,
}

/// Points at which a kernel of higher priority preempts a running kernel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Preemption {
    /// Preemptive: the kernel preempts at any point, without delay or cost.
    Preemptive,
    /// Non-preemptive: a kernel that has started runs to its end.
    NonPreemptive,
    /// Limited preemption: the kernel preempts at the end of a thread block. Each preemption adds at most the length of
    /// the longest thread block.
    Limited,
}

/// Order of fixed priorities.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Priorities {
    /// Deadline-monotonic: the task with the smallest D − J has the highest priority. D − J is negative if J > D. If two
    /// tasks have equal values, the task with the lower position has the higher priority.
    DeadlineMonotonic,
    /// Rate-monotonic: the task with the smallest T has the highest priority. If two tasks have
    /// equal values, the task with the lower position has the higher priority.
    RateMonotonic,
    /// The order of the tasks in the task set: the first task has the highest priority.
    Given,
    /// An order of priorities with which all tasks meet their deadlines, if such an order exists (Audsley's algorithm).
    Audsley,
}

/// Strength of a positive verdict: exact, sufficient or necessary.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Policy of a request that states none. Every GPU can run one kernel at a time without preemption.
    pub const DEFAULT: Policy = Policy::NpEdf;

    /// Default of the percentage by which the work of a kernel may grow while other kernels run
    /// ([`Policy::runs_together`]). The largest known growth is 17.1 % (docs/explanation/concurrent.md).
    pub const VARIATION: u32 = 20;

    /// Returns the strength of a positive verdict under this policy.
    pub fn strength(self) -> Strength {
        match self {
            Policy::Edf | Policy::NpEdf | Policy::NpFifo | Policy::Concurrent => Strength::Exact,
            Policy::FixedPriority(Preemption::Preemptive | Preemption::NonPreemptive, _) => Strength::Exact,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => Strength::Sufficient,
            Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => Strength::Sufficient,
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => Strength::NecessaryOnly,
        }
    }

    /// Returns what the policy requires of the GPU, as a phrase for display after the name of the policy.
    pub fn meaning(self) -> &'static str {
        match self {
            Policy::Edf
            | Policy::Density
            | Policy::Hyperbolic
            | Policy::LiuLayland
            | Policy::FixedPriority(Preemption::Preemptive, _) => {
                "one kernel at a time, preempted at any point at no cost"
            }
            Policy::NpEdf | Policy::NpFifo | Policy::FixedPriority(Preemption::NonPreemptive, _) => {
                "one kernel at a time, never preempted"
            }
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => {
                "one kernel at a time, preempted at the end of its running thread blocks"
            }
            Policy::Concurrent => "kernels run together, one stream per task, in any order",
            Policy::WorkCapacity | Policy::WorkCapacityDeadline => {
                "a necessary condition, which does not prove schedulability"
            }
        }
    }

    /// Returns whether the test depends on the length of the longest thread block of a task.
    pub fn counts_blocks(self) -> bool {
        matches!(
            self,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _)
        )
    }

    /// Returns whether the test has a proof for partitions that share a memory. Such proofs exist for EDF and fixed
    /// priorities, both preemptive and non-preemptive.
    pub fn shares_memory(self) -> bool {
        match self {
            Policy::Edf | Policy::NpEdf => true,
            Policy::FixedPriority(preemption, _) => preemption != Preemption::Limited,
            _ => false,
        }
    }

    /// Returns whether a dispatcher on a GPU can follow the policy. A GPU cannot preempt a kernel at any point, and
    /// necessary conditions have no dispatcher. Kernels that run together need none.
    pub fn is_dispatchable(self) -> bool {
        match self {
            Policy::NpEdf | Policy::NpFifo | Policy::LpEdf => true,
            Policy::FixedPriority(preemption, _) => preemption != Preemption::Preemptive,
            Policy::Edf
            | Policy::Concurrent
            | Policy::Density
            | Policy::Hyperbolic
            | Policy::LiuLayland
            | Policy::WorkCapacity
            | Policy::WorkCapacityDeadline => false,
        }
    }

    /// Returns whether several kernels of a partition run at a time. All other policies run one kernel at a time.
    pub fn runs_together(self) -> bool {
        self == Policy::Concurrent
    }

    /// Returns whether the test depends on the work of a task in addition to its WCET.
    pub fn counts_work(self) -> bool {
        matches!(self, Policy::WorkCapacity | Policy::WorkCapacityDeadline)
    }
}
