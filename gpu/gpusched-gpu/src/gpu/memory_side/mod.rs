//! The memory side of the GPU, and the paths between this side and the SMs.

mod arrivals;
pub(super) mod below;
pub(super) mod camping;
pub(super) mod clients;
pub(super) mod geometry;
pub(super) mod gpcs;
pub(super) mod l1;
pub(super) mod meter;
pub(super) mod parts;
pub(super) mod port;
