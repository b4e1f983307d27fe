//! The form of one event, and of a GPU.

use serde::Deserialize;

use crate::model::Gpu;
use crate::readers::json::number::{Decimal, Identity};
use crate::readers::json::tolerant::{Object, Text};

/// A GPU in `deviceProperties`.
#[derive(Deserialize, Default)]
pub struct Device<'a> {
    #[serde(default)]
    pub(super) id: Identity,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, rename = "numSms")]
    pub(super) sms: Identity,
}

impl Device<'_> {
    pub fn gpu(self) -> Gpu {
        let sms = self.sms.0.and_then(|sms| u32::try_from(sms).ok());
        Gpu {
            name: self.name.0.unwrap_or_default().into_owned(),
            sms: sms.filter(|&sms| sms > 0),
            device: self.id.0,
            uuid: None,
        }
    }
}

/// One event. The reader ignores all other fields.
#[derive(Deserialize)]
#[serde(expecting = "an event")]
pub struct Event<'a> {
    #[serde(default, borrow)]
    pub(super) ph: Text<'a>,
    #[serde(default, borrow)]
    pub(super) cat: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) ts: Option<Decimal>,
    #[serde(default)]
    pub(super) dur: Option<Decimal>,
    #[serde(default)]
    pub(super) pid: Identity,
    #[serde(default)]
    pub(super) tid: Identity,
    #[serde(default)]
    pub(super) args: Object<Args>,
    /// Times of an inference of trtexec, which writes a list of objects, too: copy in, compute, copy out.
    #[serde(default, rename = "startInMs", alias = "startH2dMs")]
    pub(super) start_in: Option<Decimal>,
    #[serde(default, rename = "endInMs", alias = "endH2dMs")]
    pub(super) end_in: Option<Decimal>,
    #[serde(default, rename = "startComputeMs")]
    pub(super) start_compute: Option<Decimal>,
    #[serde(default, rename = "endComputeMs")]
    pub(super) end_compute: Option<Decimal>,
    #[serde(default, rename = "startOutMs", alias = "startD2hMs")]
    pub(super) start_out: Option<Decimal>,
    #[serde(default, rename = "endOutMs", alias = "endD2hMs")]
    pub(super) end_out: Option<Decimal>,
}

/// The arguments of a launch or of a host call.
#[derive(Deserialize, Default)]
pub(super) struct Args {
    #[serde(default)]
    pub(super) device: Identity,
    #[serde(default)]
    pub(super) context: Identity,
    #[serde(default)]
    pub(super) stream: Identity,
    #[serde(default)]
    pub(super) correlation: Identity,
    /// Times and places of rocprof v1, which writes trace events, too.
    #[serde(default, rename = "BeginNs")]
    pub(super) begin: Identity,
    #[serde(default, rename = "EndNs")]
    pub(super) end: Identity,
    #[serde(default, rename = "dev-id")]
    pub(super) rocprof_device: Identity,
    #[serde(default, rename = "queue-id")]
    pub(super) queue: Identity,
    #[serde(default, rename = "stream-id")]
    pub(super) rocprof_stream: Identity,
    #[serde(default, rename = "pid")]
    pub(super) rocprof_process: Identity,
    /// Written by XLA for each operation of JAX and TensorFlow.
    #[serde(default)]
    pub(super) hlo_op: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) hlo_module: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) tf_op: Option<serde::de::IgnoredAny>,
    /// Whether the work of the launch failed, in a trace of `gpusched run`.
    #[serde(default)]
    pub(super) failed: Option<serde_json::Value>,
}

/// Whether the events of `category` are copies or fills of memory.
pub(super) fn is_copy(category: &str) -> bool {
    matches!(category, "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset")
}

/// A time so early is a time 0 minus the base of the trace [ns].
pub(super) const BEFORE_BASE_NS: i64 = -(1 << 58);

/// Categories of events that ONNX Runtime writes, beside a category `Kernel`.
pub(super) const ONNX_RUNTIME: [&str; 2] = ["Session", "Node"];

/// Categories of launches, ranges and host calls, whose events have a start and a length.
pub(super) const PHASED: [&str; 6] = [
    "kernel",
    "cuda_runtime",
    "cuda_driver",
    "runtime",
    "user_annotation",
    "gpu_user_annotation",
];

/// Categories of events that only Kineto writes.
pub(super) const CATEGORIES: [&str; 14] = [
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
