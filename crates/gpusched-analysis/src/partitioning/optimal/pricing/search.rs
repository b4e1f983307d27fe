//! One search for groups, with its limits and its result.

use super::pairs::Pairs;
use crate::partitioning::search::{Part, Sizes};

/// Result of a search.
#[derive(Debug, Default)]
pub(crate) struct Priced {
    /// Groups whose excess is at least the required minimum (the floor). Each group has its
    /// smallest size.
    pub groups: Vec<Part>,
    /// Remaining excess per SM [price units]. If each task price is reduced by its entry in `lower`, the price sum of
    /// every group on m SMs is at most m·(1 + `excess`).
    pub excess: i64,
    /// Reduction of the price of each task [price units].
    pub lower: Vec<i64>,
    /// Remaining excess per SM if all prices stay unchanged [price units].
    pub excess_of_all: i64,
    /// Whether the search covered every group with an excess of at least the floor.
    pub complete: bool,
    /// Number of parts of families that the search did not finish.
    pub open: u64,
}

/// Limits that end a search early.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// Maximum number of groups that the search finds in one part of a family.
    pub groups_each: usize,
    /// Maximum number of groups that the search finds in one family.
    pub groups_of_family: usize,
    /// Maximum number of groups that the search finds in total.
    pub groups: usize,
    /// Maximum number of groups that the search visits in one part of a family.
    pub nodes_each: u64,
    /// Number of groups that the search visits before it creates a [table](super::table) of possible gains.
    pub easy: u64,
}

/// Maximum number of lessons per search. A lesson is a group that satisfies all measures but fails its test.
pub(super) const LESSONS: usize = 12;

/// One search for groups.
pub(super) struct Search<'s, 'e, 'p> {
    pub sizes: &'s mut Sizes<'e, 'p>,
    pub prices: &'s [i64],
    pub floor: i64,
    pub limits: Limits,
    pub failed: Vec<(Vec<usize>, u32)>,
    /// Pairs of tasks that cannot share a partition of some size, if the policy is not preemptive EDF.
    pub pairs: &'s mut Pairs,
    /// Number of found groups at which the search of the current family ends.
    pub groups: usize,
    pub priced: Priced,
}

impl Search<'_, '_, '_> {
    /// Whether the search of the current family must end.
    pub fn over(&self) -> bool {
        self.priced.groups.len() >= self.groups || self.sizes.exhausted()
    }

    /// Records that the search missed some groups that contain `tasks` and have at least `sms` SMs. The excess of these
    /// groups may be up to `beyond`.
    pub fn leave_open(&mut self, tasks: &[usize], beyond: i64, sms: u32) {
        self.priced.complete = false;
        self.priced.open += 1;
        self.note(tasks, beyond, sms);
    }

    /// Records that groups which contain `tasks` and have at least `sms` SMs may have an excess up to `beyond`.
    ///
    /// Reduces the highest price among `tasks` by the excess, but not below 0. The remaining excess counts as an excess
    /// per SM.
    pub fn note(&mut self, tasks: &[usize], beyond: i64, sms: u32) {
        let price = |task: usize| self.prices[task];
        let mut left = beyond.max(0);
        if let Some(&dearest) = tasks.iter().max_by_key(|&&task| price(task)) {
            let less = left.min(price(dearest));
            self.priced.lower[dearest] = self.priced.lower[dearest].max(less);
            left -= less;
        }
        let sms = i64::from(sms.max(1));
        let each = |beyond: i64| (beyond + sms - 1) / sms;
        self.priced.excess = self.priced.excess.max(each(left));
        self.priced.excess_of_all = self.priced.excess_of_all.max(each(beyond.max(0)));
    }
}
