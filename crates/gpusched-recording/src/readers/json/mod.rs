//! JSON recordings: traces of Kineto, and files of rocprofv3. The readers keep only the events that [`Recording`]
//! needs, so that a file may be much larger than the memory.

mod cleaned;
mod kineto;
mod number;
mod rocprofv3;
mod runtime;
mod source;
mod tolerant;

use std::fmt;

use gpusched_model::error::Result;
use gpusched_model::{Refusal, counted};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Options;
use super::input::Input;
use crate::model::{Origin, Recording, Tool};
pub use cleaned::Cleaned;
use source::Source;
use tolerant::Object;

/// Reads the JSON document in `input`.
///
/// # Errors
/// Refuses a document that is not JSON or not a recording. For a syntax error, the refusal states the line.
pub fn read(mut input: Input<'_>, options: Options) -> Result<Recording> {
    let name = input.name().to_owned();
    let source = Source::new(input.reader());
    let mut document = Document {
        source: &source,
        recording: Recording::default(),
        options,
        events: kineto::Events::default(),
        head: false,
    };
    let mut json = serde_json::Deserializer::from_reader(&source);
    let read = (&mut document).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        if error.is_io() {
            let cause = std::io::Error::from(error);
            return Err(input.failed(cause));
        }
        let line = error.line() + source.lines();
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
        let refusal = if message == "trailing characters" && document.recording.origin.report.is_empty() {
            let found = "a JSON document per line, such as `nsys export --type json` writes";
            let refusal = Refusal::new("", found, "a recording in one document");
            refusal.hint("export an SQLite file instead: `nsys export --type sqlite FILE.nsys-rep`")
        } else if error.is_eof() {
            Refusal::told("", format!("the file is cut off: {message}"))
        } else {
            Refusal::told("", message)
        };
        return Err(refusal.at(&name, Some(line)).into());
    }
    let Document {
        mut recording,
        events,
        head,
        ..
    } = document;
    if recording.origin.report.is_empty() {
        let hint = "a trace of Kineto has the field `traceEvents`, and a file of rocprofv3 has `rocprofiler-sdk-tool`";
        let refusal = Refusal::new("", "JSON without events of a profiler", "a recording");
        return Err(refusal.at(&name, None).hint(hint).into());
    }
    let foreign = recording.origin.tool == Tool::Kineto && !events.kineto && !head;
    // These tools write kernels, too, but no host calls, and their ranges are no jobs.
    let foreign = foreign || !head && (events.xla || events.onnx);
    if events.trtexec {
        recording.origin.tool = Tool::Trtexec;
        recording.origin.report = "exported times";
    } else if events.rocprof {
        recording.origin.tool = Tool::Rocprof;
        recording.origin.report = "results";
    } else if foreign {
        let with_nsys = "record the program with nsys: `nsys profile --trace=cuda,nvtx`";
        let (found, hint) = match (events.xla, events.onnx) {
            (true, _) => ("a trace of XLA (JAX or TensorFlow)".to_owned(), with_nsys),
            (_, true) => ("a profile of ONNX Runtime".to_owned(), with_nsys),
            _ => (
                format!("{} without a category of Kineto", counted(events.count, "event")),
                "traces of other tools can have the same form; record the program with nsys, rocprof or the profiler of PyTorch",
            ),
        };
        let refusal = Refusal::new("traceEvents", found, "events of Kineto or rocprof");
        return Err(refusal.hint(hint).at(&name, None).into());
    }
    events
        .end(&mut recording, options)
        .map_err(|refusal| refusal.at(&name, None))?;
    let corrected = source.corrected();
    if corrected.bytes > 0 {
        let bytes = counted(corrected.bytes, "byte");
        let note = format!("{bytes} not UTF-8: replaced by `?`");
        recording.notes.push(note);
    }
    if corrected.characters > 0 {
        let characters = counted(corrected.characters, "character");
        let note = format!("{characters} not allowed in JSON: replaced by `?`, or escaped");
        recording.notes.push(note);
    }
    Ok(recording)
}

/// The whole document: an object with events, or a list of events.
struct Document<'a> {
    source: &'a Source<'a>,
    recording: Recording,
    options: Options,
    events: kineto::Events,
    /// Whether the document has a field that only Kineto and `gpusched run` write.
    head: bool,
}

impl Document<'_> {
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

impl<'de> DeserializeSeed<'de> for &mut Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a recording of Kineto or rocprofv3")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.origin(Tool::Kineto, "trace");
        self.events
            .read(seq, self.source, (&mut self.recording, self.options))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "traceEvents" => {
                    self.origin(Tool::Kineto, "trace");
                    map.next_value_seed(kineto::Seed(self))?;
                }
                "deviceProperties" => {
                    self.head = true;
                    let devices: Vec<Object<kineto::Device<'_>>> = map.next_value()?;
                    let devices = devices.into_iter().map(|device| device.0.unwrap_or_default());
                    self.recording.gpus = devices.map(kineto::Device::gpu).collect();
                }
                "gpusched" => {
                    self.head = true;
                    map.next_value::<runtime::Head>()?.add(&mut self.recording);
                }
                "schemaVersion" => {
                    self.head = true;
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
