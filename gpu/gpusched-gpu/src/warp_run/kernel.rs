//! A kernel of a warp run, with its program and the parameters of its launch.

use std::fmt;
use std::path::PathBuf;

use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};

use super::IndexSet;
use crate::program::Program;
use crate::program::{Dimensions, Ordered, Overrides};

/// A kernel of a warp run, which runs once or repeats.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a kernel: an object with \"program\"")]
pub struct RunKernel {
    /// Unique name of the kernel. The default is the name of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Program of the kernel.
    pub program: KernelSource,
    /// Number of thread blocks. The default is the number in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Dimensions>,
    /// Number of threads of a block. The default is the number in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Dimensions>,
    /// New values of parameters, and new sizes of buffers [bytes], by name. Other parameters and buffers keep the
    /// values of the program.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    pub parameters: Ordered<i64>,
    /// Launch time of the kernel [core cycles].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub launch: u64,
    /// Issue budget. Under `qaws` and its variants, the issue budget is the maximum number of warp switches in one turn.
    /// Under `rt-paws` and its variants, the issue budget is the priority. Other schedulers do not allow this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Numbers of the SMs that the kernel may use. The default is all SMs of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<IndexSet>,
    /// Numbers of the DRAM channels that hold the buffers of the kernel; all channels by default. The kernel uses these
    /// channels and their L2 slices like the memory of a smaller GPU. Memory slices of MIG and page coloring have this
    /// effect. Two kernels have either the same channels or no common channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<IndexSet>,
    /// Numbers of the L2 ways where the kernel allocates lines; all ways by default. Two kernels have either the same
    /// ways or no common way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_ways: Option<IndexSet>,
    /// Queue of the kernel. Kernels without a queue wait for no other kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Maximum number of thread blocks of the kernel on one SM at the same time, at least 1; unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u32>,
    /// Whether the kernel starts again whenever it ends, until all kernels that do not repeat have ended; false by
    /// default. The run ends with the last of these kernels.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeats: bool,
}

/// Queue that runs its kernels one at a time, without preemption. When a kernel ends, the queue starts the launched
/// kernel with the lowest priority number. If several kernels have this number, the first of them in the list `kernels`
/// starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a queue: an object with \"name\"")]
pub struct Queue {
    /// Name of the queue.
    pub name: String,
    /// Priority number of the kernel, for example its deadline; 0 by default. The lowest number means the highest
    /// priority.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: u64,
}

impl RunKernel {
    /// Creates a kernel that runs `program` with the launch parameters of the program.
    pub fn new(program: KernelSource) -> RunKernel {
        RunKernel {
            name: None,
            program,
            grid: None,
            block: None,
            parameters: Ordered::default(),
            launch: 0,
            budget: None,
            sms: None,
            channels: None,
            l2_ways: None,
            queue: None,
            resident: None,
            repeats: false,
        }
    }

    /// Returns the launch parameters that replace the parameters of the program.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            grid: self.grid,
            block: self.block,
            values: self.parameters.0.clone(),
            ..Overrides::default()
        }
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// The program of a kernel. The path of a program file is relative to the folder of the scenario
/// file.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelSource {
    /// Path of a file that contains a program.
    File(PathBuf),
    /// The program itself.
    Program(Box<Program>),
    /// Path of a trace that Accel-Sim recorded.
    Trace(PathBuf),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct TraceShape {
    /// Path of a `.traceg` file.
    trace: PathBuf,
}

impl Serialize for KernelSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            KernelSource::File(path) => path.serialize(serializer),
            KernelSource::Program(program) => program.serialize(serializer),
            KernelSource::Trace(path) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("trace", path)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for KernelSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KernelSource, D::Error> {
        struct SourceVisitor;

        impl<'de> Visitor<'de> for SourceVisitor {
            type Value = KernelSource;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a program: the name of a file, an object, or {\"trace\":\"kernel-1.traceg\"}")
            }

            fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<KernelSource, E> {
                Ok(KernelSource::File(PathBuf::from(path)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<KernelSource, A::Error> {
                let first: Option<String> = fields.next_key()?;
                let Some(first) = first else {
                    return Err(A::Error::custom("found no field, expected a program or `trace`"));
                };
                let is_trace = first == "trace";
                let fields = MapAccessDeserializer::new(Rest {
                    first: Some(first),
                    fields,
                });
                Ok(match is_trace {
                    true => KernelSource::Trace(TraceShape::deserialize(fields)?.trace),
                    false => KernelSource::Program(Box::new(Program::deserialize(fields)?)),
                })
            }
        }

        deserializer.deserialize_any(SourceVisitor)
    }
}

/// A JSON object whose first field name has already been read.
struct Rest<A> {
    first: Option<String>,
    fields: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(first) => {
                let first: StringDeserializer<A::Error> = first.into_deserializer();
                seed.deserialize(first).map(Some)
            }
            None => self.fields.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KernelSource {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KernelSource".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (program, trace) = (
            generator.subschema_for::<Program>(),
            generator.subschema_for::<TraceShape>(),
        );
        schemars::json_schema!({"anyOf": [{"type": "string", "description": "a file with a program"}, program, trace]})
    }
}
