//! An SM of a simulated GPU, with its parts and its occupancy.

pub(super) mod collectors;
pub(super) mod l1;
pub(super) mod occupancy;
pub(super) mod pipes;
pub(super) mod sm;
pub(super) mod specialized;
pub(super) mod times;
