//! Choices that have names in files: schedulers, policies, orders and interference models.

pub(super) mod budget_policy;
pub(super) mod interference;
pub mod policy;
pub(super) mod prediction_model;
pub(super) mod scheduler;
pub(super) mod sm_order;
