//! The number of unfinished blocks of each cluster, computed from the block numbers of the
//! running blocks ([Aghilinasab20] §VI-B).

use gpusched_model::Kernel;

/// The cluster intervals of a kernel. For each interval, the table states the number of blocks of each cluster from the
/// start of the interval to the end of the kernel. A cluster interval is a range of consecutive block numbers that
/// belong to one cluster.
#[derive(Clone, Debug)]
pub struct RemainingTable {
    /// For each cluster interval: the first block and the cluster. Sorted by the first block. The first interval begins
    /// with block 0.
    intervals: Vec<(u64, usize)>,
    /// For each cluster interval: the number of blocks of each cluster from the start of this interval to the end of
    /// the kernel. The last entries describe the end of the kernel, so they are 0.
    rest: Vec<u64>,
    clusters: usize,
    blocks: u64,
}

impl RemainingTable {
    /// Creates the table of `kernel`. If `kernel` has no cluster intervals, each cluster is one interval, in the order
    /// of the clusters.
    pub fn new(kernel: &Kernel) -> RemainingTable {
        let clusters = kernel.clusters().len();
        let mut intervals: Vec<(u64, usize)> = Vec::new();
        if kernel.intervals().is_empty() {
            let mut first = 0;
            for (index, cluster) in kernel.clusters().iter().enumerate() {
                intervals.push((first, index));
                first += cluster.blocks();
            }
        } else {
            intervals.extend(
                kernel
                    .intervals()
                    .iter()
                    .map(|interval| (interval.first, interval.cluster)),
            );
        }
        let blocks = kernel.blocks();
        let ends = intervals
            .iter()
            .skip(1)
            .map(|interval| interval.0)
            .chain([blocks]);
        let lengths: Vec<(usize, u64)> = intervals
            .iter()
            .zip(ends)
            .map(|(&(first, cluster), end)| (cluster, end - first))
            .collect();
        let mut counts: Vec<u64> = kernel.clusters().iter().map(|cluster| cluster.blocks()).collect();
        let mut rest = counts.clone();
        for (cluster, length) in lengths {
            counts[cluster] -= length;
            rest.extend_from_slice(&counts);
        }
        RemainingTable {
            intervals,
            rest,
            clusters,
            blocks,
        }
    }

    /// Returns the cluster of the block with number `block`, or `None` if `kernel` has no such block.
    pub fn cluster_of(&self, block: u64) -> Option<usize> {
        if block >= self.blocks {
            return None;
        }
        let position = self.intervals.partition_point(|interval| interval.0 <= block);
        self.intervals
            .get(position.checked_sub(1)?)
            .map(|interval| interval.1)
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
        let position = self.intervals.partition_point(|interval| interval.0 < next);
        let from = position * self.clusters;
        counts.copy_from_slice(&self.rest[from..from + self.clusters]);
        // Add the blocks of the previous interval that have not started.
        if let Some(before) = position.checked_sub(1) {
            let (_, cluster) = self.intervals[before];
            let end = self
                .intervals
                .get(position)
                .map_or(self.blocks, |interval| interval.0);
            counts[cluster] += end.saturating_sub(next);
        }
        for block in running {
            if let Some(cluster) = self.cluster_of(block) {
                counts[cluster] += 1;
            }
        }
    }
}
