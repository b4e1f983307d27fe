//! Clusters of thread blocks. The blocks of a cluster have equal distributions of execution times ([Aghilinasab20]
//! §IV-A).
//!
//! The paper clusters blocks "by repeatedly applying the two-sample K-S test at a level α = 0.05"
//! and gives no details. `docs/explanation/kernel-bounds.md` describes and explains the algorithm
//! of gpusched.
//!
//! A cluster rejects a block if a K-S test at level α/N finds that the distributions differ. The test compares the
//! measurements of the block with the measurements of the other blocks of the cluster. The algorithm starts with all
//! blocks in one cluster. While clusters reject blocks, the algorithm repeats two steps. First, the rejected block with
//! the largest ratio of distance to critical distance starts a new cluster. Then each block moves to its nearest
//! cluster. In the end, the algorithm merges clusters whose union rejects no block.
//!
//! The WCETs of a cluster are at least the largest measured times of its blocks. So a wrong
//! cluster makes a bound pessimistic, but never unsafe.

mod grid;
mod pool;
mod profile;
mod search;
pub mod two_sample;

pub use grid::{CELLS, Grid};
pub use pool::Pool;
pub use profile::{Profile, Wcets};

use crate::kernel_wcet::trace::{Summary, Trace};
use gpusched_model::error::{Error, Result};
use gpusched_model::kernel::MAX_CLUSTERS;
use two_sample::critical_factor;

/// Largest accepted critical distance. With a larger critical distance, the test would accept two
/// distributions that overlap only by half.
const COARSEST: f64 = 0.5;

/// Options of the clustering.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Options {
    /// α: upper limit on the probability that the algorithm separates blocks with equal
    /// distributions.
    pub alpha: f64,
    /// Largest number of clusters. If the search reaches this limit, a cluster may contain blocks with different distributions.
    pub most: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            alpha: 0.05,
            most: 64,
        }
    }
}

/// The division of all blocks into clusters.
#[derive(Clone, PartialEq, Debug)]
pub struct Clustering {
    assignment: Vec<usize>,
    clusters: usize,
    rejected: usize,
    exact: bool,
    critical: f64,
}

impl Clustering {
    /// Computes clusters of the blocks of `trace` from their measurements in isolation. The
    /// computation uses the threads of the current rayon pool, and the result does not depend on
    /// the number of threads.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if α is not between 0 and 1, or if the limit is not from 1 to
    /// [`MAX_CLUSTERS`]. Also returns this error if there are too few measurements for the test to distinguish two
    /// blocks.
    pub fn new(trace: &Trace, options: &Options) -> Result<Clustering> {
        let Options { alpha, most } = *options;
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::parameter(
                "alpha",
                format!("{alpha:?}"),
                "a number between 0 and 1",
            ));
        }
        if !(1..=MAX_CLUSTERS).contains(&most) {
            return Err(Error::parameter("clusters", most, format!("1 to {MAX_CLUSTERS}")));
        }
        let (blocks, kept) = (trace.blocks(), trace.isolated.kept());
        let factor = critical_factor(alpha / blocks.max(1) as f64);
        let critical = factor / (kept.max(1) as f64).sqrt();
        if blocks > 1 && critical > COARSEST {
            let needed = (factor / COARSEST).powi(2).ceil();
            return Err(Error::parameter(
                "trace",
                format!("{kept} measurements of each block at q = 0"),
                format!(
                    "at least {needed}, because fewer measurements cannot distinguish any two of {blocks} blocks at alpha {alpha:?}"
                ),
            ));
        }
        let grid = Grid::new(&trace.isolated);
        let mut search = search::Search::new(&grid, factor, most);
        search.run();
        let rejected = search.rejected();
        Ok(Clustering {
            clusters: search.pools.len(),
            assignment: search.assignment,
            rejected,
            exact: grid.is_exact(),
            critical,
        }
        .by_mean(trace))
    }

    /// Numbers the clusters by ascending mean time in isolation. Clusters with equal means are
    /// numbered by their first block.
    fn by_mean(mut self, trace: &Trace) -> Clustering {
        let means: Vec<Summary> = self.summaries(&trace.isolated);
        let mut order: Vec<usize> = (0..self.clusters).collect();
        let first = |cluster: usize| self.assignment.iter().position(|&other| other == cluster);
        let mean = |cluster: usize| means[cluster].mean;
        order.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)).then_with(|| first(a).cmp(&first(b))));
        let mut rank = vec![0; order.len()];
        for (position, &cluster) in order.iter().enumerate() {
            rank[cluster] = position;
        }
        for cluster in &mut self.assignment {
            *cluster = rank[*cluster];
        }
        self
    }

    /// Returns the cluster number of each block. Clusters are numbered by ascending mean time in
    /// isolation.
    pub fn assignment(&self) -> &[usize] {
        &self.assignment
    }

    /// Returns the number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Returns the number of blocks that their own cluster rejects. The number is 0, unless the search reached a limit.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Returns whether K-S distances are exact. If the distances are not exact, two different values may count as
    /// equal. In this case, the fraction of measurements between these values is at most about 1/[`CELLS`].
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the critical K-S distance between one block and a large cluster. A cluster rejects
    /// a block with a larger distance.
    pub fn critical(&self) -> f64 {
        self.critical
    }
}
