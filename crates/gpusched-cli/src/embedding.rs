//! Commands that run inside the process of another program, such as a Python interpreter.
//!
//! [`call`] runs one command on the current thread. In place of standard output and standard error, the program
//! receives the result, the notes and the progress. In all other respects, the command works as in a process of its
//! own.
//!
//! [`measure`] also runs `measure kernel`, with kernels of the program in place of plugins.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indicatif::ProgressBar;

use crate::{Outcome, Stop, answer};
use gpusched_model::error::{Error, Refusal};
use gpusched_model::interrupt::Interrupted;
use gpusched_study::own::Registry;

/// Result of a command that ended without an error.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Positive or negative result, for which the exit code of the command is 0 or 1.
    pub outcome: Outcome,
    /// The bytes that the command writes to standard output.
    pub output: Vec<u8>,
    /// Notes and warnings, one line each.
    pub notes: Vec<String>,
    /// The same result in all formats, each with its name, if another run of the command would not give the same result.
    pub formats: Vec<(String, String)>,
}

/// A kernel of the program.
#[cfg(target_os = "linux")]
pub type Kernel = Box<dyn gpusched_runtime::cuda::Kernel + Send>;

/// Reason why a command ended without a result.
#[derive(Debug)]
pub enum Failure {
    /// The command failed with an error.
    Failed(Error),
    /// The program called [`gpusched_model::interrupt::request`].
    Interrupted,
}

/// The measured kernel, and the other kernels.
#[cfg(target_os = "linux")]
type Kernels = (Kernel, Vec<Kernel>);

/// Progress of a running command. Another thread may read the progress.
#[derive(Clone, Default, Debug)]
pub struct Watch(Arc<Mutex<Option<(ProgressBar, String)>>>);

/// Number of finished units and number of all units of a running command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Number of finished units.
    pub position: u64,
    /// Total number of units, if known.
    pub total: Option<u64>,
    /// Name of the units.
    pub units: String,
}

impl Watch {
    /// Returns the progress, or `None` before the command has started its work.
    pub fn step(&self) -> Option<Step> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.as_ref().map(|(bar, units)| Step {
            position: bar.position(),
            total: bar.length(),
            units: units.clone(),
        })
    }
}

/// Output, notes and progress of a call, and the algorithms that the program adds. All threads of the call share the notes and
/// the progress.
#[derive(Clone, Default)]
pub(crate) struct Capture {
    output: Vec<u8>,
    own: Registry,
    notes: Arc<Mutex<Vec<String>>>,
    watch: Watch,
    formats: Vec<(String, String)>,
    #[cfg(target_os = "linux")]
    kernels: Arc<Mutex<Option<Kernels>>>,
}

thread_local! {
    /// The call that this thread works for.
    static CALL: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Runs the command with `arguments`, which start with the name of the program. `watch` shows the progress. The result of
/// `--help` and `--version` is their text.
///
/// # Errors
/// Fails in the same cases as the command, and after an interrupt. A failed command leaves no unfinished output files.
pub fn call(arguments: &[OsString], watch: &Watch) -> Result<Answer, Failure> {
    call_with(arguments, Registry::default(), watch)
}

/// Runs the command like [`call`], with algorithms of the program. `study run` adds them to the study, and `partition` uses the
/// first as its heuristic. Other commands ignore them.
///
/// # Errors
/// Fails like [`call`], and if an algorithm of the program fails.
pub fn call_with(arguments: &[OsString], own: Registry, watch: &Watch) -> Result<Answer, Failure> {
    run(
        arguments,
        Capture {
            own,
            watch: watch.clone(),
            ..Capture::default()
        },
    )
}

/// Runs `measure kernel` with `arguments` as [`call`] does. The kernels are `measured` and `others`, in place of plugins.
///
/// # Errors
/// Fails in the same cases as [`call`].
#[cfg(target_os = "linux")]
pub fn measure(
    arguments: &[OsString],
    watch: &Watch,
    (measured, others): (Kernel, Vec<Kernel>),
) -> Result<Answer, Failure> {
    run(
        arguments,
        Capture {
            watch: watch.clone(),
            kernels: Arc::new(Mutex::new(Some((measured, others)))),
            ..Capture::default()
        },
    )
}

fn run(arguments: &[OsString], capture: Capture) -> Result<Answer, Failure> {
    CALL.set(Some(capture));
    let answered = panic::catch_unwind(AssertUnwindSafe(|| answer(arguments)));
    let mut capture = CALL.take().unwrap_or_default();
    let outcome = match answered {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(Stop::Failed(error))) => return Err(Failure::Failed(error)),
        Ok(Err(Stop::Said(message))) if message.use_stderr() => {
            return Err(Failure::Failed(refused(&message)));
        }
        Ok(Err(Stop::Said(message))) => {
            capture.output = message.render().to_string().into_bytes();
            Outcome::Positive
        }
        Err(payload) if payload.is::<Interrupted>() => return Err(Failure::Interrupted),
        Err(payload) => return Err(Failure::Failed(Error::Internal(said(payload.as_ref())))),
    };
    Ok(Answer {
        outcome,
        output: capture.output,
        formats: capture.formats,
        notes: std::mem::take(&mut *capture.notes.lock().unwrap_or_else(PoisonError::into_inner)),
    })
}

/// Returns the call that this thread works for. Another thread can then [join](Capture::join) the call.
pub(crate) fn current() -> Option<Capture> {
    CALL.with_borrow(Option::clone)
}

/// Returns the algorithms that the program adds to the command of this thread.
pub(crate) fn own() -> Registry {
    let own = CALL.with_borrow(|call| call.as_ref().map(|call| call.own.clone()));
    own.unwrap_or_default()
}

/// Algorithms that this program adds to all its studies.
static PROVIDED: OnceLock<Registry> = OnceLock::new();

/// Adds the algorithms of `own` to all studies that commands of this process run. Only the first call in a process has an effect.
pub fn provide(own: Registry) {
    let _ = PROVIDED.set(own);
}

/// Returns the algorithms that the program adds to studies.
pub(crate) fn algorithms() -> Registry {
    let own = own();
    match PROVIDED.get() {
        Some(provided) if own.is_empty() => provided.clone(),
        _ => own,
    }
}

impl Capture {
    /// Lets the current thread work for this call.
    pub(crate) fn join(self) {
        CALL.set(Some(self));
    }
}

/// Converts an error of clap. The first paragraph of its message states the problem.
fn refused(message: &clap::Error) -> Error {
    let text = message.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let problem = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<&str> = problem.split_whitespace().collect();
    Refusal::told("arguments", words.join(" ")).into()
}

/// Returns the message of a panic.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// Whether the current thread runs a [`call`].
pub fn is_active() -> bool {
    CALL.with_borrow(Option::is_some)
}

/// Adds `bytes` to the result of the call.
pub(crate) fn write(bytes: &[u8]) {
    CALL.with_borrow_mut(|call| {
        if let Some(call) = call {
            call.output.extend_from_slice(bytes);
        }
    });
}

/// Adds the result in the format with the name `format`. Another run of the command would not give the same result.
pub(crate) fn keep(format: &str, result: String) {
    CALL.with_borrow_mut(|call| {
        if let Some(call) = call {
            call.formats.push((format.to_owned(), result));
        }
    });
}

/// Takes the kernels of the program that calls [`measure`].
#[cfg(target_os = "linux")]
pub(crate) fn kernels() -> Option<Kernels> {
    CALL.with_borrow(|call| {
        let kernels = &call.as_ref()?.kernels;
        kernels.lock().unwrap_or_else(PoisonError::into_inner).take()
    })
}

/// Adds `line` to the notes of the call. Returns whether there is a call.
pub(crate) fn note(line: &str) -> bool {
    CALL.with_borrow(|call| {
        if let Some(call) = call {
            let mut notes = call.notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.push(line.to_owned());
        }
        call.is_some()
    })
}

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends the process. A program that embeds gpusched handles signals itself.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    static NEVER: AtomicBool = AtomicBool::new(false);
    #[cfg(target_os = "linux")]
    if !is_active() {
        return gpusched_runtime::stop_on_signals();
    }
    &NEVER
}

/// Reports the progress of `bar` to the program. The bar counts `units`.
pub(crate) fn watch(bar: &ProgressBar, units: &str) {
    CALL.with_borrow(|call| {
        if let Some(call) = call {
            let mut seen = call.watch.0.lock().unwrap_or_else(PoisonError::into_inner);
            *seen = Some((bar.clone(), units.to_owned()));
        }
    });
}
