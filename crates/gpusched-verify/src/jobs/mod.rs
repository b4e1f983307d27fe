//! Tasks of a partition with the parameters that a schedulability test uses.
//!
//! * `job`: a task with its parameters;
//! * `wcet`: the WCET C(m) in isolation and in conflict, times a common factor;
//! * `slices`: the memory slices of MIG instances;
//! * `memory_time`: the memory times of jobs;
//! * `ports`: the times of jobs at ports.

mod job;
mod memory_time;
mod ports;
mod slices;
mod wcet;

pub(super) use job::{Job, jobs};
pub(super) use memory_time::Occupant;
pub(super) use ports::{Ports, held};
pub(super) use slices::Slices;
pub(super) use wcet::Wcets;
