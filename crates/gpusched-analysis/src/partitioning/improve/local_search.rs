//! Local search from any plan: the tasks of a few partitions are divided anew, as well as possible, again and again.
//!
//! One step contains every move, swap, split and merge among those partitions. A division as good as the old one is
//! taken as well, so that the search drifts along plateaus: most steps save nothing by themselves.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::division::Division;
use crate::partitioning::search::{LastPlaced, Part, Sizes, total};

/// Of the one stream of random numbers there is: answers are the same in every run.
pub(crate) const SEED: u64 = 1;

/// At most so many units are divided anew: 3ᵏ/2 additions and 2ᵏ groups.
const UNITS: usize = 8;

/// Improves `parts` until Σ SMs ≤ `target` or what may be spent is spent.
pub(crate) fn improve(sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, target: u32, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut division = Division::default();
    // A step may test nothing (two partitions of one task that are known not to merge): the steps end as well.
    let mut idle = 0;
    let mut placed = LastPlaced::new(sizes.problem(), |part: &Part| part.sms);
    placed.note(parts);
    while total(parts) > target && parts.len() > 1 && idle < 10_000 && !sizes.exhausted() {
        let before = sizes.tested();
        step(sizes, parts, &mut rng, &mut division);
        idle = if sizes.tested() == before { idle + 1 } else { 0 };
        placed.note(parts);
    }
    placed.restore(parts);
}

/// Divides a few partitions anew.
fn step(sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, rng: &mut ChaCha8Rng, division: &mut Division) {
    let most = parts.len().min(4);
    let chosen = 2 + below(rng, most - 1);
    for position in 0..chosen {
        let other = position + below(rng, parts.len() - position);
        parts.swap(position, other);
    }
    let units = units(&parts[..chosen], rng);
    let old = total(&parts[..chosen]);
    if let Some(new) = division.of(sizes, &units, old) {
        parts.splice(..chosen, new);
    }
}

/// The tasks of `chosen`: those that move alone, and for each partition the rest in one, if they are too many. In random
/// order, which breaks ties.
fn units(chosen: &[Part], rng: &mut ChaCha8Rng) -> Vec<Part> {
    let mut tasks: Vec<(usize, usize)> = (0..)
        .zip(chosen)
        .flat_map(|(index, part)| part.tasks.iter().map(move |&task| (index, task)))
        .collect();
    for position in 0..tasks.len() {
        let other = position + below(rng, tasks.len() - position);
        tasks.swap(position, other);
    }
    let alone = match tasks.len() <= UNITS {
        true => tasks.len(),
        false => UNITS - chosen.len(),
    };
    let (alone, rest) = tasks.split_at(alone);
    let sms = |index: usize| chosen[index].sms;
    let mut units: Vec<Part> = alone
        .iter()
        .map(|&(index, task)| Part {
            sms: sms(index),
            tasks: vec![task],
        })
        .collect();
    for index in 0..chosen.len() {
        let mut tasks: Vec<usize> = rest
            .iter()
            .filter(|&&(other, _)| other == index)
            .map(|&(_, task)| task)
            .collect();
        tasks.sort_unstable();
        if !tasks.is_empty() {
            units.push(Part {
                sms: sms(index),
                tasks,
            });
        }
    }
    units
}

/// A number below `limit`, or 0. The bias is of no consequence.
fn below(rng: &mut ChaCha8Rng, limit: usize) -> usize {
    (rng.next_u64() % (limit.max(1) as u64)) as usize
}
