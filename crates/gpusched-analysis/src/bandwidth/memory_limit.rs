//! The largest memory time of best-effort cores under which the remaining blocks of a kernel meet the deadline
//! ([Aghilinasab20] Algorithm 2, line 4).
//!
//! [`Allocator`](super::Allocator) uses a safe approximation of this limit (Algorithm 4). The
//! tests compare the approximation with the limit. A system that has more time for each decision may use the exact
//! limit.

use crate::kernel_wcet::linear_program::{self, LpError};
use crate::kernel_wcet::{Exposure, Program};
use gpusched_model::time::Time;
use gpusched_model::{Cluster, Kernel, Straddling};

/// The remaining blocks of a kernel, and the window within which these blocks must end.
#[derive(Clone, Debug)]
pub struct MemoryLimit {
    rest: Kernel,
    program: Program,
    window: Time,
    /// K of Eq. 17: number of blocks that overlap the memory time of best-effort cores only in part.
    partial_blocks: u64,
}

impl MemoryLimit {
    /// Creates the limit for a kernel whose remaining blocks must end within `window`. `remaining` has the number of
    /// remaining blocks of each cluster. If `remaining` has no entry for a cluster, all blocks of the cluster remain.
    /// Returns `None` if no block remains.
    pub fn new(
        kernel: &Kernel,
        remaining: &[u64],
        window: Time,
        straddling: Straddling,
    ) -> Option<MemoryLimit> {
        let clusters = kernel.clusters().iter().enumerate();
        let clusters: Vec<Cluster> = clusters
            .filter_map(|(index, cluster)| {
                // `left` is at most the number of all blocks, so `Cluster::new` rejects only a
                // cluster without remaining blocks.
                let all = cluster.blocks();
                let left = remaining.get(index).map_or(all, |&blocks| blocks.min(all));
                Cluster::new(left, cluster.isolated(), cluster.contended()).ok()
            })
            .collect();
        let rest = Kernel::new(kernel.active_blocks(), kernel.regulation_period(), clusters).ok()?;
        let periods = u128::from(window.ns().div_ceil(kernel.regulation_period().ns())) + 1;
        let ends = match straddling {
            Straddling::End => 1,
            Straddling::Both => 2,
        };
        let partial = periods * ends * u128::from(kernel.active_blocks());
        Some(MemoryLimit {
            program: Program::new(&rest),
            rest,
            window,
            partial_blocks: u64::try_from(partial).unwrap_or(u64::MAX),
        })
    }

    /// Returns whether the remaining blocks meet the deadline if the total memory time of best-effort cores in the
    /// window is `memory` [ns].
    fn ends_with(&self, memory: u64) -> bool {
        let exposure = Exposure {
            memory_ns: memory.saturating_mul(u64::from(self.rest.active_blocks())),
            partial_blocks: self.partial_blocks,
        };
        self.program.solve(exposure).wcet <= self.window
    }

    /// Returns whether the remaining blocks meet the deadline even under full interference ([Aghilinasab20] Algorithm
    /// 2, line 1).
    pub fn is_free(&self) -> bool {
        let all = Exposure {
            memory_ns: u64::MAX,
            partial_blocks: u64::MAX,
        };
        self.program.solve(all).wcet <= self.window
    }

    /// Returns t_mem_max, the largest memory time of best-effort cores under which the remaining blocks meet the
    /// deadline. The result is in whole nanoseconds, and at most the window. If the blocks miss the deadline even
    /// without memory time, the result is 0.
    ///
    /// The result is exact: a bisection with the exact solver inverts Eqs 8–12.
    pub fn exact(&self) -> Time {
        let (mut good, mut bad) = (0, self.window.ns().saturating_add(1));
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.ends_with(middle) {
                true => good = middle,
                false => bad = middle,
            }
        }
        Time::from_ns(good)
    }

    /// Computes t_mem_max [ns] with the linear program of Eqs 14–19 and floating-point numbers. Returns `None` in two
    /// cases: the remaining blocks meet the deadline even under full interference, or they miss it even without memory
    /// time.
    ///
    /// # Errors
    /// Returns an [`LpError`] if the solver gives up.
    pub fn by_linear_program(&self) -> Result<Option<f64>, LpError> {
        if self.is_free() || !self.ends_with(0) {
            return Ok(None);
        }
        linear_program::least_memory_time(&self.rest, self.window.ns() as f64, self.partial_blocks as f64)
            .map(Some)
    }
}
