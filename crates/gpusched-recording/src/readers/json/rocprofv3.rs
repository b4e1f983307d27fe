//! JSON files of rocprofv3. Times are nanoseconds.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::number::Identity;
use super::tolerant::{self, Object};
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
    dispatches: Vec<Object<Dispatch>>,
    markers: Vec<Object<Marker>>,
}

struct Run<'a> {
    recording: &'a mut Recording,
    content: Content,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    pid: Identity,
}

#[derive(Deserialize, Default)]
struct Agent<'a> {
    #[serde(default)]
    id: Identity,
    #[serde(default, rename = "type")]
    kind: Identity,
    #[serde(default)]
    cu_count: Identity,
    #[serde(default, borrow)]
    product_name: tolerant::Text<'a>,
    #[serde(default, borrow)]
    name: tolerant::Text<'a>,
}

#[derive(Deserialize)]
struct Symbol<'a> {
    #[serde(default)]
    kernel_id: Identity,
    #[serde(default, borrow)]
    formatted_kernel_name: tolerant::Text<'a>,
    #[serde(default, borrow)]
    demangled_kernel_name: tolerant::Text<'a>,
    #[serde(default, borrow)]
    kernel_name: tolerant::Text<'a>,
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
    dispatch_info: Object<DispatchInfo>,
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
struct Strings<'a> {
    #[serde(default, borrow)]
    marker_api: Vec<Object<Text<'a>>>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(default)]
    key: Identity,
    #[serde(default, borrow)]
    value: tolerant::Text<'a>,
}

#[derive(Deserialize, Default)]
struct Records {
    #[serde(default)]
    kernel_dispatch: Vec<Object<Dispatch>>,
    #[serde(default)]
    memory_copy: Vec<IgnoredAny>,
    #[serde(default)]
    marker_api: Vec<Object<Marker>>,
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
                    let agents: Vec<Object<Agent<'_>>> = map.next_value()?;
                    // A damaged agent may be a GPU of another size.
                    let gpus = { agents.into_iter() }
                        .filter(|agent| agent.0.as_ref().is_none_or(|agent| agent.kind.0 == Some(GPU)))
                        .map(|agent| agent.0.unwrap_or_default().gpu());
                    self.recording.gpus.extend(gpus);
                }
                "metadata" => {
                    let metadata = map.next_value::<Object<Metadata>>()?.0;
                    self.content.process = metadata.unwrap_or_default().pid.0;
                }
                "kernel_symbols" => {
                    let symbols = map.next_value::<Vec<Object<Symbol<'_>>>>()?;
                    for symbol in symbols.into_iter().filter_map(|symbol| symbol.0) {
                        let name = { symbol.formatted_kernel_name.0 }.or(symbol.demangled_kernel_name.0);
                        if let (Some(id), Some(name)) = (symbol.kernel_id.0, name.or(symbol.kernel_name.0)) {
                            self.content.kernels.insert(id, name.into_owned());
                        }
                    }
                }
                "strings" => {
                    let strings: Strings<'_> = map.next_value()?;
                    for text in strings.marker_api {
                        let text = text.0.and_then(|text| text.key.0.zip(text.value.0));
                        match text {
                            Some((key, message)) => {
                                _ = self.content.messages.insert(key, message.into_owned())
                            }
                            // Without its name, the range is no range.
                            None => self
                                .recording
                                .missing
                                .damaged_range("a name of a range without text"),
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

impl Agent<'_> {
    fn gpu(self) -> Gpu {
        let name = self.product_name.0.filter(|name| !name.is_empty());
        let name = name.or(self.name.0).unwrap_or_default();
        let sms = self.cu_count.0.and_then(|units| u32::try_from(units).ok());
        Gpu {
            name: name.into_owned(),
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
            let Object(Some(dispatch)) = dispatch else {
                recording
                    .missing
                    .impossible(format_args!("a value that is no launch"));
                recording.unknown_launch();
                continue;
            };
            let info = dispatch.dispatch_info.0.unwrap_or_default();
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
            let Object(Some(marker)) = marker else {
                recording
                    .missing
                    .impossible(format_args!("a value that is no range"));
                recording.missing.ranges += 1;
                continue;
            };
            let name = marker.correlation_id.0.and_then(|id| self.messages.get(&id));
            let Some(name) = name else { continue };
            let times = (marker.start_timestamp.time(), marker.end_timestamp.time());
            let lane = marker.thread_id.0.map(|thread| Lane::Thread { process, thread });
            recording.range(name, Side::Host, times, lane);
        }
    }
}
