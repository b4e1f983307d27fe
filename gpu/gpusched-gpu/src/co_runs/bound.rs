//! Bounds on the execution time of a kernel in a co-run, and the simulated execution times.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::gpu::{KernelResult, Results};
use crate::machine::Machine;
use crate::machine::SECTOR;
use crate::program::FIRST_ADDRESS;
use crate::program::Program;
use crate::scenario::{Options, Setup};
use crate::stress::{self, Rates, Stress};
use crate::warp_run::WarpRun;
use crate::warp_run::{KernelSource, RunKernel, WarpRunShape};
use gpusched_model::MemoryTime;
use gpusched_model::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Maximum length of a simulated run [core cycles]. gpusched does not examine longer runs.
pub const LIMIT: u64 = 400_000;

/// Launch times of the runs in isolation from which gpusched determines a WCET [core cycles].
const LAUNCHES: [u64; 8] = [0, 1, 2, 3, 7, 100, 500, 1000];

/// Number of further runs in isolation for a kernel that exceeds its bound in a co-run.
const MORE_RUNS: u64 = 120;

/// A bound on the execution time of a kernel in a co-run.
///
/// A job reads R sectors and writes W sectors at L2. Its memory time is `32·(R + W)/B_L2 + 32·(R + 2·W)/B_DRAM`. If a
/// kernel has its own ways of L2, R + 2·W is replaced by the number of DRAM sectors that the kernel reads and writes in
/// isolation. If a kernel has its own channels and clusters, every form of the bound equals its time in isolation.
/// Except for `peak`, every form uses the cold time in isolation plus the variation. The cold time is the time of one
/// run with an empty L2 cache. If the kernel exceeds `own-drain` or `universal`, it is the longest time of many such
/// runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The time in isolation plus the time to transfer the DRAM bytes of all other kernels at the peak bandwidth. This
    /// is the supply bound for partitions that share a memory, computed with the bandwidth from a data sheet.
    Peak,
    /// The cold time in isolation plus the memory time of all other kernels at the balanced rates of the machine.
    Balanced,
    /// As `balanced`, but for each other kernel the lower of two rates counts: the balanced rate, or the rate of that
    /// kernel in isolation.
    OwnDrain,
    /// As `balanced`, but at the lowest rates of the machine: the rates of one slice and one bank.
    Universal,
}

impl Form {
    /// All forms, from the least to the most pessimistic.
    pub const ALL: [Form; 4] = [Form::Peak, Form::Balanced, Form::OwnDrain, Form::Universal];

    /// If a kernel exceeds one of these forms, gpusched measures its WCET again with many runs.
    const HOLDING: [Form; 2] = [Form::OwnDrain, Form::Universal];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Peak => "peak",
            Form::Balanced => "balanced",
            Form::OwnDrain => "own-drain",
            Form::Universal => "universal",
        }
    }
}

/// The time and the bounds of one kernel in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Victim {
    /// Name of the kernel.
    pub name: String,
    /// Time from launch to finish in the run [core cycles].
    pub together: u64,
    /// Time from launch to finish in isolation, on the same SMs and with the same addresses [core cycles].
    pub alone: u64,
    /// Bound of each examined form [core cycles].
    pub bounds: Vec<(Form, u64)>,
}

impl Victim {
    /// Returns whether the time exceeds the bound `form`.
    pub fn exceeds(&self, form: Form) -> bool {
        self.bound(form).is_some_and(|bound| self.together > bound)
    }

    /// Returns the bound `form` [core cycles]; `None` if the form was not examined.
    pub fn bound(&self, form: Form) -> Option<u64> {
        let mut bounds = self.bounds.iter();
        bounds.find(|(other, _)| *other == form).map(|&(_, bound)| bound)
    }

    /// Returns the time divided by the bound `form`; `None` if the form was not examined.
    pub fn ratio(&self, form: Form) -> Option<f64> {
        let bound = self.bound(form)?;
        Some(self.together as f64 / bound.max(1) as f64)
    }
}

/// A kernel in isolation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    /// Time from launch to finish [core cycles].
    pub(super) time: u64,
    /// Time from launch to finish if L2 is empty at the start [core cycles]; at least `time`.
    pub(super) cold: u64,
    /// Longest time over many runs with an empty L2 cache; 0 if one run is sufficient.
    longest: u64,
    /// Number of sectors that the kernel reads at L2.
    pub(super) reads: u64,
    /// Number of sectors that the kernel writes at L2.
    pub(super) writes: u64,
    /// Number of sectors that DRAM reads or writes before the end of the kernel.
    pub(super) dram: u64,
    /// `dram`, plus the number of dirty sectors in L2 at the end. If this sum is larger in the run with an empty L2
    /// cache, the larger sum counts.
    pub(super) dram_in_all: u64,
    /// Rates of the kernel on the whole GPU.
    pub(super) drain: Rates,
}

/// A program in isolation on all SMs.
#[derive(Debug, Clone, Copy)]
struct Whole {
    drain: Rates,
    camping_percent: u64,
}

/// Examines co-runs on one machine.
#[derive(Debug)]
pub struct Examiner {
    machine: Machine,
    pub(super) balanced: Rates,
    pub(super) universal: Rates,
    /// Percentage that a bound adds to the time in isolation. The phases of clocks and queues can change this time.
    pub(super) variation_percent: u32,
    /// Behavior of programs in isolation on all SMs, by program.
    programs: Mutex<HashMap<String, Whole>>,
}

impl Examiner {
    /// Creates an examiner that uses the rates of `stress`, which was measured on `machine`.
    pub fn new(machine: Machine, stress: &Stress) -> Examiner {
        Examiner {
            balanced: stress.balanced(),
            universal: stress.universal(),
            variation_percent: MemoryTime::VARIATION,
            machine,
            programs: Mutex::default(),
        }
    }

    /// Sets the percentage that a bound adds to the time in isolation. The default is [`MemoryTime::VARIATION`].
    #[must_use]
    pub fn with_variation(self, variation_percent: u32) -> Examiner {
        Examiner {
            variation_percent,
            ..self
        }
    }

    /// Returns the simulated GPU.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Simulates `run` and each of its kernels in isolation. Returns `None` if a simulation takes more than [`LIMIT`]
    /// cycles. The run must contain all programs, with an address for each buffer ([`place`]).
    ///
    /// # Errors
    /// Fails if a kernel cannot be simulated.
    pub fn examine(&self, run: &WarpRunShape) -> Result<Option<Vec<Victim>>> {
        let Some(together) = self.simulate(run, LIMIT)? else {
            return Ok(None);
        };
        let mut alone: Vec<Alone> = Vec::new();
        for kernel in &run.kernels {
            match self.alone(run, kernel)? {
                Some(found) => alone.push(found),
                None => return Ok(None),
            }
        }
        let bounds = |index: usize, kernel: &RunKernel, alone: &[Alone]| {
            let all = run.kernels.iter().zip(alone).enumerate();
            let others = all.filter(|(other, (one, _))| *other != index && !apart(run, one, kernel));
            let others: Vec<(&RunKernel, &Alone)> = others.map(|(_, other)| other).collect();
            Form::ALL.map(|form| (form, self.bound(form, (kernel, &alone[index]), &others)))
        };
        let mut victims = Vec::new();
        for (index, (kernel, result)) in run.kernels.iter().zip(&together.kernels).enumerate() {
            let mut victim = Victim {
                name: result.name.clone(),
                together: result.finish.saturating_sub(kernel.launch),
                alone: alone[index].time,
                bounds: bounds(index, kernel, &alone).into(),
            };
            if Form::HOLDING.iter().any(|form| victim.exceeds(*form)) {
                // The WCET must be the longest time in isolation, but it is from one run so far.
                let Some(longest) = self.longest_cold(run, kernel, MORE_RUNS, victim.together)? else {
                    return Ok(None);
                };
                alone[index].longest = longest;
                victim.bounds = bounds(index, kernel, &alone).into();
            }
            victims.push(victim);
        }
        Ok(Some(victims))
    }

    fn bound(&self, form: Form, victim: (&RunKernel, &Alone), others: &[(&RunKernel, &Alone)]) -> u64 {
        let (kernel, victim) = victim;
        if others.is_empty() {
            return victim.time;
        }
        let khz = u128::from(self.machine.clocks.core_khz);
        // Time to transfer `sectors` at `rate` bytes per second, in 2^-32 cycles, rounded up.
        let time = |sectors: u64, rate: u64| {
            let bytes = u128::from(sectors) * u128::from(SECTOR) * khz * 1000;
            (bytes << 32).div_ceil(u128::from(rate.max(1)))
        };
        let delay = |&(kernel, other): &(&RunKernel, &Alone)| {
            let rates = match form {
                Form::Peak => return time(other.dram, self.machine.dram_bytes_per_second()),
                Form::Balanced => self.balanced,
                Form::OwnDrain => self.balanced.min(other.drain),
                Form::Universal => self.universal,
            };
            let at_dram = match kernel.l2_ways {
                Some(_) => other.dram_in_all,
                None => other.reads + 2 * other.writes,
            };
            time(other.reads + other.writes, rates.l2) + time(at_dram, rates.dram)
        };
        let delay: u128 = others.iter().map(delay).sum();
        let varied = |time: u64| (u128::from(time) * u128::from(100 + self.variation_percent)).div_ceil(100);
        let own = match form {
            Form::Peak => u128::from(victim.time),
            // Other kernels evict no line from the ways of the kernel.
            _ if kernel.l2_ways.is_some() => varied(victim.time.max(victim.longest)),
            _ => varied(victim.cold.max(victim.longest)),
        };
        u64::try_from(own + delay.div_ceil(1 << 32)).unwrap_or(u64::MAX)
    }

    /// Simulates `kernel` of `run` twice in isolation: with the L2 cache as at the start of the run, and with an empty
    /// L2 cache.
    pub(super) fn alone(&self, run: &WarpRunShape, kernel: &RunKernel) -> Result<Option<Alone>> {
        let mut shape = run.clone();
        shape.kernels = vec![kernel.clone()];
        let Some(results) = self.simulate(&shape, LIMIT)? else {
            return Ok(None);
        };
        let time = |results: &Results| {
            let finish = results.kernels.first().map_or(0, |kernel| kernel.finish);
            finish.saturating_sub(kernel.launch)
        };
        let in_all = |results: &Results| {
            let of = |kernel: &KernelResult| {
                kernel.traffic.dram_reads + kernel.traffic.dram_writes + kernel.left_dirty
            };
            results.kernels.first().map_or(u64::MAX, of)
        };
        let (mut cold, mut dram_in_all) = (time(&results), in_all(&results));
        if shape.warm {
            shape.warm = false;
            let Some(results) = self.simulate(&shape, LIMIT)? else {
                return Ok(None);
            };
            cold = cold.max(time(&results));
            dram_in_all = dram_in_all.max(in_all(&results));
        }
        let traffic = results
            .kernels
            .first()
            .map(|kernel| kernel.traffic)
            .unwrap_or_default();
        Ok(Some(Alone {
            time: time(&results),
            cold,
            longest: 0,
            reads: traffic.l2_reads,
            writes: traffic.l2_writes,
            dram: traffic.dram_reads + traffic.dram_writes,
            dram_in_all,
            drain: self.whole(kernel)?.drain,
        }))
    }

    /// Returns the longest time of `kernel` in isolation with an empty L2 cache, over several runs [core cycles]. The
    /// runs use eight launch times, and `more` further pairs of a launch time and base addresses. Launch times and
    /// addresses change the order of requests, and sometimes the distribution of blocks to SMs. Stops early if a run
    /// takes at least `enough` cycles. Returns `None` if a simulation takes too long.
    pub(super) fn longest_cold(
        &self,
        run: &WarpRunShape,
        kernel: &RunKernel,
        more: u64,
        enough: u64,
    ) -> Result<Option<u64>> {
        let mut shape = run.clone();
        shape.warm = false;
        let mut longest = 0;
        let more = (1..=more).map(|step| (89 * step, 256 * step));
        for (launch, shift) in LAUNCHES.map(|launch| (launch, 0)).into_iter().chain(more) {
            if longest >= enough {
                break;
            }
            let mut moved = kernel.clone();
            moved.launch = launch;
            if let KernelSource::Program(program) = &mut moved.program {
                let buffers = program.buffers.iter_mut();
                buffers
                    .filter_map(|(_, buffer)| buffer.address.as_mut())
                    .for_each(|address| *address += shift);
            }
            shape.kernels = vec![moved];
            let Some(results) = self.simulate(&shape, LIMIT)? else {
                return Ok(None);
            };
            let finish = results.kernels.first().map_or(u64::MAX, |kernel| kernel.finish);
            longest = longest.max(finish.saturating_sub(launch));
        }
        Ok(Some(longest))
    }

    /// Returns the camping factor of `kernel` in isolation on all SMs [percent].
    ///
    /// # Errors
    /// Fails if the kernel cannot be simulated.
    pub fn camping_percent(&self, kernel: &RunKernel) -> Result<u64> {
        Ok(self.whole(kernel)?.camping_percent)
    }

    fn whole(&self, kernel: &RunKernel) -> Result<Whole> {
        let program: Program = match &kernel.program {
            KernelSource::Program(program) => program.with(&kernel.overrides())?,
            KernelSource::File(_) | KernelSource::Trace(_) => {
                return Err(Error::parameter("program", "a file", "a program inside the run"));
            }
        };
        let mut key = program.clone();
        key.buffers
            .iter_mut()
            .for_each(|(_, buffer)| buffer.address = None);
        let key =
            serde_json::to_string(&key).map_err(|error| Error::parameter("program", error, "a program"))?;
        let programs = || self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = programs().get(&key).copied() {
            return Ok(known);
        }
        let whole = Whole {
            drain: stress::drain(&self.machine, &program)?,
            camping_percent: stress::camping_percent(&self.machine, &program)?,
        };
        programs().insert(key, whole);
        Ok(whole)
    }

    /// Simulates `shape`. Returns `None` if the run takes more than `limit` core cycles.
    pub(super) fn simulate(&self, shape: &WarpRunShape, limit: u64) -> Result<Option<Results>> {
        let run = WarpRun::new(shape.clone())?;
        let setup = Setup::new(&run, Path::new("co-run"))?;
        let options = Options {
            limit,
            ..Options::default()
        };
        setup.run_within(options)
    }
}

/// Returns whether two kernels of `run` use different channels of the memory and different clusters of SMs. Such
/// kernels share no part of the GPU.
fn apart(run: &WarpRunShape, one: &RunKernel, other: &RunKernel) -> bool {
    let (Some(channels), Some(others)) = (&one.channels, &other.channels) else {
        return false;
    };
    let (Some(sms), Some(of_other)) = (&one.sms, &other.sms) else {
        return false;
    };
    let per_cluster = run.machine.sms_per_cluster;
    let shares = |sm: &u32| {
        let mut all = of_other.indices().iter();
        all.any(|other| other / per_cluster == sm / per_cluster)
    };
    !channels.overlaps(others) && !sms.indices().iter().any(shares)
}

/// Sets the address of each buffer of the kernels in `run`. The first buffer starts `shift` bytes after the first
/// address, and the other buffers follow. A kernel in isolation keeps the addresses that it has in the run.
pub fn place(run: &mut WarpRunShape, shift: u64) {
    let mut next = FIRST_ADDRESS + shift;
    for kernel in &mut run.kernels {
        if let KernelSource::Program(program) = &mut kernel.program {
            for (_, buffer) in &mut program.buffers {
                let address = *buffer.address.insert(next);
                next = (address + buffer.bytes).next_multiple_of(256);
            }
        }
    }
}
