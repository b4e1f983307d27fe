//! What happens on a GPU.

use gpusched_model::time::Time;

/// A thread block that runs or ran.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// The number of the block in its kernel.
    pub number: u32,
    /// The SM.
    pub sm: u32,
    /// When it started [ns].
    pub start: Time,
}

/// What happens. Kernels, copies and applications are named by their positions in the scenario.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The kernel no longer waits for its stream: its blocks may start.
    KernelRelease(usize),
    /// The block starts.
    BlockStart(Block),
    /// Another application preempts all running blocks of the application.
    Preempt(usize),
    /// All preempted blocks of the application run again.
    Resume(usize),
    /// The block is done.
    BlockComplete(Block),
    /// All blocks of the kernel are done.
    KernelComplete(usize),
    /// The copy, which started at that time, is done.
    CopyComplete(usize, Time),
    /// A turn of that application begins; `None`: a turn ends.
    Turn(Option<usize>),
    /// CPU cores begin to access memory (true), or stop.
    CpuAccess(bool),
    /// From now on CPU cores may access memory for that time in each regulation period; at the beginning and at changes.
    Budget(Time),
    /// The bandwidth that is used from now on [bytes per second]; only where bandwidth is shared.
    Bandwidth(u64),
}
