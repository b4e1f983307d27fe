//! Algorithm 2: merge two partitions into one of fewer SMs ([Singh21] Definition 2).

use super::Candidate;
use super::examiner::Examiner;
use super::group::Group;
use super::lemmas::smallest;

/// |P ⊕ P'|: the smallest m in [max(|P|, |P'|), |P| + |P'| − 1] on which the tasks of both pass the test, if it is at most
/// `limit`.
///
/// The test is monotone in m (WCETs do not grow with m, and the tests are sustainable), so the largest m is tried first,
/// which settles every merge that fails, and bisection then finds what a linear scan finds.
pub(super) fn merge(
    examiner: &mut Examiner<'_>,
    first: &Candidate,
    second: &Candidate,
    limit: u32,
) -> Option<u32> {
    let group = Group::of_both(examiner.problem(), first, second);
    let low = first.sms.max(second.sms);
    let high = first.sms.saturating_add(second.sms) - 1;
    smallest(low, high.min(limit), |sms| examiner.accepts(&group, sms))
}

/// Whether P ⊕ P' exists.
pub(super) fn can_merge(examiner: &mut Examiner<'_>, first: &Candidate, second: &Candidate) -> bool {
    let group = Group::of_both(examiner.problem(), first, second);
    let high = first.sms.saturating_add(second.sms) - 1;
    first.sms.max(second.sms) <= high && examiner.accepts(&group, high)
}
