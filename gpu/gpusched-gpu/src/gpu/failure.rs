//! Failures of a simulation.

/// Reason why a simulation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine has a feature that the simulator does not support.
    #[error("machine {machine:?}: {field} is {found}; supported: {expected}")]
    Unsupported {
        /// Name of the machine.
        machine: String,
        /// Field of the machine.
        field: &'static str,
        /// Value of the field.
        found: String,
        /// Description of the supported values.
        expected: &'static str,
    },
    /// A block of a kernel does not fit on an SM.
    #[error(
        "kernel {kernel:?}: a block of {threads} threads with {registers} registers each and {shared_bytes} bytes of \
         shared memory does not fit on an SM of the machine"
    )]
    TooLarge {
        /// Name of the kernel.
        kernel: String,
        /// Number of threads per block.
        threads: u32,
        /// Number of registers per thread.
        registers: u32,
        /// Shared memory of the block [bytes].
        shared_bytes: u32,
    },
    /// A kernel uses channels or ways that the machine does not permit.
    #[error("kernel {kernel:?}: {field} is {found}; expected {expected}")]
    Part {
        /// Name of the kernel.
        kernel: String,
        /// Field of the kernel.
        field: &'static str,
        /// Value of the field.
        found: String,
        /// Description of the permitted values.
        expected: String,
    },
    /// A kernel has matrix instructions, but the machine has no tensor units.
    #[error(
        "kernel {kernel:?} has matrix instructions, but the machine has no tensor units (sm.units.tensor)"
    )]
    NoUnit {
        /// Name of the kernel.
        kernel: String,
    },
    /// The instructions of a kernel are not available.
    #[error("kernel {kernel:?}: {message}")]
    Source {
        /// Name of the kernel.
        kernel: String,
        /// Reason why the instructions are not available.
        message: String,
    },
    /// The run takes longer than the limit.
    #[error("the run has not finished after {cycles} cycles")]
    Limit {
        /// Limit on the duration of the run [core cycles].
        cycles: u64,
    },
    /// The SMs issue more instructions than the results may record.
    #[error("the run issues more than {limit} instructions, which is the limit for a record of the run")]
    Issues {
        /// Limit on the number of recorded issues.
        limit: usize,
    },
    /// The simulated part of a kernel is too short for an estimate.
    #[error(
        "kernel {kernel:?}: cannot estimate the duration, because only {ended} of {blocks} thread blocks ended in \
         {cycles} cycles, and the uncertainty exceeds 25 %"
    )]
    Uncertain {
        /// Name of the kernel.
        kernel: String,
        /// Number of ended blocks.
        ended: u64,
        /// Number of blocks of the kernel.
        blocks: u64,
        /// Duration of the simulated part [core cycles].
        cycles: u64,
    },
    /// All warps wait, and no future event can wake a warp.
    #[error(
        "deadlock in cycle {cycle}: warps wait for a barrier that other warps of their block never reach"
    )]
    Deadlock {
        /// Cycle of the deadlock [core cycles].
        cycle: u64,
    },
}
