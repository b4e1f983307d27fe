//! Import of recordings: data of profilers and tracers from a real GPU.
//!
//! * [`examiner`]: logs of cuda_scheduling_examiner, as documents and as scenarios.
//! * [`block_trace`]: measured times of thread blocks, as rows for a
//!   [`Recorder`](gpusched_analysis::kernel_wcet::trace::Recorder).

pub mod block_trace;
pub mod examiner;
