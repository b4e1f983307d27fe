//! The number of unfinished blocks of each cluster, computed from the block numbers of the
//! running blocks ([Aghilinasab20] §VI-B).

use gpusched_budget::intervals::table_length;
use gpusched_budget::{Interval, Intervals};
use gpusched_model::Kernel;

/// The cluster intervals of a kernel. For each interval, the table states the number of blocks of each cluster from the
/// start of the interval to the end of the kernel. A cluster interval is a range of consecutive block numbers that
/// belong to one cluster.
#[derive(Clone, Debug)]
pub struct RemainingTable(Intervals<Vec<Interval>, Vec<u64>>);

impl RemainingTable {
    /// Creates the table of `kernel`. If `kernel` has no cluster intervals, each cluster is one interval, in the order
    /// of the clusters.
    ///
    /// # Panics
    /// Never panics, because `kernel` checked its intervals.
    pub fn new(kernel: &Kernel) -> RemainingTable {
        let mut intervals: Vec<Interval> = Vec::new();
        if kernel.intervals().is_empty() {
            let mut first = 0;
            for (cluster, found) in (0..).zip(kernel.clusters()) {
                intervals.push(Interval { first, cluster });
                first += found.blocks();
            }
        } else {
            intervals.extend(kernel.intervals().iter().map(|interval| Interval {
                first: interval.first,
                cluster: interval.cluster as u64,
            }));
        }
        let blocks = kernel.clusters().iter().map(|cluster| cluster.blocks());
        let length = table_length(intervals.len(), kernel.clusters().len()).unwrap_or(usize::MAX);
        match Intervals::new(intervals, vec![0; length], blocks) {
            Ok(table) => RemainingTable(table),
            Err(fault) => unreachable!("the kernel checked its intervals: {fault:?}"),
        }
    }

    /// Returns the cluster of the block with number `block`, or `None` if `kernel` has no such block.
    pub fn cluster_of(&self, block: u64) -> Option<usize> {
        self.0.cluster_of(block)
    }

    /// Computes Rᵢ, the number of unfinished blocks of each cluster i, and writes these numbers
    /// to `counts`. The function allocates no memory.
    ///
    /// Blocks start in the order of their numbers. All blocks with numbers below `next` have
    /// started, and the blocks `running` have started but not ended.
    ///
    /// # Panics
    /// Panics if the length of `counts` is not the number of clusters.
    pub fn remaining(&self, next: u64, running: impl IntoIterator<Item = u64>, counts: &mut [u64]) {
        let counted = self.0.remaining(next, running, counts);
        assert!(counted.is_ok(), "one number for each cluster");
    }
}
