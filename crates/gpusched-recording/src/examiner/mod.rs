//! Logs of [cuda_scheduling_examiner](https://github.com/yalue/cuda_scheduling_examiner_mirror). Amert et al. (RTSS
//! 2017) used this tool to discover the scheduling rules of NVIDIA GPUs.
//!
//! Each benchmark of a run writes a log, which is one JSON document. The log states the process and the thread of the
//! benchmark. For each execution of a kernel, the log has the size of the kernel and its launch times. For each thread
//! block, the log has the SM, the start and the end. Each benchmark uses its own stream.
//!
//! * `document`: the fields that gpusched uses; `kernel_wcet::trace` reads block times from these fields.
//! * `log`: one checked file.
//! * `import`: converts the logs of one run to a [`Scenario`](gpusched_model::Scenario), with the measured SM and times
//!   of each block.

mod document;
mod field;
mod import;
mod log;

pub use import::{Imported, LaunchTime, import};
pub use log::{Execution, Log, MeasuredBlock};

pub(crate) use document::{Document, Entry, Fault, SECONDS, line_of, read_text};

/// Largest size of a file [bytes]. A file is one JSON document, so the reader cannot read it row by row.
pub const MAX_BYTES: u64 = 1 << 28;
