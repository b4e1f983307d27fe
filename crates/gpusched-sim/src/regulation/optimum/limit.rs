//! Upper bound on the memory time that any budgets can grant while a kernel runs.

use super::knapsack::{Item, fill};
use crate::regulation::Block;
use gpusched_analysis::bandwidth::inverse::memory_time;
use gpusched_model::time::Time;

/// Returns an upper bound on the memory time [ns] in a run of `blocks` on `active` places. The run ends within `deadline`
/// [ns]. The bound is valid for all budgets and all access patterns. If no run can end by the deadline, the bound is 0.
///
/// Block i overlaps with memory time for yᵢ. All places are busy until time τ. From τ until the end F, only some places are
/// busy; this interval is the tail. Z is the memory time in the tail, and Y is the total memory time. Then
///
/// * M·Y ≤ Σyᵢ + (M − 1)Z, because memory time counts M times until τ and at least once after τ;
/// * Σ(e⁰ᵢ + (1 − sᵢ)yᵢ) ≤ M·F − Z, because in the tail at least one place is idle;
/// * 0 ≤ yᵢ ≤ e¹ᵢ, and Z ≤ max e¹ᵢ, because every block in the tail has started by τ.
///
/// The maximum of (Σyᵢ + (M − 1)Z)/M is a fractional knapsack. Item yᵢ has gain 1 and cost 1 − sᵢ. Item Z has gain M − 1
/// and cost 1.
pub fn limit(blocks: &[Block], active: usize, deadline: f64) -> f64 {
    let places = active.max(1) as f64;
    let contended = |block: &Block| block.alone / block.speed;
    // Equal neighbouring blocks form one item. If block times are not random, an item is a whole cluster.
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

/// Returns the largest memory time [ns] between the start and the deadline of a kernel, if each period has at most `most`
/// ns of memory time. The kernel starts `offset` after the start of a period. `deadline` counts from the start of the
/// kernel.
pub fn demand_limit(most: u64, offset: Time, deadline: Time, period: Time) -> u64 {
    let first = period.ns().saturating_sub(offset.ns()).min(deadline.ns());
    let rest = deadline.ns() - first;
    first.min(most) + memory_time(most, rest, period.ns())
}
