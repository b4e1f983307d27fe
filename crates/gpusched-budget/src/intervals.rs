//! The number of unfinished blocks of each cluster, computed from the block numbers of the
//! running blocks ([Aghilinasab20] §VI-B).

use crate::Fault;

/// Range of consecutive block numbers that belong to one cluster. It ends where the next interval begins.
#[repr(C)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    /// First block.
    pub first: u64,
    /// Position of the cluster in the kernel.
    pub cluster: u64,
}

/// The cluster intervals of a kernel. For each interval, a table states the number of blocks of each cluster from the
/// start of the interval to the end of the kernel. `I` holds the intervals, and `R` the table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Intervals<I, R> {
    /// Sorted by the first block. The first interval begins with block 0.
    intervals: I,
    /// For each cluster interval: the number of blocks of each cluster from the start of this interval to the end of
    /// the kernel. The last entries describe the end of the kernel, so they are 0.
    rest: R,
    clusters: usize,
    blocks: u64,
}

/// Returns the length of the table for `intervals` intervals and `clusters` clusters; `None` if it is too large for the machine.
pub fn table_length(intervals: usize, clusters: usize) -> Option<usize> {
    intervals.checked_add(1)?.checked_mul(clusters)
}

impl<I: AsRef<[Interval]>, R: AsRef<[u64]>> Intervals<I, R> {
    /// Creates the table in `rest`, which has [`table_length`] entries. `blocks` has the number of blocks of each cluster.
    ///
    /// # Errors
    /// Returns [`Fault::Clusters`] without a cluster, [`Fault::Length`] if `rest` has another length, and [`Fault::Intervals`] if the intervals do not describe
    /// the blocks.
    pub fn new(
        intervals: I,
        mut rest: R,
        blocks: impl Iterator<Item = u64> + Clone,
    ) -> Result<Intervals<I, R>, Fault>
    where
        R: AsMut<[u64]>,
    {
        let (clusters, total) = fill(intervals.as_ref(), rest.as_mut(), blocks)?;
        Ok(Intervals {
            intervals,
            rest,
            clusters,
            blocks: total,
        })
    }

    /// Returns the cluster of the block with number `block`, or `None` if the kernel has no such block.
    pub fn cluster_of(&self, block: u64) -> Option<usize> {
        if block >= self.blocks {
            return None;
        }
        let intervals = self.intervals.as_ref();
        let position = intervals.partition_point(|interval| interval.first <= block);
        let interval = intervals.get(position.checked_sub(1)?)?;
        usize::try_from(interval.cluster).ok()
    }

    /// Computes Rᵢ, the number of unfinished blocks of each cluster i, and writes these numbers
    /// to `counts`. The loops take N + (M + 1)·(⌊log₂ I⌋ + 2) steps for M running blocks, N clusters and I intervals.
    ///
    /// Blocks start in the order of their numbers. All blocks with numbers below `next` have
    /// started, and the blocks `running` have started but not ended.
    ///
    /// # Errors
    /// Returns [`Fault::Length`] if the length of `counts` is not the number of clusters. Unknown running blocks are ignored.
    pub fn remaining(
        &self,
        next: u64,
        running: impl IntoIterator<Item = u64>,
        counts: &mut [u64],
    ) -> Result<(), Fault> {
        let intervals = self.intervals.as_ref();
        let position = intervals.partition_point(|interval| interval.first < next);
        let from = position.saturating_mul(self.clusters);
        let to = from.saturating_add(self.clusters);
        let rest = self.rest.as_ref().get(from..to).unwrap_or_default();
        if counts.len() != rest.len() {
            return Err(Fault::Length);
        }
        for (count, &rest) in counts.iter_mut().zip(rest) {
            *count = rest;
        }
        // Add the blocks of the previous interval that have not started.
        let before = position.checked_sub(1).and_then(|before| intervals.get(before));
        if let Some(before) = before {
            let end = intervals
                .get(position)
                .map_or(self.blocks, |interval| interval.first);
            add(
                counts,
                usize::try_from(before.cluster).ok(),
                end.saturating_sub(next),
            );
        }
        for block in running {
            add(counts, self.cluster_of(block), 1);
        }
        Ok(())
    }
}

impl<'a> Intervals<&'a [Interval], &'a [u64]> {
    /// Creates the table as [`Intervals::new`] does. The caller keeps the memory.
    ///
    /// # Errors
    /// Returns the same faults.
    pub fn borrowing(
        intervals: &'a [Interval],
        rest: &'a mut [u64],
        blocks: impl Iterator<Item = u64> + Clone,
    ) -> Result<Self, Fault> {
        let (clusters, total) = fill(intervals, rest, blocks)?;
        Ok(Intervals {
            intervals,
            rest,
            clusters,
            blocks: total,
        })
    }
}

fn add(counts: &mut [u64], cluster: Option<usize>, blocks: u64) {
    if let Some(count) = cluster.and_then(|cluster| counts.get_mut(cluster)) {
        *count = count.saturating_add(blocks);
    }
}

/// Fills the table. Returns the numbers of clusters and of blocks.
fn fill(
    intervals: &[Interval],
    rest: &mut [u64],
    blocks: impl Iterator<Item = u64> + Clone,
) -> Result<(usize, u64), Fault> {
    let clusters = blocks.clone().count();
    let mut total = 0_u64;
    for count in blocks.clone() {
        total = total.checked_add(count).ok_or(Fault::Intervals)?;
    }
    if clusters == 0 {
        return Err(Fault::Clusters);
    }
    if table_length(intervals.len(), clusters) != Some(rest.len()) {
        return Err(Fault::Length);
    }
    let mut rows = rest.chunks_exact_mut(clusters);
    // The blocks from the end of the last interval to the end of the kernel.
    let mut end = total;
    let mut before: Option<&mut [u64]> = None;
    // From the last row to the first one, each interval adds its blocks.
    for number in (0..=intervals.len()).rev() {
        let row = rows.next_back().ok_or(Fault::Length)?;
        match &before {
            None => row.fill(0),
            Some(after) => row
                .iter_mut()
                .zip(after.iter())
                .for_each(|(count, &after)| *count = after),
        }
        if let Some(interval) = intervals.get(number) {
            let length = end.checked_sub(interval.first).ok_or(Fault::Intervals)?;
            let cluster = usize::try_from(interval.cluster).map_err(|_| Fault::Intervals)?;
            let count = row.get_mut(cluster).ok_or(Fault::Intervals)?;
            *count = count.saturating_add(length);
            end = interval.first;
        }
        before = Some(row);
    }
    let first = before.unwrap_or_default();
    match end == 0 && first.iter().copied().eq(blocks) {
        true => Ok((clusters, total)),
        false => Err(Fault::Intervals),
    }
}
