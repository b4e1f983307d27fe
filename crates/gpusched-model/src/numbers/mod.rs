//! Exact numbers, times and random numbers.

pub(super) mod factor;
pub mod knapsack;
pub mod normal;
pub mod quotient;
pub(super) mod ratio;
pub mod streams;
pub mod time;
pub mod utilization;
