//! Pricing: which groups of tasks are worth more than the SMs they need?
//!
//! Groups are sorted into families: by how many tasks of each kind they have (none, one, more), which says how much these disturb each other,
//! and by their size. What is worth the floor in a family is bounded by one weighted [measure](measures) of what tasks ask for, its weights
//! [chosen](multipliers) for it by a linear program ([knapsack]): nothing but prices less what is asked for, task by task, remains of the question, and a depth-first
//! [walk] needs to leave out few of the good and take few of the bad. Groups that it finds are tested.

mod family;
mod item;
mod knapsack;
mod measures;
mod multipliers;
mod search;
mod table;
#[cfg(test)]
pub(super) mod tests;
mod walk;

use super::works::Works;
use crate::partitioning::search::{Problem, Sizes};
use family::Family;
use gpusched_model::verdict::Evidence;
use measures::Measures;
use search::Search;
pub(super) use search::{Limits, Priced};

/// Remembers the weights of each family from one search to the next.
pub(super) struct Pricing<'p> {
    measures: Measures<'p>,
    /// By growth and level.
    weights: Vec<Vec<f64>>,
}

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
                walk::search(&family, &mut search, weights);
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
