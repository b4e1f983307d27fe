//! Kernels: bounds on their execution times, memory bandwidth budgets and predictions.

pub mod budget;
pub mod predict;
pub mod profile_columns;
pub mod wcet;
