//! Simulators of kernels, partitions, shared memory and memory bandwidth regulation. A simulation
//! shows one possible run. An analysis proves a bound for every run.

pub mod blocks;
mod checkpoint;
pub mod co_runs;
pub mod end_to_end;
pub mod engine;
pub mod regulation;
pub mod shared;
pub mod shared_runs;
pub mod tasks;
pub mod timeline;
pub mod validation;
pub mod warp_charts;
