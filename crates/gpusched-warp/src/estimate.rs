//! How long a kernel takes alone, without simulating all of it: a few rounds of blocks on one SM stand for all.
//!
//! 1. *Equal SMs once.* Blocks are spread evenly, so one SM with as many blocks as the busiest has stands for all. Of `n` SMs it
//!    gets each `n`-th block.
//! 2. *Equal rounds once.* The run ends after some rounds of resident blocks, more of them if blocks are short; further blocks end at
//!    the rate of the later two thirds.
//! 3. *Equal trips once.* Where that is still much, and loops run many rounds, they run few, twice; what that adds, further rounds
//!    add as well.
//! 4. *Shared memory system.* The simulated SM has the memory to itself. If that takes `alone` cycles, and the sectors of
//!    all SMs alone would keep L2 busy for `memory` cycles at the rate it reaches, the kernel is said to take
//!    √(alone² + memory²): the larger of both where one dominates, more where both matter.
//!
//! An estimate, not a bound: no verdict may rest on it. `benches/warps.rs` says how far it is off.

use std::sync::Arc;

use super::code::{BlockKey, Stream, Unlike};
use super::gpu::{Failure, Launch, Results, Settings, Source, run_until};
use gpusched_model::machine::Machine;

/// The share of the peak rate of L2 that kernels reach, in percent: 578 of 1048 GB/s is the most that the reference
/// measurements show (`saxpyl`, 120 blocks).
const REACHED_PERCENT: u128 = 55;

/// Warp instructions that are simulated at least, if there are as many.
const ENOUGH: u64 = 4096;

/// Loops that run so many rounds or more are cut down if more than twice `ENOUGH` instructions would be simulated.
const MANY_ROUNDS: u64 = 16;

/// The rounds to which they are cut down.
const FEW_ROUNDS: [u64; 2] = [6, 2];

/// Instructions of a block that are counted, at most.
const COUNTED: u64 = 1 << 20;

/// An estimate.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Core cycles of the kernel.
    pub cycles: u64,
    /// Core cycles if each SM had the memory system to itself.
    pub alone: u64,
    /// Core cycles for which the sectors of all SMs keep L2 busy.
    pub memory: u64,
    /// Blocks that were simulated to their end.
    pub simulated_blocks: u64,
    /// The run behind it, with instructions and traffic of all blocks; blocks and stalls are those that were simulated.
    pub results: Results,
}

/// The blocks of one SM of several.
struct Share {
    source: Arc<dyn Source>,
    sms: u64,
    /// Blocks of the whole kernel.
    blocks: u64,
    /// The SM's blocks of the first round.
    resident: u64,
}

impl Share {
    /// Of each `sms` blocks it gets one: in the first round the first; later, who gets which depends on which SM has a place first,
    /// which is as good as drawn.
    fn block(&self, index: u64) -> u64 {
        let drawn = match index < self.resident {
            true => 0,
            false => (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % self.sms,
        };
        let block = index.saturating_mul(self.sms).saturating_add(drawn);
        block.min(self.blocks.saturating_sub(1))
    }
}

impl Source for Share {
    fn warps(&self, block: u64) -> Result<Vec<Box<dyn Stream + Send>>, String> {
        self.source.warps(self.block(block))
    }

    fn key(&self, block: u64) -> Result<BlockKey, Unlike> {
        self.source.key(self.block(block))
    }
}

/// What is simulated.
struct Sampling<'a> {
    machine: Machine,
    kernel: &'a Launch,
    settings: Settings,
    /// SMs that take part.
    sms: u64,
    /// Blocks of the busiest SM.
    busiest: u64,
    /// Of them, those there at a time.
    resident: u64,
    /// Those that are simulated to their end.
    simulated: u64,
}

/// What one run says.
struct Sample {
    alone: u64,
    /// With instructions and traffic of all blocks.
    results: Results,
}

/// Estimates `kernel` alone on `machine` (or on `settings.sms` of its SMs) from `rounds` rounds of blocks, at least two.
///
/// # Errors
/// [`Failure`].
pub fn estimate(
    machine: &Machine,
    kernel: &Launch,
    settings: &Settings,
    rounds: u32,
) -> Result<Estimate, Failure> {
    let sampling = Sampling::new(machine, kernel, settings, rounds)?;
    let Sample { alone, mut results } = sampling.run()?;
    // One slice serves one sector per cycle of L2.
    let clocks = &machine.clocks;
    let rate = u128::from(machine.memory.slices()) * u128::from(clocks.l2_khz) * REACHED_PERCENT;
    let memory = u128::from(results.traffic.l2_accesses) * u128::from(clocks.core_khz) * 100 / rate;
    let both = (u128::from(alone).pow(2)).saturating_add(memory.saturating_mul(memory));
    let cycles = narrow(both.isqrt());
    results.last(cycles);
    Ok(Estimate {
        cycles,
        alone,
        memory: narrow(memory),
        simulated_blocks: sampling.simulated,
        results,
    })
}

fn narrow(cycles: u128) -> u64 {
    u64::try_from(cycles).unwrap_or(u64::MAX)
}

/// What loops of `rounds` rounds make of a number, by what it is with `FEW_ROUNDS`.
fn extended(longer: u64, shorter: u64, rounds: u64) -> u64 {
    let [more, less] = FEW_ROUNDS;
    let further = u128::from(longer.saturating_sub(shorter)) * u128::from(rounds.saturating_sub(more));
    longer.saturating_add(narrow(further / u128::from(more - less)))
}

impl<'a> Sampling<'a> {
    fn new(
        machine: &Machine,
        kernel: &'a Launch,
        settings: &Settings,
        rounds: u32,
    ) -> Result<Sampling<'a>, Failure> {
        let sms = u64::from(settings.sms.unwrap_or(machine.sms()).clamp(1, machine.sms()));
        let busiest = kernel.blocks.div_ceil(sms).max(1);
        let resident = busiest.min(u64::from(machine.blocks_per_sm(&kernel.need))).max(1);
        let rounds = u64::from(rounds.max(2)).saturating_mul(resident);
        // An SM that shares a cluster would leave places free for its neighbour's share of the grid.
        let mut shape = machine.clone().into_shape();
        shape.sms_per_cluster = 1;
        let single = Machine::new(shape).map_err(|error| Failure::Unsupported {
            machine: machine.name.clone(),
            field: "sms_per_cluster",
            found: error.to_string(),
            expected: "what a machine can have",
        })?;
        let enough = match kernel.source.some_block(ENOUGH) {
            Some(instructions) => ENOUGH.div_ceil(instructions.max(1)).next_multiple_of(resident),
            None => 0,
        };
        Ok(Sampling {
            machine: single,
            kernel,
            settings: Settings {
                sms: Some(1),
                record_issues: false,
                ..settings.clone()
            },
            sms,
            busiest,
            resident,
            simulated: rounds.max(enough).min(busiest),
        })
    }

    fn run(&self) -> Result<Sample, Failure> {
        let source = &self.kernel.source;
        let most = 2 * ENOUGH;
        let block = source.some_block(most / self.simulated + 1).unwrap_or(0);
        if block.saturating_mul(self.simulated) > most
            && let [Some((longer, all)), Some((shorter, _))] =
                FEW_ROUNDS.map(|rounds| source.shortened(MANY_ROUNDS, rounds))
        {
            let (mut longer, shorter) = (self.sample(longer)?, self.sample(shorter)?);
            longer.alone = extended(longer.alone, shorter.alone, all);
            let extend = |longer, shorter| extended(longer, shorter, all);
            longer.results.combine(&shorter.results, extend);
            return Ok(longer);
        }
        self.sample(Arc::clone(source))
    }

    /// Simulates the blocks of `source`.
    fn sample(&self, source: Arc<dyn Source>) -> Result<Sample, Failure> {
        let whole = self.simulated == self.busiest;
        let block = match whole {
            true => None,
            false => source.some_block(COUNTED).filter(|&count| count < COUNTED),
        };
        let sample = Launch {
            name: self.kernel.name.clone(),
            // Others are under way when the last one of those that count ends; if their instructions are not known, they are not.
            blocks: match block {
                Some(_) => self.busiest,
                None => self.simulated,
            },
            need: self.kernel.need,
            at: 0,
            resident: Some(u32::try_from(self.resident).unwrap_or(u32::MAX)),
            budget: self.kernel.budget,
            // The first one, whatever else is in its cluster.
            sms: Some(vec![true]),
            source: Arc::new(Share {
                source,
                sms: self.sms,
                blocks: self.kernel.blocks,
                resident: self.resident,
            }),
        };
        let mut run = run_until(&self.machine, &[sample], &self.settings, self.simulated)?;
        let mut ends: Vec<u64> = run.blocks.iter().map(|block| block.end).collect();
        ends.sort_unstable();
        let end = |blocks: u64| {
            ends.get((blocks as usize).saturating_sub(1))
                .copied()
                .unwrap_or(run.cycles)
        };
        // From the end of a round to the end of the last one.
        let from = (self.simulated / self.resident).div_ceil(3) * self.resident;
        let (from, to) = (from.min(self.simulated), end(self.simulated));
        let time = u128::from(to.saturating_sub(end(from)));
        let rest = u128::from(self.busiest - self.simulated);
        let further = rest * time / u128::from(self.simulated - from).max(1);
        let alone = narrow(u128::from(run.cycles) + further);
        match block {
            Some(instructions) => {
                let issued = run.kernels.iter().map(|kernel| kernel.warp_instructions).sum();
                run.scale(self.kernel.blocks.saturating_mul(instructions), issued);
            }
            None => run.scale(self.kernel.blocks, self.simulated.min(self.kernel.blocks)),
        }
        Ok(Sample { alone, results: run })
    }
}
