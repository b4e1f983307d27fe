//! The WCET program of a kernel ([Aghilinasab20] Eqs 8–12): a linear program that gpusched solves exactly, without a
//! general solver.
//!
//! The program maximizes the total delay Σ(xᵢ + yᵢ)dᵢ under Σxᵢwᵢ ≤ B, Σyᵢ ≤ K and xᵢ + yᵢ ≤ Nᵢ,
//! with w = e¹ and d = e¹ − e⁰. This is a fractional knapsack problem with two resources. Its dual program minimizes
//! D(λ, µ) = λB + µK + Σ Nᵢ·(dᵢ − min(dᵢ, λwᵢ, µ)) over λ, µ ≥ 0. Every value of D is an upper bound on the total delay
//! (weak duality).
//!
//! Let bᵢ = min(dᵢ, λwᵢ). For a fixed λ, the best µ is a weighted quantile of bᵢ: the largest µ for which more than K
//! blocks have bᵢ ≥ µ. With the best µ for each λ, D is a convex and piecewise linear function of λ. D has breakpoints
//! only where λwᵢ equals dᵢ or a constant µ = dⱼ. So each breakpoint λ equals some dⱼ/wᵢ. A binary search for the sign
//! of the slope finds the minimum, with integers only.

use std::cmp::Reverse;

use super::regulation::Exposure;
use gpusched_model::time::Time;
use gpusched_model::{Kernel, Ratio};

/// The WCET program of a kernel, prepared so that it can be solved repeatedly.
#[derive(Clone, Debug)]
pub struct Program {
    items: Vec<Item>,
    /// Candidates for λ in ascending order, as pairs (numerator, denominator). Not all of these fractions are in lowest
    /// terms. The first candidate is 0.
    candidates: Vec<(u64, u64)>,
    /// M: number of active blocks of the kernel.
    active: u64,
    /// Constant part of Eq. 8, multiplied by M: e¹_max·(M − 1) + Σ Nᵢeᵢ⁰ [ns].
    constant: u128,
    /// Σ Nᵢwᵢ over all items [ns]. With more memory time than this sum, the result stays the same.
    all_memory: u64,
    /// Σ Nᵢ over all items. With more partial blocks than this sum, the result stays the same.
    all_blocks: u64,
}

/// A cluster whose block time is longer under interference.
#[derive(Copy, Clone, Debug)]
struct Item {
    /// Nᵢ: number of blocks of the cluster.
    blocks: u64,
    /// wᵢ = eᵢ¹: block time under interference [ns].
    time: u64,
    /// dᵢ = eᵢ¹ − eᵢ⁰: delay of a block by interference [ns]; > 0.
    delay: u64,
}

/// An optimal solution of the dual program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Optimum {
    /// Optimum of Eqs 8–12, rounded up.
    pub wcet: Time,
    /// Maximum of Σ(xᵢ + yᵢ)dᵢ: total delay of all blocks [ns].
    pub delay: Ratio,
    /// λ: dual price of the memory time of best-effort cores [ns of delay per ns].
    pub lambda: Ratio,
    /// µ: dual price of a partial block [ns of delay].
    pub mu: Ratio,
}

/// For an item and a given λ: bᵢ multiplied by a common denominator; the increase of bᵢ with λ; the number of blocks.
#[derive(Copy, Clone, Default)]
struct Worth {
    value: u128,
    growth: u64,
    blocks: u64,
}

impl Program {
    /// Creates the WCET program of `kernel`.
    pub fn new(kernel: &Kernel) -> Program {
        let items: Vec<Item> = kernel
            .clusters()
            .iter()
            .map(|cluster| Item {
                blocks: cluster.blocks(),
                time: cluster.contended().ns(),
                delay: cluster.contended().ns() - cluster.isolated().ns(),
            })
            .filter(|item| item.delay > 0)
            .collect();
        let mut candidates = vec![(0, 1)];
        for item in &items {
            // bᵢ increases with λ only while λwᵢ < dᵢ, so larger dⱼ give no breakpoints.
            let meets = items.iter().filter(|other| other.delay <= item.delay);
            candidates.extend(meets.map(|other| (other.delay, item.time)));
        }
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        candidates.sort_unstable_by(|a, b| product(a.0, b.1).cmp(&product(b.0, a.1)));
        let clusters = kernel.clusters().iter();
        let longest = clusters
            .clone()
            .map(|cluster| cluster.contended().ns())
            .max()
            .unwrap_or(0);
        let work: u128 = clusters
            .map(|cluster| product(cluster.blocks(), cluster.isolated().ns()))
            .sum();
        let active = u64::from(kernel.active_blocks());
        Program {
            candidates,
            active,
            constant: product(longest, active - 1) + work,
            all_memory: items.iter().map(|item| item.blocks * item.time).sum(),
            all_blocks: items.iter().map(|item| item.blocks).sum(),
            items,
        }
    }

    /// Computes the optimum of Eqs 8–12. `exposure` contains the right-hand sides.
    pub fn solve(&self, exposure: Exposure) -> Optimum {
        let memory = exposure.memory_ns.min(self.all_memory);
        let partial = exposure.partial_blocks.min(self.all_blocks);
        let mut worths = vec![Worth::default(); self.items.len()];
        let found = self.candidates.partition_point(|&lambda| {
            self.rank(lambda, &mut worths);
            falls(&worths, memory, partial)
        });
        // No bᵢ increases beyond the last candidate, so the search always ends at a candidate.
        let lambda = self.candidates.get(found).copied().unwrap_or((0, 1));
        self.rank(lambda, &mut worths);
        let mu =
            pivot(&worths, partial).map_or(0, |(pivot, _)| worths.get(pivot).map_or(0, |worth| worth.value));
        let (numerator, denominator) = lambda;
        let delay = u128::from(numerator) * u128::from(memory)
            + mu * u128::from(partial)
            + self.all_delays() * u128::from(denominator)
            - worths
                .iter()
                .map(|worth| u128::from(worth.blocks) * worth.value.min(mu))
                .sum::<u128>();
        let ratio = |numerator| Ratio::new(numerator, denominator).unwrap_or(Ratio::ZERO);
        Optimum {
            wcet: self.wcet(delay, denominator),
            delay: ratio(delay),
            lambda: ratio(u128::from(numerator)),
            mu: ratio(mu),
        }
    }

    fn all_delays(&self) -> u128 {
        let delays = self
            .items
            .iter()
            .map(|item| u128::from(item.blocks) * u128::from(item.delay));
        delays.sum()
    }

    /// Returns the value of Eq. 8 for a total delay of `numerator`/`denominator` [ns], rounded up.
    fn wcet(&self, numerator: u128, denominator: u64) -> Time {
        let denominator = u128::from(denominator);
        let ns = (self.constant * denominator + numerator).div_ceil(denominator * u128::from(self.active));
        Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX)) // less than twice the total work, which is a valid time
    }

    /// Returns the value of Eq. 8 for a total delay `delay` of all blocks, in floating-point numbers [ns].
    pub(super) fn in_floats(&self, delay: f64) -> f64 {
        (self.constant as f64 + delay) / self.active as f64
    }

    /// Computes bᵢ of all items at `lambda`, and sorts the items by bᵢ in descending order. Items
    /// with equal bᵢ are sorted by the increase of bᵢ with λ.
    fn rank(&self, (numerator, denominator): (u64, u64), worths: &mut [Worth]) {
        for (worth, item) in worths.iter_mut().zip(&self.items) {
            let by_memory = u128::from(numerator) * u128::from(item.time);
            let by_delay = u128::from(item.delay) * u128::from(denominator);
            *worth = Worth {
                value: by_memory.min(by_delay),
                growth: if by_memory < by_delay { item.time } else { 0 },
                blocks: item.blocks,
            };
        }
        worths.sort_unstable_by_key(|worth| Reverse((worth.value, worth.growth)));
    }
}

/// Returns the first position for which the items up to this position have more than `partial` blocks. Also returns the
/// number of these blocks.
fn pivot(worths: &[Worth], partial: u64) -> Option<(usize, u64)> {
    let mut blocks = 0;
    worths.iter().enumerate().find_map(|(position, worth)| {
        blocks += worth.blocks;
        (blocks > partial).then_some((position, blocks))
    })
}

/// Returns whether D decreases as λ increases from its current value. `worths` is sorted for this
/// λ.
fn falls(worths: &[Worth], memory: u64, partial: u64) -> bool {
    let Some((position, blocks)) = pivot(worths, partial) else {
        return false; // partial blocks account for the total delay, so memory time adds no delay
    };
    let growth = |worth: &Worth, blocks: u64| u128::from(blocks) * u128::from(worth.growth);
    let mut rest = worths.iter().skip(position);
    let at = rest.next().map_or(0, |worth| growth(worth, blocks - partial));
    let below: u128 = rest.map(|worth| growth(worth, worth.blocks)).sum();
    at + below > u128::from(memory)
}
