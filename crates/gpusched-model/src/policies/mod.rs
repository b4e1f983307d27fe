//! What can be chosen by name: schedulers, tests, orders, models of interference.

pub(super) mod budget_policy;
pub(super) mod interference;
pub mod policy;
pub(super) mod scheduler;
pub(super) mod sm_order;
