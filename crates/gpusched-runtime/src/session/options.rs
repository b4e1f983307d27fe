//! Options of a session.

use std::path::PathBuf;

use gpusched_model::time::Time;

use crate::backend::Backend;

/// Options of a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the jobs run.
    pub backend: Backend,
    /// File with bounds on the overheads of the dispatcher. `None`: the bounds of the plan. If the plan states none either, the WCETs
    /// must include the overheads.
    pub overheads: Option<PathBuf>,
    /// Number of the GPU, from 0.
    pub device: i32,
    /// Whether a plan starts that is proven only without overheads, and whether threads of the program may enqueue jobs.
    pub allow_unproven: bool,
    /// Cores of the dispatchers, one per partition. Empty: any cores.
    pub cpus: Vec<usize>,
    /// Priority of the dispatchers under SCHED_FIFO, from 1 to 99; 0 for the default scheduler.
    pub fifo_priority: i32,
    /// Largest number of completed jobs of each task that the session keeps, from 1.
    pub records: usize,
    /// Time before an arrival from which an idle dispatcher spins. Before, it sleeps.
    pub spin: Time,
    /// File that receives each record at once, so that a killed program loses no complete record. It must not exist, and disappears
    /// when the trace is written, or if the session never starts. It has places for `records` jobs of each task; then the last records
    /// of a partition replace its first ones. `None`: no file.
    pub ring: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            backend: Backend::Cuda,
            overheads: None,
            device: 0,
            allow_unproven: false,
            cpus: Vec::new(),
            fifo_priority: 0,
            records: 65_536,
            spin: Time::from_ns(100_000),
            ring: None,
        }
    }
}
