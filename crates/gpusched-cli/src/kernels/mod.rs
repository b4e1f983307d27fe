//! Kernels: measurements and bounds of their execution times, memory bandwidth budgets and predictions.

pub mod budget;
pub mod measure;
pub mod predict;
pub mod wcet;
