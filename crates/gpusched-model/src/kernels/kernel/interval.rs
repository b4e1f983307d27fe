//! Intervals of consecutive thread blocks in one cluster.

use serde::{Deserialize, Serialize};

use super::Cluster;
use crate::Refusal;

/// An interval of consecutive thread blocks in one cluster ([Aghilinasab20] §VI-B).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Number of the first thread block.
    pub first: u64,
    /// Number of the last thread block.
    pub last: u64,
    /// Position of the cluster in the list `clusters`, counted from 0.
    pub cluster: usize,
}

/// Checks that `intervals` assign each block, from block 0 on, to one of `clusters`. Also checks that the intervals of
/// each cluster together have the same number of blocks as the cluster.
pub(super) fn check(intervals: &[Interval], clusters: &[Cluster]) -> Result<(), Refusal> {
    let field = |index: usize, name: &str| format!("intervals[{index}].{name}");
    let mut next = 0u64;
    let mut blocks = vec![0u64; clusters.len()];
    for (index, interval) in intervals.iter().enumerate() {
        if interval.first != next {
            let expected = format!("{next}, the next block that belongs to no earlier interval");
            return Err(Refusal::new(field(index, "first"), interval.first, expected));
        }
        if interval.last < interval.first {
            let expected = format!("at least {}, the value of `first`", interval.first);
            return Err(Refusal::new(field(index, "last"), interval.last, expected));
        }
        let Some(count) = blocks.get_mut(interval.cluster) else {
            let expected = format!("the position of a cluster, below {}", clusters.len());
            return Err(Refusal::new(field(index, "cluster"), interval.cluster, expected));
        };
        let length = (interval.last - interval.first).checked_add(1);
        let sum = length.and_then(|length| count.checked_add(length));
        let (Some(sum), Some(following)) = (sum, interval.last.checked_add(1)) else {
            let expected = "fewer than 2^64 blocks";
            return Err(Refusal::new(field(index, "last"), interval.last, expected));
        };
        (*count, next) = (sum, following);
    }
    for (index, (cluster, &found)) in clusters.iter().zip(&blocks).enumerate() {
        if cluster.blocks() != found {
            let found = format!("{found} blocks for cluster {index}");
            let expected = format!("{} blocks, as clusters[{index}] states", cluster.blocks());
            return Err(Refusal::new("intervals", found, expected));
        }
    }
    Ok(())
}
