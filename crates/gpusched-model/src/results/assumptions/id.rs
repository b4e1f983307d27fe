//! The names of assumptions, and what a violation does.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// What becomes of a verdict whose assumption is violated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Consequence {
    /// A task set that is called schedulable may miss deadlines.
    Unsafe,
    /// A task set that is called not schedulable may be schedulable.
    Pessimistic,
}

/// The stable name of an assumption, as in files.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum AssumptionId {
    /// A dispatcher runs one kernel of a partition at a time, earliest deadline first.
    DispatchEdf,
    /// A dispatcher runs one kernel of a partition at a time, by fixed priorities.
    DispatchFixedPriority,
    /// Another test proves the deadlines, because a necessary condition does not.
    DeadlinesByOtherTest,
    /// Kernels preempt each other at any point, without delay or cost.
    PreemptionAnyPoint,
    /// Kernels preempt each other when the running thread blocks end.
    PreemptionBlockBoundaries,
    /// A kernel that has started runs to its end.
    PreemptionNone,
    /// Something outside gpusched reserves SMs for each partition.
    SmsReserved,
    /// TPC masks keep partitions on their TPCs.
    TpcMasks,
    /// Each partition is a CUDA green context.
    GreenContexts,
    /// Each partition is a static SM partition of MPS.
    MpsStaticPartitions,
    /// Each partition is a MIG instance.
    MigInstances,
    /// Tasks of the same kind in one partition contend, and partitions do not delay each other.
    InterferenceConflict,
    /// No task delays another one by contention.
    InterferenceNone,
    /// Tasks of the same kind in one partition contend, and partitions share DRAM bandwidth.
    InterferenceConflictBandwidth,
    /// Partitions share DRAM bandwidth, and that is all contention.
    InterferenceBandwidth,
    /// An interference model without a name in files bounds all contention.
    InterferenceUnnamed,
    /// The memory moves at least B bytes per second while requests wait.
    GuaranteedBandwidth,
    /// A MIG instance has memory slices of its own.
    MemorySlices,
    /// The memory divides its bandwidth max-min fairly.
    MaxMinArbitration,
    /// Tasks and other sources keep to their stated traffic.
    TrafficBounds,
    /// Tasks without stated traffic may use all memory bandwidth.
    TrafficUnknown,
    /// Tasks without a kind contend with every task.
    KindUnknown,
    /// Tasks without a longest thread block are one block.
    BlockUnknown,
    /// Tasks without a WCET in conflict are as fast as in isolation.
    ConflictAsIsolated,
    /// Releases keep the periods and jitters of the tasks.
    SporadicReleases,
    /// No job takes longer than the WCET that the task set states.
    WcetStated,
    /// No job takes longer than a curve over measurements.
    WcetFitted,
    /// No job takes longer than the longest one that was measured.
    WcetMeasured,
    /// No job takes longer than an estimate, which is no bound.
    WcetEstimated,
    /// The real system behaves as one simulated run.
    OneRun,
}

impl AssumptionId {
    /// All names.
    pub fn all() -> impl Iterator<Item = AssumptionId> {
        AssumptionId::VARIANTS.iter().copied()
    }

    /// What a violation does to a verdict.
    pub fn if_violated(self) -> Consequence {
        match self {
            AssumptionId::TrafficUnknown | AssumptionId::KindUnknown | AssumptionId::BlockUnknown => {
                Consequence::Pessimistic
            }
            _ => Consequence::Unsafe,
        }
    }
}
