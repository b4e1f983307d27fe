//! Local search from an existing plan. Each step selects a few partitions and divides their tasks into new partitions
//! with the fewest SMs.
//!
//! One step considers every move, swap, split and merge among the selected partitions. Most steps save no SM, so the
//! search also accepts a division with an equal number of SMs.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::division::Division;
use crate::partitioning::search::{LastPlaced, Part, Sizes, total};

/// Seed of the random numbers. The seed is constant, so the results are the same in every run.
pub(crate) const SEED: u64 = 1;

/// Maximum number of units (tasks or fixed groups of tasks) that one step divides. With k units,
/// a step takes 3ᵏ/2 additions and tests 2ᵏ groups.
const UNITS: usize = 8;

/// Improves `parts` until Σ SMs ≤ `target`, or until the search effort is used up.
pub(crate) fn improve(sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, target: u32, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut division = Division::default();
    // Some steps run no test, for example if an earlier test showed that two single-task partitions cannot merge. The
    // search therefore also limits the number of consecutive steps without a test.
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

/// Selects a few partitions at random and divides their tasks again.
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

/// Returns the units of the partitions `chosen` in a random order. This order breaks ties. If the partitions have more
/// than [`UNITS`] tasks, only some tasks become units of their own. The remaining tasks of each partition form one
/// unit.
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

/// Returns a random number below `limit`, or 0 if `limit` is 0. The result has a negligible bias
/// towards small numbers.
fn below(rng: &mut ChaCha8Rng, limit: usize) -> usize {
    (rng.next_u64() % (limit.max(1) as u64)) as usize
}
