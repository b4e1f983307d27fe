//! What is simulated or sequenced: kernels beside each other, and who watches.

pub mod group;
pub mod observer;
pub mod scenario;
pub mod system;
pub mod warp_run;
pub mod warp_scenario;
