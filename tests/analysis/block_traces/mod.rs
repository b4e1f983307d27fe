//! Guarantee: gpusched reads a block trace completely, or rejects it with file and line. Two
//! blocks share a cluster if and only if their behavior is equal. A synthetic trace agrees with
//! its profile. `cargo bench --bench clustering` runs the full counts.

mod estimates;
mod grid;
mod neutrino;
mod planted;
mod reading;
mod recorder;
mod refusals;
mod scenario;
mod statistic;
mod synthesis;
