//! What is below the SMs, and the ways there and back.

mod arrivals;
pub(super) mod below;
pub(super) mod geometry;
pub(super) mod port;
