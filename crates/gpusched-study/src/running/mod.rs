//! Runs of studies, with chunks, journals, shards and counts.

pub(super) mod collection;
mod difference;
pub(super) mod estimate;
pub(super) mod journal;
pub(super) mod merge;
pub(super) mod runner;
pub(super) mod shards;
pub(super) mod tally;
pub(super) mod work;
