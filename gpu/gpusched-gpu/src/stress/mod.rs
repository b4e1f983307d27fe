//! Sustained rates of the memory system of a machine. Each request pattern stresses one part of the memory system.
//!
//! A bound on memory interference divides a number of sectors by a rate. The memory reaches the rate of the data sheet
//! only if requests use all slices, channels, banks and rows well. Each [`Pattern`] is a kernel with a different kind
//! of memory use. Its measured rate is the sustained rate for this use.

mod program;

pub use program::steady;

use std::path::Path;

use crate::machine::Machine;
use crate::program::Program;
use crate::warp_run::WarpRun;
use crate::warp_run::{KernelSource, RunKernel, WarpRunShape};
use gpusched_model::Scheduler;
use gpusched_model::error::{Refusal, Result};

use crate::gpu::Results;
use crate::memory::request::SECTOR;
use crate::scenario::{Options, Setup};

/// Level of the memory hierarchy that limits a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// L2 and the crossbars.
    L2,
    /// DRAM.
    Dram,
}

/// How a pattern uses the parts of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The requests use all slices or banks evenly.
    Balanced,
    /// The requests use only one slice, channel or bank.
    Camping,
}

/// Content of L2 during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum L2 {
    /// L2 contains the buffers at the start.
    Warm,
    /// L2 is empty at the start.
    Cold,
    /// L2 is empty at the start, and each of its sets has only one line, as if other kernels used the other lines.
    Thrashed,
}

/// Kernel that stresses the memory system in one way.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Name of the pattern.
    pub name: &'static str,
    /// Level that limits the pattern.
    pub level: Level,
    /// How the pattern uses this level.
    pub used: Use,
    /// Content of L2.
    pub l2: L2,
    /// The kernel.
    pub program: Program,
}

/// Rates of L2 and DRAM [bytes per second].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Rate of the sectors that L2 accepts.
    pub l2: u64,
    /// Rate of the sectors that DRAM reads or writes.
    pub dram: u64,
}

impl Rates {
    /// For each level, returns the lower of the rates in `self` and `other`.
    #[must_use]
    pub fn min(self, other: Rates) -> Rates {
        Rates {
            l2: self.l2.min(other.l2),
            dram: self.dram.min(other.dram),
        }
    }

    /// Returns the rates that `results` reach on `machine`, as means over the whole run.
    pub fn of(machine: &Machine, results: &Results) -> Rates {
        let traffic = &results.traffic;
        let rate = |sectors: u64| {
            let bytes = u128::from(sectors) * u128::from(SECTOR);
            let per_second = bytes * u128::from(machine.clocks.core_khz) * 1000;
            u64::try_from(per_second / u128::from(results.cycles.max(1))).unwrap_or(u64::MAX)
        };
        Rates {
            l2: rate(traffic.l2_accesses),
            dram: rate(traffic.dram_reads.saturating_add(traffic.dram_writes)),
        }
    }
}

/// Rates of all patterns on one machine.
#[derive(Debug, Clone)]
pub struct Stress {
    /// Patterns with their rates.
    pub patterns: Vec<(Pattern, Rates)>,
}

impl Stress {
    /// Measures all patterns on `machine`. `watch` is called after each pattern.
    ///
    /// # Errors
    /// Fails if the simulator does not support the machine.
    pub fn measure(machine: &Machine, mut watch: impl FnMut()) -> Result<Stress> {
        let mut patterns = Vec::new();
        for pattern in program::patterns(machine)? {
            let results = alone(machine, None, &pattern.program, pattern.l2, None)?;
            patterns.push((pattern, Rates::of(machine, &results)));
            watch();
        }
        Ok(Stress { patterns })
    }

    /// For each level, returns the lowest rate among the patterns that use all parts of the level evenly.
    pub fn balanced(&self) -> Rates {
        self.lowest(|used| used == Use::Balanced)
    }

    /// For each level, returns the lowest rate among all patterns, including patterns that use only one slice, channel
    /// or bank.
    pub fn universal(&self) -> Rates {
        self.lowest(|_| true)
    }

    fn lowest(&self, counts: impl Fn(Use) -> bool) -> Rates {
        let lowest = |level: Level, rate: fn(&Rates) -> u64| {
            let patterns = self.patterns.iter();
            let of_level = patterns.filter(|(pattern, _)| pattern.level == level && counts(pattern.used));
            of_level.map(|(_, rates)| rate(rates)).min().unwrap_or(0)
        };
        Rates {
            l2: lowest(Level::L2, |rates| rates.l2),
            dram: lowest(Level::Dram, |rates| rates.dram),
        }
    }
}

/// Number of patterns that [`Stress::measure`] runs.
pub const PATTERNS: u64 = program::COUNT;

/// Simulates `program` in isolation on `sms` SMs of `machine`, or on all SMs.
///
/// # Errors
/// Fails if the program or the machine cannot be simulated.
pub fn alone(
    machine: &Machine,
    sms: Option<u32>,
    program: &Program,
    l2: L2,
    scheduler: Option<Scheduler>,
) -> Result<Results> {
    let setup = isolated(machine, sms, program, l2, scheduler)?;
    Ok(setup.run(Options::default(), &mut |_| ())?.0)
}

fn isolated(
    machine: &Machine,
    sms: Option<u32>,
    program: &Program,
    l2: L2,
    scheduler: Option<Scheduler>,
) -> Result<Setup> {
    let kernel = RunKernel::new(KernelSource::Program(Box::new(program.clone())));
    let mut shape = WarpRunShape::alone(with_l2(machine, l2)?, kernel);
    shape.sms = sms;
    shape.scheduler = scheduler;
    shape.warm = l2 == L2::Warm;
    let run = WarpRun::new(shape)?;
    Setup::new(&run, Path::new(&program.name))
}

/// Returns `machine` with one line per set of L2 if `l2` is [`L2::Thrashed`].
///
/// # Errors
/// Fails if the machine is not valid with this L2.
pub fn with_l2(machine: &Machine, l2: L2) -> Result<Machine, Refusal> {
    if l2 != L2::Thrashed {
        return Ok(machine.clone());
    }
    let mut shape = machine.clone().into_shape();
    shape.memory.l2.ways = 1;
    Machine::new(shape)
}

/// Behavior of a program in isolation on all SMs of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// For each level, the lower of the rates with [`L2::Cold`] and with [`L2::Thrashed`]. A kernel that camps on a
    /// slice, channel or bank has low rates. A kernel that mainly computes also has low rates. A bound with such rates
    /// is pessimistic, but valid.
    pub drain: Rates,
    /// Camping factor [percent]: the largest load of one slice, channel or bank with [`L2::Thrashed`], relative to an
    /// even load. The load of a bank is multiplied by the share of the sectors that open a row, because a stream can
    /// use few banks at a time without any loss of bandwidth. The value 100 means an even load, and 0 means no traffic.
    pub camping_percent: u64,
}

impl Whole {
    /// Simulates `program` in isolation on all SMs of `machine`. Returns `None` if a simulation takes more than `limit`
    /// core cycles.
    ///
    /// # Errors
    /// Fails if the program or the machine cannot be simulated.
    pub fn of(machine: &Machine, program: &Program, limit: u64) -> Result<Option<Whole>> {
        let run = |l2: L2, camping: bool| {
            let options = Options {
                camping,
                limit,
                ..Options::default()
            };
            isolated(machine, None, program, l2, None)?.run_within(options)
        };
        let (Some(cold), Some(thrashed)) = (run(L2::Cold, false)?, run(L2::Thrashed, true)?) else {
            return Ok(None);
        };
        let rates = Rates::of(machine, &thrashed);
        let dram = match rates.dram {
            0 => u64::MAX,
            some => some,
        };
        Ok(Some(Whole {
            drain: Rates::of(machine, &cold).min(Rates { dram, ..rates }),
            camping_percent: camping_percent(machine, &thrashed),
        }))
    }
}

/// Returns the camping factor of a run with one kernel [percent].
fn camping_percent(machine: &Machine, results: &Results) -> u64 {
    let traffic = &results.traffic;
    let sectors = (traffic.dram_reads + traffic.dram_writes).max(1);
    let activations: u64 = results
        .kernels
        .iter()
        .map(|kernel| kernel.traffic.activations)
        .sum();
    let openings = activations as f64 / sectors as f64;
    let memory = &machine.memory;
    let servers = |count: u32, share: Option<f64>| f64::from(count) * share.unwrap_or(0.0);
    let shares = results.shares;
    let loads = [
        servers(memory.slices(), shares.and_then(|shares| shares.slice)),
        servers(memory.channels, shares.and_then(|shares| shares.channel)),
        openings
            * servers(
                memory.channels * memory.dram.timing.banks,
                shares.and_then(|shares| shares.bank),
            ),
    ];
    (loads.into_iter().fold(0.0, f64::max) * 100.0).ceil() as u64
}
