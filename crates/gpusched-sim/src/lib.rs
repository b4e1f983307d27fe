//! Simulators of kernels, partitions, shared memory, memory bandwidth regulation and warps of one sub-core. A simulation
//! shows one possible run. An analysis proves a bound for every run.

pub mod blocks;
pub mod campaign;
pub mod end_to_end;
pub mod engine;
pub mod regulation;
pub mod shared;
pub mod shared_runs;
pub mod tasks;
pub mod timeline;
pub mod validation;
pub mod warps;
