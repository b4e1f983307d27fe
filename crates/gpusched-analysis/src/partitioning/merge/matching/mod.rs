//! Repeated matching. Each round merges the disjoint pairs of partitions that together save the
//! most SMs. The next round merges the unions, and the search ends when no pair saves SMs.

mod blossom;

pub use blossom::maximum_weight_matching;

use super::savings::{Savings, sum};
use crate::partitioning::search::{Candidate, GroupTester, LastPlaced};

/// Maximum number of partitions in one matching. A matching takes cubic time. The search therefore divides a longer
/// list into sections of this length, and computes one matching per section.
const AT_ONCE: usize = 256;

/// Merges partitions until Σ SMs ≤ `target`, or until no merge saves SMs. Returns the number of tested merges.
pub(crate) fn merge_by_matching(
    tester: &mut GroupTester<'_>,
    partitions: &mut Vec<Candidate>,
    target: u32,
) -> u64 {
    let mut tested = 0;
    let mut placed = LastPlaced::new(tester.problem(), |part: &Candidate| part.sms);
    placed.note(partitions);
    while sum(partitions) > target.into() {
        let before = partitions.len();
        let all = std::mem::take(partitions);
        for run in all.chunks(AT_ONCE) {
            partitions.extend(round(tester, run, &mut tested));
        }
        if partitions.len() == before {
            break;
        }
        placed.note(partitions);
    }
    placed.restore(partitions);
    tested
}

/// Computes one matching of the partitions in `run` and merges its pairs. Returns the unions, and the partitions
/// without a partner.
fn round(tester: &mut GroupTester<'_>, run: &[Candidate], tested: &mut u64) -> Vec<Candidate> {
    let savings = Savings::of(tester, run);
    *tested += savings.tested;
    let mates = maximum_weight_matching(run.len(), |a, b| savings.get(a, b).map_or(0, weight));
    let mut unions = Vec::new();
    for (a, &mate) in mates.iter().enumerate() {
        match mate {
            None => unions.push(run[a].clone()),
            Some(b) if a < b => {
                let sms = savings.get(a, b).map_or(run[a].sms, |saving| saving.sms);
                unions.push(run[a].joined(&run[b], tester.problem(), sms));
            }
            Some(_) => {}
        }
    }
    unions
}

/// Returns the weight of a merge. A merge that saves more SMs has a larger weight. Ties: a higher utilization of the
/// union gives a larger weight.
fn weight(saving: super::savings::Saving) -> i64 {
    const ONE: u64 = gpusched_model::utilization::Utilization::ONE.saturated();
    let fill = saving.utilization.saturated().min(ONE) >> 40; // 0 to 256
    i64::from(saving.saved) * (1 << 20) + i64::try_from(fill).unwrap_or(0) + 1
}
