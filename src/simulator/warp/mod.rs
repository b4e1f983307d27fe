//! The warp level: sub-cores that issue the instructions of their warps cycle by cycle.
//!
//! * [`code`]: what a warp executes — instructions, and a stream of them per warp.
//! * [`policy`]: which warp of a sub-core issues next (LRR, GTO, oldest, RT-PAWS, QAWS).
//! * [`request`], [`cache`], [`memory`]: L1 and L2, the crossbar, the DRAM.
//! * [`sm`], [`gpu`]: an SM; a whole GPU that runs kernels.
//! * [`scenario`]: from a [`WarpRun`](crate::model::WarpRun) to a run of the GPU.
//! * [`subcore`]: one sub-core with abstract latencies, on which the papers explain their policies.

pub mod cache;
pub mod code;
pub mod gpu;
pub mod memory;
pub mod policy;
pub mod request;
pub mod scenario;
pub mod sm;
pub mod subcore;
