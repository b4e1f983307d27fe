//! Pricing: the search for groups with a positive excess. The excess of a group is its price sum
//! minus its number of SMs.
//!
//! The search divides the groups into families by size and by the number of tasks of each kind
//! (0, 1, or several). The number of tasks of each kind determines the contention. In each
//! family, one weighted [measure](measures) of the demand bounds the excess of all groups. A
//! linear program ([`knapsack`](gpusched_model::knapsack)) [computes](multipliers) the weights. The *gain* of a task is its
//! price minus its weighted demand. The bound depends only on the gains of the tasks. A
//! depth-first [walk] can therefore skip most groups without a positive excess. The search tests
//! the groups that the walk finds.

mod chain;
mod family;
mod item;
mod measures;
mod multipliers;
mod pairs;
mod search;
mod table;
#[cfg(test)]
pub(super) mod tests;
mod walk;

use super::works::Works;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::Sizes;
use family::Family;
use gpusched_model::verdict::Evidence;
use measures::Measures;
use pairs::Pairs;
use search::Search;
pub(super) use search::{Limits, Priced};

/// State of pricing: the measures, and the weights of each family from the previous search.
pub(super) struct Pricing<'p> {
    measures: Measures<'p>,
    /// Weights of the measures for each growth and level.
    weights: Vec<Vec<f64>>,
    pairs: Pairs,
}

/// Cost of deriving a measure from a failed group, in tests of groups.
const LESSON: u64 = 20;

impl<'p> Pricing<'p> {
    pub fn new(problem: &'p Problem<'p>, works: &Works) -> Pricing<'p> {
        let measures = Measures::new(problem);
        let families = measures.levels() * works.growths.len();
        Pricing {
            measures,
            weights: vec![vec![1.0]; families],
            pairs: Pairs::new(problem.tasks().len()),
        }
    }

    /// Returns the groups whose price sum is at least their size plus `floor`. The price of a task is between 0 and the
    /// SMs that the task needs in its own partition.
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
            pairs: &mut self.pairs,
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

    /// Finds an interval where the demand of `tasks` exceeds `sms` SMs, and adds the measure for
    /// this interval.
    fn learn(&mut self, tasks: &[usize], sms: u32) {
        let problem = self.measures.problem();
        let verdict = problem.verdict(tasks, problem.sms_of(sms));
        if let Evidence::DemandExceedsInterval { interval_ns, .. } = verdict.evidence {
            self.measures.add(interval_ns.ns());
        }
    }
}
