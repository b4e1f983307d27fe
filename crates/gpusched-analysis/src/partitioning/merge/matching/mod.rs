//! Repeated matching: all partitions are paired at once so that the pairs save the most SMs together, and so on with the
//! unions, until no pair saves any.

mod blossom;

use super::savings::{Savings, sum};
use crate::partitioning::search::{Candidate, GroupTester, LastPlaced};
use blossom::maximum_weight_matching;

/// Beyond so many partitions a matching, cubic in them, takes longer than it is worth: they are divided into runs of this
/// many, which are matched one after the other.
const AT_ONCE: usize = 256;

/// Merges until Σ SMs ≤ `target` or no merge saves any; returns the number of merges tested.
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

/// The unions of one matching of `run`, and who stays alone.
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

/// SMs first, then how full the union is.
fn weight(saving: super::savings::Saving) -> i64 {
    const ONE: u64 = gpusched_model::utilization::Utilization::ONE.saturated();
    let fill = saving.utilization.saturated().min(ONE) >> 40; // 0 to 256
    i64::from(saving.saved) * (1 << 20) + i64::try_from(fill).unwrap_or(0) + 1
}
