//! The most memory time that any budgets can give away while a kernel runs.

use super::knapsack::{Item, fill};
use crate::regulation::Block;
use gpusched_analysis::bandwidth::inverse::memory_time;
use gpusched_model::time::Time;

/// The most memory time [ns] during a run of `blocks` on `active` places that ends within `deadline` [ns], whatever the
/// budgets and wherever in its period the memory time is; 0 if no run can end by then.
///
/// Let block i overlap with yᵢ of memory time, let all places be busy until τ and some of them until the end F, Z of this
/// tail be memory time, and Y all of it. Then
///
/// * M·Y ≤ Σyᵢ + (M − 1)Z, because memory time counts M times until τ and at least once after it;
/// * Σ(e⁰ᵢ + (1 − sᵢ)yᵢ) ≤ M·F − Z, because in the tail at least one place is idle;
/// * 0 ≤ yᵢ ≤ e¹ᵢ; and Z ≤ max e¹ᵢ, because what runs in the tail has started by τ.
///
/// The most of (Σyᵢ + (M − 1)Z)/M is a fractional knapsack: yᵢ gains 1 and costs 1 − sᵢ, Z gains M − 1 and costs 1.
pub fn limit(blocks: &[Block], active: usize, deadline: f64) -> f64 {
    let places = active.max(1) as f64;
    let contended = |block: &Block| block.alone / block.speed;
    // Neighbours that are alike are one item: whole clusters, where times are not drawn.
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

/// The most memory time [ns] between the start of a kernel, `offset` after the beginning of a period, and `deadline` after it,
/// if each period has at most `most`; all in ns.
pub fn demand_limit(most: u64, offset: Time, deadline: Time, period: Time) -> u64 {
    let first = period.ns().saturating_sub(offset.ns()).min(deadline.ns());
    let rest = deadline.ns() - first;
    first.min(most) + memory_time(most, rest, period.ns())
}
