//! Algorithm 2: merge two partitions into one of fewer SMs ([Singh21] Definition 2).

use super::lemmas::smallest;
use super::{Candidate, Problem};

/// P ⊕ P': the tasks of both on the smallest m in [max(|P|, |P'|), |P| + |P'| − 1] that passes the test.
///
/// The test is monotone in m (WCETs do not grow with m, and the tests are sustainable), so the largest m is tried first,
/// which settles every merge that fails, and bisection then finds what a linear scan finds.
pub(super) fn merge(problem: &Problem<'_>, first: &Candidate, second: &Candidate) -> Option<Candidate> {
    let tasks = first.union(second);
    let low = first.sms.max(second.sms);
    let high = first.sms.saturating_add(second.sms) - 1;
    let sms = smallest(low, high, |sms| problem.accepts(&tasks, sms))?;
    Some(Candidate { sms, tasks })
}
