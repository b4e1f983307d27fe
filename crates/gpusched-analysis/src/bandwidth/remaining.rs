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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_blocks_are_counted() {
        let kernel: Kernel = serde_json::from_str(
            r#"{"active_blocks":2,"regulation_period":"1ms","clusters":[{"blocks":3,"e0":1,"e1":2},{"blocks":4,"e0":1,"e1":2}],
            "intervals":[{"first":0,"last":1,"cluster":0},{"first":2,"last":5,"cluster":1},{"first":6,"last":6,"cluster":0}]}"#,
        )
        .unwrap();
        let table = RemainingTable::new(&kernel);
        let clusters = [0, 0, 1, 1, 1, 1, 0];
        for next in 0..=7u64 {
            assert_eq!(table.cluster_of(next), clusters.get(next as usize).copied());
            for running in [vec![], vec![0], vec![next.saturating_sub(1)]] {
                let running: Vec<u64> = running.into_iter().filter(|&block| block < next).collect();
                let mut expected = [0u64; 2];
                let not_done = (next..7).chain(running.iter().copied());
                not_done.for_each(|block| expected[clusters[block as usize]] += 1);
                let mut found = [9; 2];
                table.remaining(next, running.iter().copied(), &mut found);
                assert_eq!(found, expected, "{next} {running:?}");
            }
        }
    }
}
