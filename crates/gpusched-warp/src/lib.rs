//! The warp level: sub-cores that issue the instructions of their warps cycle by cycle.
//!
//! * [`code`]: the instructions of warps, with one stream per warp.
//! * [`policy`]: warp scheduling policies of a sub-core (LRR, GTO, oldest, RT-PAWS, QAWS).
//! * [`gpu`]: a whole GPU with SMs, L1 and L2, the crossbar and the DRAM.
//! * [`estimate`]: estimate of the duration of a kernel in isolation, from a few rounds of blocks on one SM.
//! * [`scenario`]: converts a [`WarpRun`](gpusched_model::WarpRun) to a run of the GPU.
//! * [`subcore`]: one sub-core with abstract latencies, as in the examples of the papers on the policies.

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
