//! One search for groups: where it ends, and what it found.

use crate::partitioning::search::{Part, Sizes};

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Priced {
    /// Groups worth at least the floor, each on its smallest size.
    pub groups: Vec<Part>,
    /// With each task's price less its part of `lower`, no group of m SMs is worth more than m·(1 + `excess`), in units.
    pub excess: i64,
    /// What each task's price may have to be lowered by, in units.
    pub lower: Vec<i64>,
    /// The same with all prices as they are.
    pub excess_of_all: i64,
    /// Whether every group was seen or is worth less than the floor.
    pub complete: bool,
    /// How many parts of families were left before that.
    pub open: u64,
}

/// Where a search ends early.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// Groups found in one part of a family.
    pub groups_each: usize,
    /// Groups found in one family.
    pub groups_of_family: usize,
    /// Groups found.
    pub groups: usize,
    /// Groups looked at in one part of a family.
    pub nodes_each: u64,
    /// Groups looked at before a [table] is made of what is to be gained.
    pub easy: u64,
}

/// Groups that fail a test although all measures let them pass, of which one search learns.
pub(super) const LESSONS: usize = 12;

/// One search.
pub(super) struct Search<'s, 'e, 'p, 'q> {
    pub sizes: &'s mut Sizes<'e, 'p>,
    pub prices: &'q [i64],
    pub floor: i64,
    pub limits: Limits,
    pub failed: Vec<(Vec<usize>, u32)>,
    /// So many groups are enough for now.
    pub groups: usize,
    pub priced: Priced,
}

impl Search<'_, '_, '_, '_> {
    /// Whether it has to end.
    pub fn over(&self) -> bool {
        self.priced.groups.len() >= self.groups || self.sizes.exhausted()
    }

    /// Notes that a group of `sms` SMs or more with `tasks` may be worth `beyond` more, and nothing closer is known.
    pub fn leave_open(&mut self, tasks: &[usize], beyond: i64, sms: u32) {
        self.priced.complete = false;
        self.priced.open += 1;
        self.note(tasks, beyond, sms);
    }

    /// Notes that a group of `sms` SMs or more with `tasks` is, or may be, worth `beyond` more: the dearest of them has to be worth less, as far as
    /// it can, or else all.
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
