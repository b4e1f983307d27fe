//! Kernels of a Python program for `measure kernel`: CUDA graphs, captured on the stream of each partition.
//!
//! The thread of Python captures the graphs, so settings of this thread apply to them. The dispatcher launches the graphs by their
//! handles, so no job runs Python code or waits for the GIL.

use std::ffi::OsString;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use gpusched::runtime::cuda::{Kernel, Launch, Place};
use gpusched_cli::embedding;
use gpusched_model::error::{Error, Result};
use pyo3::prelude::*;

use crate::{Called, Message, Request, in_thread};

/// An exception of a kernel.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// A kernel of the program. `prepare` returns the handle of a graph, and `release` frees the graph.
struct Graphs {
    name: String,
    prepare: Arc<Py<PyAny>>,
    release: Arc<Py<PyAny>>,
    raised: Raised,
    sender: Sender<Message>,
}

impl Graphs {
    /// Runs `call` in the thread of Python, and returns its result. Returns `None` if the call raised an exception.
    fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce(Python<'_>) -> PyResult<T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = channel();
        let raised = Arc::clone(&self.raised);
        let request: Request = Box::new(move |py| match call(py) {
            Ok(result) => drop(sender.send(result)),
            Err(error) => {
                let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
                raised.get_or_insert(error);
            }
        });
        self.sender.send(Message::Asked(request)).ok()?;
        receiver.recv().ok()
    }
}

impl Kernel for Graphs {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&mut self, place: Place) -> Result<Launch> {
        // The result of the measurement will be this exception, so it ends.
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_some() {
            return Err(Error::parameter(&self.name, "an exception", "no exception"));
        }
        drop(raised);
        let prepare = Arc::clone(&self.prepare);
        let handle = self.ask(move |py| {
            let handle = prepare.call1(py, (place.stream, place.sms, place.all))?;
            handle.extract::<usize>(py)
        });
        match handle {
            Some(0) | None => {
                let expected = "a function whose work can be captured as a CUDA graph";
                Err(Error::parameter(&self.name, "no graph", expected))
            }
            Some(handle) => Ok(Launch::Graph(handle)),
        }
    }

    fn release(&mut self) {
        let release = Arc::clone(&self.release);
        self.ask(move |py| release.call0(py).map(drop));
    }
}

/// Runs `measure kernel` with `arguments`, without the name of the program. The first of `kernels` is the measured kernel. Each kernel has a
/// name, a function from a stream, the SMs of its partition and the SMs of the GPU to the handle of a graph, and a function that frees
/// the graph.
#[pyfunction]
#[pyo3(signature = (arguments, kernels, progress=None))]
pub fn measure<'py>(
    py: Python<'py>,
    arguments: Vec<OsString>,
    kernels: Vec<(String, Py<PyAny>, Py<PyAny>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Called<'py>> {
    let raised = Raised::default();
    let seen = Arc::clone(&raised);
    let called = in_thread(py, arguments, progress, move |arguments, watch, sender| {
        let kernel = |(name, prepare, release)| {
            Box::new(Graphs {
                name,
                prepare: Arc::new(prepare),
                release: Arc::new(release),
                raised: Arc::clone(&seen),
                sender: sender.clone(),
            }) as embedding::Kernel
        };
        let mut kernels = kernels.into_iter().map(kernel);
        match kernels.next() {
            Some(measured) => {
                let others = kernels.collect();
                embedding::measure(arguments, watch, (measured, others))
            }
            None => embedding::call(arguments, watch),
        }
    });
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    raised.map_or(called, Err)
}
