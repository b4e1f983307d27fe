//! Traces of Kineto, the profiler of PyTorch, in the trace event format. Times are microseconds.

mod inference;

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::Document;
use super::number::{Decimal, Identity};
use super::tolerant::{Object, Text};
use crate::model::{Call, Gpu, Lane, Recording, Side, StreamKey};
use crate::readers::Options;
use crate::readers::capture::{Captures, launches};
use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

/// A GPU in `deviceProperties`.
#[derive(Deserialize, Default)]
pub struct Device {
    #[serde(default)]
    id: Identity,
    #[serde(default)]
    name: Text,
    #[serde(default, rename = "numSms")]
    sms: Identity,
}

impl Device {
    pub fn gpu(self) -> Gpu {
        let sms = self.sms.0.and_then(|sms| u32::try_from(sms).ok());
        Gpu {
            name: self.name.0.unwrap_or_default(),
            sms: sms.filter(|&sms| sms > 0),
            device: self.id.0,
            uuid: None,
        }
    }
}

/// One event. The reader ignores all other fields.
#[derive(Deserialize)]
#[serde(expecting = "an event")]
struct Event {
    #[serde(default)]
    ph: Text,
    #[serde(default)]
    cat: Text,
    #[serde(default)]
    name: Text,
    #[serde(default)]
    ts: Option<Decimal>,
    #[serde(default)]
    dur: Option<Decimal>,
    #[serde(default)]
    pid: Identity,
    #[serde(default)]
    tid: Identity,
    #[serde(default)]
    args: Object<Args>,
    /// Times of an inference of trtexec, which writes a list of objects, too: copy in, compute, copy out.
    #[serde(default, rename = "startInMs", alias = "startH2dMs")]
    start_in: Option<Decimal>,
    #[serde(default, rename = "endInMs", alias = "endH2dMs")]
    end_in: Option<Decimal>,
    #[serde(default, rename = "startComputeMs")]
    start_compute: Option<Decimal>,
    #[serde(default, rename = "endComputeMs")]
    end_compute: Option<Decimal>,
    #[serde(default, rename = "startOutMs", alias = "startD2hMs")]
    start_out: Option<Decimal>,
    #[serde(default, rename = "endOutMs", alias = "endD2hMs")]
    end_out: Option<Decimal>,
}

/// The arguments of a launch or of a host call.
#[derive(Deserialize, Default)]
struct Args {
    #[serde(default)]
    device: Identity,
    #[serde(default)]
    context: Identity,
    #[serde(default)]
    stream: Identity,
    #[serde(default)]
    correlation: Identity,
    /// Times and places of rocprof v1, which writes trace events, too.
    #[serde(default, rename = "BeginNs")]
    begin: Identity,
    #[serde(default, rename = "EndNs")]
    end: Identity,
    #[serde(default, rename = "dev-id")]
    rocprof_device: Identity,
    #[serde(default, rename = "queue-id")]
    queue: Identity,
    #[serde(default, rename = "stream-id")]
    rocprof_stream: Identity,
    #[serde(default, rename = "pid")]
    rocprof_process: Identity,
    /// Written by XLA for each operation of JAX and TensorFlow.
    #[serde(default)]
    hlo_op: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    hlo_module: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    tf_op: Option<serde::de::IgnoredAny>,
    /// Whether the work of the launch failed, in a trace of `gpusched run`.
    #[serde(default)]
    failed: Option<serde_json::Value>,
}

/// State of the reader between events. In the file, a host call may follow its launch.
#[derive(Default)]
pub struct Events {
    /// Host calls by their number, each with whether it launches a kernel or a graph. Each process counts from 1.
    calls: HashMap<i64, HostCall>,
    /// Number of the host call of each launch, and of each launch without times.
    correlations: Vec<Option<i64>>,
    /// Positions of the launches whose work failed.
    failed: Vec<usize>,
    open: Vec<Option<i64>>,
    /// Numbers of the host calls of copies.
    copies: HashSet<i64>,
    /// Number of the host call, start and end of each copy [ns].
    copied: Vec<(i64, i64, i64)>,
    captures: Captures,
    /// Whether a call that launches work has no number. Its launch is then unknown.
    unnumbered: bool,
    /// The first number that two processes use.
    double: Option<(i64, i64, i64)>,
    /// Number of events, and what they show about the tool that wrote the file.
    pub count: u64,
    pub kineto: bool,
    pub rocprof: bool,
    pub xla: bool,
    pub onnx: bool,
    pub trtexec: bool,
}

#[derive(Copy, Clone)]
struct HostCall {
    /// `None` if the profiler has not measured the call, which only the [end](Events::end) of the file may show. The process of such a
    /// call still tells launches apart.
    call: Option<Call>,
    process: Option<i64>,
    launches: bool,
    /// Whether the call may launch work.
    may_launch: bool,
}

/// Reads the list `traceEvents`.
pub struct Seed<'a>(pub &'a mut Document);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let Document {
            recording,
            options,
            events,
            ..
        } = self.0;
        events.read(seq, recording, *options)
    }
}

impl Events {
    /// Reads events from `seq`.
    pub fn read<'de, A: SeqAccess<'de>>(
        &mut self,
        mut seq: A,
        recording: &mut Recording,
        options: Options,
    ) -> Result<(), A::Error> {
        while let Some(Object(event)) = seq.next_element::<Object<Event>>()? {
            match event {
                Some(event) => self.event(event, recording, options),
                None => self.set_aside(recording, "a value that is no event"),
            }
            self.count += 1;
        }
        Ok(())
    }

    fn event(&mut self, event: Event, recording: &mut Recording, options: Options) {
        if event.is_inference() {
            self.inference(&event, recording);
            return;
        }
        let name = event.name.0.unwrap_or_default();
        let args = event.args.0.unwrap_or_default();
        if event.ph.0.as_deref() != Some("X") {
            // Other events of these categories do not exist, so the phase is damaged.
            let category = event.cat.0.unwrap_or_default().to_ascii_lowercase();
            let damage = format!("{name:?} without a known phase");
            if PHASED.contains(&category.as_str()) {
                self.set_aside(recording, &damage);
            } else if is_copy(&category) {
                recording.missing.impossible(format_args!("{damage}"));
                recording.other.copies += 1;
            }
            return;
        }
        self.xla |= args.hlo_op.is_some() || args.hlo_module.is_some() || args.tf_op.is_some();
        // rocprof v1 writes no categories. Only a kernel has a queue, and its times in nanoseconds are texts.
        if args.begin.0.is_some() && args.queue.0.is_some() && event.cat.0.is_none() {
            self.rocprof = true;
            let key = StreamKey {
                process: args.rocprof_process.0,
                device: args.rocprof_device.0,
                stream: args.rocprof_stream.0.or(args.queue.0),
                ..StreamKey::default()
            };
            self.launch(recording, &name, key, (args.begin.time(), args.end.time()), None);
            return;
        }
        let Some(category) = event.cat.0 else {
            // Only work on the GPU and host calls have these arguments.
            if args.stream.0.is_some() || args.correlation.0.is_some() {
                self.set_aside(recording, &format!("{name:?} without a category"));
            }
            return;
        };
        self.onnx |= ONNX_RUNTIME.contains(&category.as_str());
        let category = category.to_ascii_lowercase();
        self.kineto |= CATEGORIES.contains(&category.as_str());
        let copies = is_copy(&category);
        let calls = matches!(category.as_str(), "cuda_runtime" | "cuda_driver" | "runtime");
        let side = match category.as_str() {
            "user_annotation" => Some(Side::Host),
            "gpu_user_annotation" => Some(Side::Gpu),
            _ => None,
        };
        if category != "kernel" && side.is_none() && !calls && !copies {
            return;
        }
        let mut time = |value: &Option<Decimal>, field: &str, rounding| match value {
            None => None,
            Some(value) => value.ns(3, rounding).unwrap_or_else(|text| {
                let missing = &mut recording.missing;
                missing.impossible(format_args!("{name:?} with {field} {text:?}"));
                None
            }),
        };
        let start = time(&event.ts, "ts", Rounding::Down);
        let duration = time(&event.dur, "dur", Rounding::Up);
        // Times count from a base in recent versions. Without a time, CUPTI states 0, which is decades before the base.
        let start = start.filter(|&start| start > BEFORE_BASE_NS || duration != Some(0));
        let end = start
            .zip(duration)
            .map(|(start, duration)| start.saturating_add(duration));
        if copies {
            recording.other.copies += 1;
            self.copies.extend(args.correlation.0);
            let times = args.correlation.0.zip(start.zip(end)).filter(|_| options.calls);
            self.copied
                .extend(times.map(|(id, (start, end))| (id, start, end)));
            return;
        }
        let thread = event.tid.0.map(|thread| Lane::Thread {
            process: event.pid.0,
            thread,
        });
        if let Some(side) = side {
            let stream = args.stream.0.filter(|_| side == Side::Gpu);
            let lane = stream.map(|stream| Lane::Stream {
                device: args.device.0.or(event.pid.0),
                process: None,
                stream,
            });
            recording.range(&name, side, (start, end), lane.or(thread));
            return;
        }
        if calls {
            let launches = launches(&name);
            self.unnumbered |= launches && args.correlation.0.is_none();
            // A time before the base is a time 0, too.
            let start = start.filter(|&start| start > BEFORE_BASE_NS);
            if let Some(call) = Call::measured(start, thread) {
                self.captures.add(&name, call);
            }
            let call = start.zip(thread).map(|(start, thread)| Call { start, thread });
            // Any call that may launch work, so that its launch is known to have a call.
            let may_launch = launches || name.contains("Launch");
            if let Some(id) = args.correlation.0.filter(|_| options.calls || may_launch) {
                let call = HostCall {
                    call,
                    process: event.pid.0,
                    launches,
                    may_launch,
                };
                self.call(id, call);
            }
            return;
        }
        let key = StreamKey {
            process: None,
            device: args.device.0.or(event.pid.0),
            context: args.context.0,
            stream: args.stream.0.or(event.tid.0),
            green: None,
        };
        let before = recording.launches.len();
        self.launch(recording, &name, key, (start, end), args.correlation.0);
        if args.failed.is_some_and(|failed| failed == true) && recording.launches.len() > before {
            self.failed.push(before);
        }
    }

    /// Counts a damaged event, which may be a launch.
    fn set_aside(&mut self, recording: &mut Recording, event: &str) {
        recording.missing.impossible(format_args!("{event}"));
        self.launch(recording, "", StreamKey::default(), (None, None), None);
    }

    /// Adds a launch whose host call has the number `id`.
    fn launch(
        &mut self,
        recording: &mut Recording,
        name: &str,
        key: StreamKey,
        times: (Option<i64>, Option<i64>),
        id: Option<i64>,
    ) {
        let before = recording.launches.len();
        recording.launch(name, key, times, None);
        match recording.launches.len() > before {
            true => self.correlations.push(id),
            false => self.open.push(id),
        }
    }

    /// Adds a host call. A second call with the same number replaces the first one, because the driver may be called by
    /// the runtime.
    fn call(&mut self, id: i64, call: HostCall) {
        let Some(before) = self.calls.insert(id, call) else {
            return;
        };
        match (before.process, call.process) {
            (Some(one), Some(other)) if one != other => {
                self.double.get_or_insert((id, one, other));
            }
            (one, other) if one != other => {
                let unknown = HostCall {
                    call: None,
                    process: None,
                    ..call
                };
                self.calls.insert(id, unknown);
            }
            _ => {}
        }
    }

    /// Assigns the host calls to the launches, and the failed launches to the dispatcher. Finds calls without a launch.
    ///
    /// # Errors
    /// Refuses host calls of several processes with the same number, because a launch states no process.
    pub fn end(mut self, recording: &mut Recording, options: Options) -> Result<(), Refusal> {
        if let Some((id, one, other)) = self.double.filter(|_| options.calls) {
            let found = format!("host calls of the processes {one} and {other} with the same number {id}");
            let refusal = Refusal::new(
                "correlation",
                found,
                "numbers of one process, because a launch states no process",
            );
            return Err(refusal.hint("read the trace of each process (rank) as a file of its own"));
        }
        match &mut recording.dispatcher {
            Some(dispatcher) => dispatcher.failed = self.failed,
            // In virtual time, jobs may start at time 0.
            None => {
                let measured = |call: Call| Call::measured(Some(call.start), Some(call.thread));
                let calls = self.calls.values_mut();
                calls.for_each(|host| host.call = host.call.and_then(measured));
            }
        }
        let of_launch = |id: &Option<i64>| self.calls.get(id.as_ref()?)?.process;
        let processes: Vec<Option<i64>> = self.correlations.iter().map(of_launch).collect();
        let opened: Vec<Option<i64>> = self.open.iter().map(of_launch).collect();
        // A call without a process may be a call of any of several processes.
        if recording.keep_apart(&processes, &opened) {
            let unclear = self.calls.values_mut().filter(|host| host.process.is_none());
            unclear.for_each(|host| host.call = None);
        }
        let call = |id: &Option<i64>| self.calls.get(id.as_ref()?)?.call;
        if options.calls && !self.trtexec {
            recording.calls = self.correlations.iter().map(call).collect();
            for (open, id) in recording.open.iter_mut().zip(&self.open) {
                open.call = call(id);
            }
            for &(id, start, end) in &self.copied {
                recording.copy((Some(start), Some(end)), call(&Some(id)));
            }
        }
        let all = self.correlations.len() + self.open.len();
        let numbers = self.correlations.iter().chain(&self.open);
        let uncalled = numbers.filter(|id| call(id).is_none()).count();
        let mut launching = self.calls.values().filter(|host| host.may_launch).peekable();
        // Calls without one measured start show that the profiler lost their times.
        let unmeasured = launching.peek().is_some() && launching.all(|host| host.call.is_none());
        if !self.trtexec && (uncalled < all || unmeasured || self.unnumbered) {
            recording.missing.uncalled = uncalled as u64;
        }
        let recorded = self.correlations.iter().chain(&self.open).flatten();
        let recorded: HashSet<i64> = recorded.copied().chain(self.copies.iter().copied()).collect();
        self.captures.sort();
        let lost = self.calls.iter().filter(|(id, host)| {
            let captured = host.call.is_some_and(|call| self.captures.contain(call));
            host.launches && !recorded.contains(id) && !captured
        });
        let mut lost: Vec<Option<Call>> = lost.map(|(_, lost)| lost.call).collect();
        lost.sort_unstable_by_key(|call| call.map(|call| (call.start, call.thread)));
        recording.missing.unrecorded = lost.len() as u64;
        if options.calls {
            for call in lost {
                recording.launch("", StreamKey::default(), (None, None), call);
            }
        }
        Ok(())
    }
}

/// Whether the events of `category` are copies or fills of memory.
fn is_copy(category: &str) -> bool {
    matches!(category, "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset")
}

/// A time so early is a time 0 minus the base of the trace [ns].
const BEFORE_BASE_NS: i64 = -(1 << 58);

/// Categories of events that ONNX Runtime writes, beside a category `Kernel`.
const ONNX_RUNTIME: [&str; 2] = ["Session", "Node"];

/// Categories of launches, ranges and host calls, whose events have a start and a length.
const PHASED: [&str; 6] = [
    "kernel",
    "cuda_runtime",
    "cuda_driver",
    "runtime",
    "user_annotation",
    "gpu_user_annotation",
];

/// Categories of events that only Kineto writes.
const CATEGORIES: [&str; 14] = [
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "cuda_runtime",
    "cuda_driver",
    "cuda_sync",
    "cpu_op",
    "user_annotation",
    "gpu_user_annotation",
    "ac2g",
    "python_function",
    "cpu_instant_event",
    "overhead",
    "runtime",
];
