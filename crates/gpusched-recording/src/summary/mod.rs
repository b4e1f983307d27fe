//! Summary of a recording: launches, streams, busy time, and statistics of kernels and ranges.

mod intervals;
mod overlap;
mod statistics;
mod visibility;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Gpu, Launch, Missing, Origin, Recording, Side};
pub use intervals::{Union, union_ns};
pub use overlap::{Overlap, of_processes};
pub use statistics::Statistics;
use strum::VariantArray as _;
pub use visibility::Aspect;

/// Summary of a recording. Values that the file does not contain are `null`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Summary {
    /// Profiler that wrote the file.
    pub source: Origin,
    /// GPUs that the file describes.
    pub gpus: Vec<Gpu>,
    /// Number of kernel launches.
    pub launches: u64,
    /// Number of launches of whole CUDA graphs. Each graph counts as one kernel launch, from the start to the end of
    /// the graph.
    pub graph_launches: u64,
    /// Number of copies and fills of memory. Copies and fills are not launches, and do not count in `busy_ns`.
    pub copies: u64,
    /// Number of different streams, identified by process, device, context and stream.
    pub streams: Option<usize>,
    /// Number of different processes with launches, or `null` if the file states no process.
    pub processes: Option<usize>,
    /// Time from the start of the first launch to the end of the last launch [ns].
    pub span_ns: Option<u64>,
    /// Time during which at least one kernel or CUDA graph ran [ns].
    pub busy_ns: Option<u64>,
    /// Kernels, sorted by decreasing total time.
    pub kernels: Vec<KernelLine>,
    /// Ranges, in the order of their names.
    pub ranges: Vec<RangeLine>,
    /// Number of launches without a start or an end, which the summary does not count.
    pub open_launches: u64,
    /// Number of ranges without a start or an end, which the summary does not count.
    pub open_ranges: u64,
    /// Whether the file shows no sign of missing data.
    pub complete: bool,
    /// Records that are missing in the file.
    pub missing: Missing,
    /// Data that the file shows.
    pub shows: Vec<Aspect>,
    /// Data that the file cannot show. An audit cannot see a violation there.
    pub cannot_show: Vec<Aspect>,
    /// Longest time by which a kernel started before the end of a kernel before it on its stream [ns]. Absent up to 100 µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_overlap_ns: Option<u64>,
}

/// All launches of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct KernelLine {
    /// Full name of the kernel.
    pub name: String,
    /// Number of launches.
    pub launches: u64,
    /// Sum of the execution times [ns].
    pub total_ns: Option<u64>,
    /// Statistics of the execution times.
    #[serde(flatten)]
    pub times: Statistics,
}

impl KernelLine {
    /// Whether a launch ends at its start. Each kernel takes time, so the profiler has not measured this launch.
    pub fn has_no_length(&self) -> bool {
        self.times.min_ns == Some(0)
    }
}

/// All ranges with one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RangeLine {
    /// Name of the ranges, without the number of the instance.
    pub name: String,
    /// Place where the ranges were measured: `host` or `gpu`.
    pub side: Side,
    /// Number of ranges.
    pub count: u64,
    /// Statistics of the durations.
    #[serde(flatten)]
    pub times: Statistics,
}

impl Summary {
    /// Summarizes `recording`. The function sorts the launches in place, because a copy would double the memory.
    pub fn of(mut recording: Recording) -> Summary {
        let overlap = Overlap::longest(&recording);
        let aspects = Aspect::VARIANTS.iter().copied();
        let (shows, cannot_show) = aspects.partition(|aspect| aspect.is_shown(&recording));
        let launches = &mut recording.launches;
        launches.sort_unstable_by_key(|launch| (launch.start, launch.end));
        let spans = || launches.iter().map(|launch| (launch.start, launch.end));
        let first = spans().map(|(start, _)| start).min();
        let last = spans().map(|(_, end)| end).max();
        let span_ns = first.zip(last).map(|(first, last)| last.abs_diff(first));
        let busy_ns = span_ns.map(|_| union_ns(spans()));
        launches.sort_unstable_by_key(|launch| (launch.name, launch.duration()));
        let sums = recording.kernel_sums.iter().map(|sum| sum.launches);
        // Reports with sums state no streams, and some reports with launches have no column for the stream.
        let whole =
            launches.is_empty() && recording.kernel_sums.is_empty() && recording.range_sums.is_empty();
        let known = whole || recording.streams.are_stated();
        let counted = sums.fold(launches.len() as u64, u64::saturating_add);
        let kernels = kernels(&recording);
        // A host call without work on the GPU is an open launch, too, but counts in `missing`.
        let open_launches = (recording.open.len() as u64).saturating_sub(recording.missing.unrecorded);
        let is_measured = !kernels.iter().any(KernelLine::has_no_length);
        Summary {
            launches: counted,
            graph_launches: recording.other.graphs,
            copies: recording.other.copies,
            streams: known.then(|| recording.streams.count()),
            processes: Some(recording.streams.processes()).filter(|&processes| processes > 0),
            span_ns,
            busy_ns,
            kernels,
            ranges: ranges(&recording),
            source: recording.origin,
            gpus: recording.gpus,
            open_launches,
            open_ranges: recording.missing.ranges,
            complete: open_launches == 0 && recording.missing == Missing::default() && is_measured,
            missing: recording.missing,
            shows,
            cannot_show,
            stream_overlap_ns: overlap.map(|overlap| overlap.by_ns),
        }
    }
}

/// Returns the kernels. The launches are sorted by name and duration.
fn kernels(recording: &Recording) -> Vec<KernelLine> {
    let groups = recording.launches.chunk_by(|one, other| one.name == other.name);
    let single = groups.filter_map(|group| {
        let total = group.iter().map(Launch::duration).fold(0, u64::saturating_add);
        Some(KernelLine {
            name: recording.names.get(group.first()?.name).to_owned(),
            launches: group.len() as u64,
            total_ns: Some(total),
            times: Statistics::sorted(group, Launch::duration),
        })
    });
    let sums = recording.kernel_sums.iter().map(|sum| KernelLine {
        name: recording.names.get(sum.name).to_owned(),
        launches: sum.launches,
        total_ns: sum.total_ns,
        times: Statistics {
            min_ns: sum.min_ns,
            median_ns: sum.median_ns,
            p99_ns: None,
            max_ns: sum.max_ns,
        },
    });
    let mut lines: Vec<KernelLine> = single.chain(sums).collect();
    lines.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    lines
}

fn ranges(recording: &Recording) -> Vec<RangeLine> {
    let mut groups: BTreeMap<(&str, Side), Vec<u64>> = BTreeMap::new();
    for range in &recording.ranges {
        let key = (recording.names.get(range.name), range.side);
        groups
            .entry(key)
            .or_default()
            .push(range.end.abs_diff(range.start));
    }
    let single = groups.into_iter().map(|((name, side), mut times)| {
        times.sort_unstable();
        RangeLine {
            name: name.to_owned(),
            side,
            count: times.len() as u64,
            times: Statistics::sorted(&times, |&time| time),
        }
    });
    let sums = recording.range_sums.iter().map(|sum| RangeLine {
        name: recording.names.get(sum.name).to_owned(),
        side: sum.side,
        count: sum.count,
        times: Statistics {
            min_ns: sum.min_ns,
            median_ns: sum.median_ns,
            p99_ns: None,
            max_ns: sum.max_ns,
        },
    });
    single.chain(sums).collect()
}
