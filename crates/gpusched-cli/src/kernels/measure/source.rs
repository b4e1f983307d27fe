//! The options that select the measured kernel and where it runs.

use std::path::PathBuf;
use std::str::FromStr;

use crate::arguments::{named, refused};
use crate::part::{Kernels, Other, parts};
use crate::{Global, embedding};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::provenance::is_date;
use gpusched_model::wcet::MAX_SMS;
use gpusched_runtime::Backend;
use gpusched_runtime::measure::Executor;

/// The measured kernel, and where it runs.
#[derive(Debug, clap::Args)]
pub struct Source {
    /// Program (JSON) or Accel-Sim trace (`.traceg`) of the kernel
    ///
    /// Only with `--backend simulated`.
    #[arg(value_name = "PROGRAM", value_hint = clap::ValueHint::FilePath)]
    program: Option<PathBuf>,
    /// Where the kernel runs
    #[arg(long, value_parser = named::<Backend>(), default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Shared library with the kernel
    ///
    /// Only with `--backend cuda`. The library exports `int gs_measure_job(void *stream)`, which enqueues one job on `stream` and
    /// returns 0.
    #[arg(long, value_name = "FILE.so", value_hint = clap::ValueHint::FilePath)]
    plugin: Option<PathBuf>,
    /// Simulated GPU: a name or a file
    ///
    /// Only with `--backend simulated`.
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// State in the result that the clocks of the GPU are locked
    ///
    /// Only with `--backend cuda`. gpusched never changes clocks, and it cannot see whether they are locked.
    #[arg(long)]
    clocks_locked: bool,
    /// Date of the measurement for the result, e.g., 2026-11-27
    ///
    /// gpusched never reads the date from the clock of the computer, so equal measurements of a simulated GPU have equal results.
    #[arg(long, value_name = "DATE", value_parser = date)]
    date: Option<String>,
}

fn date(text: &str) -> Result<String, String> {
    match is_date(text) {
        true => Ok(text.to_owned()),
        false => Err(refused(text, "a date such as 2026-11-27")),
    }
}

/// Numbers of SMs, such as `8,16,32` or `8..32:8`.
#[derive(Clone, Debug, Default)]
pub struct Sizes(pub Vec<u32>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let number = |text: &str| text.parse().ok().filter(|sms| (1..=MAX_SMS).contains(sms));
        let range = |text: &str| {
            let (range, step) = text.split_once(':').unwrap_or((text, "1"));
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            let (first, last, step) = (number(first)?, number(last)?, number(step)?);
            (first <= last).then(|| (first..=last).step_by(step as usize))
        };
        let all: Option<Vec<_>> = text.split(',').map(range).collect();
        let all = all.ok_or_else(|| refused(text, "numbers of SMs, such as 8,16,32 or 8..32:8"))?;
        Ok(Sizes(all.into_iter().flatten().collect()))
    }
}

impl Source {
    /// Returns the date that the user states.
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// Returns the number of jobs at the start of a series whose times do not count, and the default number of samples. On a GPU, the
    /// first jobs load the kernel and raise the clocks.
    pub fn jobs(&self) -> (u64, u64) {
        match self.backend {
            Backend::Cuda => (3, 100),
            Backend::Simulated => (0, 10),
        }
    }

    /// Refuses the plugin as one of `others`, which run in a second thread: a library is loaded once, so its variables would be shared.
    ///
    /// # Errors
    /// Fails if a file of `others` is the plugin.
    pub fn apart(&self, others: &[Other]) -> Result<()> {
        let file = |path: &PathBuf| path.canonicalize().ok();
        let Some(plugin) = self.plugin.as_ref().and_then(file) else {
            return Ok(());
        };
        let same = others.iter().find_map(|other| match other {
            Other::File(path) if file(path).as_ref() == Some(&plugin) => Some(path),
            _ => None,
        });
        let Some(path) = same else {
            return Ok(());
        };
        let expected =
            "another file than `--plugin`, because the variables of one file would be shared by two threads";
        let refusal = Refusal::new("beside", path.display(), expected);
        Err(refusal.hint("copy the file, and state the copy").into())
    }

    /// Opens the GPU or the simulated GPU, and calls `then` with it. `others` are the other kernels.
    ///
    /// # Errors
    /// Refuses options of the other backend. Fails without a GPU or a simulated GPU, and in the same cases as `then`.
    pub fn with<T>(
        &self,
        others: &[Other],
        global: &Global,
        then: impl FnOnce(&mut dyn Executor) -> Result<T>,
    ) -> Result<T> {
        let (unused, given) = match self.backend {
            Backend::Simulated if self.clocks_locked => ("clocks-locked", true),
            Backend::Simulated => ("plugin", self.plugin.is_some()),
            Backend::Cuda if self.machine.is_some() => ("machine", true),
            Backend::Cuda => ("program", self.program.is_some()),
        };
        if given {
            let found = format!("--backend {}", self.backend);
            let other = match self.backend {
                Backend::Simulated => Backend::Cuda,
                Backend::Cuda => Backend::Simulated,
            };
            let expected = format!("--backend {other}, where the option has an effect");
            return Err(Error::parameter(unused, found, expected));
        }
        match self.backend {
            Backend::Simulated => self.simulated(others, global, then),
            Backend::Cuda => self.cuda(others, then),
        }
    }

    fn simulated<T>(
        &self,
        others: &[Other],
        global: &Global,
        then: impl FnOnce(&mut dyn Executor) -> Result<T>,
    ) -> Result<T> {
        let Some(open) = { parts() }.find_map(|part| part.simulated_gpu) else {
            let expected = "cuda, because this build has no simulated GPU";
            return Err(Error::parameter("backend", self.backend, expected));
        };
        let missing = |name: &str, what: &str| Error::parameter(name, "none", what);
        let kernels = Kernels {
            machine: { self.machine.as_deref() }
                .ok_or_else(|| missing("machine", "a simulated GPU, such as rtx2060"))?,
            measured: { self.program.as_deref() }
                .ok_or_else(|| missing("program", "a program or an Accel-Sim trace of the kernel"))?,
            others,
        };
        then(&mut *open(&kernels, global)?)
    }

    #[cfg(target_os = "linux")]
    fn cuda<T>(&self, others: &[Other], then: impl FnOnce(&mut dyn Executor) -> Result<T>) -> Result<T> {
        use gpusched_runtime::cuda::{Driver, Kernel, Kernels, MeasuredGpu, OtherKernel, Plugin};

        let driver = no_gpu(Driver::load())?;
        let load = |path: &PathBuf| -> Result<Box<dyn Kernel>> { Ok(Box::new(Plugin::load(path)?)) };
        let kernels: Kernels<'_> = match (embedding::kernels(), &self.plugin) {
            (Some((measured, others)), _) => {
                let others = others.into_iter().map(|other| OtherKernel::User(other));
                (measured, others.collect())
            }
            (None, Some(plugin)) => {
                let other = |other: &Other| match other {
                    Other::File(path) => load(path).map(OtherKernel::User),
                    Other::Load(load) => Ok(OtherKernel::Load(*load)),
                };
                let others = others.iter().map(other).collect::<Result<_>>()?;
                (load(plugin)?, others)
            }
            (None, None) => {
                let expected = "a shared library with the kernel";
                return Err(Error::parameter("plugin", "none", expected));
            }
        };
        let locked = self.clocks_locked.then_some(true);
        let mut gpu = MeasuredGpu::open(&driver, 0, kernels, locked)?;
        then(&mut gpu)
    }

    #[cfg(not(target_os = "linux"))]
    fn cuda<T>(&self, _: &[Other], _: impl FnOnce(&mut dyn Executor) -> Result<T>) -> Result<T> {
        Err(Error::parameter(
            "backend",
            "cuda",
            "simulated, because the CUDA backend requires Linux",
        ))
    }
}

/// Adds a hint to the refusal of a computer without a suitable driver.
///
/// # Errors
/// Fails if `loaded` is an error.
pub fn no_gpu<T>(loaded: Result<T, Refusal>) -> Result<T> {
    let hint = "`--backend simulated` needs no GPU";
    loaded.map_err(|refusal| refusal.hint(hint).into())
}
