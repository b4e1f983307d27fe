//! Plugins: shared libraries with one kernel.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;

use gpusched_model::error::{Error, Refusal, Result};
use libloading::Library;

/// Name of the function of a plugin.
pub const FUNCTION: &str = "gs_measure_job";

pub type Function = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A shared library with a kernel.
pub struct Plugin {
    pub name: String,
    pub function: Function,
    /// Keeps the function valid. It stays loaded, because its kernels may still run.
    _library: ManuallyDrop<Library>,
}

impl Plugin {
    pub fn load(path: &Path) -> Result<Plugin> {
        let refuse = |found: String| {
            Refusal::new(
                "plugin",
                found,
                format!("a shared library with `int {FUNCTION}(void *stream)`"),
            )
        };
        let full = path
            .canonicalize()
            .map_err(|cause| Error::io(path, "open", cause))?;
        // SAFETY: the user states that the library is a plugin, whose initialization may run.
        let library = unsafe { Library::new(&full) }.map_err(|error| refuse(error.to_string()))?;
        // SAFETY: the function of this name has this signature, as the documentation of plugins states.
        let function = unsafe { library.get::<Function>(FUNCTION.as_bytes()) };
        let function = *function.map_err(|_| refuse(format!("{} without this function", path.display())))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Plugin {
            name: stem.strip_prefix("lib").unwrap_or(&stem).to_owned(),
            function,
            _library: ManuallyDrop::new(library),
        })
    }
}
