//! Kernels on a simulated GPU, for `gpusched measure --backend simulated`.
//!
//! Each job is a simulation of its own, so the jobs are independent. They differ in the phases of the clocks and in the addresses of
//! the buffers, as the runs of `simulate profile --vary` do.

use std::path::{Path, PathBuf};
use std::sync::Once;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::simulate::kernels::{self, is_trace, time_ns};
use super::simulate::profile::Variant;
use gpusched_cli::Global;
use gpusched_cli::part::measure::{
    Cache, Conditions, Contention, Executor, Load, Neighbor, Range, Sample, Series,
};
use gpusched_cli::part::{Kernels, Other};
use gpusched_gpu::gpu::Results;
use gpusched_gpu::machine::Machine;
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::stress::{self, Level};
use gpusched_gpu::warp_run::{IndexSet, KernelSource, Queue, RunKernel, Share, WarpRunShape};
use gpusched_model::Times;
use gpusched_model::error::{Error, Result};

/// Queue of the kernels in the partition of the measured kernel.
const PARTITION: &str = "partition";

/// Name of the measured kernel in a run.
const MEASURED: &str = "measured";

/// Times that other kernels last longer than expected, so that they last until the end of the measured kernel.
const RESERVE: u64 = 2;

/// Largest number of jobs of a series.
const MOST: u64 = 1 << 20;

/// A kernel and its file.
struct Source {
    path: PathBuf,
    name: String,
    kernel: KernelSource,
}

/// Kernels on a simulated GPU.
struct SimulatedGpu {
    machine: Machine,
    measured: Source,
    others: Vec<Source>,
    seed: u64,
    pool: ThreadPool,
    /// Whether gpusched has warned about accesses outside buffers.
    warned: Once,
}

/// Opens the simulated GPU of `kernels`.
///
/// # Errors
/// Fails for an unknown simulated GPU, and for files that contain no kernel for it.
pub fn open(of: &Kernels<'_>, global: &Global) -> Result<Box<dyn Executor>> {
    let machine = kernels::find(of.machine)?;
    let source = |other: &Other| match other {
        Other::File(path) => Source::read(path, &machine),
        Other::Load(load) => Source::load(*load, &machine),
    };
    let others = of.others.iter().map(source).collect::<Result<_>>()?;
    Ok(Box::new(SimulatedGpu {
        measured: Source::read(of.measured, &machine)?,
        others,
        machine,
        seed: global.seed(),
        pool: global.pool()?,
        warned: Once::new(),
    }))
}

impl Source {
    fn read(path: &Path, machine: &Machine) -> Result<Source> {
        let kernel = match kernels::program_of(path)? {
            Some(program) => KernelSource::Program(Box::new(program)),
            // A run of several kernels has one folder for relative paths.
            None => {
                let absolute = std::path::absolute(path);
                KernelSource::Trace(absolute.map_err(|cause| Error::io(path, "find", cause))?)
            }
        };
        let alone = WarpRunShape::alone(machine.clone(), RunKernel::new(kernel.clone()));
        let setup = kernels::setup(path, alone, &[]).map_err(kernels::blame)?;
        let name = setup.kernels().first().map_or("", |kernel| kernel.name());
        Ok(Source {
            path: path.to_owned(),
            name: name.to_owned(),
            kernel,
        })
    }

    /// Returns the kernel that loads the memory of `machine`.
    fn load(load: Load, machine: &Machine) -> Result<Source> {
        let (level, writes) = match load {
            Load::DramRead => (Level::Dram, false),
            Load::DramWrite => (Level::Dram, true),
            Load::L2Read => (Level::L2, false),
            Load::L2Write => (Level::L2, true),
        };
        let program = stress::steady(machine, level, writes)?;
        Ok(Source {
            path: PathBuf::new(),
            name: load.to_string(),
            kernel: KernelSource::Program(Box::new(program)),
        })
    }

    /// Returns the kernel with the name `name` in a run.
    fn named(&self, name: String) -> RunKernel {
        RunKernel {
            name: Some(name),
            ..RunKernel::new(self.kernel.clone())
        }
    }
}

impl SimulatedGpu {
    /// Returns the run of one job under the conditions of `series`. The measured kernel is the first kernel. `copies` is the number of
    /// jobs of a kernel on other SMs.
    fn setup(&self, series: &Series, variant: Variant, copies: u64) -> Result<Setup> {
        let mut measured = self.measured.named(MEASURED.to_owned());
        variant.apply(&mut measured);
        let queued = |name: &str, priority| {
            Some(Queue {
                name: name.to_owned(),
                priority,
            })
        };
        let other = |index: usize, name: String| {
            let other = self.others.get(index).map(|other| other.named(name));
            other.ok_or_else(|| Error::Internal(format!("there is no kernel {index}")))
        };
        let mut shape = WarpRunShape::alone(self.machine.clone(), measured);
        shape.sms = Some(series.sms);
        shape.warm = series.cache == Cache::Warm && !is_trace(&self.measured.path);
        match series.neighbor {
            None => {}
            Some(Neighbor::Inside(index, contention)) => {
                let mut before = other(index, "other".to_owned())?;
                before.launch = variant.launch;
                match contention {
                    Contention::Alternate => {
                        before.queue = queued(PARTITION, 0);
                        shape.kernels[0].queue = queued(PARTITION, 1);
                    }
                    Contention::Concurrent => shape.share = Some(Share::Sm),
                }
                shape.kernels.push(before);
            }
            Some(Neighbor::Beside(index)) => {
                shape.sms = None;
                shape.kernels[0].sms = IndexSet::new((0..series.sms).collect());
                for copy in 0..copies {
                    let mut beside = other(index, format!("beside-{copy}"))?;
                    beside.launch = variant.launch;
                    beside.sms = IndexSet::new((series.sms..self.machine.sms()).collect());
                    beside.queue = queued("beside", copy);
                    shape.kernels.push(beside);
                }
            }
        }
        kernels::setup(&self.measured.path, shape, &[]).map_err(kernels::blame)
    }

    /// Returns the time of the measured kernel [core cycles]. The memory requests of a kernel may end after its last block. So the time
    /// also contains the time from the end of the last block of all kernels to the end of the run.
    fn job(&self, series: &Series, variant: Variant, copies: u64) -> Result<u64> {
        let setup = self.setup(series, variant, copies)?;
        let (results, _) = setup.run(Options::default(), &mut |_| ())?;
        self.warned.call_once(|| kernels::warn_outside(&setup));
        let finish = |index: usize| results.kernels.get(index).map_or(0, |kernel| kernel.finish);
        let start = match series.neighbor {
            Some(Neighbor::Inside(_, Contention::Alternate)) => finish(1),
            _ => variant.launch,
        };
        if matches!(series.neighbor, Some(Neighbor::Beside(_))) {
            self.covered(&results)?;
        }
        let last = results.kernels.iter().map(|kernel| kernel.finish).max();
        let rest = results.cycles.saturating_sub(last.unwrap_or(0));
        Ok(finish(0).saturating_sub(start).saturating_add(rest))
    }

    /// Checks that the kernels on other SMs last until the end of the measured kernel.
    fn covered(&self, results: &Results) -> Result<()> {
        let (measured, beside) = match results.kernels.as_slice() {
            [measured, beside @ ..] => (measured, beside),
            [] => return Ok(()),
        };
        let last = beside.iter().map(|kernel| kernel.finish).max().unwrap_or(0);
        if last >= measured.finish {
            return Ok(());
        }
        let found = format!(
            "jobs of the other kernel until cycle {last}, before the end of `{}` in cycle {}",
            self.measured.name, measured.finish
        );
        let expected =
            "jobs until the end of the measured kernel; choose another kernel with more thread blocks";
        Err(Error::parameter("beside", found, expected))
    }

    /// Returns how many jobs of the kernel on the other SMs last longer than the measured kernel.
    fn copies(&self, series: &Series) -> Result<u64> {
        let Some(Neighbor::Beside(index)) = series.neighbor else {
            return Ok(0);
        };
        let first = Variant { launch: 0, shift: 0 };
        let alone = Series {
            neighbor: None,
            ..*series
        };
        let measured = self.job(&alone, first, 0)?;
        let other = self
            .others
            .get(index)
            .map(|other| other.named("other".to_owned()));
        let other = other.ok_or_else(|| Error::Internal(format!("there is no kernel {index}")))?;
        let mut shape = WarpRunShape::alone(self.machine.clone(), other);
        shape.sms = Some(self.machine.sms() - series.sms);
        let setup = kernels::setup(&self.measured.path, shape, &[]).map_err(kernels::blame)?;
        let (results, _) = setup.run(Options::default(), &mut |_| ())?;
        let needed = measured.saturating_mul(RESERVE).div_ceil(results.cycles.max(1));
        let most = u64::from(self.machine.dispatch.kernels).saturating_sub(1);
        Ok(needed.clamp(1, most.max(1)))
    }
}

impl Executor for SimulatedGpu {
    fn names(&self) -> (String, Vec<String>) {
        let others = self.others.iter().map(|other| other.name.clone());
        (self.measured.name.clone(), others.collect())
    }

    fn sizes(&self) -> Vec<u32> {
        let cluster = self.machine.sms_per_cluster.max(1);
        let sizes = (cluster..=self.machine.sms()).step_by(cluster as usize);
        sizes.collect()
    }

    fn times(&self) -> Times {
        Times::Gpu
    }

    fn beside(&self, sms: u32) -> Option<u32> {
        self.machine.sms().checked_sub(sms)
    }

    fn run(&mut self, series: &Series, count: u64, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Sample>> {
        let Some(jobs) = u32::try_from(count).ok().filter(|_| count <= MOST) else {
            return Err(Error::parameter("samples", count, format!("at most {MOST}")));
        };
        let copies = self.copies(series)?;
        let variants = Variant::all(jobs, self.seed, 0);
        let of = &*self;
        let job = |variant: &Variant| {
            let cycles = of.job(series, *variant, copies)?;
            done(1);
            let time = time_ns(&of.machine, cycles);
            Ok(Sample {
                time_ns: time,
                gpu_ns: Some(time),
            })
        };
        let samples: Vec<Result<Sample>> = of.pool.install(|| variants.par_iter().map(job).collect());
        samples.into_iter().collect()
    }

    fn conditions(&self) -> Conditions {
        let fixed = |khz: u32| {
            Some(Range {
                least: khz,
                most: khz,
            })
        };
        Conditions {
            gpu: self.machine.name.clone(),
            sms: self.machine.sms(),
            core_khz: fixed(self.machine.clocks.core_khz),
            dram_khz: fixed(self.machine.clocks.dram_khz),
            throttling: Some(Vec::new()),
            locked: Some(true),
            ..Conditions::default()
        }
    }
}
