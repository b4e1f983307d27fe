//! Reports of `nsys stats` in CSV, with the headers of old and new versions.

use std::collections::HashMap;

use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

use super::calls::{Calls, Links};
use super::header::{Header, TimeColumn};
use super::{Report, Row, number};
use crate::model::{
    Call, Gpu, KernelSum, NameId, Origin, RangeSum, Recording, Side, StreamKey, Tool, range_name,
};

/// Report of the calls of the CUDA API.
pub const CALLS: &str = "cuda_api_trace";

const START: [&str; 3] = ["kernel start", "projected start", "start"];
const DURATION: [&str; 3] = ["kernel dur", "projected duration", "duration"];
const TOTAL: [&str; 2] = ["total time", "total proj time"];
const COUNT: [&str; 4] = ["instances", "range instances", "calls", "count"];
const LEAST: [&str; 3] = ["min", "minimum", "proj min"];
const MEDIAN: [&str; 3] = ["med", "median", "proj med"];
const MOST: [&str; 3] = ["max", "maximum", "proj max"];

/// Returns a note about columns of times without a unit. Old versions of nsys use nanoseconds and omit the unit.
pub fn assumed_units(header: &Header) -> Option<String> {
    let times = [
        &START[..],
        &DURATION[..],
        &["end"],
        &TOTAL,
        &LEAST,
        &MEDIAN,
        &MOST,
    ]
    .concat();
    let columns = header.without_unit(&times);
    let quoted: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    let (noun, verb) = match columns.len() {
        0 => return None,
        1 => ("column", "states"),
        _ => ("columns", "state"),
    };
    Some(format!(
        "{noun} {} {verb} no unit: gpusched assumes nanoseconds",
        quoted.join(", ")
    ))
}

/// Returns the reader of the report of `nsys stats` that starts with `header`. `links` collects the numbers that link launches
/// with host calls.
pub fn report(header: &Header, links: &Links) -> Option<(Origin, Box<dyn Report>)> {
    let origin = |report| Origin {
        tool: Tool::Nsys,
        version: None,
        date: None,
        schema: None,
        report,
    };
    let start = header.time(&["start", "projected start"]);
    // The trace of calls has a correlation number, too, but no stream and no context.
    if header.has(&["corrid", "name", "result"])
        && header.find(&["strm", "stream", "ctx", "context"]).is_none()
    {
        return Some((origin(CALLS), Box::new(Calls::of(header, links))));
    }
    if header.has(&["corrid", "name"]) && start.is_some() {
        return Some((origin("cuda_gpu_trace"), Box::new(GpuTrace::of(header, links))));
    }
    if header.has(&["kernel start", "kernel name"]) {
        return Some((
            origin("cuda_kern_exec_trace"),
            Box::new(GpuTrace::of(header, links)),
        ));
    }
    let sums = header.time(&TOTAL).is_some() && header.find(&COUNT).is_some();
    if sums && header.has(&["range"]) {
        let report = match header.has(&["total proj time"]) {
            true => "nvtx_gpu_proj_sum",
            false => "nvtx_sum",
        };
        return Some((
            origin(report),
            Box::new(Sum::of(header, &["range"], Some(side(header)))),
        ));
    }
    if sums && header.has(&["name", "instances"]) {
        return Some((
            origin("cuda_gpu_kern_sum"),
            Box::new(Sum::of(header, &["name"], None)),
        ));
    }
    let nvtx = header.has(&["rangeid"]) || header.has(&["durnonchild"]) || header.has(&["starttid"]);
    if nvtx && header.find(&["name", "text", "range"]).is_some() && start.is_some() {
        let report = match side(header) {
            Side::Gpu => "nvtx_gpu_proj_trace",
            Side::Host => "nvtx_trace",
        };
        return Some((origin(report), Box::new(Ranges::of(header))));
    }
    None
}

fn side(header: &Header) -> Side {
    match header.has(&["projected start"]) || header.has(&["total proj time"]) {
        true => Side::Gpu,
        false => Side::Host,
    }
}

/// Kernels and copies in the order of their start.
///
/// The execution trace also states the host call of each kernel, and so links kernels with ranges.
struct GpuTrace {
    links: Links,
    number: Option<usize>,
    call: Option<TimeColumn>,
    process: Option<usize>,
    thread: Option<usize>,
    start: Option<TimeColumn>,
    duration: Option<TimeColumn>,
    name: Option<usize>,
    device: Option<usize>,
    context: Option<usize>,
    green: Option<usize>,
    stream: Option<usize>,
}

impl GpuTrace {
    fn of(header: &Header, links: &Links) -> GpuTrace {
        GpuTrace {
            links: links.clone(),
            number: header.find(&["corrid"]),
            call: header.time(&["api start"]),
            process: header.find(&["pid"]),
            thread: header.find(&["tid"]),
            start: header.time(&START),
            duration: header.time(&DURATION),
            name: header.find(&["kernel name", "name"]),
            device: header.find(&["device", "devid"]),
            context: header.find(&["ctx", "context"]),
            green: header.find(&["greenctx", "green ctx", "greencontextid"]),
            stream: header.find(&["strm", "stream"]),
        }
    }
}

impl Report for GpuTrace {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let name = row.text(self.name);
        let link = number::identity(row, self.number);
        if name.starts_with("[CUDA mem") {
            recording.other.copies += 1;
            self.links.copy(link);
            return Ok(());
        }
        if name.starts_with("[CUDA Unified") {
            return Ok(());
        }
        if name.is_empty() {
            return Err(Refusal::new("Name", "no text", "the name of a kernel or copy"));
        }
        let device = row.text(self.device);
        let title = device.rsplit_once('(').map_or("", |(title, _)| title.trim());
        let number = number::identity(row, self.device);
        let known = |gpu: &Gpu| gpu.name == title && gpu.device == number;
        if !title.is_empty() && !recording.gpus.iter().any(known) {
            recording.gpus.push(Gpu {
                name: title.to_owned(),
                device: number,
                ..Gpu::default()
            });
        }
        let missing = &mut recording.missing;
        let start = number::event_time(row, self.start, "Start", Rounding::Down, missing);
        let duration = number::event_time(row, self.duration, "Duration", Rounding::Up, missing);
        let called = number::event_time(row, self.call, "API Start", Rounding::Down, missing);
        let call = Call::measured(called, number::lane(row, self.process, self.thread));
        if self.call.is_some() {
            self.links.calls();
        }
        let end = start
            .zip(duration)
            .map(|(start, duration)| start.saturating_add(duration));
        let key = StreamKey {
            process: number::identity(row, self.process),
            device: number,
            context: number::identity(row, self.context),
            stream: number::identity(row, self.stream),
            green: number::identity(row, self.green).filter(|&green| green > 0),
        };
        let before = recording.launches.len();
        recording.launch(&name, key, (start, end), call);
        self.links.launch(link, before, recording);
        Ok(())
    }
}

/// Statistics of kernels or ranges by name.
struct Sum {
    side: Option<Side>,
    /// Positions of the sums of ranges of this report.
    sums: HashMap<NameId, usize>,
    name: Option<usize>,
    count: Option<usize>,
    total: Option<TimeColumn>,
    least: Option<TimeColumn>,
    median: Option<TimeColumn>,
    most: Option<TimeColumn>,
}

impl Sum {
    /// Reads sums of ranges if `side` is present, and sums of kernels if `side` is `None`.
    fn of(header: &Header, name: &[&str], side: Option<Side>) -> Sum {
        Sum {
            side,
            sums: HashMap::new(),
            name: header.find(name),
            count: header.find(&COUNT),
            total: header.time(&TOTAL),
            least: header.time(&LEAST),
            median: header.time(&MEDIAN),
            most: header.time(&MOST),
        }
    }
}

impl Report for Sum {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let count = number::count(row, self.count, "Instances")?;
        let total_ns = number::duration(row, self.total, "Total Time")?;
        let min_ns = number::duration(row, self.least, "Min")?;
        let median_ns = number::duration(row, self.median, "Med")?;
        let max_ns = number::duration(row, self.most, "Max")?;
        let text = row.text(self.name);
        match self.side {
            None => {
                let name = recording.names.intern(&text);
                let launches = count;
                recording.kernel_sums.push(KernelSum {
                    name,
                    launches,
                    total_ns,
                    min_ns,
                    median_ns,
                    max_ns,
                });
            }
            Some(side) => {
                let name = recording.names.intern(range_name(&text));
                let next = recording.range_sums.len();
                let at = *self.sums.entry(name).or_insert(next);
                match recording.range_sums.get_mut(at) {
                    // The median of several rows is unknown.
                    Some(sum) => {
                        sum.count = sum.count.saturating_add(count);
                        sum.min_ns = sum.min_ns.zip(min_ns).map(|(one, other)| one.min(other));
                        sum.median_ns = None;
                        sum.max_ns = sum.max_ns.zip(max_ns).map(|(one, other)| one.max(other));
                    }
                    None => recording.range_sums.push(RangeSum {
                        name,
                        side,
                        count,
                        min_ns,
                        median_ns,
                        max_ns,
                    }),
                }
            }
        }
        Ok(())
    }

    fn set_aside(&mut self, _: &Row<'_>, recording: &mut Recording) {
        match self.side {
            None => recording.unknown_launch(),
            Some(_) => recording.missing.ranges += 1,
        }
    }
}

/// NVTX ranges with start and end.
struct Ranges {
    side: Side,
    start: Option<TimeColumn>,
    end: Option<TimeColumn>,
    duration: Option<TimeColumn>,
    name: Option<usize>,
    process: Option<usize>,
    thread: Option<usize>,
}

impl Ranges {
    fn of(header: &Header) -> Ranges {
        Ranges {
            side: side(header),
            start: header.time(&START),
            end: header.time(&["end"]),
            duration: header.time(&DURATION),
            name: header.find(&["name", "text", "range"]),
            process: header.find(&["pid", "startpid"]),
            thread: header.find(&["tid", "starttid"]),
        }
    }
}

impl Report for Ranges {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        let missing = &mut recording.missing;
        let start = number::event_time(row, self.start, "Start", Rounding::Down, missing);
        let end = number::event_time(row, self.end, "End", Rounding::Up, missing);
        let duration = number::event_time(row, self.duration, "Duration", Rounding::Up, missing);
        let by_duration = start
            .zip(duration)
            .map(|(start, duration)| start.saturating_add(duration));
        let lane = number::lane(row, self.process, self.thread);
        let times = (start, end.or(by_duration));
        recording.range(&row.text(self.name), self.side, times, lane);
        Ok(())
    }

    fn set_aside(&mut self, _: &Row<'_>, recording: &mut Recording) {
        recording.missing.ranges += 1;
    }
}
