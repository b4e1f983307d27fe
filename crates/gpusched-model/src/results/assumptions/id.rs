//! Names of assumptions, and the consequences of violated assumptions.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// Consequence for a verdict if one of its assumptions is violated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Consequence {
    /// A task set that gpusched reports as schedulable may miss deadlines. A bound or a predicted time may be too small.
    Unsafe,
    /// A task set that gpusched reports as not schedulable may be schedulable. A bound may be larger than necessary.
    Pessimistic,
}

/// Name of an assumption in files. Names do not change between versions.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum AssumptionId {
    /// In each partition, a work-conserving dispatcher runs at most one kernel at a time, by earliest deadline first.
    DispatchEdf,
    /// In each partition, a work-conserving dispatcher runs at most one kernel at a time, by fixed priorities.
    DispatchFixedPriority,
    /// In each partition, a work-conserving dispatcher runs at most one kernel at a time, in the order of release.
    DispatchFifo,
    /// While a job of a partition is pending, the kernels together complete their work at least as fast as one after
    /// another, up to the stated variation. Tested on simulated GPUs, not proven.
    SerialSum,
    /// Each task has its own stream, which executes the jobs of the task one after another.
    OwnStreams,
    /// The overheads of the dispatcher stay within the bounds that the plan states.
    DispatchOverheads,
    /// Another test proves that all jobs meet their deadlines. The test of the verdict is only necessary.
    DeadlinesByOtherTest,
    /// Kernels preempt each other at any point, without delay or cost.
    PreemptionAnyPoint,
    /// Kernels preempt each other when the running thread blocks end.
    PreemptionBlockBoundaries,
    /// A kernel that has started runs to its end.
    PreemptionNone,
    /// A mechanism outside gpusched reserves SMs for each partition.
    SmsReserved,
    /// TPC masks keep the kernels of each partition on the TPCs of the partition.
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
    /// Tasks of the same kind in one partition contend, and jobs delay other partitions by at most their memory time.
    InterferenceConflictMemoryTime,
    /// Jobs delay other partitions by at most their memory time, and there is no other contention.
    InterferenceMemoryTime,
    /// No two partitions have SMs in one TPC or GPC, and SMs accept each reply at once.
    PortsOwn,
    /// Partitions share ports of TPCs or GPCs, and delay each other only at ports with known rates.
    PortsShared,
    /// Partitions do not delay each other at ports of TPCs and GPCs. The shared ports are unknown.
    PortsUnknown,
    /// Ports of TPCs or GPCs move packets at least at the stated rates.
    PortRates,
    /// The interference model of the calling program bounds all contention. This model has no name in files.
    InterferenceUnnamed,
    /// While requests are pending, the memory provides at least its guaranteed bandwidth.
    GuaranteedBandwidth,
    /// Each MIG instance has memory slices that no other instance uses.
    MemorySlices,
    /// The memory divides its bandwidth max-min fairly.
    MaxMinArbitration,
    /// Tasks and other sources of memory traffic do not exceed their stated traffic.
    TrafficBounds,
    /// Tasks without stated traffic may use all memory bandwidth.
    TrafficUnknown,
    /// No job delays another partition by more than its memory time. The memory time uses universal rates.
    /// Counterexamples are known.
    MemoryTimeUniversal,
    /// No job delays another partition by more than its memory time. The memory time uses other rates or
    /// own L2 ways. Counterexamples are known.
    MemoryTimeTested,
    /// Tasks and other sources do not exceed their stated L2 sectors.
    SectorBounds,
    /// Data that a job leaves in L2 delays other partitions only in busy windows that overlap the job.
    DeferredWrites,
    /// WCETs are from runs with cold caches. Launch offsets and base addresses change them by at most the stated
    /// percentage.
    ColdWcets,
    /// Tasks whose kind is unknown contend with every task of their partition.
    KindUnknown,
    /// Tasks whose longest thread block is unknown count as one thread block, which cannot be preempted.
    BlockUnknown,
    /// If the WCET in conflict of a task is unknown, it equals the isolated WCET.
    ConflictAsIsolated,
    /// Releases respect the periods and jitters of the tasks.
    SporadicReleases,
    /// No job takes longer than the WCET that the task set states.
    WcetStated,
    /// No job takes longer than its WCET. The WCET is from a curve that was fitted to measurements.
    WcetFitted,
    /// No job takes longer than its WCET. The WCET is the longest measured time, or more if it contains a margin.
    WcetMeasured,
    /// No job takes longer than its estimated WCET, although an estimate is not a bound.
    WcetEstimated,
    /// No job takes longer than its WCET, although the WCET was measured on another GPU.
    WcetOtherGpu,
    /// The kernels of a job follow each other without gaps, although measured jobs had gaps that no WCET contains.
    GapsLeftOut,
    /// The jobs do not copy before their first or after their last kernel, although measured jobs did, and no WCET contains these copies.
    CopiesLeftOut,
    /// No job takes longer than its WCET, although the recordings of the measurement lack records.
    RecordingIncomplete,
    /// The measured jobs ran on the number of SMs that the user stated. The recordings do not show this number.
    SizeStated,
    /// The measured jobs ran on the number of SMs that the user stated, although signs in the recordings contradict this number.
    SizeContradicted,
    /// No deadline counts during the warm-up. The measurement left out its jobs.
    WarmUpLeftOut,
    /// Each segment on a context that takes turns is one kernel, or its kernels follow each other without gaps.
    OneKernel,
    /// No segment takes less than its stated BCET.
    BcetStated,
    /// A job of a task starts after the end of the previous job of this task.
    OneThreadPerTask,
    /// Each segment of a pipelined task executes the jobs one after another, and the oldest job of a task goes first.
    PipelinedJobs,
    /// A buffer between two segments has the stated slots. A job occupies a slot from the start of the first segment to the end
    /// of the second segment.
    Buffers,
    /// CPU cores execute only the tasks of the system, and schedule them by the policies of the cores.
    CoreScheduling,
    /// Each copy engine executes one copy at a time, and orders copies by its policy.
    CopyEngines,
    /// The contexts of a partition take turns, with the stated slices, switches and overruns.
    TimeSlices,
    /// Timers release the segments of each job at fixed times after its arrival.
    ReleaseTimers,
    /// Arrivals of a periodic task in a chain are exactly one period apart.
    PeriodicArrivals,
    /// Tasks of a chain read and write their data at the stated times.
    ChainCommunication,
    /// The real system behaves in the same way as one simulated run.
    OneRun,
    /// While blocks of a kernel wait, its active blocks run, and no other kernel runs on their SMs.
    ActiveBlocks,
    /// No thread block takes longer than the WCETs of its cluster.
    BlockTimes,
    /// Some WCETs of clusters are extreme-value estimates, which a block exceeds with a stated probability.
    BlockTimesEstimated,
    /// In each regulation period, best-effort cores access memory at most for the memory bandwidth budget.
    MemoryBudget,
    /// One burst of all best-effort cores per regulation period delays blocks most.
    WorstBurst,
    /// Memory accesses of best-effort cores slow down only the part of a block that they overlap.
    BlockProgress,
    /// A kernel starts at the start of a regulation period.
    SynchronousStart,
    /// The process that computes budgets stays within its stated memory requests and its lead.
    BudgetProcess,
    /// When a kernel starts, the regulation limits best-effort cores to the nominal budget at once.
    CoresLocked,
    /// The equations of a prediction model describe the GPU.
    PredictionModel,
    /// Each kernel takes its measured time and bandwidth in isolation.
    IsolatedProfiles,
    /// All kernels of a group start at the same time, and each kernel runs once.
    CommonStart,
}

impl AssumptionId {
    /// Returns all names.
    pub fn all() -> impl Iterator<Item = AssumptionId> {
        AssumptionId::VARIANTS.iter().copied()
    }

    /// Returns what follows from a violation of the assumption.
    pub fn if_violated(self) -> Consequence {
        match self {
            AssumptionId::TrafficUnknown | AssumptionId::KindUnknown | AssumptionId::BlockUnknown => {
                Consequence::Pessimistic
            }
            _ => Consequence::Unsafe,
        }
    }
}
