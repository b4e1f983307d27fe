//! Global savings: repeatedly merges the pair of partitions that saves the most SMs, until no
//! merge saves SMs. Clarke and Wright use this rule for vehicle routes (Operations Research
//! 12(4), 1964).

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
        let mut savings = Savings {
            rows: Vec::with_capacity(partitions.len()),
            tested: 0,
        };
        for position in 0..partitions.len() {
            let row = savings.row(tester, partitions, position);
            savings.rows.push(row);
        }
        savings
    }

    /// Returns the savings of the merges of the partition at `position` with each earlier partition.
    fn row(
        &mut self,
        tester: &mut GroupTester<'_>,
        partitions: &[Candidate],
        position: usize,
    ) -> Vec<Option<Saving>> {
        let partition = &partitions[position];
        let mut trials = MergeTrials::on(tester, partition);
        partitions[..position]
            .iter()
            .map(|partner| {
                self.tested += 1;
                let sms = merge(&mut trials, partner, u32::MAX)?;
                let group = trials.with(partner, sms)?;
                Some(Saving {
                    saved: partition.sms + partner.sms - sms,
                    utilization: trials.utilization(&group, sms).unwrap_or_default(),
                    sms,
                })
            })
            .collect()
    }

    /// Returns the saving of partitions `a` and `b`, or `None` if their merge saves no SMs.
    pub fn get(&self, a: usize, b: usize) -> Option<Saving> {
        self.rows[a.max(b)][a.min(b)]
    }

    /// Returns the pair with the largest saving. Ties: the higher utilization of the union, then the earlier pair.
    fn best(&self) -> Option<(usize, usize, Saving)> {
        let mut best: Option<(usize, usize, Saving)> = None;
        for (b, row) in self.rows.iter().enumerate() {
            for (a, saving) in row.iter().enumerate() {
                if let Some(saving) = saving {
                    let key = |saving: &Saving| (saving.saved, saving.utilization);
                    if best.is_none_or(|(_, _, best)| key(saving) > key(&best)) {
                        best = Some((a, b, *saving));
                    }
                }
            }
        }
        best
    }

    /// Removes the partition at `position`. The positions of the later partitions decrease by one.
    fn remove(&mut self, position: usize) {
        self.rows.remove(position);
        for row in &mut self.rows[position..] {
            row.remove(position);
        }
    }
}

/// Merges partitions until Σ SMs ≤ `target`, or until no merge saves SMs. Returns the number of tested merges.
pub(crate) fn merge_by_savings(
    tester: &mut GroupTester<'_>,
    partitions: &mut Vec<Candidate>,
    target: u32,
) -> u64 {
    let mut savings = Savings::of(tester, partitions);
    let mut placed = LastPlaced::new(tester.problem(), |part: &Candidate| part.sms);
    placed.note(partitions);
    while sum(partitions) > target.into() {
        let Some((a, b, saving)) = savings.best() else {
            break;
        };
        let union = partitions[a].joined(&partitions[b], tester.problem(), saving.sms);
        for position in [b, a] {
            savings.remove(position);
            partitions.remove(position);
        }
        partitions.push(union);
        let row = savings.row(tester, partitions, partitions.len() - 1);
        savings.rows.push(row);
        placed.note(partitions);
    }
    placed.restore(partitions);
    savings.tested
}

/// Returns Σ |P|.
pub(crate) fn sum(partitions: &[Candidate]) -> u64 {
    partitions.iter().map(|partition| u64::from(partition.sms)).sum()
}
