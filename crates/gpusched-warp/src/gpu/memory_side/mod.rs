//! The memory side of the GPU, and the paths between the SMs and the memory side.

mod arrivals;
pub(super) mod below;
pub(super) mod camping;
pub(super) mod geometry;
pub(super) mod meter;
pub(super) mod parts;
pub(super) mod port;
