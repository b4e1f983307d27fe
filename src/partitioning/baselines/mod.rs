//! What the heuristics are compared with.

mod equal_split;
mod one_gpu;
mod one_per_partition;

pub use equal_split::{Fit, equal_split};
pub use one_gpu::one_gpu;
pub use one_per_partition::one_per_partition;
