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

/// Thread of the host, or stream of the GPU. Numbers count per process.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lane {
    /// Thread of a process.
    Thread {
        /// Number of the process, if the file states it.
        process: Option<i64>,
        /// Number of the thread.
        thread: i64,
    },
    /// Stream of a process on a GPU.
    Stream {
        /// Number of the GPU, if the file states it.
        device: Option<i64>,
        /// Number of the process, if the file states it.
        process: Option<i64>,
        /// Number of the stream.
        stream: i64,
    },
}

impl Lane {
    /// Returns the number of the process, if the file states it.
    pub fn process(self) -> Option<i64> {
        match self {
            Lane::Thread { process, .. } | Lane::Stream { process, .. } => process,
        }
    }
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
    /// Thread that started the range, or stream of a range on the GPU, if the file states it.
    pub lane: Option<Lane>,
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

/// Returns the name of a range without the number of the instance: the text before the first `#`, and before the numbers
/// and shapes that `torch.autograd.profiler.emit_nvtx` adds (`aten::add, op_id = 7, sizes = [[4, 8]]`).
pub fn stem(name: &str) -> &str {
    let numbers = [", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "];
    let numbered = numbers.iter().filter_map(|number| name.find(number)).min();
    let name = numbered.and_then(|at| name.get(..at)).unwrap_or(name);
    match name.split_once('#') {
        Some((stem, _)) if !stem.trim().is_empty() => stem.trim_end(),
        _ => name,
    }
}
