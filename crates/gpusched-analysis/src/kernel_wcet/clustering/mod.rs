//! Blocks that behave alike ([Aghilinasab20] §IV-A).
//!
//! The paper clusters blocks "by repeatedly applying the two-sample K-S test at a level α = 0.05" and says no more. What is done
//! here, and why, is in docs/models.md. In short: a block belongs to a cluster iff the test between its measurements
//! and those of the other blocks of the cluster does not reject at level α/N. All blocks start in one cluster;
//! as long as some block is rejected, the most clearly rejected one founds a new cluster and all blocks go to the nearest;
//! in the end, clusters that can be one without a rejection become one.
//!
//! Whatever comes out, a cluster's WCETs are the largest times measured in it: a wrong cluster makes a bound worse, not
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

/// Beyond this critical distance nothing is told apart: distributions that overlap by half look alike.
const COARSEST: f64 = 0.5;

/// How blocks are clustered.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Options {
    /// α: the probability that blocks that are all alike do not end up in one cluster, at most.
    pub alpha: f64,
    /// The largest number of clusters; where it is reached, some blocks share a cluster with others unlike them.
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

/// Which block belongs to which cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct Clustering {
    assignment: Vec<usize>,
    clusters: usize,
    rejected: usize,
    exact: bool,
    critical: f64,
}

impl Clustering {
    /// Clusters the blocks of `trace` by their measurements in isolation, on the threads of the current rayon pool; the result
    /// does not depend on their number.
    ///
    /// # Errors
    /// [`Error::Refused`] for an α outside (0, 1), a limit outside 1 … [`MAX_CLUSTERS`], or too few measurements to tell
    /// anything apart.
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
                    "at least {needed}: with fewer, no two of {blocks} blocks can be told apart at alpha {alpha:?}"
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

    /// The same with the clusters in ascending order of their mean in isolation, then of their first block.
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

    /// The cluster of each block, numbered in ascending order of the mean time in isolation.
    pub fn assignment(&self) -> &[usize] {
        &self.assignment
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// How many blocks their cluster rejects: none unless the limit on clusters was reached.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Whether distances were exact; if not, values closer than about one part in [`CELLS`] of all counted as equal.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The K-S distance from which on one block is told from a large cluster.
    pub fn critical(&self) -> f64 {
        self.critical
    }
}
