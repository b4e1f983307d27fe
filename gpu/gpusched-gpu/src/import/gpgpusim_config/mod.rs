//! Import of `gpgpusim.config`, the configuration of [GPGPU-Sim](https://github.com/accel-sim/gpgpu-sim_distribution),
//! as a [`Machine`].
//!
//! A file is a list of options. An option is a word that starts with a dash, followed by one
//! value. `#` starts a comment. A value in quotes may span several lines. If the files set an
//! option twice, the last value applies. If no file sets an option, the default value of
//! GPGPU-Sim applies.
//!
//! GPGPU-Sim stops at an option that it does not know, and so does the import.
//!
//! * `tokens`: words of a file. `settings`: options with file and line. `value`: numbers, flags and choices.
//! * `names`: names of all options of GPGPU-Sim.
//! * `clocks`, `sm`, `times`, `memory`, `cache`, `dram`: options of each part of the machine, with their default
//!   values.
//! * `unmodelled`: options that change the simulation of GPGPU-Sim but not the simulation of gpusched.

mod cache;
mod clocks;
mod dram;
mod fields;
mod memory;
mod names;
mod settings;
mod sm;
mod times;
mod tokens;
mod unmodelled;
mod value;

pub use fields::option_of;
pub use settings::{Missing, Setting};
pub use unmodelled::Unmodelled;

use std::path::Path;

use crate::machine::Machine;
use crate::machine::{Dispatch, MachineShape};
use gpusched_model::error::Result;
use settings::Settings;

/// Maximum size of a file [bytes].
pub const MAX_BYTES: u64 = 1 << 24;

/// Imported machine. The other fields list missing options and options without effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The imported machine.
    pub machine: Machine,
    /// Options that no file sets. The default values of GPGPU-Sim apply.
    pub missing: Vec<Missing>,
    /// Options that a file sets but that do not affect the machine.
    pub ignored: Vec<Setting>,
    /// Options whose effect GPGPU-Sim simulates but gpusched does not.
    pub unmodelled: Vec<Unmodelled>,
}

/// Reads the machine `name` from the files at `paths`, in this order. The path `-` is standard input.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused), which states file, line, option, value and
/// expectation.
/// Fails with [`Error::Io`](gpusched_model::error::Error::Io) if a file cannot be read.
pub fn read(paths: &[impl AsRef<Path>], name: &str) -> Result<Imported> {
    let mut files = Vec::new();
    for path in paths {
        let path = path.as_ref();
        files.push((path.display().to_string(), settings::read(path)?));
    }
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(file, bytes)| (file.as_str(), bytes.as_slice()))
        .collect();
    parse(&files, name)
}

/// Reads the machine `name` from `files`. Each file is a pair of its name for messages and its content.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused), which states file, line, option, value and
/// expectation.
pub fn parse(files: &[(&str, &[u8])], name: &str) -> Result<Imported> {
    let mut settings = Settings::new();
    for (file, bytes) in files {
        settings.add(file, bytes)?;
    }
    settings.check_names()?;
    let names: Vec<&str> = files.iter().map(|(file, _)| *file).collect();
    let shape = MachineShape {
        name: name.to_owned(),
        source: format!("GPGPU-Sim configuration {}", names.join(", ")),
        clusters: settings.number("-gpgpu_n_clusters", "10")?,
        sms_per_cluster: settings.number("-gpgpu_n_cores_per_cluster", "3")?,
        clocks: clocks::clocks(&mut settings)?,
        dispatch: dispatch(&mut settings)?,
        sm: sm::sm(&mut settings)?,
        l1: memory::l1(&mut settings)?,
        shared_memory: memory::shared_memory(&mut settings)?,
        interconnect: memory::interconnect(&mut settings)?,
        memory: memory::memory(&mut settings)?,
    };
    let machine = Machine::new(shape).map_err(|refusal| {
        let field = refusal.field();
        let found = format!("{} ({field})", refusal.found().unwrap_or_default());
        let expected = refusal.expected().unwrap_or_default();
        settings.refuse(option_of(field).unwrap_or_default(), &found, expected)
    })?;
    let unmodelled = unmodelled::unmodelled(&mut settings)?;
    let (ignored, missing) = settings.finish();
    Ok(Imported {
        machine,
        missing,
        ignored,
        unmodelled,
    })
}

fn dispatch(settings: &mut Settings) -> Result<Dispatch> {
    Ok(Dispatch {
        kernel_latency: settings.number("-gpgpu_kernel_launch_latency", "0")?,
        block_latency: settings.number("-gpgpu_TB_launch_latency", "0")?,
        kernels: settings.number("-gpgpu_max_concurrent_kernel", "32")?,
        share_sms: settings.flag("-gpgpu_concurrent_kernel_sm", false)?,
    })
}
