//! Simulation at the warp level. Sub-cores issue the instructions of their warps cycle by cycle.
//!
//! * [`code`]: instructions of warps, with one instruction stream per warp.
//! * [`policy`]: warp scheduling policies of a sub-core (LRR, GTO, oldest, RT-PAWS, QAWS).
//! * [`gpu`]: a whole GPU with SMs, L1, L2, the crossbar and DRAM.
//! * [`estimate`]: estimates the duration of a kernel in isolation, from its first rounds of thread blocks.
//! * [`scenario`]: converts a [`WarpRun`](gpusched_model::WarpRun) to a run of the GPU.
//! * [`stress`]: sustained rates of the memory system under patterns of requests.
//! * [`subcore`]: one sub-core with abstract instruction latencies, as in the examples of papers
//!   on scheduling policies.

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
pub mod stress;
pub mod subcore;
