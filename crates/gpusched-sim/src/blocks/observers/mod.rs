//! Observers of blocks: what they draw, and what they keep.

pub(super) mod chart;
pub(super) mod overview;
pub(super) mod record;
