//! Guarantee: a block trace is read completely or rejected with file and line. Blocks with equal behavior share a
//! cluster, and other blocks do not. A synthetic trace agrees with its profile. `cargo bench --bench clustering` runs
//! the full counts.

mod estimates;
mod planted;
mod reading;
mod refusals;
mod scenario;
mod statistic;
mod synthesis;
