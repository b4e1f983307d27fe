//! Clusters of blocks with equal distributions of execution times ([Aghilinasab20] §IV-A).
//!
//! The paper clusters blocks "by repeatedly applying the two-sample K-S test at a level α = 0.05" and gives no details.
//! `docs/explanation/kernel-bounds.md` describes the algorithm of gpusched, with reasons. In short: A block belongs to a cluster
//! iff a K-S test at level α/N does not reject the block. The test compares the measurements of the block with the measurements of
//! the other blocks of the cluster. At first, all blocks are in one cluster. As long as a cluster rejects a block, the block with
//! the largest ratio of distance to critical distance starts a new cluster, and all blocks move to the nearest cluster. In the end,
//! gpusched merges clusters whose union rejects no block.
//!
//! In every clustering, the WCETs of a cluster are the largest times measured in it. A wrong cluster makes a bound pessimistic, but
//! never unsafe.

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

/// Largest accepted critical distance. With a larger critical distance, the test cannot distinguish two distributions that overlap
/// by half.
const COARSEST: f64 = 0.5;

/// Options of the clustering.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Options {
    /// α: upper limit on the probability that blocks with equal distributions are in more than one cluster.
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

/// The cluster of each block.
#[derive(Clone, PartialEq, Debug)]
pub struct Clustering {
    assignment: Vec<usize>,
    clusters: usize,
    rejected: usize,
    exact: bool,
    critical: f64,
}

impl Clustering {
    /// Computes clusters of the blocks of `trace` from their measurements in isolation. Uses the threads of the current rayon pool.
    /// The result does not depend on the number of threads.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if α is outside (0, 1) or the limit is outside 1 … [`MAX_CLUSTERS`]. Also returns this error if
    /// the measurements are too few to distinguish any two blocks.
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

    /// Sorts the clusters by their mean time in isolation. Clusters with equal means are sorted by their first block.
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

    /// Returns the cluster of each block. Clusters are numbered in ascending order of the mean time in isolation.
    pub fn assignment(&self) -> &[usize] {
        &self.assignment
    }

    /// Returns the number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Returns the number of blocks that their cluster rejects. It is 0 unless the search reached a limit.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Returns whether distances are exact. If not, values count as equal if about the fraction 1/[`CELLS`] of all values or less
    /// lies between them.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the critical K-S distance of one block to a large cluster. The cluster rejects a block at a larger distance.
    pub fn critical(&self) -> f64 {
        self.critical
    }
}
