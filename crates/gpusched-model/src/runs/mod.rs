//! Inputs of simulators and sequencers, which describe concurrent kernels, and observers of a simulation.

pub mod group;
pub mod observer;
pub mod scenario;
pub mod system;
pub mod warp_run;
pub mod warp_scenario;
