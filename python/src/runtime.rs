//! Plans that run with the jobs of a Python program: the class behind `gpusched.runtime`.
//!
//! Jobs are CUDA graphs, which the dispatchers launch by their handles. So no dispatcher runs Python code or waits for the GIL, except
//! that a thread of Python may enqueue jobs of sporadic tasks.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gpusched::runtime::session::{Fault, Kind, Options, Work};
use gpusched::runtime::{Backend, Session};
use gpusched_model::time::Time;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(_native, RuntimeFault, PyRuntimeError);

/// Longest time between two looks at signals.
const TICK: Duration = Duration::from_millis(50);

/// A plan that runs.
#[pyclass(frozen)]
pub struct Runtime {
    session: Mutex<Option<Arc<Session>>>,
}

fn raised(fault: Fault) -> PyErr {
    RuntimeFault::new_err((fault.kind == Kind::Timeout, fault.text))
}

impl Runtime {
    fn session(&self) -> PyResult<Arc<Session>> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || raised(Fault::usage("runtime", "a closed runtime", "an open runtime"));
        session.as_ref().map(Arc::clone).ok_or_else(closed)
    }
}

#[pymethods]
impl Runtime {
    /// Opens a plan. Times are in ns.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the options of a session")]
    fn new(
        py: Python<'_>,
        plan: PathBuf,
        set: PathBuf,
        backend: &str,
        overheads: Option<PathBuf>,
        device: i32,
        allow_unproven: bool,
        cpus: Vec<usize>,
        fifo_priority: i32,
        records: usize,
        spin: u64,
        ring: Option<PathBuf>,
    ) -> PyResult<Runtime> {
        let backend = match backend {
            "cuda" => Backend::Cuda,
            "simulated" => Backend::Simulated,
            other => {
                return Err(raised(Fault::usage(
                    "backend",
                    format!("{other:?}"),
                    "cuda or simulated",
                )));
            }
        };
        let options = Options {
            backend,
            overheads,
            device,
            allow_unproven,
            cpus,
            fifo_priority,
            records,
            spin: Time::from_ns(spin),
            ring,
        };
        let session = py
            .detach(|| Session::open(&plan, &set, options))
            .map_err(raised)?;
        Ok(Runtime {
            session: Mutex::new(Some(Arc::new(session))),
        })
    }

    /// Returns the stream of the partition of a task.
    fn stream(&self, task: &str) -> PyResult<usize> {
        self.session()?.stream(task).map_err(raised)
    }

    /// Returns the number of SMs of the partition of a task.
    fn sms(&self, task: &str) -> PyResult<u32> {
        self.session()?.sms(task).map_err(raised)
    }

    /// States the graph of a task, a `CUgraphExec`.
    fn graph(&self, py: Python<'_>, task: &str, handle: usize) -> PyResult<()> {
        if handle == 0 {
            return Err(raised(Fault::usage(
                task,
                "the graph 0",
                "the handle of an executable graph",
            )));
        }
        let session = self.session()?;
        py.detach(|| session.task(task, Work::Graph(handle)))
            .map_err(raised)
    }

    fn sporadic(&self, py: Python<'_>, task: &str) -> PyResult<()> {
        let session = self.session()?;
        py.detach(|| session.sporadic(task)).map_err(raised)
    }

    fn start(&self, py: Python<'_>, first: u64) -> PyResult<u64> {
        let session = self.session()?;
        py.detach(|| session.start(first)).map_err(raised)
    }

    fn release(&self, task: &str) -> PyResult<u64> {
        self.session()?.release(task).map_err(raised)
    }

    /// Returns the position of the task, the number of the job, its arrival, its deadline, and the stream.
    fn begin(&self, py: Python<'_>, task: &str) -> PyResult<(usize, u64, u64, u64, usize)> {
        let session = self.session()?;
        let (job, stream) = py.detach(|| session.begin(task)).map_err(raised)?;
        Ok((job.task, job.number, job.arrival, job.deadline, stream))
    }

    fn end(&self, task: usize, number: u64) -> PyResult<()> {
        self.session()?.end(task, number).map_err(raised)
    }

    /// Returns the record of a job. Without a time-out, waits until the job completes or Ctrl-C.
    fn wait<'py>(
        &self,
        py: Python<'py>,
        task: &str,
        number: u64,
        timeout: Option<u64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let session = self.session()?;
        let mut rest = timeout.map_or(Duration::MAX, Duration::from_nanos);
        let record = loop {
            let now = rest.min(TICK);
            rest = rest.saturating_sub(now);
            match py.detach(|| session.wait(task, number, now)) {
                Err(fault) if fault.kind == Kind::Timeout && !rest.is_zero() => py.check_signals()?,
                other => break other.map_err(raised)?,
            }
        };
        let found = PyDict::new(py);
        for (name, value) in [
            ("number", record.job.number),
            ("arrival_ns", record.job.arrival),
            ("deadline_ns", record.job.deadline),
            ("visible_ns", record.visible),
            ("decision_ns", record.decision),
            ("enqueued_ns", record.enqueued),
            ("completion_ns", record.completion),
        ] {
            found.set_item(name, value)?;
        }
        for (name, value) in [
            ("missed", record.status.missed),
            ("overrun", record.status.overrun),
            ("late_wake", record.status.late_wake),
            ("failed", record.status.failed),
            ("overhead", record.status.overhead),
        ] {
            found.set_item(name, value)?;
        }
        Ok(found)
    }

    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let session = self.session()?;
        py.detach(|| session.stop()).map_err(raised)
    }

    fn audit(&self, py: Python<'_>) -> PyResult<(bool, String)> {
        let session = self.session()?;
        py.detach(|| session.audit()).map_err(raised)
    }

    fn trace(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let session = self.session()?;
        py.detach(|| session.trace(&path)).map_err(raised)
    }

    fn close(&self, py: Python<'_>) {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(session));
    }
}
