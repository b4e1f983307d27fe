//! Algorithm 1: start with one partition per task, and merge until the partitions fit on the GPU.

use std::cmp::Reverse;
use std::time::Instant;

use super::forbidden::{Forbidden, ForbiddenList};
use super::heuristic::{Heuristic, HeuristicKind};
use super::lemmas::smallest_partition;
use super::list::{Listed, PartitionList};
use super::merge::merge;
use super::order::best_fit_key;
use super::select::select_partitions;
use super::{Candidate, Outcome, Problem};
use crate::model::plan::SearchStats;

/// Algorithm 1 with ≫ ([`HeuristicKind::Sms`]) or > ([`HeuristicKind::Bf`]). Every task must fit alone (Lemma 2).
pub fn partition_and_allocate(problem: &Problem<'_>, heuristic: &Heuristic) -> Outcome {
    let mut stats = SearchStats::default();
    let singles: Vec<Candidate> = (0..problem.tasks().len())
        .filter_map(|task| smallest_partition(problem, task))
        .collect();

    let mut forbidden = ForbiddenList::default();
    if heuristic.forbidden == Forbidden::Act {
        let start = Instant::now();
        (forbidden, stats.prefill_merges) = ForbiddenList::prefilled(problem, &singles);
        stats.prefill_ns = elapsed_ns(start);
    }

    let start = Instant::now();
    let mut pars = PartitionList::new(heuristic.order);
    for single in singles {
        pars.insert(problem, single);
    }
    while pars.total_sms() > u64::from(problem.sms()) {
        let Some((first, eligible)) = select_partitions(pars.as_slice(), &forbidden) else {
            break; // fail
        };
        let mut attempt = Attempt {
            problem,
            first,
            forbidden: &mut forbidden,
            merges_tested: &mut stats.merges_tested,
        };
        let merged = match heuristic.kind {
            HeuristicKind::Bf => attempt.first_success(heuristic, eligible),
            _ => attempt.fewest_sms(eligible),
        };
        if let Some(Merged { first, second, union }) = merged {
            pars.remove(first);
            pars.remove(second);
            pars.insert(problem, union);
        }
    }
    stats.search_ns = elapsed_ns(start);
    Outcome {
        partitions: pars.into_partitions(),
        stats,
    }
}

fn elapsed_ns(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Two partitions (ids) and what they merge into.
struct Merged {
    first: u32,
    second: u32,
    union: Candidate,
}

/// The merges of one selected partition with its eligible partners.
struct Attempt<'a> {
    problem: &'a Problem<'a>,
    first: &'a Listed,
    forbidden: &'a mut ForbiddenList,
    merges_tested: &'a mut u64,
}

impl Attempt<'_> {
    fn merge(&mut self, partner: &Listed) -> Option<Merged> {
        *self.merges_tested += 1;
        match merge(self.problem, &self.first.partition, &partner.partition) {
            Some(union) => Some(Merged {
                first: self.first.id,
                second: partner.id,
                union,
            }),
            None => {
                self.forbidden.add(self.first, partner);
                None
            }
        }
    }

    /// ≫ (Definition 3): all partners are merged on trial, the merge of the fewest SMs is taken. Ties: the larger
    /// saving, then the partner that comes first on the list.
    fn fewest_sms(&mut self, eligible: Vec<&Listed>) -> Option<Merged> {
        eligible
            .into_iter()
            .filter_map(|partner| {
                let merged = self.merge(partner)?;
                let key = (merged.union.sms, Reverse(partner.partition.sms));
                Some((key, merged))
            })
            .min_by_key(|&(key, _)| key)
            .map(|(_, merged)| merged)
    }

    /// `>` (Definition 4): partners in order of U(P⊕P'), the first that merges is taken. Ties: the partner with the lowest
    /// task position.
    fn first_success(&mut self, heuristic: &Heuristic, eligible: Vec<&Listed>) -> Option<Merged> {
        let mut keyed: Vec<_> = eligible
            .into_iter()
            .map(|partner| {
                let key = best_fit_key(self.problem, heuristic.bf_measure, self.first, partner);
                (key, partner)
            })
            .collect();
        keyed.sort_by(|(a, first), (b, second)| {
            heuristic
                .bf_direction
                .compare(*a, *b)
                .then_with(|| first.first_task().cmp(&second.first_task()))
        });
        keyed.into_iter().find_map(|(_, partner)| self.merge(partner))
    }
}
