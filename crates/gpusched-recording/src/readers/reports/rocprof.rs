//! CSV files of rocprof, rocprofv3 and Omniperf.

use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

use super::header::{Header, TimeColumn};
use super::{Report, Row, number};
use crate::model::{Gpu, KernelSum, Origin, Recording, Side, StreamKey, Tool};

const BEGIN: [&str; 2] = ["beginns", "start_timestamp"];
const END: [&str; 2] = ["endns", "end_timestamp"];
const KERNEL: [&str; 2] = ["kernelname", "kernel_name"];

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
        return Some((origin("kernel_trace"), Box::new(Kernels::of(header))));
    }
    if timed && header.has(&["domain", "function"]) {
        return Some((origin("marker_trace"), Box::new(Markers::of(header))));
    }
    if header.has(&["name", "calls", "totaldurationns"]) {
        return Some((origin("kernel_stats"), Box::new(Stats::of(header))));
    }
    if header.has(&["cu_count", "agent_type"]) {
        return Some((origin("agent_info"), Box::new(Agents::of(header))));
    }
    None
}

fn times(header: &Header) -> (Option<TimeColumn>, Option<TimeColumn>) {
    (header.time(&BEGIN), header.time(&END))
}

struct Kernels {
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
            device: number::identity(row, self.device),
            stream: number::identity(row, self.stream),
            ..StreamKey::default()
        };
        let start = number::time(row, self.start, "start", Rounding::Down)?;
        let end = number::time(row, self.end, "end", Rounding::Up)?;
        let added = recording.launch(&row.text(self.name), key, (start, end), None);
        added.map_err(|message| Refusal::told("end", message))
    }
}

struct Markers {
    start: Option<TimeColumn>,
    end: Option<TimeColumn>,
    name: Option<usize>,
    thread: Option<usize>,
}

impl Markers {
    fn of(header: &Header) -> Markers {
        let (start, end) = times(header);
        Markers {
            start,
            end,
            name: header.find(&["function"]),
            thread: header.find(&["thread_id"]),
        }
    }
}

impl Report for Markers {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let start = number::time(row, self.start, "Start_Timestamp", Rounding::Down)?;
        let end = number::time(row, self.end, "End_Timestamp", Rounding::Up)?;
        let thread = number::identity(row, self.thread);
        let added = recording.range(&row.text(self.name), Side::Host, (start, end), thread);
        added.map_err(|message| Refusal::told("End_Timestamp", message))
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
            });
        }
        Ok(())
    }
}
