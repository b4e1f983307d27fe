//! Arguments of C: strings, options and pointers of the user.
#![allow(unsafe_code, reason = "pointers from C")]

use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::path::PathBuf;

use gpusched_model::time::Time;
use gpusched_runtime::Backend;
use gpusched_runtime::session::{Fault, Options};

use crate::types;

/// A pointer of the user. The header states that all threads of the session use it.
#[derive(Copy, Clone)]
pub struct User(pub *mut c_void);

// SAFETY: gpusched only hands the pointer back to the functions of the user.
unsafe impl Send for User {}

/// Returns the text of a C string.
///
/// # Errors
/// Refuses null and a string that is not UTF-8. `name` is the name of the argument.
///
/// # Safety
/// `text` is null or a C string.
pub unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::usage(name, "null", "a string"));
    }
    // SAFETY: the caller passes a C string.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Fault::usage(name, format!("{text:?}"), "a string in UTF-8"))
}

/// Largest size of the options of any version [bytes].
const MOST: usize = 4096;

/// Size of the options of this version [bytes].
const KNOWN: usize = size_of::<types::Options>();

/// Returns the options of a session. Fields beyond the stated size have their defaults.
///
/// # Errors
/// Refuses a wrong size, a field of a later version that is not 0, and a wrong value.
///
/// # Safety
/// `options` is null, or the structure that its field `size` states.
pub unsafe fn options(options: *const types::Options) -> Result<Options, Fault> {
    let mut of = Options::default();
    if options.is_null() {
        return Ok(of);
    }
    // SAFETY: every version begins with the size.
    let size = unsafe { options.cast::<u32>().read() } as usize;
    if !(size_of::<u32>()..=MOST).contains(&size) {
        let expected = format!("sizeof(gs_options), such as {KNOWN}");
        return Err(Fault::usage("options.size", size, expected));
    }
    // SAFETY: the structure has `size` bytes, which the user has set.
    let bytes = unsafe { std::slice::from_raw_parts(options.cast::<u8>(), size) };
    if bytes.iter().skip(KNOWN).any(|&byte| byte != 0) {
        let expected = format!("0 in all fields after byte {KNOWN}, which this version does not know");
        return Err(Fault::usage("options", "a field of a later version", expected));
    }
    // A field that the size cuts has its default.
    let ends = [
        offset_of!(types::Options, overheads),
        offset_of!(types::Options, device),
        offset_of!(types::Options, allow_unproven),
        offset_of!(types::Options, cpus),
        offset_of!(types::Options, cpu_count),
        offset_of!(types::Options, fifo_priority),
        offset_of!(types::Options, records),
        offset_of!(types::Options, spin),
        offset_of!(types::Options, ring),
        KNOWN,
    ];
    let whole = ends.into_iter().filter(|&end| end <= size).max().unwrap_or(0);
    let mut copy = [0; KNOWN];
    copy[..whole].copy_from_slice(&bytes[..whole]);
    // SAFETY: all fields are integers and pointers, for which all bytes are valid.
    let read = unsafe { copy.as_ptr().cast::<types::Options>().read_unaligned() };
    if !read.backend.is_null() {
        // SAFETY: the user states a C string.
        let name = unsafe { text("backend", read.backend) }?;
        of.backend = match name {
            "cuda" => Backend::Cuda,
            "simulated" => Backend::Simulated,
            other => return Err(Fault::usage("backend", format!("{other:?}"), "cuda or simulated")),
        };
    }
    if !read.overheads.is_null() {
        // SAFETY: the user states a C string.
        of.overheads = Some(PathBuf::from(unsafe { text("overheads", read.overheads) }?));
    }
    if !read.ring.is_null() {
        // SAFETY: the user states a C string.
        of.ring = Some(PathBuf::from(unsafe { text("ring", read.ring) }?));
    }
    if !read.cpus.is_null() && read.cpu_count > 0 {
        if read.cpu_count > MOST {
            return Err(Fault::usage(
                "cpu_count",
                read.cpu_count,
                "one core per partition",
            ));
        }
        // SAFETY: the user states an array of this length.
        let cpus = unsafe { std::slice::from_raw_parts(read.cpus, read.cpu_count) };
        let core = |&cpu: &i32| {
            let known = usize::try_from(cpu).ok().filter(|&cpu| cpu < 1024);
            known.ok_or_else(|| Fault::usage("cpus", cpu, "the number of a core"))
        };
        of.cpus = cpus.iter().map(core).collect::<Result<_, _>>()?;
    }
    of.device = read.device;
    of.allow_unproven = read.allow_unproven != 0;
    of.fifo_priority = read.fifo_priority;
    if read.records > 0 {
        of.records = read.records as usize;
    }
    if read.spin > 0 {
        of.spin = Time::from_ns(read.spin);
    }
    Ok(of)
}
