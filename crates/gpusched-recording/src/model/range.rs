//! Named ranges of time, for example NVTX ranges and profiler steps.

use serde::Serialize;

use super::NameId;

/// Place where a range was measured.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// On the host: from the start to the end of the range in its thread.
    Host,
    /// On the GPU: from the first to the last kernel that the range launched.
    Gpu,
}

/// A named range of time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// Start [ns].
    pub start: i64,
    /// End [ns].
    pub end: i64,
    /// Name without the number of the instance: `ProfilerStep#6` becomes `ProfilerStep`.
    pub name: NameId,
    /// Place where the range was measured.
    pub side: Side,
    /// Thread of a range on the host, or stream of a range on the GPU, if the file states it.
    pub lane: Option<i64>,
}

/// Statistics of all ranges with one name, from a report that does not list each range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeSum {
    /// Name of the ranges.
    pub name: NameId,
    /// Place where the ranges were measured.
    pub side: Side,
    /// Number of ranges.
    pub count: u64,
    /// Shortest duration [ns].
    pub min_ns: Option<u64>,
    /// Median duration [ns].
    pub median_ns: Option<u64>,
    /// Longest duration [ns].
    pub max_ns: Option<u64>,
}

/// Returns the name of a range without the number of the instance: the text before the first `#`.
pub fn stem(name: &str) -> &str {
    match name.split_once('#') {
        Some((stem, _)) if !stem.trim().is_empty() => stem.trim_end(),
        _ => name,
    }
}
