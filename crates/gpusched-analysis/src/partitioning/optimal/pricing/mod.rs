//! Pricing: which groups of tasks are worth more than the SMs they need?
//!
//! Groups are sorted into families: by how many tasks of each kind they have (none, one, more), which says how much these disturb each other,
//! and by their size. What is worth the floor in a family is bounded by one weighted [measure](measures) of what tasks ask for, its weights
//! [chosen](multipliers) for it by a linear program ([knapsack]): nothing but prices less what is asked for, task by task, remains of the question, and a depth-first
//! [walk] needs to leave out few of the good and take few of the bad. Groups that it finds are tested.

mod family;
mod knapsack;
mod measures;
mod multipliers;
mod table;
#[cfg(test)]
pub(super) mod tests;
mod walk;

use super::super::sizes::{Part, Sizes};
use super::works::Works;
use crate::partitioning::Problem;
use family::Family;
use gpusched_model::verdict::Evidence;
use measures::Measures;

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Priced {
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
pub(super) struct Limits {
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

/// Remembers the weights of each family from one search to the next.
pub(super) struct Pricing<'p> {
    measures: Measures<'p>,
    /// By growth and level.
    weights: Vec<Vec<f64>>,
}

/// Groups that fail a test although all measures let them pass, of which one search learns.
const LESSONS: usize = 12;

/// Each takes as long as so many tests.
const LESSON: u64 = 20;

impl<'p> Pricing<'p> {
    pub fn new(problem: &'p Problem<'p>, works: &Works) -> Pricing<'p> {
        let measures = Measures::new(problem);
        let families = measures.levels() * works.growths.len();
        Pricing {
            measures,
            weights: vec![vec![1.0]; families],
        }
    }

    /// Groups whose `prices` (each from 0 to its task's own size) sum to at least their size plus `floor`.
    pub fn price(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        prices: &[i64],
        floor: i64,
        limits: Limits,
    ) -> Priced {
        let unseen = (floor - 1).max(0);
        let mut search = Search {
            sizes,
            prices,
            floor,
            limits,
            failed: Vec::new(),
            groups: limits.groups,
            priced: Priced {
                complete: true,
                lower: vec![0; prices.len()],
                excess: unseen,
                excess_of_all: unseen,
                ..Priced::default()
            },
        };
        let classes = works.classes;
        for level in 0..self.measures.levels() {
            for (number, growth) in works.growths.iter().enumerate() {
                let measures = self.measures.count();
                let weights = &mut self.weights[level * works.growths.len() + number];
                weights.resize(measures, 0.0);
                let problem = self.measures.problem();
                let level = self.measures.level(level, &works.growths);
                let Some(family) = Family::new(problem, level, growth, classes, measures, (prices, floor))
                else {
                    continue;
                };
                search.groups = limits
                    .groups
                    .min(search.priced.groups.len().saturating_add(limits.groups_of_family));
                family.search(&mut search, weights);
            }
        }
        let Search { failed, priced, .. } = search;
        for (tasks, sms) in failed {
            if !self.measures.grows() {
                break;
            }
            sizes.charge(LESSON);
            self.learn(&tasks, sms);
        }
        priced
    }

    /// Looks for an interval in which `tasks` ask for more than `sms` SMs.
    fn learn(&mut self, tasks: &[usize], sms: u32) {
        let problem = self.measures.problem();
        let verdict = problem.verdict(tasks, problem.sms_of(sms));
        if let Evidence::DemandExceedsInterval { interval_ns, .. } = verdict.evidence {
            self.measures.add(interval_ns.ns());
        }
    }
}

/// One search.
struct Search<'s, 'e, 'p, 'q> {
    sizes: &'s mut Sizes<'e, 'p>,
    prices: &'q [i64],
    floor: i64,
    limits: Limits,
    failed: Vec<(Vec<usize>, u32)>,
    /// So many groups are enough for now.
    groups: usize,
    priced: Priced,
}

impl Search<'_, '_, '_, '_> {
    /// Whether it has to end.
    fn over(&self) -> bool {
        self.priced.groups.len() >= self.groups || self.sizes.exhausted()
    }

    /// Notes that a group of `sms` SMs or more with `tasks` may be worth `beyond` more, and nothing closer is known.
    fn leave_open(&mut self, tasks: &[usize], beyond: i64, sms: u32) {
        self.priced.complete = false;
        self.priced.open += 1;
        self.note(tasks, beyond, sms);
    }

    /// Notes that a group of `sms` SMs or more with `tasks` is, or may be, worth `beyond` more: the dearest of them has to be worth less, as far as
    /// it can, or else all.
    fn note(&mut self, tasks: &[usize], beyond: i64, sms: u32) {
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
