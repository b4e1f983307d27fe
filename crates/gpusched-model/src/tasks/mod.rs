//! Tasks, their WCETs and their memory traffic.

pub(super) mod task;
pub(super) mod task_set;
pub mod traffic;
pub mod wcet;
