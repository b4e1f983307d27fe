//! Simulators of kernels, partitions, shared memory, memory bandwidth regulation and warps of one sub-core. A simulation
//! shows one possible run. An analysis proves a bound for every run.
//!
//! * [`engine`]: queues of events, and rules for the releases of jobs;
//! * [`tasks`]: jobs of one partition; [`shared`]: jobs of partitions that share a memory; [`end_to_end`]: jobs with
//!   segments on several resources;
//! * [`blocks`]: thread blocks on SMs; [`warps`]: the warp schedulers of one sub-core;
//! * [`regulation`]: memory bandwidth regulation; [`shared_runs`]: kernels that share the memory of a GPU;
//! * [`operator_graphs`]: operators that execute in parallel, with queues between them;
//! * [`timeline`]: what a simulator observed, for traces and charts;
//! * [`campaign`]: the runner of long validations; [`validation`]: the validations.

pub mod blocks;
pub mod campaign;
pub mod end_to_end;
pub mod engine;
pub mod operator_graphs;
pub mod regulation;
pub mod shared;
pub mod shared_runs;
pub mod tasks;
pub mod timeline;
pub mod validation;
pub mod warps;
