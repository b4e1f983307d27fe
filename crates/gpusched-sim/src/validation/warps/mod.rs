//! Validation of memory time against concurrent kernels on a simulated GPU.
//!
//! * [`draw`] generates random co-runs of kernels, each kernel on SMs of its own.
//! * [`bound`] bounds the time of each kernel in a co-run.
//! * [`campaign`] simulates many co-runs and compares the times with the bounds.
//! * `shrink` makes a co-run that exceeds a bound small.

pub mod bound;
pub mod campaign;
pub mod draw;
mod shrink;

pub use bound::{Examiner, Form, Victim};
pub use campaign::{Campaign, Report, Tally};
