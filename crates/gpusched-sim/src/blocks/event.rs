//! Events that occur on a simulated GPU.

use gpusched_model::time::Time;

/// A running or completed thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Index of the kernel in the scenario.
    pub kernel: usize,
    /// Number of the block in its kernel.
    pub number: u32,
    /// SM on which the block runs.
    pub sm: u32,
    /// Start of the block [ns].
    pub start: Time,
}

/// An event on the simulated GPU. Each kernel, copy or application is identified by its index in
/// the scenario.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The kernel no longer waits for earlier commands, so its blocks may start.
    KernelRelease(usize),
    /// The block starts.
    BlockStart(Block),
    /// Another application preempts all running blocks of this application.
    Preempt(usize),
    /// All preempted blocks of this application resume.
    Resume(usize),
    /// The block completes.
    BlockComplete(Block),
    /// The kernel completes, because its last block completes.
    KernelComplete(usize),
    /// The copy completes. The time is the start of the copy.
    CopyComplete(usize, Time),
    /// A turn of the application starts. If the value is `None`, the current turn ends.
    Turn(Option<usize>),
    /// CPU cores start (true) or stop (false) accessing memory.
    CpuAccess(bool),
    /// The memory bandwidth budget of the CPU cores changes to this time per regulation period. The first budget event
    /// is at the start of the run.
    Budget(Time),
    /// The used memory bandwidth changes to this value [bytes per second]. Bandwidth events occur
    /// only if kernels share the bandwidth.
    Bandwidth(u64),
}
