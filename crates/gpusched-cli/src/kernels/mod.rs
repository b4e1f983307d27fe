//! Kernels: bounds on their execution times, memory bandwidth budgets and predictions.

pub mod budget;
pub mod predict;
pub mod wcet;
