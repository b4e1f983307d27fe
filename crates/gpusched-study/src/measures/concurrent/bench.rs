//! The kernels of a run, each of which can be simulated alone, or beside others.

use std::collections::BTreeMap;
use std::path::Path;

use super::Files;
use gpusched_analysis::prediction::SECTOR_BYTES;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::memory_profile::{MemoryPoint, MemoryProfileShape};
use gpusched_model::time::Time;
use gpusched_model::warp_run::{KernelSource, RunKernel, SmSet, WarpRunShape};
use gpusched_model::{Factor, Machine, MemoryProfile, Program, WarpRun};
use gpusched_warp::gpu::Results;
use gpusched_warp::scenario::{Options, Setup};

/// Core cycles after which a simulation is given up.
const LIMIT: u64 = 100_000_000;

/// Kernels on a machine.
#[derive(Debug)]
pub(super) struct Bench {
    shape: WarpRunShape,
    names: Vec<String>,
}

/// A kernel alone on some SMs.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct IsolatedRun {
    /// From start to end [ns].
    pub time: u64,
    /// At L2 [bytes/s].
    pub l2: u64,
    /// At DRAM [bytes/s].
    pub dram: u64,
    /// By all threads.
    pub instructions: u64,
    /// Sectors that L2 took.
    pub l2_accesses: u64,
}

/// Every kernel of a case alone on every number of SMs that it has in it, and on all.
pub(super) type IsolatedRuns = BTreeMap<(usize, u32), IsolatedRun>;

impl IsolatedRun {
    /// With any numbers.
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
    /// Reads the run in the file at `path`, and its programs.
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

    /// N, the SMs of the machine.
    pub fn sms(&self) -> u32 {
        self.shape.machine.sms()
    }

    /// The names of the kernels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a kernel.
    pub fn name(&self, kernel: usize) -> &str {
        self.names.get(kernel).map_or("", String::as_str)
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.shape.machine
    }

    /// A kernel as it is launched.
    pub fn program(&self, kernel: usize) -> Result<Program> {
        let given = self.shape.kernels.get(kernel);
        match given.map(|given| (&given.program, given.overrides())) {
            Some((KernelSource::Program(program), overrides)) => Ok(program.with(&overrides)?),
            _ => Err(Error::parameter("kernel", kernel, "the number of a kernel")),
        }
    }

    /// Kernels with their numbers of SMs, the first ones on the first SMs.
    fn setup(&self, group: &[(usize, u32)]) -> Result<Setup> {
        let mut next = 0;
        let mut kernels = Vec::new();
        for &(kernel, sms) in group {
            let Some(given) = self.shape.kernels.get(kernel) else {
                continue;
            };
            kernels.push(RunKernel {
                sms: SmSet::new((next..next + sms).collect()),
                ..given.clone()
            });
            next += sms;
        }
        let shape = WarpRunShape {
            kernels,
            ..self.shape.clone()
        };
        let run = WarpRun::new(shape)?;
        Setup::new(&run, Path::new("kernels"))
    }

    /// When each kernel of `group` is through [ns], and all that the run says.
    fn run(&self, group: &[(usize, u32)]) -> Result<(Vec<u64>, Results)> {
        let options = Options {
            record_issues: false,
            equal_sms_once: false,
            limit: LIMIT,
        };
        let (results, _) = self.setup(group)?.run(options, &mut |_| ())?;
        let times = results.kernels.iter().map(|kernel| self.ns(kernel.finish));
        Ok((times.collect(), results))
    }

    /// Core cycles as time, rounded up [ns].
    fn ns(&self, cycles: u64) -> u64 {
        let khz = u128::from(self.shape.machine.clocks.core_khz.max(1));
        u64::try_from((u128::from(cycles) * 1_000_000).div_ceil(khz)).unwrap_or(u64::MAX)
    }

    /// A kernel alone on `sms` SMs.
    pub fn alone(&self, kernel: usize, sms: u32) -> Result<IsolatedRun> {
        let (times, results) = self.run(&[(kernel, sms)])?;
        Ok(IsolatedRun::of(times.first().copied().unwrap_or(0), &results))
    }

    /// How long kernels with their SMs take together [ns].
    pub fn together(&self, group: &[(usize, u32)]) -> Result<Vec<u64>> {
        Ok(self.run(group)?.0)
    }

    /// What is known of a kernel after it ran alone on the numbers of SMs in `points`, ascending; `bandwidth` is the one that
    /// counts.
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

/// `path` without `..`, with slashes: a study names a file the same way everywhere.
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
