//! Traces of Kineto, the profiler of PyTorch, in the trace event format. Times are microseconds.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::number::{Identity, Microseconds};
use super::{Document, custom};
use crate::model::{Call, Gpu, Recording, Side, StreamKey};
use crate::readers::Options;
use gpusched_model::time::decimal::Rounding;

/// A GPU in `deviceProperties`.
#[derive(Deserialize)]
pub struct Device {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "numSms")]
    sms: Identity,
}

impl Device {
    pub fn gpu(self) -> Gpu {
        let sms = self.sms.0.and_then(|sms| u32::try_from(sms).ok());
        Gpu {
            name: self.name,
            sms: sms.filter(|&sms| sms > 0),
        }
    }
}

/// One event. The reader ignores all other fields.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    ph: Option<String>,
    #[serde(default)]
    cat: Option<String>,
    #[serde(default)]
    name: Option<Name>,
    #[serde(default)]
    ts: Option<Microseconds>,
    #[serde(default)]
    dur: Option<Microseconds>,
    #[serde(default)]
    pid: Identity,
    #[serde(default)]
    tid: Identity,
    #[serde(default)]
    args: Option<Args>,
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
    /// Whether the work of the launch failed, in a trace of `gpusched run`.
    #[serde(default)]
    failed: Option<serde_json::Value>,
}

/// A name, which some writers store as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Other(serde::de::IgnoredAny),
}

/// State of the reader between events. In the file, a host call may follow its launch.
#[derive(Default)]
pub struct Events {
    calls: HashMap<i64, Call>,
    /// Number of the host call of each launch.
    correlations: Vec<Option<i64>>,
    /// Positions of the launches whose work failed.
    failed: Vec<usize>,
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
        let mut index = 0u64;
        while let Some(event) = seq.next_element::<Event>()? {
            let added = self.event(event, recording, options);
            added.map_err(|message| custom(format!("traceEvents[{index}]: {message}")))?;
            index += 1;
        }
        Ok(())
    }

    fn event(&mut self, event: Event, recording: &mut Recording, options: Options) -> Result<(), String> {
        if event.ph.as_deref() != Some("X") {
            return Ok(());
        }
        let category = event.cat.unwrap_or_default().to_ascii_lowercase();
        if matches!(
            category.as_str(),
            "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset"
        ) {
            recording.other.copies += 1;
            return Ok(());
        }
        let calls = options.calls && matches!(category.as_str(), "cuda_runtime" | "cuda_driver" | "runtime");
        let side = match category.as_str() {
            "user_annotation" => Some(Side::Host),
            "gpu_user_annotation" => Some(Side::Gpu),
            _ => None,
        };
        if category != "kernel" && side.is_none() && !calls {
            return Ok(());
        }
        let time = |value: &Option<Microseconds>, field: &str, rounding| match value {
            None => Ok(None),
            Some(value) if value.text() == "null" => Ok(None),
            Some(value) => {
                let ns = value.ns(rounding);
                let found = || format!("{field}: found {}, expected microseconds", value.text());
                ns.map(Some).ok_or_else(found)
            }
        };
        let start = time(&event.ts, "ts", Rounding::Down)?;
        let duration = time(&event.dur, "dur", Rounding::Up)?;
        let end = start
            .zip(duration)
            .map(|(start, duration)| start.saturating_add(duration));
        let args = event.args.unwrap_or_default();
        let name = match event.name {
            Some(Name::Text(name)) => name,
            _ => String::new(),
        };
        if let Some(side) = side {
            let lane = args.stream.0.filter(|_| side == Side::Gpu).or(event.tid.0);
            return recording.range(&name, side, (start, end), lane);
        }
        if calls {
            if let (Some(id), Some(start), Some(thread)) = (args.correlation.0, start, event.tid.0) {
                self.calls.insert(id, Call { start, thread });
            }
            return Ok(());
        }
        let key = StreamKey {
            device: args.device.0.or(event.pid.0),
            context: args.context.0,
            stream: args.stream.0.or(event.tid.0),
            green: None,
        };
        let before = recording.launches.len();
        recording.launch(&name, key, (start, end), None)?;
        if args.failed.is_some_and(|failed| failed == true) && recording.launches.len() > before {
            self.failed.push(before);
        }
        if options.calls && recording.launches.len() > before {
            self.correlations.push(args.correlation.0);
        }
        Ok(())
    }

    /// Assigns the host calls to the launches, and the failed launches to the dispatcher.
    pub fn end(self, recording: &mut Recording) {
        let calls = self
            .correlations
            .iter()
            .map(|id| self.calls.get(&(*id)?).copied());
        recording.calls = calls.collect();
        if let Some(dispatcher) = &mut recording.dispatcher {
            dispatcher.failed = self.failed;
        }
    }
}
