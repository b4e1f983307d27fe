//! Recordings of real runs. The crate reads the files of profilers and tracers, and derives task sets and other results
//! from these files.
//!
//! * [`readers`]: convert files of Nsight Systems, Nsight Compute, Kineto and rocprof to a [`model::Recording`].
//! * [`summary`]: counts and statistics of a recording.
//! * [`activity`]: finds recurring jobs in a recording. [`tasks`]: derives a task set from recurring jobs. [`audit`]:
//!   compares recurring jobs with a task set and a plan.
//! * [`examiner`]: converts logs of cuda_scheduling_examiner to documents and scenarios.
//! * [`task_files`]: reads and writes the task sets of SimSo and SchedCAT.
//! * [`amalthea`]: converts task models of APP4MC to end-to-end systems, or to task sets of their GPU.
//! * [`holoscan`]: converts graphs of operators of Holoscan to end-to-end systems.
//! * [`block_trace`]: converts measured times of thread blocks to rows for a
//!   [`Recorder`](gpusched_analysis::kernel_wcet::trace::Recorder).

pub mod activity;
pub mod amalthea;
pub mod audit;
pub mod block_trace;
pub mod examiner;
pub mod holoscan;
mod lines;
pub mod model;
pub mod readers;
pub mod summary;
pub mod task_files;
pub mod tasks;
mod xml;
