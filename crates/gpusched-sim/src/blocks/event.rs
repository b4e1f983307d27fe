//! Events on a simulated GPU.

use gpusched_model::time::Time;

/// A running or completed thread block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Position of the kernel in the scenario.
    pub kernel: usize,
    /// Number of the block in its kernel.
    pub number: u32,
    /// SM of the block.
    pub sm: u32,
    /// Start [ns].
    pub start: Time,
}

/// An event. Kernels, copies and applications are identified by their positions in the scenario.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The kernel no longer waits for its stream, so its blocks may start.
    KernelRelease(usize),
    /// The block starts.
    BlockStart(Block),
    /// Another application preempts all running blocks of the application.
    Preempt(usize),
    /// All preempted blocks of the application resume.
    Resume(usize),
    /// The block completes.
    BlockComplete(Block),
    /// The kernel completes with its last block.
    KernelComplete(usize),
    /// The copy completes. The time is its start.
    CopyComplete(usize, Time),
    /// A turn of the application starts. `None` if a turn ends.
    Turn(Option<usize>),
    /// CPU cores start to access memory (true), or stop.
    CpuAccess(bool),
    /// New budget: memory time of the CPU cores per regulation period. Occurs at the start and at each change.
    Budget(Time),
    /// Used bandwidth from now on [bytes per second]. Occurs only if bandwidth is shared.
    Bandwidth(u64),
}
