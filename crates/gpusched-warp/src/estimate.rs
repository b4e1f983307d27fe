//! Estimate of the duration of a kernel in isolation. gpusched simulates a few rounds of thread
//! blocks on one SM and extrapolates to the whole run.
//!
//! 1. *Equal SMs.* The estimate assumes that the blocks are spread evenly over `n` SMs, and
//!    simulates one of these SMs. This SM executes as many blocks as the busiest SM. From each
//!    `n` consecutive blocks of the kernel, this SM executes one block.
//! 2. *Equal rounds.* A round consists of the blocks that an SM executes at the same time. The
//!    simulation stops after a few rounds, or after more rounds if the blocks are short. The
//!    estimate assumes that all later blocks end at the rate of the last two thirds of the
//!    simulation.
//! 3. *Equal loop rounds.* If loops have many rounds and the simulation would be long, gpusched
//!    shortens the loops. gpusched then simulates the kernel with two different small numbers of
//!    loop rounds. The two results determine the time per further loop round.
//! 4. *Shared memory system.* The simulated SM uses the memory system in isolation and takes
//!    `alone` cycles. The sectors of all SMs occupy L2 for `memory` cycles, at the rate that
//!    kernels reach in practice. The estimate is √(alone² + memory²). If one value dominates, the
//!    estimate is close to this value. If the values are similar, the estimate exceeds both
//!    values.
//!
//! The result is an estimate, not a bound, so no verdict may use it. `benches/warps.rs` measures
//! the error of the estimate.

use std::sync::Arc;

use super::code::{BlockKey, Stream, Unlike};
use super::gpu::{Failure, Launch, Results, Settings, Source, run_until};
use gpusched_model::machine::Machine;

/// Share of the peak rate of L2 that kernels reach in practice [percent]. The highest rate in the reference
/// measurements is 578 of 1048 GB/s (`saxpyl`, 120 blocks).
const REACHED_PERCENT: u128 = 55;

/// Minimum number of warp instructions to simulate. A kernel with fewer instructions is simulated
/// completely.
const ENOUGH: u64 = 4096;

/// Minimum number of rounds of a loop that gpusched may shorten. gpusched shortens loops if the
/// simulation would otherwise exceed twice `ENOUGH` instructions.
const MANY_ROUNDS: u64 = 16;

/// Numbers of loop rounds in the two simulations with shortened loops.
const FEW_ROUNDS: [u64; 2] = [6, 2];

/// Maximum count of the instructions of a block. gpusched stops counting at this number.
const COUNTED: u64 = 1 << 20;

/// Estimated duration of a kernel, with intermediate values.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Duration of the kernel [core cycles].
    pub cycles: u64,
    /// Duration of the kernel if each SM used the memory system in isolation [core cycles].
    pub alone: u64,
    /// Time for which the sectors of all SMs occupy L2 [core cycles].
    pub memory: u64,
    /// Number of blocks that were simulated from start to end.
    pub simulated_blocks: u64,
    /// Results of the simulation. Instructions and traffic are scaled to all blocks of the
    /// kernel. Block records and stalls cover only the simulated part.
    pub results: Results,
}

/// Source of instructions for the one SM that represents all SMs.
struct Share {
    source: Arc<dyn Source>,
    sms: u64,
    /// Number of blocks of the whole kernel.
    blocks: u64,
    /// Number of blocks that the SM executes in the first round.
    resident: u64,
}

impl Share {
    /// Returns the block of the kernel that the simulated SM executes as its block number
    /// `index`. The result is one of `sms` consecutive blocks. In the first round, the result is
    /// the first of these blocks. In later rounds of a real run, the first SM with a free place
    /// executes the next block. A pseudo-random choice among the `sms` blocks models this
    /// behavior.
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

    fn fault(&self) -> Option<String> {
        self.source.fault()
    }
}

/// Part of the kernel that gpusched simulates.
struct Sampling<'a> {
    machine: Machine,
    kernel: &'a Launch,
    settings: Settings,
    /// Number of SMs that execute the kernel.
    sms: u64,
    /// Number of blocks that the busiest SM executes.
    busiest: u64,
    /// Maximum number of blocks that are resident on the busiest SM at the same time.
    resident: u64,
    /// Number of blocks to simulate from start to end.
    simulated: u64,
}

/// Result of one simulation.
struct Sample {
    alone: u64,
    /// Results of the simulation. Instructions and traffic are scaled to all blocks of the
    /// kernel.
    results: Results,
}

/// Estimates the duration of `kernel` in isolation on `machine`. If `settings.sms` is set, the
/// kernel uses only this number of SMs. gpusched simulates `rounds` rounds of thread blocks, and
/// at least two rounds.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails.
pub fn estimate(
    machine: &Machine,
    kernel: &Launch,
    settings: &Settings,
    rounds: u32,
) -> Result<Estimate, Failure> {
    let sampling = Sampling::new(machine, kernel, settings, rounds)?;
    let Sample { alone, mut results } = sampling.run()?;
    // Each slice serves one sector per L2 cycle.
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

/// Extrapolates a result to loops of `rounds` rounds. `longer` and `shorter` are the results for
/// the two numbers of rounds in `FEW_ROUNDS`.
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
        // The simulated cluster has only one SM. With a second SM, the dispatcher would spread
        // the blocks of a small grid over both SMs, and places on the first SM would stay free.
        let mut shape = machine.clone().into_shape();
        shape.sms_per_cluster = 1;
        let single = Machine::new(shape).map_err(|error| Failure::Unsupported {
            machine: machine.name.clone(),
            field: "sms_per_cluster",
            found: error.to_string(),
            expected: "a valid value",
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

    /// Simulates the sampled blocks, with instructions from `source`.
    fn sample(&self, source: Arc<dyn Source>) -> Result<Sample, Failure> {
        let whole = self.simulated == self.busiest;
        let block = match whole {
            true => None,
            false => source.some_block(COUNTED).filter(|&count| count < COUNTED),
        };
        let sample = Launch {
            name: self.kernel.name.clone(),
            // In a real run, further blocks still run when the last counted block ends. The
            // sample includes these blocks if the number of instructions per block is known.
            blocks: match block {
                Some(_) => self.busiest,
                None => self.simulated,
            },
            need: self.kernel.need,
            at: 0,
            latency: 0,
            resident: Some(u32::try_from(self.resident).unwrap_or(u32::MAX)),
            budget: self.kernel.budget,
            // The list permits blocks only on the first SM.
            sms: Some(vec![true]),
            queue: None,
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
        // The time is measured from the end of an early round to the end of the last round.
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
