//! Clusters of blocks with equal distributions of execution times ([Aghilinasab20] §IV-A).
//!
//! The paper clusters blocks "by repeatedly applying the two-sample K-S test at a level α = 0.05" and gives no details.
//! `docs/explanation/kernel-bounds.md` describes this algorithm, with reasons. In short: A block belongs to a cluster iff the test
//! between its measurements and the measurements of the other blocks of the cluster does not reject at level α/N. All blocks start
//! in one cluster. While some block is rejected, the most clearly rejected block founds a new cluster, and all blocks move to the
//! nearest cluster. In the end, clusters are merged if their union rejects no block.
//!
//! In every clustering, the WCETs of a cluster are the largest times measured in it. A wrong cluster makes a bound pessimistic, not
//! unsafe.

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

/// Largest critical distance. Beyond it the test cannot distinguish distributions that overlap by half.
const COARSEST: f64 = 0.5;

/// Options of the clustering.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Options {
    /// α: largest probability that identical blocks end in more than one cluster.
    pub alpha: f64,
    /// Largest number of clusters. At this limit, some blocks may share a cluster with different blocks.
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
    /// Clusters the blocks of `trace` by their measurements in isolation, on the threads of the current rayon pool. The result does
    /// not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::Refused`] if α is outside (0, 1), if the limit is outside 1 … [`MAX_CLUSTERS`], or if the measurements are too few
    /// to distinguish blocks.
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
                    "at least {needed}, because fewer cannot distinguish any two of {blocks} blocks at alpha {alpha:?}"
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

    /// Sorts the clusters by their mean in isolation, then by their first block.
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

    /// The cluster of each block. Clusters are numbered in ascending order of the mean time in isolation.
    pub fn assignment(&self) -> &[usize] {
        &self.assignment
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of blocks that their cluster rejects: 0 unless a limit of the search was reached.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Whether distances are exact. If not, values closer than about one part in [`CELLS`] of all values count as equal.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Critical K-S distance of one block to a large cluster. Blocks at larger distances are rejected.
    pub fn critical(&self) -> f64 {
        self.critical
    }
}
