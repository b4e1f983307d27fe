//! Algorithm 2: merges two partitions into one partition with fewer SMs than both together
//! ([Singh21] Definition 2).

use super::trial::MergeTrials;
use crate::partitioning::search::Candidate;
use crate::partitioning::search::lemmas::smallest;

/// Returns |P ⊕ P'|: the smallest m in [max(|P|, |P'|), |P| + |P'| − 1] on which the tasks of both partitions pass their
/// test.
///
/// P is the partition in `trials`, and P' is `partner`. Returns `None` if |P ⊕ P'| exceeds `limit` or does not exist.
/// The test is monotone in m, because WCETs do not grow with m and the tests are sustainable. gpusched therefore tries
/// the largest m first. If the test fails on the largest m, the merge fails. If the test passes, bisection finds the
/// same smallest m as a linear scan.
pub(crate) fn merge<'t>(
    trials: &mut MergeTrials<'_, '_, 't>,
    partner: &'t Candidate,
    limit: u32,
) -> Option<u32> {
    let low = trials.partition.sms.max(partner.sms);
    let high = largest(trials, partner).min(limit);
    if low > high {
        return None;
    }
    let group = trials.with(partner, high)?;
    smallest(low, high, |sms| trials.accepts(&group, sms))
}

/// Whether P ⊕ P' exists: the tasks of P and P' pass their test on |P| + |P'| − 1 SMs.
pub(crate) fn can_merge<'t>(trials: &mut MergeTrials<'_, '_, 't>, partner: &'t Candidate) -> bool {
    let largest = largest(trials, partner);
    trials
        .with(partner, largest)
        .is_some_and(|group| trials.accepts(&group, largest))
}

/// Whether P ⊕ P' may exist. The answer is `false` only if the work or the load of the tasks proves that the test fails on
/// |P| + |P'| − 1 SMs.
pub(crate) fn may_merge<'t>(trials: &mut MergeTrials<'_, '_, 't>, partner: &'t Candidate) -> bool {
    let largest = largest(trials, partner);
    trials
        .with(partner, largest)
        .is_some_and(|group| trials.may_accept(&group, largest))
}

/// Returns |P| + |P'| − 1, the largest number of SMs with which a merge saves SMs.
fn largest(trials: &MergeTrials<'_, '_, '_>, partner: &Candidate) -> u32 {
    trials.partition.sms.saturating_add(partner.sms) - 1
}
