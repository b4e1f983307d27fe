//! Conversion of a scenario to a run of the cycle-level GPU simulator.

mod chart;
mod client;
mod kernel;
mod layout;

pub use chart::chart;
pub use kernel::{Kernel, Texts};

use std::path::Path;

use super::estimate::{Estimate, estimate};
use super::gpu::{self, Client, Launch, Results, Settings, UnlikeKernel, WarmBuffer};
use crate::machine::Machine;
use crate::warp_run::WarpRun;
use crate::warp_run::WarpRunShape;
use gpusched_model::Scheduler;
use gpusched_model::error::{Error, Refusal, Result};

/// Default limit of a run [core cycles].
pub const LIMIT: u64 = 1_000_000_000;

/// Maximum number of warp instructions of a run. A run of this length takes hours. For an estimate, this is a limit on
/// the instructions in the minimum number of rounds.
pub const MAX_INSTRUCTIONS: u64 = 10_000_000_000;

/// Maximum number of thread blocks of a kernel in a run. The records of 20 million blocks occupy 1 GB. For an estimate,
/// this is a limit on the blocks in the minimum number of rounds.
pub const MAX_BLOCKS: u64 = 20_000_000;

/// Maximum number of instructions that gpusched counts in one block to check
/// [`MAX_INSTRUCTIONS`].
const COUNTED: u64 = 1 << 16;

/// Maximum size of the buffers that are loaded into L2 before a run [bytes].
pub const MAX_WARM: u64 = 1 << 34;

/// Scenario that is ready to run. All buffers of its kernels have addresses. The scenario can be run any number of
/// times.
#[derive(Debug)]
pub struct Setup {
    name: Option<String>,
    machine: Machine,
    scheduler: Scheduler,
    sms: u32,
    warm: Vec<WarmBuffer>,
    /// Whether the clocks restart when a kernel is launched on an idle GPU.
    restart_clocks: bool,
    kernels: Vec<Kernel>,
    clients: Vec<Client>,
    /// Name of the file of the scenario, for errors.
    file: String,
}

/// Options of a run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// If not `None`, the results contain each issued instruction of all SMs, and the run fails if there are more than
    /// this number.
    pub record_issues: Option<usize>,
    /// Whether the results contain the largest share of the traffic that one slice, channel or bank receives.
    pub camping: bool,
    /// Whether gpusched simulates only one of several equal SMs, as long as they stay equal. The option does not change
    /// the results.
    pub equal_sms_once: bool,
    /// Limit on the duration of the run [core cycles].
    pub limit: u64,
    /// Whether the current threads of `rayon` share the work of the run. The results do not depend on it.
    pub parallel: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            record_issues: None,
            camping: false,
            equal_sms_once: false,
            limit: LIMIT,
            parallel: false,
        }
    }
}

impl Setup {
    /// Prepares the run `run`, which was read from `file`. File names in the run are relative to
    /// the folder of `file`.
    ///
    /// # Errors
    /// Fails if a program or trace cannot be read. Fails with [`Error::Refused`] if a program
    /// does not permit its launch, or if two kernels have the same name.
    pub fn new(run: &WarpRun, file: &Path) -> Result<Setup> {
        let shape = run.shape();
        let name = file.display().to_string();
        let fault = |refusal: Refusal| Error::from(refusal.at(&name, None));
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut kernels = Vec::new();
        let mut memory = layout::Layout::default();
        let mut warm = Vec::new();
        for (index, kernel) in shape.kernels.iter().enumerate() {
            let of = |field: &str| match field {
                "" => format!("kernels[{index}]"),
                _ => format!("kernels[{index}].{field}"),
            };
            let kernel =
                Kernel::read(kernel, shape, folder, &mut memory).map_err(|refusal| match refusal {
                    kernel::Refused::File(error) => error,
                    kernel::Refused::Launch(refusal) => {
                        let field = of(&kernel::field_of(kernel, refusal.field()));
                        fault(refusal.of_field(field))
                    }
                })?;
            let number = u8::try_from(index).unwrap_or(u8::MAX);
            warm.extend(kernel.buffers().into_iter().map(|(address, bytes)| WarmBuffer {
                kernel: number,
                address,
                bytes,
            }));
            kernels.push(kernel);
        }
        let own = kernels.iter().map(|kernel| kernel.name.clone()).collect();
        for (kernel, name) in kernels.iter_mut().zip(kernel::names(shape, own)) {
            kernel.name = name;
        }
        let mut machine = shape.machine.clone().into_shape();
        machine.dispatch.share_sms = shape.shares_sms();
        let machine = Machine::new(machine).map_err(|refusal| fault(refusal.within("machine")))?;
        if !shape.warm {
            warm.clear();
        }
        let bytes = warm
            .iter()
            .map(|buffer| buffer.bytes)
            .fold(0, u64::saturating_add);
        if bytes > MAX_WARM {
            let found = format!("buffers of {bytes} bytes");
            let expected =
                format!("at most {MAX_WARM} bytes, because `warm` loads all buffers into L2 at the start");
            return Err(fault(Refusal::new("warm", found, expected)));
        }
        Ok(Setup {
            name: shape.name.clone(),
            machine,
            scheduler: shape.scheduler(),
            sms: shape.sms(),
            warm,
            restart_clocks: shape.restart_clocks,
            kernels,
            clients: shape
                .clients
                .iter()
                .map(|own| client::placed(own, &mut memory))
                .collect(),
            file: name,
        })
    }

    /// Returns the names of the kernels of `shape`, which was read from `file`. A kernel has the name that `shape`
    /// states. If `shape` states no name, the kernel has the name of its program or trace.
    ///
    /// # Errors
    /// Fails if a program or trace cannot be read.
    pub fn names(shape: &WarpRunShape, file: &Path) -> Result<Vec<String>> {
        let folder = file.parent().unwrap_or(Path::new(""));
        Ok(kernel::names(shape, kernel::own_names(shape, folder)?))
    }

    /// Returns the paths of all files that the scenario uses: programs, traces and buffer values. Each run reads the
    /// traces again.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.kernels.iter().flat_map(Kernel::files)
    }

    /// Returns the name of the scenario.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the machine. The scenario determines whether kernels share SMs on this machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the scheduler.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler
    }

    /// Returns the number of SMs that execute blocks.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// Returns the kernels in the order of the scenario.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Runs the kernels, and regularly calls `watch` with the current core cycle.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a kernel cannot be simulated, or if the run exceeds its
    /// limit. Fails if a trace cannot be read.
    pub fn run(&self, options: Options, watch: &mut dyn FnMut(u64)) -> Result<(Results, Texts)> {
        self.run_on(self.sms, options, watch)
    }

    /// Runs the kernels as [`Setup::run`] does, but on `sms` SMs of the machine.
    ///
    /// # Errors
    /// Fails if [`Setup::run`] fails.
    pub fn run_on(&self, sms: u32, options: Options, watch: &mut dyn FnMut(u64)) -> Result<(Results, Texts)> {
        let (launches, texts) = self.launches()?;
        for launch in &launches {
            self.check_length(launch, launch.blocks)?;
        }
        let settings = self.settings(sms, options);
        let results = match options.equal_sms_once {
            true => gpu::run_equal_once(&self.machine, &launches, &settings, watch),
            false => gpu::run_watched(&self.machine, &launches, &settings, watch),
        };
        Ok((results.map_err(|failure| self.blame(&failure))?, texts))
    }

    /// Runs the kernels as [`Setup::run`] does. Returns `None` if the run exceeds its limit.
    ///
    /// # Errors
    /// Fails in the other cases where [`Setup::run`] fails.
    pub fn run_within(&self, options: Options) -> Result<Option<Results>> {
        let (launches, _) = self.launches()?;
        match gpu::run(&self.machine, &launches, &self.settings(self.sms, options)) {
            Ok(results) => Ok(Some(results)),
            Err(gpu::Failure::Limit { .. }) => Ok(None),
            Err(failure) => Err(self.blame(&failure).into()),
        }
    }

    /// Returns the reason why equal SMs may become unequal; `None` if they stay equal. If there
    /// is a reason, [`Options::equal_sms_once`] has no effect.
    ///
    /// # Errors
    /// Fails if a trace cannot be read.
    pub fn unlike(&self) -> Result<Option<UnlikeKernel>> {
        Ok(gpu::stay_equal(&self.launches()?.0).err())
    }

    /// Estimates the duration of the first kernel in isolation on `sms` SMs of the machine. The
    /// estimate simulates at least `rounds` rounds of thread blocks.
    ///
    /// # Errors
    /// Fails if [`Setup::run`] fails, or if the estimate is too uncertain at the limit of `options`.
    pub fn estimate_on(&self, sms: u32, rounds: u32, options: Options) -> Result<Estimate> {
        let (launches, _) = self.launches()?;
        let launch = launches.first().ok_or_else(|| self.blame(&"no kernel"))?;
        let settings = self.settings(sms, options);
        let resident = u64::from(sms) * u64::from(self.machine.blocks_per_sm(&launch.need));
        let least = resident.saturating_mul(u64::from(rounds));
        self.check_length(launch, launch.blocks.min(least))?;
        let estimate = estimate(&self.machine, launch, &settings, rounds);
        estimate.map_err(|failure| {
            let refusal = self.blame(&failure);
            match failure {
                gpu::Failure::Uncertain { .. } => refusal
                    .hint("simulate the whole kernel with a larger limit on the cycles")
                    .into(),
                _ => refusal.into(),
            }
        })
    }

    /// Describes the memory accesses outside buffers in all runs so far. For each kernel, the
    /// result states the first instruction that accessed memory outside its buffer.
    ///
    /// If a kernel accesses memory outside its buffers, simulated times may differ from the times of a correct kernel.
    /// Memory outside the buffers is not in L2 at the start, or it belongs to other buffers.
    pub fn outside(&self) -> Vec<String> {
        self.kernels.iter().filter_map(Kernel::outside).collect()
    }

    /// For each kernel, describes the buffers that the kernel writes although it also reads their stated contents. The
    /// simulation assumes that the contents stay unchanged.
    pub fn changed_contents(&self) -> Vec<String> {
        self.kernels.iter().filter_map(Kernel::changed_contents).collect()
    }

    /// `blocks` is the number of blocks of `launch` to simulate. Fails if it exceeds [`MAX_BLOCKS`]. Also fails if
    /// these blocks have more than about [`MAX_INSTRUCTIONS`] instructions, assuming that each block has as many as the
    /// middle block.
    fn check_length(&self, launch: &Launch, blocks: u64) -> Result<()> {
        let found = match blocks {
            _ if blocks > MAX_BLOCKS => format!("{blocks} thread blocks, expected at most {MAX_BLOCKS}"),
            _ if blocks.saturating_mul(COUNTED) <= MAX_INSTRUCTIONS => return Ok(()),
            _ => {
                let all = blocks.saturating_mul(launch.source.some_block(COUNTED).unwrap_or(1));
                if all <= MAX_INSTRUCTIONS {
                    return Ok(());
                }
                format!(
                    "{blocks} thread blocks with about {all} warp instructions, expected at most {MAX_INSTRUCTIONS}"
                )
            }
        };
        let refusal = self.blame(&format!("kernel `{}`: found {found}", launch.name));
        let hint =
            "give the kernel a smaller grid, or estimate the duration from a few rounds of thread blocks";
        Err(refusal.hint(hint).into())
    }

    fn launches(&self) -> Result<(Vec<Launch>, Texts)> {
        let mut texts = Texts::default();
        let mut launches = Vec::new();
        for kernel in &self.kernels {
            launches.push(kernel.launch(&mut texts)?);
        }
        Ok((launches, texts))
    }

    fn settings(&self, sms: u32, options: Options) -> Settings {
        Settings {
            scheduler: self.scheduler,
            sms: Some(sms),
            warm: self.warm.clone(),
            clients: self.clients.clone(),
            record_issues: options.record_issues,
            camping: options.camping,
            restart_clocks: self.restart_clocks,
            limit: options.limit,
            parallel: options.parallel,
        }
    }

    fn blame(&self, failure: &dyn std::fmt::Display) -> Refusal {
        Refusal::told("", failure).at(&self.file, None)
    }
}

/// Returns the launch latency of a kernel on the machine of `shape` [core cycles]. Returns 0 if
/// the scenario does not use the launch latency.
fn launch_latency(shape: &WarpRunShape, blocks: u64) -> u64 {
    let dispatch = &shape.machine.dispatch;
    let whole = u64::from(dispatch.block_latency).saturating_mul(blocks);
    match shape.launch_latency {
        true => u64::from(dispatch.kernel_latency).saturating_add(whole),
        false => 0,
    }
}
