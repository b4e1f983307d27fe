//! Warp scheduling policies: reconstructions of published figures, a reference implementation of every policy,
//! properties of every run, and the command.

mod bounds;
mod command;
mod driver;
mod figures;
mod printed;
mod properties;
mod random;
mod refusals;
mod scenarios;
mod slots;
mod slow;
