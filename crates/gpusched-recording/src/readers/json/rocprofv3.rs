//! JSON files of rocprofv3. Times are nanoseconds.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::number::Identity;
use crate::model::{Gpu, Lane, Recording, Side, StreamKey};

/// Number of the agent type that means a GPU.
const GPU: i64 = 2;

/// Reads the list of runs, one per process.
pub struct Runs<'a>(pub &'a mut Recording);

impl<'de> DeserializeSeed<'de> for Runs<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Runs<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq
            .next_element_seed(Run {
                recording: self.0,
                content: Content::default(),
            })?
            .is_some()
        {}
        Ok(())
    }
}

/// Content of one run. In the file, names may follow the records that refer to them.
#[derive(Default)]
struct Content {
    process: Option<i64>,
    kernels: HashMap<i64, String>,
    messages: HashMap<i64, String>,
    dispatches: Vec<Dispatch>,
    markers: Vec<Marker>,
}

struct Run<'a> {
    recording: &'a mut Recording,
    content: Content,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    pid: Identity,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(default)]
    id: Identity,
    #[serde(default, rename = "type")]
    kind: Identity,
    #[serde(default)]
    cu_count: Identity,
    #[serde(default)]
    product_name: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Symbol {
    #[serde(default)]
    kernel_id: Identity,
    formatted_kernel_name: Option<String>,
    demangled_kernel_name: Option<String>,
    kernel_name: Option<String>,
}

#[derive(Deserialize)]
struct Dispatch {
    #[serde(default)]
    start_timestamp: Identity,
    #[serde(default)]
    end_timestamp: Identity,
    #[serde(default)]
    stream_id: Identity,
    #[serde(default)]
    dispatch_info: DispatchInfo,
}

#[derive(Deserialize, Default)]
struct DispatchInfo {
    #[serde(default)]
    agent_id: Identity,
    #[serde(default)]
    queue_id: Identity,
    #[serde(default)]
    kernel_id: Identity,
}

#[derive(Deserialize)]
struct Marker {
    #[serde(default)]
    start_timestamp: Identity,
    #[serde(default)]
    end_timestamp: Identity,
    #[serde(default)]
    thread_id: Identity,
    #[serde(default)]
    correlation_id: Identity,
}

#[derive(Deserialize, Default)]
struct Strings {
    #[serde(default)]
    marker_api: Vec<Text>,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    key: Identity,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize, Default)]
struct Records {
    #[serde(default)]
    kernel_dispatch: Vec<Dispatch>,
    #[serde(default)]
    memory_copy: Vec<IgnoredAny>,
    #[serde(default)]
    marker_api: Vec<Marker>,
}

impl<'de> DeserializeSeed<'de> for Run<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Run<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run of rocprofv3")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "agents" => {
                    let agents: Vec<Agent> = map.next_value()?;
                    let gpus = agents.into_iter().filter(|agent| agent.kind.0 == Some(GPU));
                    self.recording.gpus.extend(gpus.map(Agent::gpu));
                }
                "metadata" => self.content.process = map.next_value::<Metadata>()?.pid.0,
                "kernel_symbols" => {
                    for symbol in map.next_value::<Vec<Symbol>>()? {
                        let name = symbol.formatted_kernel_name.or(symbol.demangled_kernel_name);
                        if let (Some(id), Some(name)) = (symbol.kernel_id.0, name.or(symbol.kernel_name)) {
                            self.content.kernels.insert(id, name);
                        }
                    }
                }
                "strings" => {
                    let strings: Strings = map.next_value()?;
                    for text in strings.marker_api {
                        if let Some(key) = text.key.0 {
                            self.content.messages.insert(key, text.value);
                        }
                    }
                }
                "buffer_records" => {
                    let records: Records = map.next_value()?;
                    self.content.dispatches.extend(records.kernel_dispatch);
                    self.recording.other.copies += records.memory_copy.len() as u64;
                    self.content.markers.extend(records.marker_api);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.content.add(self.recording);
        Ok(())
    }
}

impl Agent {
    fn gpu(self) -> Gpu {
        let name = if self.product_name.is_empty() {
            self.name
        } else {
            self.product_name
        };
        let sms = self.cu_count.0.and_then(|units| u32::try_from(units).ok());
        Gpu {
            name,
            sms: sms.filter(|&units| units > 0),
            device: self.id.0,
            uuid: None,
        }
    }
}

impl Content {
    fn add(self, recording: &mut Recording) {
        let process = self.process;
        for dispatch in self.dispatches {
            let info = &dispatch.dispatch_info;
            let key = StreamKey {
                process,
                device: info.agent_id.0,
                stream: dispatch.stream_id.0.or(info.queue_id.0),
                ..StreamKey::default()
            };
            let id = info.kernel_id.0.unwrap_or_default();
            let name = self
                .kernels
                .get(&id)
                .cloned()
                .unwrap_or_else(|| format!("kernel {id}"));
            let times = (dispatch.start_timestamp.time(), dispatch.end_timestamp.time());
            recording.launch(&name, key, times, None);
        }
        for marker in self.markers {
            let name = marker.correlation_id.0.and_then(|id| self.messages.get(&id));
            let Some(name) = name else { continue };
            let times = (marker.start_timestamp.time(), marker.end_timestamp.time());
            let lane = marker.thread_id.0.map(|thread| Lane::Thread { process, thread });
            recording.range(name, Side::Host, times, lane);
        }
    }
}
