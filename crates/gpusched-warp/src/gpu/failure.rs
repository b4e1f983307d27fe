//! Why a simulation failed.

/// Why a simulation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine has something that is not simulated.
    #[error("machine {machine:?}: {field} is {found}; simulated: {expected}")]
    Unsupported {
        /// The machine's name.
        machine: String,
        /// Field of the machine.
        field: &'static str,
        /// What it says.
        found: String,
        /// What can be simulated.
        expected: &'static str,
    },
    /// A kernel's block does not fit on an SM.
    #[error(
        "kernel {kernel:?}: a block of {threads} threads with {registers} registers each and {shared_bytes} bytes of \
         shared memory does not fit on an SM of the machine"
    )]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// Its threads per block.
        threads: u32,
        /// Registers of each thread.
        registers: u32,
        /// Shared memory of the block [bytes].
        shared_bytes: u32,
    },
    /// A kernel computes with matrices on a machine without units for them.
    #[error("kernel {kernel:?} computes with matrices, for which the machine has no units (sm.units.tensor)")]
    NoUnit {
        /// The kernel.
        kernel: String,
    },
    /// A kernel's instructions could not be had.
    #[error("kernel {kernel:?}: {message}")]
    Source {
        /// The kernel.
        kernel: String,
        /// Why.
        message: String,
    },
    /// Too long.
    #[error("not through after {cycles} cycles")]
    Limit {
        /// The limit.
        cycles: u64,
    },
    /// Nothing moves any more.
    #[error(
        "in cycle {cycle} nothing can go on: warps wait for a barrier that others of their block never reach"
    )]
    Deadlock {
        /// When.
        cycle: u64,
    },
}
