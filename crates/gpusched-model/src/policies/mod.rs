//! Choices with names: schedulers, tests, orders and interference models.

pub(super) mod budget_policy;
pub(super) mod interference;
pub mod policy;
pub(super) mod scheduler;
pub(super) mod sm_order;
