//! Warp scheduling policies: the published figures, a slow twin of every policy, what holds in every run, and the command.

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
