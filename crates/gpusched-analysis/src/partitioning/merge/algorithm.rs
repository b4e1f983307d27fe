//! Algorithm 1, which starts with one partition per task and merges partitions until they fit on the GPU.

use std::time::Instant;

use super::best_fit::{BestFitKey, best_fit_key};
use super::forbidden::ForbiddenList;
use super::list::{Listed, PartitionList};
use super::merging::{may_merge, merge};
use super::select::{Eligible, select_partitions};
use super::trial::MergeTrials;
use crate::partitioning::heuristic::forbidden::Forbidden;
use crate::partitioning::heuristic::order::{BfDirection, BfMeasure, SmsTies};
use crate::partitioning::heuristic::{Heuristic, HeuristicKind};
use crate::partitioning::search::outcome::elapsed_ns;
use crate::partitioning::search::{Candidate, GroupTester, Outcome};
use gpusched_model::plan::SearchStats;

/// Number of merges that BF selects one by one before it sorts the others.
const SELECTED: usize = 4;

/// Runs Algorithm 1 of `heuristic`, which is SMS or BF, until Σ SMs ≤ `target`. The algorithm starts from the smallest
/// partition of each task (Lemma 2). In the paper, the target is M.
pub(crate) fn partition_and_allocate(
    tester: &mut GroupTester<'_>,
    singles: Vec<Candidate>,
    heuristic: &Heuristic,
    target: u32,
) -> Outcome {
    let options = heuristic.options();
    let mut stats = SearchStats::default();
    // Each merge adds one partition to the list and removes two partitions.
    let capacity = 2 * singles.len();
    let mut forbidden = ForbiddenList::new(capacity);
    if options.forbidden.unwrap_or_default() == Forbidden::Act {
        let start = Instant::now();
        stats.prefill_merges = forbidden.prefill(tester, &singles);
        stats.prefill_ns = elapsed_ns(start);
    }

    let start = Instant::now();
    let mut pars = PartitionList::new(options.order.unwrap_or_default(), capacity);
    for single in singles {
        pars.insert(tester, single);
    }
    let mut from = 0;
    let mut eligible = Eligible::with_capacity(capacity);
    while !pars.fit(tester.problem(), target) {
        let Some(position) = select_partitions(&pars, from, &forbidden, &mut eligible) else {
            break; // Algorithm 1 fails
        };
        let first = pars.get(pars.ids()[position]);
        let mut attempt = Attempt {
            trials: MergeTrials::on(tester, &first.partition),
            pars: &pars,
            first,
            forbidden: &mut forbidden,
            merges_tested: &mut stats.merges_tested,
        };
        let merged = match heuristic.kind() {
            HeuristicKind::Bf => attempt.first_success(
                options.bf_measure.unwrap_or_default(),
                options.bf_direction.unwrap_or_default(),
                &eligible.ids,
            ),
            _ => attempt.fewest_sms(options.sms_ties.unwrap_or_default(), &eligible.ids),
        };
        match merged {
            Some(Merged { parts, sms }) => {
                let [first, second] = parts.map(|part| &pars.get(part).partition);
                let union = first.joined(second, tester.problem(), sms);
                parts.into_iter().for_each(|part| pars.remove(part));
                let id = pars.insert(tester, union);
                forbidden.inherit(id, parts);
                from = 0;
            }
            None => from = position + 1,
        }
    }
    stats.search_ns = elapsed_ns(start);
    Outcome {
        partitions: pars.into_partitions(),
        stats,
        ..Outcome::default()
    }
}

/// Result of a merge: the ids of the two partitions, and the SMs of their union.
#[derive(Copy, Clone)]
struct Merged {
    parts: [usize; 2],
    sms: u32,
}

/// Merges of a selected partition with its eligible partners.
struct Attempt<'a, 'p> {
    trials: MergeTrials<'a, 'p, 'a>,
    pars: &'a PartitionList,
    first: &'a Listed,
    forbidden: &'a mut ForbiddenList,
    merges_tested: &'a mut u64,
}

impl<'a> Attempt<'a, '_> {
    /// Runs Algorithm 2 for `partner`. Returns `None` if the merge fails, or if the union needs more than `limit` SMs.
    fn merge(&mut self, partner: &'a Listed, limit: u32) -> Option<Merged> {
        *self.merges_tested += 1;
        let sms = merge(&mut self.trials, &partner.partition, limit)?;
        Some(Merged {
            parts: [self.first.id, partner.id],
            sms,
        })
    }

    /// Applies the relation ≫ (Definition 3): tries the merges with all partners and selects the merge whose union has
    /// the fewest SMs. `ties` selects among merges with equally many SMs.
    ///
    /// After a successful merge, the function looks only for a better merge. It then records no failed merges, because
    /// `first` leaves the list.
    fn fewest_sms(&mut self, ties: SmsTies, eligible: &[usize]) -> Option<Merged> {
        let mut best: Option<(Merged, &Listed)> = None; // best merge, with P'
        for &id in eligible {
            let partner = self.pars.get(id);
            let limit = best.map_or(u32::MAX, |(best, other)| {
                let wins_tie = match ties {
                    SmsTies::Saving => partner.partition.sms > other.partition.sms,
                    SmsTies::Position => partner.first_task() < other.first_task(),
                };
                best.sms - u32::from(!wins_tie)
            });
            match self.merge(partner, limit) {
                Some(merged) => best = Some((merged, partner)),
                None if best.is_none() => self.forbidden.add(self.first.id, id),
                None => {}
            }
        }
        best.map(|(merged, _)| merged)
    }

    /// Applies the relation `>` (Definition 4): tries the partners in the order of U(P⊕P') and selects the first merge that
    /// succeeds. Ties: the partner with the lowest task position.
    ///
    /// The function first removes the partners whose merge certainly fails. If no partner remains, it computes no keys.
    /// `merges_tested` counts the merges that precede the selected merge in the order of all
    /// partners.
    fn first_success(
        &mut self,
        measure: BfMeasure,
        direction: BfDirection,
        eligible: &[usize],
    ) -> Option<Merged> {
        let mut possible = Vec::with_capacity(eligible.len());
        let mut hopeless = Vec::with_capacity(eligible.len());
        for &id in eligible {
            let partner = self.pars.get(id);
            match may_merge(&mut self.trials, &partner.partition) {
                true => possible.push(partner),
                false => hopeless.push(partner),
            }
        }
        let mut keyed = self.keyed(measure, &possible);
        let compare = |(a, first): &(_, &Listed), (b, second): &(_, &Listed)| {
            let by_key = direction.compare(*a, *b);
            by_key.then_with(|| first.first_task().cmp(&second.first_task()))
        };
        let found = (0..keyed.len()).find_map(|place| {
            let rest = &mut keyed[place..];
            match place {
                // One of the first merges often succeeds, so the order of the others does not matter.
                0..SELECTED => {
                    let numbered = rest.iter().enumerate();
                    let first = numbered.min_by(|(_, a), (_, b)| compare(a, b));
                    rest.swap(0, first.map_or(0, |(index, _)| index));
                }
                SELECTED => rest.sort_unstable_by(compare),
                _ => {}
            }
            let at = rest[0];
            let sms = merge(&mut self.trials, &at.1.partition, u32::MAX)?;
            Some((place, at, sms))
        });
        let Some((place, at, sms)) = found else {
            *self.merges_tested += eligible.len() as u64;
            eligible
                .iter()
                .for_each(|&id| self.forbidden.add(self.first.id, id));
            return None;
        };
        let earlier = self.keyed(measure, &hopeless);
        let earlier = earlier.iter().filter(|other| compare(other, &at).is_lt());
        *self.merges_tested += (earlier.count() + place + 1) as u64;
        let parts = [self.first.id, at.1.id];
        Some(Merged { parts, sms })
    }

    /// Returns `partners` with their sort keys under the relation `>`.
    fn keyed(
        &mut self,
        measure: BfMeasure,
        partners: &[&'a Listed],
    ) -> Vec<(Option<BestFitKey>, &'a Listed)> {
        let keyed = partners
            .iter()
            .map(|&partner| (best_fit_key(&mut self.trials, measure, partner), partner));
        keyed.collect()
    }
}
