//! Recordings of real runs: readers for files of profilers and tracers, and what gpusched derives from these files.
//!
//! * [`readers`]: files of Nsight Systems, Nsight Compute, Kineto and rocprof, as a [`model::Recording`].
//! * [`summary`]: counts and statistics of a recording.
//! * [`activity`]: recurring jobs in a recording. [`tasks`]: a task set from such jobs. [`audit`]: comparison of such jobs with a
//!   task set and a plan.
//! * [`examiner`]: logs of cuda_scheduling_examiner, as documents and as scenarios.
//! * [`amalthea`]: task models of APP4MC, as end-to-end systems, or as task sets of their GPU.
//! * [`block_trace`]: measured times of thread blocks, as rows for a
//!   [`Recorder`](gpusched_analysis::kernel_wcet::trace::Recorder).

pub mod activity;
pub mod amalthea;
pub mod audit;
pub mod block_trace;
pub mod examiner;
mod lines;
pub mod model;
pub mod readers;
pub mod summary;
pub mod tasks;
