//! Promise: the simulator of jobs does what the rules say. It equals one that goes unit by unit, the releases are legal, and
//! the command prints what happened.
#![cfg(feature = "cli")]

mod command;
mod patterns;
mod plans;
mod refusals;
mod twin;
mod watch;
