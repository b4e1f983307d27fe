//! Kernels of a measurement: plugins, and kernels of the program that measures.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;

use gpusched_model::error::{Error, Refusal, Result};
use libloading::Library;

use super::super::library::{Code, Driver, Handle};
use super::fault::{FUNCTION, Fault};

/// A function that enqueues one job on the stream in its argument, and returns 0.
pub type Function = unsafe extern "C" fn(*mut c_void) -> c_int;

/// How to enqueue a job of a kernel on one stream.
#[derive(Copy, Clone, Debug)]
pub enum Launch {
    /// The function enqueues a job.
    Function(Function),
    /// The launch of this executable graph (`CUgraphExec`) is a job. The kernel guarantees that the graph exists until
    /// [`Kernel::release`]: the driver reads any other number as an address.
    Graph(usize),
}

/// A stream of a partition, as a kernel sees it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The stream (`CUstream`).
    pub stream: usize,
    /// Number of SMs of its partition.
    pub sms: u32,
    /// Number of SMs of the GPU.
    pub all: u32,
}

/// A kernel of a measurement.
pub trait Kernel {
    /// Returns the name of the kernel in the result.
    fn name(&self) -> &str;

    /// Returns how to enqueue jobs on the stream of `place`, which exists until [`Kernel::release`].
    ///
    /// # Errors
    /// Fails if the kernel has no jobs for this stream.
    fn prepare(&mut self, place: Place) -> Result<Launch>;

    /// Frees what the last [`Kernel::prepare`] created. No job runs any more.
    fn release(&mut self) {}
}

/// Calls that enqueue jobs. The functions are valid as long as the process runs.
#[derive(Copy, Clone)]
pub struct Launcher {
    graph: unsafe extern "C" fn(Handle, Handle) -> Code,
}

impl Launcher {
    pub fn of(driver: &Driver) -> Launcher {
        Launcher {
            graph: driver.graph_launch,
        }
    }

    /// Enqueues a job on `stream`.
    pub fn enqueue(self, job: Launch, stream: Handle) -> Result<(), Fault> {
        match job {
            // SAFETY: the user states that the function enqueues one job on the stream.
            Launch::Function(function) => match unsafe { function(stream as *mut c_void) } {
                0 => Ok(()),
                code => Err(Fault::Plugin(code)),
            },
            // SAFETY: the stream exists, and the kernel states that the graph exists.
            Launch::Graph(graph) => match unsafe { (self.graph)(graph, stream) } {
                0 => Ok(()),
                code => Err(Fault::Call("cuGraphLaunch", code)),
            },
        }
    }
}

/// A shared library with a kernel.
pub struct Plugin {
    name: String,
    function: Function,
    /// Keeps the function valid. It stays loaded, because its kernels may still run.
    _library: ManuallyDrop<Library>,
}

impl Plugin {
    /// Loads the plugin at `path`.
    ///
    /// # Errors
    /// Fails for a file that is not a plugin.
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

impl Kernel for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&mut self, _: Place) -> Result<Launch> {
        Ok(Launch::Function(self.function))
    }
}
