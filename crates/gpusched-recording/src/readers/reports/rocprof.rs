//! CSV files of rocprof, rocprofv3 and Omniperf.

use std::collections::HashSet;

use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

use super::header::{Header, TimeColumn};
use super::{Report, Row, number};
use crate::model::{Gpu, KernelSum, Origin, Recording, Side, StreamKey, Tool};

const BEGIN: [&str; 2] = ["beginns", "start_timestamp"];
const END: [&str; 2] = ["endns", "end_timestamp"];
const KERNEL: [&str; 2] = ["kernelname", "kernel_name"];

/// Reports with ranges, and with calls of an API alone.
const MARKERS: &str = "marker_trace";
const CALLS: &str = "api_trace";

/// Returns the reader of the file of rocprof that starts with `header`.
pub fn report(header: &Header) -> Option<(Origin, Box<dyn Report>)> {
    let origin = |report| Origin {
        tool: Tool::Rocprof,
        version: None,
        date: None,
        schema: None,
        report,
    };
    let timed = header.find(&BEGIN).is_some() && header.find(&END).is_some();
    if timed && header.find(&KERNEL).is_some() {
        let report = match header.has(&["counter_name"]) {
            true => "counter_collection",
            false => "kernel_trace",
        };
        return Some((origin(report), Box::new(Kernels::of(header))));
    }
    if timed && header.has(&["domain", "function"]) {
        return Some((origin(MARKERS), Box::new(Markers::of(header))));
    }
    if header.has(&["name", "calls", "totaldurationns"]) {
        return Some((origin("kernel_stats"), Box::new(Stats::of(header))));
    }
    if header.has(&["cu_count", "agent_type"]) {
        return Some((origin("agent_info"), Box::new(Agents::of(header))));
    }
    None
}

/// Returns the names of the columns with times, if `header` is a list of kernels of rocprof without these columns.
pub fn missing_times(header: &Header) -> Option<&'static str> {
    let kernels = header.find(&KERNEL).is_some() && header.find(&["gpu-id", "gpu_id", "agent_id"]).is_some();
    (kernels && report(header).is_none())
        .then_some("`BeginNs` and `EndNs`, or `Start_Timestamp` and `End_Timestamp`")
}

fn times(header: &Header) -> (Option<TimeColumn>, Option<TimeColumn>) {
    (header.time(&BEGIN), header.time(&END))
}

struct Kernels {
    /// Column with the number of the launch, in a file with one row per launch and counter.
    dispatch: Option<usize>,
    /// Launches of such a file that have a row.
    seen: HashSet<(StreamKey, i64)>,
    process: Option<usize>,
    start: Option<TimeColumn>,
    end: Option<TimeColumn>,
    name: Option<usize>,
    device: Option<usize>,
    stream: Option<usize>,
}

impl Kernels {
    fn of(header: &Header) -> Kernels {
        let (start, end) = times(header);
        Kernels {
            dispatch: header
                .find(&["dispatch_id"])
                .filter(|_| header.has(&["counter_name"])),
            seen: HashSet::new(),
            process: header.find(&["pid", "process_id"]),
            start,
            end,
            name: header.find(&KERNEL),
            device: header.find(&["gpu-id", "gpu_id", "agent_id"]),
            stream: header.find(&["stream_id", "queue-id", "queue_id"]),
        }
    }
}

impl Report for Kernels {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let key = StreamKey {
            process: number::identity(row, self.process),
            device: number::identity(row, self.device),
            stream: number::identity(row, self.stream),
            ..StreamKey::default()
        };
        if let Some(dispatch) = number::identity(row, self.dispatch)
            && !self.seen.insert((key, dispatch))
        {
            return Ok(());
        }
        let missing = &mut recording.missing;
        let start = number::event_time(row, self.start, "start", Rounding::Down, missing);
        let end = number::event_time(row, self.end, "end", Rounding::Up, missing);
        recording.launch(&row.text(self.name), key, (start, end), None);
        Ok(())
    }
}

struct Markers {
    domain: Option<usize>,
    process: Option<usize>,
    start: Option<TimeColumn>,
    end: Option<TimeColumn>,
    name: Option<usize>,
    thread: Option<usize>,
}

impl Markers {
    fn of(header: &Header) -> Markers {
        let (start, end) = times(header);
        Markers {
            domain: header.find(&["domain"]),
            process: header.find(&["pid", "process_id"]),
            start,
            end,
            name: header.find(&["function"]),
            thread: header.find(&["thread_id"]),
        }
    }
}

impl Report for Markers {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        // Traces of HIP and HSA have the columns of a marker trace. Their calls are no ranges.
        let domain = row.text(self.domain).to_ascii_uppercase();
        let empty = recording.launches.is_empty() && recording.ranges.is_empty();
        if domain.contains("API") && !domain.contains("MARKER") {
            if empty {
                recording.origin.report = CALLS;
            }
            return Ok(());
        }
        if recording.origin.report == CALLS {
            recording.origin.report = MARKERS;
        }
        let missing = &mut recording.missing;
        let start = number::event_time(row, self.start, "Start_Timestamp", Rounding::Down, missing);
        let end = number::event_time(row, self.end, "End_Timestamp", Rounding::Up, missing);
        let lane = number::lane(row, self.process, self.thread);
        recording.range(&row.text(self.name), Side::Host, (start, end), lane);
        Ok(())
    }

    fn set_aside(&mut self, _: &Row<'_>, recording: &mut Recording) {
        recording.missing.ranges += 1;
    }
}

struct Stats {
    name: Option<usize>,
    calls: Option<usize>,
    total: Option<TimeColumn>,
    least: Option<TimeColumn>,
    most: Option<TimeColumn>,
}

impl Stats {
    fn of(header: &Header) -> Stats {
        Stats {
            name: header.find(&["name"]),
            calls: header.find(&["calls"]),
            total: header.time(&["totaldurationns"]),
            least: header.time(&["minns"]),
            most: header.time(&["maxns"]),
        }
    }
}

impl Report for Stats {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let sum = KernelSum {
            name: recording.names.intern(&row.text(self.name)),
            launches: number::count(row, self.calls, "Calls")?,
            total_ns: number::duration(row, self.total, "TotalDurationNs")?,
            min_ns: number::duration(row, self.least, "MinNs")?,
            median_ns: None,
            max_ns: number::duration(row, self.most, "MaxNs")?,
        };
        recording.kernel_sums.push(sum);
        Ok(())
    }
}

struct Agents {
    kind: Option<usize>,
    units: Option<usize>,
    name: Option<usize>,
}

impl Agents {
    fn of(header: &Header) -> Agents {
        Agents {
            kind: header.find(&["agent_type"]),
            units: header.find(&["cu_count"]),
            name: header.find(&["product_name", "model_name", "name"]),
        }
    }
}

impl Report for Agents {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        if row.text(self.kind).eq_ignore_ascii_case("gpu") {
            let units = number::count(row, self.units, "Cu_Count")?;
            recording.gpus.push(Gpu {
                name: row.text(self.name).into_owned(),
                sms: u32::try_from(units).ok().filter(|&units| units > 0),
                // The numbers of launches can be relative, so they show no row.
                device: None,
                uuid: None,
            });
        }
        Ok(())
    }

    /// The row may be a GPU of another size.
    fn set_aside(&mut self, _: &Row<'_>, recording: &mut Recording) {
        recording.gpus.push(Gpu::default());
    }
}
