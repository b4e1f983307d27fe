//! Initial pairs of one compute task and one memory task. A compute task and a memory task cause
//! no contention for each other.

use std::cmp::Reverse;

use crate::partitioning::merge::savings::Savings;
use crate::partitioning::search::{Candidate, GroupTester};
use gpusched_model::Kind;

/// Replaces some of `singles` by pairs. Returns the partitions and the number of tested merges.
/// The function considers the tasks in the order of decreasing SMs. Each task joins the task of the other kind with
/// which it saves the most SMs. Ties: the higher utilization of the union, then the earlier task.
pub(crate) fn pairs_of_kinds(tester: &mut GroupTester<'_>, singles: &[Candidate]) -> (Vec<Candidate>, u64) {
    let savings = Savings::of(tester, singles);
    let problem = tester.problem();
    let kind = |single: &Candidate| -> Option<Kind> { problem.tasks()[*single.tasks.first()?].kind() };
    let mut order: Vec<usize> = (0..singles.len()).collect();
    order.sort_by_key(|&single| (Reverse(singles[single].sms), single));
    let mut taken = vec![false; singles.len()];
    let mut partitions = Vec::with_capacity(singles.len());
    for first in order {
        if std::mem::replace(&mut taken[first], true) {
            continue;
        }
        let own = kind(&singles[first]);
        let partner = (0..singles.len())
            .filter(|&other| {
                let other_kind = kind(&singles[other]);
                !taken[other] && own.is_some() && other_kind.is_some() && other_kind != own
            })
            .filter_map(|other| Some((savings.get(first, other)?, other)))
            .max_by_key(|&(saving, other)| (saving.saved, saving.utilization, Reverse(other)));
        partitions.push(match partner {
            Some((saving, other)) => {
                taken[other] = true;
                singles[first].joined(&singles[other], problem, saving.sms)
            }
            None => singles[first].clone(),
        });
    }
    (partitions, savings.tested)
}
