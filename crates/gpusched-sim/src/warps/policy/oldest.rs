//! Oldest-first policy.

use super::{Policy, Pool, WarpSet};

/// Policy that selects the oldest warp that can issue (OLD in [Singh21] Algorithm 5 and in
/// GPGPU-Sim).
#[derive(Debug, Clone, Default)]
pub struct Oldest;

impl Policy for Oldest {
    #[inline]
    fn begin(&mut self, _: &Pool, _: WarpSet) {}

    #[inline]
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        pool.oldest(candidates)
    }

    #[inline]
    fn issued(&mut self, _: &Pool, _: usize) {}
}
