//! Global savings: repeatedly merges the pair of partitions that saves the most SMs, until no
//! merge saves SMs. Clarke and Wright use this rule for vehicle routes (Operations Research
//! 12(4), 1964).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::merging::merge;
use super::trial::MergeTrials;
use crate::partitioning::search::{Candidate, GroupTester, LastPlaced};
use gpusched_model::utilization::Utilization;

/// A merge of two partitions that saves SMs.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Saving {
    /// Number of saved SMs, |P| + |P'| − |P ⊕ P'|.
    pub saved: u32,
    /// Utilization of the union on its SMs. A union with a high utilization leaves more SMs to the other partitions.
    pub utilization: Utilization,
    /// Number of SMs of the union, |P ⊕ P'|.
    pub sms: u32,
}

/// Savings of all pairs. The first index is the larger position, and the second index is the smaller position.
pub(crate) struct Savings {
    rows: Vec<Vec<Option<Saving>>>,
    /// Number of tested merges.
    pub tested: u64,
}

impl Savings {
    pub fn of(tester: &mut GroupTester<'_>, partitions: &[Candidate]) -> Savings {
        let mut tested = 0;
        let positions = 0..partitions.len();
        let row = |position| row(tester, &partitions[..=position], &mut tested).collect();
        Savings {
            rows: positions.map(row).collect(),
            tested,
        }
    }

    /// Returns the saving of partitions `a` and `b`, or `None` if their merge saves no SMs.
    pub fn get(&self, a: usize, b: usize) -> Option<Saving> {
        self.rows[a.max(b)][a.min(b)]
    }
}

/// Returns the savings of the merges of the last partition with each earlier partition, in order. Adds the number of tested
/// merges to `tested`.
fn row<'r>(
    tester: &'r mut GroupTester<'_>,
    partitions: &'r [Candidate],
    tested: &'r mut u64,
) -> impl Iterator<Item = Option<Saving>> + 'r {
    let (last, earlier) = partitions.split_last().unzip();
    let mut trials = last.map(|last| MergeTrials::on(tester, last));
    earlier
        .unwrap_or_default()
        .iter()
        .map(move |partner: &Candidate| {
            let trials = trials.as_mut()?;
            *tested += 1;
            let sms = merge(trials, partner, u32::MAX)?;
            let group = trials.with(partner, sms)?;
            Some(Saving {
                saved: trials.partition.sms + partner.sms - sms,
                utilization: trials.utilization(&group, sms).unwrap_or_default(),
                sms,
            })
        })
}

/// A merge of two partitions that saves SMs, with the numbers of the partitions. The order of its fields is the order of merges: the largest
/// saving. Ties: the higher utilization of the union, then the earlier pair.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Pair {
    saved: u32,
    /// Utilization of the union in units of 2⁻⁴⁸, at most 2¹⁶.
    utilization: u64,
    /// The larger and the smaller number.
    numbers: Reverse<(u32, u32)>,
    sms: u32,
}

/// Merges that become possible at the same time, from the worst to the best. Most of them lose a partition to an earlier merge. So a sorted
/// list per union is faster than one heap of all merges.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Batch {
    best: Pair,
    others: Vec<Pair>,
}

impl Batch {
    /// Returns a batch of those `pairs` whose partitions are both there. `pairs` are sorted from the worst to the best.
    fn of(mut pairs: Vec<Pair>, there: &[bool]) -> Option<Batch> {
        while let Some(best) = pairs.pop() {
            if best.is_possible(there) {
                return Some(Batch { best, others: pairs });
            }
        }
        None
    }
}

impl Pair {
    /// Whether both partitions are there.
    fn is_possible(&self, there: &[bool]) -> bool {
        let Reverse((b, a)) = self.numbers;
        there[a as usize] && there[b as usize]
    }
}

/// Removes the best possible merge.
fn best_of(batches: &mut BinaryHeap<Batch>, there: &[bool]) -> Option<Pair> {
    while let Some(Batch { best, others }) = batches.pop() {
        batches.extend(Batch::of(others, there));
        if best.is_possible(there) {
            return Some(best);
        }
    }
    None
}

/// Merges partitions until Σ SMs ≤ `target`, or until no merge saves SMs. Returns the number of tested merges.
pub(crate) fn merge_by_savings(
    tester: &mut GroupTester<'_>,
    partitions: &mut Vec<Candidate>,
    target: u32,
) -> u64 {
    let mut tested = 0;
    let mut pairs = Vec::new();
    // A union gets the next number, so the numbers of the partitions always ascend.
    let mut numbers: Vec<u32> = (0..).take(partitions.len()).collect();
    for position in 0..partitions.len() {
        pairs.extend(pairs_of_last(
            tester,
            &partitions[..=position],
            &numbers,
            &mut tested,
        ));
    }
    pairs.sort_unstable();
    // Whether the partition of each number is still there.
    let mut there = vec![true; partitions.len()];
    let mut batches: BinaryHeap<Batch> = Batch::of(pairs, &there).into_iter().collect();
    let mut placed = LastPlaced::new(tester.problem(), |part: &Candidate| part.sms);
    placed.note(partitions);
    while sum(partitions) > target.into() {
        let Some(pair) = best_of(&mut batches, &there) else {
            break;
        };
        let Reverse((b, a)) = pair.numbers;
        let place = |number| numbers.binary_search(&number).ok();
        let Some((a, b)) = place(a).zip(place(b)) else {
            break;
        };
        let union = partitions[a].joined(&partitions[b], tester.problem(), pair.sms);
        for position in [b, a] {
            there[numbers.remove(position) as usize] = false;
            partitions.remove(position);
        }
        partitions.push(union);
        numbers.push(there.len() as u32);
        there.push(true);
        let mut pairs: Vec<Pair> = pairs_of_last(tester, partitions, &numbers, &mut tested).collect();
        pairs.sort_unstable();
        batches.extend(Batch::of(pairs, &there));
        placed.note(partitions);
    }
    placed.restore(partitions);
    tested
}

/// Returns the merges of the last partition with an earlier partition that save SMs.
fn pairs_of_last<'r>(
    tester: &'r mut GroupTester<'_>,
    partitions: &'r [Candidate],
    numbers: &'r [u32],
    tested: &'r mut u64,
) -> impl Iterator<Item = Pair> + 'r {
    let last = numbers[partitions.len() - 1];
    let savings = row(tester, partitions, tested).zip(numbers);
    savings.filter_map(move |(saving, &number)| {
        let Saving {
            saved,
            utilization,
            sms,
        } = saving?;
        Some(Pair {
            saved,
            utilization: utilization.saturated(),
            numbers: Reverse((last, number)),
            sms,
        })
    })
}

/// Returns Σ |P|.
pub(crate) fn sum(partitions: &[Candidate]) -> u64 {
    partitions.iter().map(|partition| u64::from(partition.sms)).sum()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::interference::{Interference, model_of};
    use crate::partitioning::one_search::mergeable;
    use crate::partitioning::optimal::random_set;
    use crate::partitioning::problem::Problem;
    use crate::partitioning::search::lemmas::smallest_partitions;
    use gpusched_model::Policy;

    /// Reference implementation: computes all savings again before each merge.
    fn slowly(tester: &mut GroupTester<'_>, partitions: &mut Vec<Candidate>, target: u32) {
        while sum(partitions) > target.into() {
            let savings = Savings::of(tester, partitions);
            let mut best: Option<(Saving, usize, usize)> = None;
            for b in 0..partitions.len() {
                for a in 0..b {
                    let key = |saving: Saving| (saving.saved, saving.utilization);
                    if let Some(saving) = savings.get(a, b)
                        && best.is_none_or(|(best, ..)| key(saving) > key(best))
                    {
                        best = Some((saving, a, b));
                    }
                }
            }
            let Some((saving, a, b)) = best else { return };
            let union = partitions[a].joined(&partitions[b], tester.problem(), saving.sms);
            partitions.remove(b);
            partitions.remove(a);
            partitions.push(union);
        }
    }

    #[test]
    fn merges_equal_a_search_through_all_pairs() {
        let rng = &mut ChaCha8Rng::seed_from_u64(31);
        let mut merged = 0;
        for round in 0..200 {
            let count = rng.random_range(1..24);
            let mut set = random_set(rng, count);
            if round % 4 == 0 {
                // Equal tasks: all savings are ties.
                let first = set.tasks()[0].clone();
                set = gpusched_model::TaskSet::new(None, vec![first; count]).unwrap();
            }
            let model = model_of([Interference::Conflict, Interference::None][round % 2]);
            let policy = [Policy::Edf, Policy::NpEdf][round / 2 % 2];
            let problem = Problem::new(&set, 24, policy, model).unwrap();
            let tester = &mut GroupTester::new(&problem);
            let Ok(singles) = smallest_partitions(tester) else {
                continue;
            };
            let mut slow = mergeable(&problem, singles);
            let mut fast = slow.clone();
            let target = [0, sum(&slow) as u32 / 2][round / 4 % 2];
            merge_by_savings(tester, &mut fast, target);
            slowly(tester, &mut slow, target);
            let plan = |partitions: &[Candidate]| -> Vec<(u32, Vec<usize>)> {
                let parts = partitions.iter();
                parts.map(|part| (part.sms, part.tasks.clone())).collect()
            };
            assert_eq!(plan(&fast), plan(&slow), "round {round}");
            merged += count - fast.len();
        }
        assert!(merged > 500, "{merged} merges");
    }
}
