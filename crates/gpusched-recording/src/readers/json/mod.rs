//! JSON recordings: traces of Kineto, and files of rocprofv3. The readers keep only the events that [`Recording`]
//! needs, so that a file may be much larger than the memory.

mod cleaned;
mod kineto;
mod number;
mod rocprofv3;
mod runtime;

use std::fmt;

use gpusched_model::Refusal;
use gpusched_model::error::Result;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Options;
use super::input::Input;
use crate::model::{Origin, Recording, Tool};
pub use cleaned::Cleaned;

/// Reads the JSON document in `input`.
///
/// # Errors
/// Refuses a document that is not JSON or not a recording. For a syntax error, the refusal states the line.
pub fn read(mut input: Input<'_>, options: Options) -> Result<Recording> {
    let name = input.name().to_owned();
    let mut document = Document {
        recording: Recording::default(),
        options,
        events: kineto::Events::default(),
    };
    let mut json = serde_json::Deserializer::from_reader(Cleaned::new(input.reader()));
    let read = (&mut document).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        if error.is_io() {
            let cause = std::io::Error::from(error);
            return Err(input.failed(cause));
        }
        let line = error.line();
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
        let found = if error.is_eof() {
            format!("the file is cut off: {message}")
        } else {
            message
        };
        return Err(Refusal::told("", found).at(&name, Some(line)).into());
    }
    let Document {
        mut recording,
        events,
        ..
    } = document;
    if recording.origin.report.is_empty() {
        let hint = "a trace of Kineto has the field `traceEvents`, and a file of rocprofv3 has `rocprofiler-sdk-tool`";
        let refusal = Refusal::new("", "JSON without events of a profiler", "a recording");
        return Err(refusal.at(&name, None).hint(hint).into());
    }
    events.end(&mut recording);
    Ok(recording)
}

/// The whole document: an object with events, or a list of events.
struct Document {
    recording: Recording,
    options: Options,
    events: kineto::Events,
}

impl Document {
    fn origin(&mut self, tool: Tool, report: &'static str) {
        let schema = self.recording.origin.schema.take();
        self.recording.origin = Origin {
            tool,
            version: None,
            date: None,
            schema,
            report,
        };
    }
}

impl<'de> DeserializeSeed<'de> for &mut Document {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Document {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a recording of Kineto or rocprofv3")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.origin(Tool::Kineto, "trace");
        self.events.read(seq, &mut self.recording, self.options)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "traceEvents" => {
                    self.origin(Tool::Kineto, "trace");
                    map.next_value_seed(kineto::Seed(self))?;
                }
                "deviceProperties" => {
                    let devices: Vec<kineto::Device> = map.next_value()?;
                    self.recording.gpus = devices.into_iter().map(kineto::Device::gpu).collect();
                }
                "gpusched" => map.next_value::<runtime::Head>()?.add(&mut self.recording),
                "schemaVersion" => {
                    let version: Option<number::Scalar> = map.next_value()?;
                    self.recording.origin.schema = version.map(|version| version.0);
                }
                "rocprofiler-sdk-tool" => {
                    self.origin(Tool::Rocprof, "rocprofv3");
                    map.next_value_seed(rocprofv3::Runs(&mut self.recording))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Converts a message of the recording into an error of the deserializer.
fn custom<E: serde::de::Error>(message: impl fmt::Display) -> E {
    E::custom(message)
}
