//! The C interface of `gpusched-runtime`. `include/gpusched_runtime.h` describes the functions.
//!
//! Each function converts its arguments and calls a [`Session`]. No panic leaves a function.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "functions that C calls, with pointers from C")]

mod arguments;
mod types;

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use gpusched_runtime::Session;
use gpusched_runtime::core::Job;
use gpusched_runtime::session::{Fault, Kind, Work};

use arguments::User;
pub use types::{CJob, CRecord, Complete, Enqueue, Options};

/// Version of the interface, `GS_ABI`.
const ABI: c_int = 1;

thread_local! {
    /// Text of the last error of this thread.
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Runs `function`, keeps its error for `gs_error`, and returns its status. A panic is an internal error.
fn status(function: impl FnOnce() -> Result<c_int, Fault>) -> c_int {
    let panicked = |_| {
        let text = "internal error, please report: a function of gpusched panicked".to_owned();
        Err(Fault {
            kind: Kind::Internal,
            text,
        })
    };
    let result = catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(panicked);
    result.unwrap_or_else(|fault| {
        let text = fault.text.replace('\0', "\u{fffd}");
        ERROR.with_borrow_mut(|error| *error = CString::new(text).unwrap_or_default());
        types::status(fault.kind)
    })
}

/// Returns the session behind a pointer from C.
///
/// # Safety
/// `runtime` is null, or from `gs_open` and not closed.
unsafe fn session<'a>(runtime: *mut Session) -> Result<&'a Session, Fault> {
    // SAFETY: as the caller states.
    let session = unsafe { runtime.as_ref() };
    session.ok_or_else(|| Fault::usage("runtime", "null", "a runtime from gs_open"))
}

fn null(name: &str) -> Fault {
    Fault::usage(name, "null", "a pointer")
}

/// `gs_abi`.
#[unsafe(no_mangle)]
pub extern "C" fn gs_abi() -> c_int {
    ABI
}

/// `gs_open`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_open(
    plan: *const c_char,
    set: *const c_char,
    options: *const Options,
    out: *mut *mut Session,
) -> c_int {
    status(|| {
        if out.is_null() {
            return Err(null("out"));
        }
        // SAFETY: `out` is a place for a pointer.
        unsafe { out.write(std::ptr::null_mut()) };
        // SAFETY: the caller passes C strings and options.
        let (plan, set, options) = unsafe {
            (
                arguments::text("plan", plan)?,
                arguments::text("set", set)?,
                arguments::options(options)?,
            )
        };
        let session = Session::open(Path::new(plan), Path::new(set), options)?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { out.write(Box::into_raw(Box::new(session))) };
        Ok(0)
    })
}

/// `gs_stream`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_stream(runtime: *mut Session, task: *const c_char) -> *mut c_void {
    let mut stream = 0;
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        stream = unsafe { session(runtime)?.stream(arguments::text("task", task)?)? };
        Ok(0)
    });
    stream as *mut c_void
}

/// `gs_task`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_task(
    runtime: *mut Session,
    task: *const c_char,
    enqueue: Option<Enqueue>,
    user: *mut c_void,
) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        let (session, task) = unsafe { (session(runtime)?, arguments::text("task", task)?) };
        let enqueue = enqueue.ok_or_else(|| null("enqueue"))?;
        let user = User(user);
        let call = move |stream: usize, job: &Job| {
            let user = user;
            // SAFETY: the function is from the user, with its pointer, the stream of the partition, and a job.
            unsafe { enqueue(user.0, stream as *mut c_void, &CJob::of(job)) == 0 }
        };
        session.task(task, Work::Call(Box::new(call))).map(|()| 0)
    })
}

/// `gs_task_graph`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_task_graph(
    runtime: *mut Session,
    task: *const c_char,
    graph: *mut c_void,
) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        let (session, task) = unsafe { (session(runtime)?, arguments::text("task", task)?) };
        if graph.is_null() {
            return Err(null("graph_exec"));
        }
        session.task(task, Work::Graph(graph as usize)).map(|()| 0)
    })
}

/// `gs_sporadic`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_sporadic(runtime: *mut Session, task: *const c_char) -> c_int {
    // SAFETY: the caller passes a runtime and a C string.
    status(|| unsafe {
        session(runtime)?
            .sporadic(arguments::text("task", task)?)
            .map(|()| 0)
    })
}

/// `gs_on_complete`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_on_complete(
    runtime: *mut Session,
    task: *const c_char,
    complete: Option<Complete>,
    user: *mut c_void,
) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        let (session, task) = unsafe { (session(runtime)?, arguments::text("task", task)?) };
        let complete = complete.ok_or_else(|| null("complete"))?;
        let user = User(user);
        let call = move |record: &_| {
            let user = user;
            // SAFETY: the function is from the user, with its pointer and a record.
            unsafe { complete(user.0, &CRecord::of(record)) }
        };
        session.on_complete(task, Box::new(call)).map(|()| 0)
    })
}

/// `gs_start`.
///
/// # Safety
/// The pointer is null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_start(runtime: *mut Session, first: u64) -> c_int {
    // SAFETY: the caller passes a runtime.
    status(|| unsafe { session(runtime) }?.start(first).map(|_| 0))
}

/// `gs_release`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_release(runtime: *mut Session, task: *const c_char, number: *mut u64) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        let released = unsafe { session(runtime)?.release(arguments::text("task", task)?)? };
        if !number.is_null() {
            // SAFETY: `number` is a place for a number.
            unsafe { number.write(released) };
        }
        Ok(0)
    })
}

/// `gs_begin`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_begin(
    runtime: *mut Session,
    task: *const c_char,
    job: *mut CJob,
    stream: *mut *mut c_void,
) -> c_int {
    status(|| {
        if job.is_null() || stream.is_null() {
            return Err(null(if job.is_null() { "job" } else { "stream" }));
        }
        // SAFETY: the caller passes a runtime, a C string, and places for a job and a stream.
        unsafe {
            let (chosen, on) = session(runtime)?.begin(arguments::text("task", task)?)?;
            job.write(CJob::of(&chosen));
            stream.write(on as *mut c_void);
        }
        Ok(0)
    })
}

/// `gs_end`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_end(runtime: *mut Session, job: *const CJob) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a job.
        let (session, job) = unsafe { (session(runtime)?, job.as_ref()) };
        let job = job.ok_or_else(|| null("job"))?;
        session.end(job.task as usize, job.number).map(|()| 0)
    })
}

/// `gs_wait`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_wait(
    runtime: *mut Session,
    task: *const c_char,
    number: u64,
    timeout: u64,
    record: *mut CRecord,
) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime and a C string.
        let (session, task) = unsafe { (session(runtime)?, arguments::text("task", task)?) };
        let found = session.wait(task, number, Duration::from_nanos(timeout))?;
        if !record.is_null() {
            // SAFETY: `record` is a place for a record.
            unsafe { record.write(CRecord::of(&found)) };
        }
        Ok(0)
    })
}

/// `gs_stop`.
///
/// # Safety
/// The pointer is null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_stop(runtime: *mut Session) -> c_int {
    // SAFETY: the caller passes a runtime.
    status(|| unsafe { session(runtime) }?.stop().map(|()| 0))
}

/// `gs_audit`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_audit(runtime: *mut Session, text: *mut c_char, size: usize) -> c_int {
    status(|| {
        // SAFETY: the caller passes a runtime.
        let (kept, line) = unsafe { session(runtime) }?.audit()?;
        if !text.is_null() && size > 0 {
            let mut length = line.len().min(size - 1);
            while !line.is_char_boundary(length) {
                length -= 1;
            }
            // SAFETY: `text` has `size` bytes, and `length` is less.
            unsafe {
                std::ptr::copy_nonoverlapping(line.as_ptr(), text.cast(), length);
                text.add(length).write(0);
            }
        }
        Ok(c_int::from(!kept))
    })
}

/// `gs_trace`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_trace(runtime: *mut Session, path: *const c_char) -> c_int {
    // SAFETY: the caller passes a runtime and a C string.
    status(|| unsafe {
        session(runtime)?
            .trace(Path::new(arguments::text("path", path)?))
            .map(|()| 0)
    })
}

/// `gs_error`.
#[unsafe(no_mangle)]
pub extern "C" fn gs_error(_: *mut Session) -> *const c_char {
    ERROR.with_borrow(|error| error.as_ptr())
}

/// `gs_close`.
///
/// # Safety
/// `runtime` is null, or from `gs_open`, and no other call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gs_close(runtime: *mut Session) {
    status(|| {
        if !runtime.is_null() {
            // SAFETY: the pointer is from `gs_open`, and this is its last use.
            drop(unsafe { Box::from_raw(runtime) });
        }
        Ok(0)
    });
}
