//! Estimate of the duration of a kernel in isolation. gpusched simulates the first rounds of thread blocks on the whole
//! GPU and extrapolates to all blocks.
//!
//! 1. *Rounds.* A round has as many blocks as all SMs together can execute at the same time. gpusched starts a
//!    simulation of all blocks. After each round, gpusched estimates the end of the kernel and the error of this
//!    estimate. The simulation stops early if the estimated error is small enough.
//! 2. *Rate.* The estimate ignores the first third of the rounds, because the caches are still filling and the blocks
//!    run in phase. It assumes that the remaining blocks end at the same rate as the blocks in the last two thirds.
//! 3. *Last round.* If blocks end at a constant rate, the end of the kernel is proportional to the number of blocks. If
//!    the blocks of a round end together, an incomplete last round of k blocks takes as long as the first k blocks of a
//!    complete round. The estimate is the mean of both times.
//! 4. *Full caches.* When a cache becomes full, each miss evicts a line, and the rate of the blocks changes. If the
//!    kernel fills L2, the simulation continues until the misses of L2 amount to 1.2 times the size of L2. If the
//!    kernel fills the L1 caches, the simulation continues until L2 has accepted twice as many sectors as all L1 caches
//!    contain.
//! 5. *Short kernels.* If the estimate requires two thirds of the blocks or more, gpusched simulates all blocks. The
//!    result is then exact.
//!
//! The result is an estimate, not a bound, so no verdict may use it. `tests/simulators/warp_reference/estimate.rs` checks
//! the errors.

use std::slice::from_ref;

use super::gpu::{BlockRecord, Failure, KernelTraffic, Launch, Results, Settings, run_rounds};
use crate::machine::Machine;
use crate::memory::request::{LINE, SECTOR};

/// The simulation stops when the uncertainty of the estimated duration is at most this share of the duration.
const ENOUGH: f64 = 0.12;

/// If the simulation reaches its limit, the estimate is valid only if its uncertainty is at most this share of the
/// duration.
const MOST: f64 = 0.25;

/// The L1 caches are full when L2 has accepted sectors of the first factor times the size of all L1 caches. L2 is full
/// when its misses amount to the second factor times its size.
const FULL: [f64; 2] = [2.0, 1.2];

/// Minimum number of blocks to simulate. In matrix kernels, the first row of blocks loads data that later rows find in
/// the caches. If blocks differ in length, a few blocks do not represent all blocks.
const BLOCKS: usize = 64;

/// Maximum number of instructions that gpusched counts in a block.
const COUNTED: u64 = 1 << 20;

/// Estimated duration of a kernel.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Duration of the kernel [core cycles].
    pub cycles: u64,
    /// Estimated largest error of `cycles`, as a share of `cycles` from 0 to 0.25. 0 if all blocks were simulated,
    /// because then the result is exact.
    pub uncertainty: f64,
    /// Number of blocks that were simulated from start to end.
    pub simulated_blocks: u64,
    /// Results of the simulation. Instructions and traffic are scaled to all blocks of the kernel. Block records and
    /// stalls cover only the simulated part.
    pub results: Results,
}

/// Ended rounds, and the properties of the kernel that the extrapolation requires.
struct Rounds {
    /// Number of blocks of the kernel.
    blocks: usize,
    /// Number of blocks of a round.
    round: usize,
    /// Minimum number of rounds to simulate.
    least: usize,
    /// Sizes of all L1 caches and of L2 [sectors].
    sizes: [f64; 2],
    /// Start of the kernel and end of each round [core cycles].
    ends: Vec<f64>,
    /// At each time in `ends`: number of sectors that L2 has accepted, and number of sectors that have missed in L2.
    sectors: [Vec<f64>; 2],
}

/// Estimates the duration of `kernel` in isolation on `machine`. If `settings.sms` is set, the kernel uses only this
/// number of SMs. gpusched simulates at least `rounds` rounds of thread blocks, at least two rounds, and at least 64
/// blocks.
///
/// # Errors
/// Fails with [`Failure::Uncertain`] if the simulation reaches the limit of `settings` while the uncertainty exceeds
/// 25 %. Fails with another [`Failure`] if the simulation fails.
pub fn estimate(
    machine: &Machine,
    kernel: &Launch,
    settings: &Settings,
    rounds: u32,
) -> Result<Estimate, Failure> {
    let sms = settings.sms.unwrap_or(machine.sms()).clamp(1, machine.sms());
    let resident = machine.blocks_per_sm(&kernel.need).max(1);
    let shared_bytes = resident.saturating_mul(kernel.need.shared_bytes);
    let l1 = machine.l1_beside(shared_bytes).map_or(0, |l1| l1.sets * l1.ways);
    let l2 = &machine.memory.l2;
    let sectors = |caches: u32, lines: u32| f64::from(caches) * f64::from(lines) * (LINE / SECTOR) as f64;
    let round = sms as usize * resident as usize;
    let mut seen = Rounds {
        blocks: kernel.blocks as usize,
        round,
        least: (rounds.max(2) as usize).max(BLOCKS.div_ceil(round)),
        sizes: [
            sectors(sms, l1),
            sectors(machine.memory.slices(), l2.sets * l2.ways),
        ],
        ends: vec![kernel.at as f64],
        sectors: [vec![0.0], vec![0.0]],
    };
    let mut stops = |ended: &[BlockRecord], traffic: KernelTraffic| {
        seen.push(ended, traffic);
        let found = seen.extrapolated(ended);
        3 * seen.ended() < 2 * seen.blocks && found.is_some_and(|(_, uncertainty)| uncertainty <= ENOUGH)
    };
    let (mut results, whole) = run_rounds(machine, from_ref(kernel), settings, round, &mut stops)?;
    let simulated_blocks = results.blocks.len() as u64;
    if whole {
        return Ok(Estimate {
            cycles: results.cycles,
            uncertainty: 0.0,
            simulated_blocks,
            results,
        });
    }
    let found = seen.extrapolated(&results.blocks);
    let (cycles, uncertainty) = found
        .filter(|&(_, uncertainty)| uncertainty <= MOST)
        .ok_or_else(|| Failure::Uncertain {
            kernel: kernel.name.clone(),
            ended: simulated_blocks,
            blocks: kernel.blocks,
            cycles: results.cycles,
        })?;
    match kernel.source.some_block(COUNTED).filter(|&count| count < COUNTED) {
        Some(instructions) => {
            let issued = results
                .kernels
                .iter()
                .map(|kernel| kernel.warp_instructions)
                .sum();
            results.scale(kernel.blocks.saturating_mul(instructions), issued);
        }
        None => results.scale(kernel.blocks, simulated_blocks),
    }
    results.last(cycles);
    Ok(Estimate {
        cycles,
        uncertainty,
        simulated_blocks,
        results,
    })
}

impl Rounds {
    /// Adds the next round. `ended` contains the blocks that have ended, and `traffic` is the traffic so far.
    fn push(&mut self, ended: &[BlockRecord], traffic: KernelTraffic) {
        let last = ended.get(self.ends.len() * self.round - 1);
        self.ends.extend(last.map(|block| (block.end + 1) as f64));
        let [accepted, missed] = &mut self.sectors;
        accepted.push((traffic.l2_reads + traffic.l2_writes) as f64);
        missed.push(traffic.l2_misses as f64);
    }

    /// Returns the number of blocks in all ended rounds.
    fn ended(&self) -> usize {
        (self.ends.len() - 1) * self.round
    }

    /// Returns the mean increase of `values` per round, from the end of round `from` to the end of round `to`.
    fn per_round(values: &[f64], from: usize, to: usize) -> f64 {
        (values[to] - values[from]) / (to - from) as f64
    }

    /// Returns the estimated duration [core cycles] and its uncertainty, as a share of the duration. Returns `None` if
    /// the simulated part is too short for an estimate. `blocks` contains the blocks that have ended.
    fn extrapolated(&self, blocks: &[BlockRecord]) -> Option<(u64, f64)> {
        let rounds = self.ends.len() - 1;
        if rounds < self.least {
            return None;
        }
        let left = self.blocks.checked_sub(self.ended())?;
        let window = (2 * rounds / 3).max(1);
        let (first, half) = (rounds - window, rounds - (window / 2).max(1));
        let further_rounds = left as f64 / self.round as f64;
        let fills = |(sectors, enough): (&Vec<f64>, f64), size: f64| {
            let further = further_rounds * Self::per_round(sectors, first, rounds);
            sectors[rounds] < enough * size && sectors[rounds] + further > size
        };
        let mut caches = self.sectors.iter().zip(FULL).zip(self.sizes);
        if caches.any(|(cache, size)| fills(cache, size)) {
            return None;
        }
        let (now, time) = (self.ends[rounds], Self::per_round(&self.ends, first, rounds));
        let constant_rate = now + further_rounds * time;
        let repeats = left.div_ceil(self.round);
        let same_place = blocks.get(self.blocks - repeats * self.round - 1)?;
        let whole_rounds = (same_place.end + 1) as f64 + repeats as f64 * time;
        let cycles = f64::midpoint(constant_rate, whole_rounds).max(now);
        // Rates of the earlier and the later half of the window. If the window has only one round, the time before the
        // window replaces the earlier half.
        let start = if half > first { first } else { 0 };
        let earlier = Self::per_round(&self.ends, start, half);
        let trend = (Self::per_round(&self.ends, half, rounds) - earlier).abs() / time.max(1.0);
        let doublings = (self.blocks as f64 / self.ended() as f64).log2().ceil();
        let further = (3.0 * trend + 0.05) * (cycles - now) / cycles;
        let last_round = (constant_rate - whole_rounds).abs() / cycles;
        Some((cycles.round() as u64, further + last_round + 0.01 * doublings))
    }
}
