//! The warp level: sub-cores that issue the instructions of their warps cycle by cycle.
//!
//! * [`code`]: what a warp executes — instructions, and a stream of them per warp.
//! * [`policy`]: which warp of a sub-core issues next (LRR, GTO, oldest, RT-PAWS, QAWS).
//! * [`gpu`]: a whole GPU: SMs, L1 and L2, the crossbar, the DRAM.
//! * [`estimate`]: how long a kernel takes alone, from a few rounds of blocks on one SM.
//! * [`scenario`]: from a [`WarpRun`](gpusched_model::WarpRun) to a run of the GPU.
//! * [`subcore`]: one sub-core with abstract latencies, on which the papers explain their policies.

pub mod accelsim;
mod cache;
pub mod code;
pub mod estimate;
pub mod gpgpusim_config;
pub mod gpu;
mod memory;
pub mod policy;
pub mod ptx;
mod request;
mod ring;
pub mod scenario;
mod sm;
pub mod subcore;
