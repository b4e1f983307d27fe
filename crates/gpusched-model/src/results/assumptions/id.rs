//! Names of assumptions, and the consequences of a violation.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// Consequence of a violated assumption for the verdict.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Consequence {
    /// A task set that gpusched calls schedulable may miss deadlines.
    Unsafe,
    /// A task set that gpusched calls not schedulable may be schedulable.
    Pessimistic,
}

/// Stable name of an assumption in files.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum AssumptionId {
    /// A work-conserving dispatcher runs one kernel of a partition at a time, earliest deadline first.
    DispatchEdf,
    /// A work-conserving dispatcher runs one kernel of a partition at a time, by fixed priorities.
    DispatchFixedPriority,
    /// Another test proves the deadlines, because the test of the verdict is only necessary.
    DeadlinesByOtherTest,
    /// Kernels preempt each other at any point, without delay or cost.
    PreemptionAnyPoint,
    /// Kernels preempt each other when the running thread blocks end.
    PreemptionBlockBoundaries,
    /// A kernel that has started runs to its end.
    PreemptionNone,
    /// A mechanism outside gpusched reserves SMs for each partition.
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
    /// No task delays another task by contention.
    InterferenceNone,
    /// Tasks of the same kind in one partition contend, and partitions share DRAM bandwidth.
    InterferenceConflictBandwidth,
    /// Partitions share DRAM bandwidth, and there is no other contention.
    InterferenceBandwidth,
    /// An interference model without a name in files bounds all contention.
    InterferenceUnnamed,
    /// The memory moves at least B bytes per second while requests wait.
    GuaranteedBandwidth,
    /// A MIG instance has its own memory slices.
    MemorySlices,
    /// The memory divides its bandwidth max-min fairly.
    MaxMinArbitration,
    /// Tasks and other sources do not exceed their stated traffic.
    TrafficBounds,
    /// Tasks without stated traffic may use all memory bandwidth.
    TrafficUnknown,
    /// Tasks without a kind contend with every task.
    KindUnknown,
    /// Tasks without a longest thread block consist of one thread block.
    BlockUnknown,
    /// Tasks without a WCET in conflict are as fast in conflict as in isolation.
    ConflictAsIsolated,
    /// Releases respect the periods and jitters of the tasks.
    SporadicReleases,
    /// No job takes longer than the WCET that the task set states.
    WcetStated,
    /// No job takes longer than the WCET from a curve fitted to measurements.
    WcetFitted,
    /// No job takes longer than the longest measured job.
    WcetMeasured,
    /// No job takes longer than an estimate, although an estimate is not a bound.
    WcetEstimated,
    /// The real system behaves as one simulated run.
    OneRun,
}

impl AssumptionId {
    /// Returns all names.
    pub fn all() -> impl Iterator<Item = AssumptionId> {
        AssumptionId::VARIANTS.iter().copied()
    }

    /// Returns the consequence of a violation.
    pub fn if_violated(self) -> Consequence {
        match self {
            AssumptionId::TrafficUnknown | AssumptionId::KindUnknown | AssumptionId::BlockUnknown => {
                Consequence::Pessimistic
            }
            _ => Consequence::Unsafe,
        }
    }
}
