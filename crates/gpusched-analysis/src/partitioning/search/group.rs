//! Groups of tasks that a search tests. A group is one partition, or two partitions that the search may merge.

use super::candidate::Candidate;
use crate::interference::CoLocated;
use crate::partitioning::problem::Problem;
use gpusched_model::Policy;
use gpusched_model::utilization::Utilization;

/// Tasks of one or two partitions, and the contention among these tasks.
#[derive(Debug, Clone)]
pub(crate) struct Group<'t> {
    /// Tasks of each partition.
    pub parts: [&'t [usize]; 2],
    /// Number of tasks of each kind in all partitions.
    pub co_located: CoLocated,
    /// Contention class of each kind, indexed by [`kind_index`].
    pub classes: [u8; 3],
    /// Both partitions, if the group is a merge.
    merged: Option<[&'t Candidate; 2]>,
}

impl<'t> Group<'t> {
    pub fn of(problem: &Problem<'_>, partition: &'t Candidate) -> Group<'t> {
        Group::new(problem, [&partition.tasks, &[]], partition.co_located)
    }

    /// Returns `tasks` as one partition. `tasks` contains positions in the set, ascending.
    pub fn of_tasks(problem: &Problem<'_>, tasks: &'t [usize]) -> Group<'t> {
        Group::new(problem, [tasks, &[]], problem.co_located(tasks))
    }

    /// Returns `tasks` as one partition. `co_located` counts `tasks` by kind.
    pub fn among(problem: &Problem<'_>, tasks: &'t [usize], co_located: CoLocated) -> Group<'t> {
        Group::new(problem, [tasks, &[]], co_located)
    }

    pub fn of_both(problem: &Problem<'_>, first: &'t Candidate, second: &'t Candidate) -> Group<'t> {
        let co_located = first.co_located.with(&second.co_located);
        Group {
            merged: Some([first, second]),
            ..Group::new(problem, [&first.tasks, &second.tasks], co_located)
        }
    }

    /// Returns the group of both partitions, or `None` if its least work exceeds `sms` SMs.
    ///
    /// If the least work exceeds `sms` SMs, every test fails. A test of deadlines fails by Lemma 1, applied to the
    /// group. A test of work fails by definition.
    #[inline]
    pub fn that_may_fit(
        problem: &Problem<'_>,
        first: &'t Candidate,
        second: &'t Candidate,
        sms: u32,
    ) -> Option<Group<'t>> {
        let most = Utilization::whole(sms).saturated();
        let too_much = |a: u64, b: u64| a.saturating_add(b) > most;
        if too_much(first.work.alone(), second.work.alone()) {
            return None;
        }
        let group = Group::of_both(problem, first, second);
        let among = |partition: &Candidate| partition.work.among(group.classes);
        let refused =
            too_much(first.work.crowded(), second.work.crowded()) && too_much(among(first), among(second));
        (!refused).then_some(group)
    }

    /// Returns the result of a `policy` that compares work with capacity, for a merge on `sms` SMs, if the least work of
    /// both partitions determines the result. The WCETs of all tasks must be known, and at most their deadlines.
    pub fn verdict_by_work(&self, policy: Policy, sms: u32) -> Option<bool> {
        let merged = self.merged.filter(|_| policy.counts_work())?;
        let exact = |partition: &Candidate| {
            let work = &partition.work;
            work.is_exact(self.classes).then(|| work.among(self.classes))
        };
        let (first, second) = (exact(merged[0])?, exact(merged[1])?);
        let least = u128::from(first) + u128::from(second);
        // The work of each task is rounded down by less than one unit. The largest number stands for all larger values.
        let tasks = (self.parts[0].len() + self.parts[1].len()) as u128;
        let capacity = u128::from(sms) * u128::from(Utilization::ONE.saturated());
        match least > capacity {
            true => Some(false),
            false if first.max(second) == u64::MAX => None,
            false => (least + tasks <= capacity).then_some(true),
        }
    }

    #[inline]
    fn new(problem: &Problem<'_>, parts: [&'t [usize]; 2], co_located: CoLocated) -> Group<'t> {
        Group {
            parts,
            co_located,
            classes: problem.interference().class_of_each_kind(&co_located),
            merged: None,
        }
    }
}
