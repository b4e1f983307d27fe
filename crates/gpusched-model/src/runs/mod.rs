//! Descriptions of concurrent kernels: the inputs of simulation, prediction and sequencing. The module also contains
//! observers of a simulation.

pub mod group;
pub mod observer;
pub mod scenario;
pub mod system;
pub mod warp_scenario;
