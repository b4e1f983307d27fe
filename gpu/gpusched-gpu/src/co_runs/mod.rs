//! Validation of bounds that use memory times, with kernels on a simulated GPU.
//!
//! * [`synthetic`] generates programs with random accesses.
//! * [`draw`] generates random co-runs of kernels, each kernel on its own SMs.
//! * `device` states a simulated GPU as a device for the analysis.
//! * [`division`] gives each partition a part of the memory.
//! * `isolation` simulates kernels in isolation.
//! * [`placement`] gives each partition its SMs.
//! * [`bound`] bounds the time of each kernel in a co-run.
//! * [`task_sets`] generates task sets whose jobs are kernels, and compares response times with the analysis.
//! * [`campaign`] simulates many runs and compares the times with the bounds.
//! * `shrink` lists smaller runs, for a run that exceeds a bound.

pub mod bound;
pub mod campaign;
mod device;
pub mod division;
pub mod draw;
mod isolation;
pub mod placement;
mod shrink;
pub mod synthetic;
pub mod task_sets;

pub use bound::{Examiner, Form, Victim};
pub use campaign::{Campaign, Report, Systems, Tally};
pub use division::Division;
pub use placement::Placement;
