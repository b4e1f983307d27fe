//! The kernels of a run. gpusched simulates one kernel in isolation, or several kernels concurrently.

use std::collections::BTreeMap;
use std::path::Path;

use super::Files;
use super::simulation::{prepared, simulated};
use gpusched_analysis::prediction::SECTOR_BYTES;
use gpusched_gpu::gpu::Results;
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Program;
use gpusched_gpu::scenario::Setup;
use gpusched_gpu::warp_run::WarpRun;
use gpusched_gpu::warp_run::{IndexSet, KernelSource, RunKernel, WarpRunShape};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::memory_profile::{MemoryPoint, MemoryProfileShape};
use gpusched_model::time::Time;
use gpusched_model::{Factor, MemoryProfile};

/// Kernels, with the machine on which they run.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    shape: WarpRunShape,
    names: Vec<String>,
}

/// Results of a run of one kernel in isolation, on a fixed number of SMs.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct IsolatedRun {
    /// Execution time of the kernel [ns].
    pub time: u64,
    /// Average bandwidth at L2 [bytes/s].
    pub l2: u64,
    /// Average bandwidth at DRAM [bytes/s].
    pub dram: u64,
    /// Number of instructions that all threads execute.
    pub instructions: u64,
    /// Number of sectors that the kernel accesses at L2.
    pub l2_accesses: u64,
}

/// Isolated runs. The key consists of the index of a kernel and a number of SMs. Every kernel of a case runs on all
/// SMs, and on each number of SMs that the case assigns to the kernel.
pub(super) type IsolatedRuns = BTreeMap<(usize, u32), IsolatedRun>;

impl IsolatedRun {
    /// An isolated run with arbitrary numbers, for outlines.
    pub const SYNTHETIC: IsolatedRun = IsolatedRun {
        time: 1000,
        l2: 1_000_000_000,
        dram: 1_000_000_000,
        instructions: 1000,
        l2_accesses: 1000,
    };

    fn of(time: u64, results: &Results) -> IsolatedRun {
        let traffic = &results.traffic;
        let rate = |sectors: u64| {
            let bytes = u128::from(sectors) * u128::from(SECTOR_BYTES);
            u64::try_from(bytes * 1_000_000_000 / u128::from(time.max(1))).unwrap_or(u64::MAX)
        };
        IsolatedRun {
            time,
            l2: rate(traffic.l2_accesses),
            dram: rate(traffic.dram_reads.saturating_add(traffic.dram_writes)),
            instructions: results
                .kernels
                .iter()
                .map(|kernel| kernel.thread_instructions)
                .sum(),
            l2_accesses: traffic.l2_accesses,
        }
    }
}

impl Bench {
    /// Reads the description of the run in the file at `path`, and the programs of its kernels.
    pub fn read(files: &mut Files, path: &str) -> Result<Bench, Refusal> {
        let refuse = |message: String| Refusal::told("run", message);
        let run: WarpRun = files.read("run", path)?;
        let mut shape = run.into_shape();
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        let mut names = Vec::new();
        for kernel in &mut shape.kernels {
            kernel.program = match &kernel.program {
                KernelSource::File(file) => {
                    let program: Program = files.read("run", &normal(&folder.join(file)))?;
                    KernelSource::Program(Box::new(program))
                }
                KernelSource::Program(program) => KernelSource::Program(program.clone()),
                KernelSource::Trace(_) => {
                    return Err(refuse(format!("{path}: found a trace, expected programs")));
                }
            };
            if let KernelSource::Program(program) = &kernel.program {
                names.push(kernel.name.clone().unwrap_or(program.name.clone()));
            }
        }
        let bench = Bench { shape, names };
        for kernel in 0..bench.names.len() {
            bench
                .setup(&[(kernel, bench.sms())])
                .map_err(|error| refuse(format!("{path}: {error}")))?;
        }
        Ok(bench)
    }

    /// Returns the run, whose kernels contain their programs.
    pub fn shape(&self) -> &WarpRunShape {
        &self.shape
    }

    /// Returns the run, so that the caller can change it.
    pub fn shape_mut(&mut self) -> &mut WarpRunShape {
        &mut self.shape
    }

    /// Returns N, the number of SMs of the run.
    pub fn sms(&self) -> u32 {
        self.shape.sms()
    }

    /// Returns the names of all kernels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the name of the kernel with index `kernel`.
    pub fn name(&self, kernel: usize) -> &str {
        self.names.get(kernel).map_or("", String::as_str)
    }

    /// Returns the machine on which the kernels run.
    pub fn machine(&self) -> &Machine {
        &self.shape.machine
    }

    /// Returns the program of a kernel, with the number of blocks in its launch.
    pub fn program(&self, kernel: usize) -> Result<Program> {
        let given = self.shape.kernels.get(kernel);
        match given.map(|given| (&given.program, given.overrides())) {
            Some((KernelSource::Program(program), overrides)) => Ok(program.with(&overrides)?),
            _ => Err(Error::parameter("kernel", kernel, "the number of a kernel")),
        }
    }

    /// Prepares a simulation. `group` contains each kernel with its number of SMs. The kernels receive the SMs in the
    /// order of `group`, starting with the first SM.
    fn setup(&self, group: &[(usize, u32)]) -> Result<Setup> {
        let mut next = 0;
        let mut kernels = Vec::new();
        for &(kernel, sms) in group {
            let Some(given) = self.shape.kernels.get(kernel) else {
                continue;
            };
            kernels.push(RunKernel {
                sms: IndexSet::new((next..next + sms).collect()),
                repeats: given.repeats && group.len() > 1,
                ..given.clone()
            });
            next += sms;
        }
        let shape = WarpRunShape {
            clients: match group.len() {
                1 => Vec::new(),
                _ => self.shape.clients.clone(),
            },
            kernels,
            ..self.shape.clone()
        };
        prepared(shape)
    }

    /// Simulates the kernels in `group`. Returns the end of each kernel [ns] and the results of the simulation.
    fn run(&self, group: &[(usize, u32)]) -> Result<(Vec<u64>, Results)> {
        let results = simulated(&self.setup(group)?)?;
        let times = results.kernels.iter().map(|kernel| self.ns(kernel.finish));
        Ok((times.collect(), results))
    }

    /// Converts core cycles to a time [ns], rounded up.
    fn ns(&self, cycles: u64) -> u64 {
        let khz = u128::from(self.shape.machine.clocks.core_khz.max(1));
        u64::try_from((u128::from(cycles) * 1_000_000).div_ceil(khz)).unwrap_or(u64::MAX)
    }

    /// Simulates a kernel in isolation on `sms` SMs and returns the results.
    pub fn alone(&self, kernel: usize, sms: u32) -> Result<IsolatedRun> {
        let (times, results) = self.run(&[(kernel, sms)])?;
        Ok(IsolatedRun::of(times.first().copied().unwrap_or(0), &results))
    }

    /// Simulates concurrent kernels. `group` states each kernel and its number of SMs. Returns the execution time of each
    /// kernel [ns].
    pub fn together(&self, group: &[(usize, u32)]) -> Result<Vec<u64>> {
        Ok(self.run(group)?.0)
    }

    /// Returns the memory profile of a kernel. `points` contains the isolated runs of the kernel, in ascending order of the
    /// number of SMs. The function `bandwidth` selects one of the bandwidths of a run.
    pub fn profile(
        &self,
        kernel: usize,
        points: &[(u32, IsolatedRun)],
        bandwidth: impl Fn(&IsolatedRun) -> u64,
    ) -> Result<MemoryProfile> {
        let last = points.last().map(|(_, alone)| alone);
        let shape = MemoryProfileShape {
            name: self.name(kernel).to_owned(),
            instructions: last.map(|alone| alone.instructions),
            l2_accesses: last
                .map(|alone| alone.l2_accesses)
                .filter(|&accesses| accesses > 0),
            points: points
                .iter()
                .map(|(sms, alone)| MemoryPoint {
                    sms: *sms,
                    time: Some(Time::from_ns(alone.time.max(1))),
                    bandwidth: Factor::from_billionths(bandwidth(alone)),
                })
                .collect(),
            ..MemoryProfileShape::default()
        };
        Ok(MemoryProfile::try_from(shape)?)
    }
}

/// Returns `path` with the separator `/` and without `..`. Therefore the same path in a study has the same text on
/// every operating system.
fn normal(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            std::path::Component::CurDir => {}
            part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts.join("/")
}
