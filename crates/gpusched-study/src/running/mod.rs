//! Runs of studies, with journals and shards.

mod difference;
pub(super) mod estimate;
pub(super) mod journal;
pub(super) mod merge;
pub(super) mod runner;
pub(super) mod shards;
