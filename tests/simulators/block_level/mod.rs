//! The block-level simulator: published placements, cases computed by hand, real traces, and the command.

mod budgets;
mod capacity;
mod command;
mod hand;
mod logs;
mod measured;
mod placement;
mod rates;
mod refusals;
mod same_sm;
mod scenario;
