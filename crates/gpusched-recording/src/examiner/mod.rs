//! Logs of [cuda_scheduling_examiner](https://github.com/yalue/cuda_scheduling_examiner_mirror), with which Amert et al. (RTSS
//! 2017) found out how NVIDIA's GPUs schedule.
//!
//! Each benchmark of a run writes a log, one JSON document: its process and thread, and for each execution of a kernel its
//! size, when it was launched, and when and on which SM each thread block ran. A benchmark has a stream of its own.
//!
//! * `document`: what the file says, as far as anybody here reads it; `kernel_wcet::trace` takes block times from it.
//! * `log`: one file, checked.
//! * `import`: the logs of one run as a [`Scenario`](gpusched_model::Scenario), and where the blocks ran in fact.

mod document;
mod field;
mod import;
mod log;

pub use import::{Imported, LaunchTime, import};
pub use log::{Execution, Log, MeasuredBlock};

pub(crate) use document::{Document, Entry, Fault, SECONDS, line_of, read_text};

/// The largest file [bytes]; it is one JSON document, which cannot be read row by row.
pub const MAX_BYTES: u64 = 1 << 28;
