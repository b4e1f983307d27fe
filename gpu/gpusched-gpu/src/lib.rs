//! Cycle-level GPU simulator. The sub-cores of each SM issue the instructions of their warps cycle by cycle.
//!
//! * [`machine`]: simulated GPUs, with the parameters of GPGPU-Sim.
//! * [`program`]: kernel programs, and [`import`]: their readers of PTX, traces of Accel-Sim and configurations of GPGPU-Sim.
//! * [`warp_run`]: kernels that run on a simulated GPU, and [`scenario`]: a run as input of the simulator.
//! * [`code`]: instructions of warps, with one instruction stream per warp.
//! * [`gpu`]: a whole GPU with SMs, L1, L2, the crossbar and DRAM.
//! * [`estimate`]: estimates the duration of a kernel in isolation, from its first rounds of thread blocks.
//! * [`stress`]: sustained rates of the memory system under patterns of requests.
//! * [`co_runs`]: validation of bounds that use memory times, with concurrent kernels.
//!
//! The warp scheduling policies of a sub-core are in [`gpusched_sim::warps`].

pub mod co_runs;
pub mod code;
pub mod estimate;
pub mod gpu;
pub mod import;
pub mod machine;
mod memory;
pub mod program;
pub mod scenario;
mod sm;
pub mod stress;
pub mod warp_run;

pub use machine::Machine;
pub use program::Program;
pub use warp_run::WarpRun;
