//! The native part of the Python module `gpusched`: runs the command inside the Python process.

#[cfg(target_os = "linux")]
mod measure;
mod own;
#[cfg(target_os = "linux")]
mod runtime;

use std::ffi::OsString;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gpusched_cli::Outcome;
use gpusched_cli::embedding::{self, Failure, Watch};
use gpusched_model::error::Error;
use gpusched_model::interrupt;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Time between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(50);

/// Stack of the thread that runs a command: the usual stack of the main thread of a process.
const STACK: usize = 8 << 20;

/// A refused input: message, file, line, field, found, expected, hint.
type Refused = (
    String,
    Option<String>,
    Option<usize>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// Result of a command: whether it is positive, its bytes, its notes, and the same result in all formats if a second run would not give it.
type Answered<'py> = (bool, Bound<'py, PyBytes>, Vec<String>, Vec<(String, String)>);

/// A function that the thread of Python runs for the thread of the command.
type Request = Box<dyn FnOnce(Python<'_>) + Send>;

/// A message of the thread of a command.
enum Message {
    Asked(Request),
    Ended(Result<embedding::Answer, Failure>),
}

/// Result of [`call`]: the result of the command, or its error, with the exception that caused it.
type Called<'py> = (Option<Answered<'py>>, Option<Refused>, Option<PyErr>);

/// Runs the command with `arguments`, without the name of the program. Releases the GIL. Calls `progress` with the
/// finished units, the total and the name of the units. `functions` are algorithms of the user. Returns the result, or the error
/// as the second element, and the exception of a function as the third.
#[pyfunction]
#[pyo3(signature = (arguments, progress=None, functions=Vec::new()))]
fn call<'py>(
    py: Python<'py>,
    arguments: Vec<OsString>,
    progress: Option<Py<PyAny>>,
    functions: Vec<(String, String, Py<PyAny>)>,
) -> PyResult<Called<'py>> {
    let raised = own::Raised::default();
    let functions = own::registry(functions, &raised);
    let (answer, refused, _) = in_thread(py, arguments, progress, |arguments, watch, _| {
        embedding::call_with(arguments, functions, watch)
    })?;
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    let raised = raised.filter(|_| refused.is_some());
    Ok((answer, refused, raised))
}

/// Calls `run` with `arguments` in a thread. Meanwhile, the thread of Python runs the requests of `run` and shows the progress.
fn in_thread<'py>(
    py: Python<'py>,
    arguments: Vec<OsString>,
    progress: Option<Py<PyAny>>,
    run: impl FnOnce(&[OsString], &Watch, &Sender<Message>) -> Result<embedding::Answer, Failure> + Send + 'static,
) -> PyResult<Called<'py>> {
    let watch = Watch::default();
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver); // a receiver alone may not leave the GIL
    let arguments: Vec<OsString> = std::iter::once("gpusched".into()).chain(arguments).collect();
    let seen = watch.clone();
    let command = thread::Builder::new().stack_size(STACK).spawn(move || {
        let ended = run(&arguments, &seen, &sender);
        let _ = sender.send(Message::Ended(ended)); // the receiver waits for the result
    })?;
    let mut stopped = None;
    let answer = loop {
        match py.detach(|| {
            receiver
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv_timeout(TICK)
        }) {
            Ok(Message::Ended(answer)) => break answer,
            Ok(Message::Asked(request)) => request(py),
            Err(RecvTimeoutError::Timeout) if stopped.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                let looked = py
                    .check_signals()
                    .and_then(|()| tell(py, &watch, progress.as_ref()));
                if let Err(error) = looked {
                    stopped = Some(error);
                    interrupt::request();
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("gpusched ended without a result"));
            }
        }
    };
    let _ = py.detach(|| command.join()); // the thread has sent its result
    if let Some(error) = stopped {
        interrupt::withdraw();
        return Err(error);
    }
    match answer {
        Ok(answer) => {
            tell(py, &watch, progress.as_ref())?;
            let positive = answer.outcome == Outcome::Positive;
            let output = PyBytes::new(py, &answer.output);
            Ok((Some((positive, output, answer.notes, answer.formats)), None, None))
        }
        Err(Failure::Failed(error)) => Ok((None, Some(refused(&error)), None)),
        // Another thread of Python requested the interrupt.
        Err(Failure::Interrupted) => Err(PyKeyboardInterrupt::new_err(())),
    }
}

/// Tells `progress` how far the command is.
fn tell(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    let (Some(progress), Some(step)) = (progress, watch.step()) else {
        return Ok(());
    };
    progress
        .call1(py, (step.position, step.total, step.units))
        .map(drop)
}

fn refused(error: &Error) -> Refused {
    let message = error.to_string();
    match error {
        Error::Refused(refusal) => (
            message,
            refusal.file().map(str::to_owned),
            refusal.line(),
            Some(refusal.field().to_owned()),
            refusal.found().map(str::to_owned),
            refusal.expected().map(str::to_owned),
            refusal.advice().map(str::to_owned),
        ),
        Error::Io { path, .. } => {
            let file = Some(path.display().to_string());
            (message, file, None, None, None, None, None)
        }
        _ => (message, None, None, None, None, None, None),
    }
}

/// Runs the command with `arguments`, which start with the name of the program, as a process does. Returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gpusched_cli::main(&arguments))
}

/// Returns the tree of commands and options as JSON.
#[pyfunction]
fn commands() -> PyResult<String> {
    gpusched_cli::tree::json().map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gpusched::register_parts();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<own::Wcets>()?;
    #[cfg(target_os = "linux")]
    {
        module.add_class::<runtime::Runtime>()?;
        module.add_function(wrap_pyfunction!(measure::measure, module)?)?;
        module.add("RuntimeFault", module.py().get_type::<runtime::RuntimeFault>())?;
    }
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(commands, module)?)
}
