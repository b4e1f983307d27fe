//! Tasks, their WCETs, the source of the WCETs, and their memory traffic.

pub mod overheads;
pub mod provenance;
pub(super) mod task;
pub(super) mod task_set;
pub mod traffic;
pub mod wcet;
