//! Guarantee: the CUDA header `tasksets/instrument/gpusched_trace.cuh` records block traces from which `wcet cluster`
//! and `wcet bound` compute a bound on the kernel. The kernels run on a simulated GPU.
#![cfg(feature = "cli")]

mod bound;
mod header;
mod kernels;
mod overhead;
mod reference;

/// What one thread block records: start and end [ns] and its SM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    pub start: u64,
    pub end: u64,
    pub sm: usize,
}
