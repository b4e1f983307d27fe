//! Upper bound on the memory time of best-effort cores while a kernel runs, for all possible budgets.

use super::knapsack::{Item, fill};
use crate::regulation::Block;
use gpusched_analysis::bandwidth::inverse::memory_time;
use gpusched_model::time::Time;

/// Returns an upper bound on the memory time of best-effort cores [ns] in a run that ends within `deadline` [ns]. The
/// run executes `blocks`. At most M = `active` blocks run at once. The bound is valid for all budgets and all access
/// patterns. If every run ends after the deadline, the bound is 0.
///
/// Block i takes e⁰ᵢ in isolation and e¹ᵢ in memory time, so its rate in memory time is sᵢ = e⁰ᵢ/e¹ᵢ. The block
/// overlaps with memory time for the duration yᵢ. M blocks run until time τ. From τ until the end F of the run, fewer
/// than M blocks run. This interval is the *tail*. Z is the memory time in the tail, and Y is the total memory time.
/// These inequalities follow:
///
/// * M·Y ≤ Σyᵢ + (M − 1)Z, because memory time overlaps with M blocks until τ and with at least
///   one block after τ;
/// * Σ(e⁰ᵢ + (1 − sᵢ)yᵢ) ≤ M·F − Z, because at most M − 1 blocks run in the tail;
/// * 0 ≤ yᵢ ≤ e¹ᵢ, and Z ≤ max e¹ᵢ, because every block in the tail has started by τ.
///
/// The maximum of (Σyᵢ + (M − 1)Z)/M is the solution of a fractional knapsack problem. Item yᵢ has gain 1 and cost 1 −
/// sᵢ. Item Z has gain M − 1 and cost 1.
pub fn limit(blocks: &[Block], active: usize, deadline: f64) -> f64 {
    let places = active.max(1) as f64;
    let contended = |block: &Block| block.alone / block.speed;
    // Consecutive equal blocks form one item. If block times are not random, an item is a whole
    // cluster.
    let alike = blocks.chunk_by(|a, b| a == b);
    let mut items: Vec<Item> = alike
        .filter_map(|blocks| {
            let block = blocks.first()?;
            Some(Item {
                gain: contended(block) * blocks.len() as f64,
                cost: 1.0 - block.speed,
            })
        })
        .collect();
    if active > 1 {
        let longest = blocks.iter().map(contended).fold(0.0, f64::max);
        items.push(Item {
            gain: (places - 1.0) * longest,
            cost: 1.0 / (places - 1.0),
        });
    }
    let alone: f64 = blocks.iter().map(|block| block.alone).sum();
    let most = fill(&items, places * deadline - alone).iter().sum::<f64>() / places;
    most.min(deadline)
}

/// Returns the largest memory time of best-effort cores [ns] between the start and the deadline of a kernel, if each
/// period has at most `most` ns of memory time. The kernel starts `offset` after the start of a
/// period. `deadline` counts from the start of the kernel.
pub fn demand_limit(most: u64, offset: Time, deadline: Time, period: Time) -> u64 {
    let first = period.ns().saturating_sub(offset.ns()).min(deadline.ns());
    let rest = deadline.ns() - first;
    first.min(most) + memory_time(most, rest, period.ns())
}
