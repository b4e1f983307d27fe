//! Traces of Kineto, the profiler of PyTorch, in the trace event format. Times are microseconds.

mod calls;
mod event;
mod inference;
mod join;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::Document;
use super::number::Decimal;
use super::source::Source;
use super::tolerant::Object;
use crate::model::{Call, Lane, Recording, Side, StreamKey};
use crate::readers::Options;
use crate::readers::capture::{Captures, launches};
use calls::Calls;
use event::{BEFORE_BASE_NS, CATEGORIES, ONNX_RUNTIME, PHASED, is_copy};
pub use event::{Device, Event};
use gpusched_model::time::decimal::Rounding;

/// State of the reader between events. In the file, a host call may follow its launch.
#[derive(Default)]
pub struct Events {
    /// Host calls. Each process counts from 1.
    calls: Calls,
    /// Number of the host call of each launch, and of each launch without times.
    correlations: Vec<Option<i64>>,
    /// Positions of the launches whose work failed.
    failed: Vec<usize>,
    open: Vec<Option<i64>>,
    /// Numbers of the host calls of copies.
    copies: Vec<i64>,
    /// Number of the host call, start and end of each copy [ns].
    copied: Vec<(i64, i64, i64)>,
    captures: Captures,
    /// Whether a call that launches work has no number. Its launch is then unknown.
    unnumbered: bool,
    /// Number of events, and what they show about the tool that wrote the file.
    pub count: u64,
    pub kineto: bool,
    pub rocprof: bool,
    pub xla: bool,
    pub onnx: bool,
    pub trtexec: bool,
}

/// Reads the list `traceEvents`.
pub struct Seed<'a, 'b>(pub &'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let Document {
            source,
            recording,
            options,
            events,
            ..
        } = self.0;
        events.read(seq, source, (recording, *options))
    }
}

impl Events {
    /// Reads events from `seq`, a list in `source`.
    pub fn read<'de, A: SeqAccess<'de>>(
        &mut self,
        mut seq: A,
        source: &Source<'_>,
        (recording, options): (&mut Recording, Options),
    ) -> Result<(), A::Error> {
        while let Some(Object(event)) = seq.next_element::<Object<Event<'_>>>()? {
            let is_object = event.is_some();
            self.add(event, recording, options);
            if is_object {
                source.elements(|bytes| {
                    let mut events = serde_json::Deserializer::from_slice(bytes).into_iter();
                    let Object(event) = events.next()?.ok()?;
                    let length = events.byte_offset();
                    self.add(event, recording, options);
                    Some(length)
                });
            }
        }
        Ok(())
    }

    fn add(&mut self, event: Option<Event<'_>>, recording: &mut Recording, options: Options) {
        match event {
            Some(event) => self.event(event, recording, options),
            None => self.set_aside(recording, "a value that is no event"),
        }
        self.count += 1;
    }

    fn event(&mut self, event: Event<'_>, recording: &mut Recording, options: Options) {
        if event.is_inference() {
            self.inference(&event, recording);
            return;
        }
        let is_named = event.name.0.is_some();
        let name = event.name.0.unwrap_or_default();
        let args = event.args.0.unwrap_or_default();
        if event.ph.0.as_deref() != Some("X") {
            // Other events of these categories do not exist, so the phase is damaged.
            let category = event.cat.0.unwrap_or_default().to_ascii_lowercase();
            if PHASED.contains(&category.as_str()) {
                self.set_aside(recording, &format!("{name:?} without a known phase"));
            } else if is_copy(&category) {
                let missing = &mut recording.missing;
                missing.impossible(format_args!("{name:?} without a known phase"));
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
        self.onnx |= ONNX_RUNTIME.contains(&&*category);
        let category = category.to_ascii_lowercase();
        self.kineto = self.kineto || CATEGORIES.contains(&category.as_str());
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
        // The name tells to which task a job belongs.
        if !is_named && side.is_some() {
            recording.missing.damaged_range("a range without a name");
            return;
        }
        if !is_named && category == "kernel" {
            self.set_aside(recording, "a kernel without a name");
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
            // Any call that may launch work, so that its launch is known to have a call.
            let may_launch = launches || name.contains("Launch");
            if let Some(number) = args.correlation.0.filter(|_| options.calls || may_launch) {
                let thread = (event.pid.0, event.tid.0);
                self.calls.add(number, start, thread, (launches, may_launch));
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
}
