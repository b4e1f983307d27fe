//! Partitions side by side at one memory: jobs that slow down when bandwidth is short.
//!
//! A partition runs one job at a time. A job is a row of [`Stage`]s, each of which takes so long by itself and draws so much
//! meanwhile. Where all that is drawn exceeds what the memory has, [`Division`] says who gets how much, and a job that gets a share s
//! of the rate d it could use progresses at s/d. No analysis is called, so that a simulation can contradict one.
//!
//! Everything is whole: times are nanoseconds, and what a stage has left is counted in nano-bytes. A stage that would end between two
//! nanoseconds ends at the first of them, as if the job had less than 1 ns less to do: it stays within its WCET and its traffic, so
//! **a deadline that is missed here is missed by a legal run**.

mod client;
mod division;
mod simulation;

pub use client::{Client, Stage, Task};
pub use division::Division;
pub use simulation::{Miss, Outcome, simulate};
