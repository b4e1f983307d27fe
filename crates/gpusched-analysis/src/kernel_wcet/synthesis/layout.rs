//! Assignment of blocks to clusters, for a kernel without intervals.

use gpusched_model::Cluster;
use gpusched_model::error::{Error, Result};
use gpusched_model::kernel::Interval;

/// Creates `count` intervals, and assigns them to the clusters in turn. The intervals of a
/// cluster share its blocks evenly. If the division has a remainder, the first intervals have one
/// more block.
///
/// # Errors
/// Returns [`Error::Refused`] in three cases: there are fewer intervals than clusters; a single
/// cluster has several intervals; a cluster has more intervals than blocks.
pub fn alternate(clusters: &[Cluster], count: usize) -> Result<Vec<Interval>> {
    let refuse = |expected: String| Err(Error::parameter("intervals", count, expected));
    if count < clusters.len() {
        return refuse(format!(
            "at least one interval for each of {} clusters",
            clusters.len()
        ));
    }
    if clusters.len() == 1 && count > 1 {
        return refuse("1, because the blocks of a single cluster are one interval".to_owned());
    }
    let of = |cluster: usize| (count - cluster).div_ceil(clusters.len()) as u64;
    for (index, cluster) in clusters.iter().enumerate() {
        if of(index) > cluster.blocks() {
            let blocks = cluster.blocks();
            return refuse(format!(
                "fewer intervals, because cluster {index} would have {} intervals for {blocks} blocks",
                of(index)
            ));
        }
    }
    let mut next = 0;
    let mut intervals = Vec::with_capacity(count);
    for index in 0..count {
        let position = index % clusters.len();
        let Some(cluster) = clusters.get(position) else {
            continue;
        };
        let (parts, part) = (of(position), (index / clusters.len()) as u64);
        let blocks = cluster.blocks() / parts + u64::from(part < cluster.blocks() % parts);
        intervals.push(Interval {
            first: next,
            last: next + blocks - 1,
            cluster: position,
        });
        next += blocks;
    }
    Ok(intervals)
}
