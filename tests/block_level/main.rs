//! The block-level simulator: published placements, and cases that can be computed by hand.

mod hand;
mod placement;
mod scenario;
