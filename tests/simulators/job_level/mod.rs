//! Guarantee: the job simulator implements the scheduling rules. It equals a unit-by-unit simulation, the releases are
//! legal, and the command prints the simulated events.
#![cfg(feature = "cli")]

mod command;
mod patterns;
mod plans;
mod refusals;
mod shared;
mod twin;
mod watch;
