//! Tasks, and what they need.

pub(super) mod task;
pub(super) mod task_set;
pub mod traffic;
pub mod wcet;
