//! A family of groups, and bounds on the excess of its groups. All groups of a family have the same number of tasks of
//! each kind (0, 1, or several), and their numbers of SMs are in one range.

use std::cell::OnceCell;

use super::super::works::Growth;
use super::item::Item;
use super::measures::Level;
use super::multipliers::{Question, improve};
use super::table::Table;
use crate::interference::kind_index;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::problem::Problem;

/// Number of innermost-loop steps of a linear program that take as long as one test of a group (estimated).
pub(super) const STEPS: u64 = 800;

/// Integer that represents the weight 1.
const WEIGHT: f64 = (1u64 << 20) as f64;

/// A family of groups.
pub(super) struct Family<'l> {
    pub level: &'l Level,
    pub growth: &'l Growth,
    pub measures: usize,
    /// Tasks of all kinds in the family.
    pub items: Vec<Item<'l>>,
}

impl<'l> Family<'l> {
    /// Returns the family, or `None` if the family contains no group.
    pub fn new(
        problem: &Problem<'_>,
        level: &'l Level,
        growth: &'l Growth,
        classes: usize,
        measures: usize,
        (prices, floor): (&[i64], i64),
    ) -> Option<Family<'l>> {
        let of_kind = problem.interference().class_of_each_kind(&growth.co_located);
        let mut items = Vec::new();
        let mut found = [0u8; 3];
        for (task, what) in problem.tasks().iter().enumerate() {
            let kind = usize::from(kind_index(what.kind()));
            // A task with price 0 never raises the excess of a group. But a group with a negative excess may contain
            // such a task.
            if growth.counts[kind] == 0 || (prices[task] == 0 && floor > 0) {
                continue;
            }
            if let Some(needs) = level.needs(task, of_kind[kind], classes) {
                found[kind] = found[kind].saturating_add(1);
                items.push(Item {
                    task,
                    kind,
                    price: prices[task],
                    gain: 0,
                    asks: &needs.asks,
                    due: needs.due,
                    blocking: needs.blocking,
                });
            }
        }
        if (0..3).any(|kind| found[kind] < growth.counts[kind]) {
            return None;
        }
        Some(Family {
            level,
            growth,
            measures,
            items,
        })
    }

    /// Computes the gain of each item under `weights`. Returns an upper bound on the excess of every group of these items.
    ///
    /// `supply` is the supply of one SM by each measure.
    pub fn weigh(
        &self,
        items: &mut [Item<'l>],
        weights: &[f64],
        (singles, supply): ([bool; 3], &[i64]),
    ) -> i64 {
        let whole = whole(weights);
        let mut bound = self.left(&whole, supply);
        let mut one = [i64::MIN / 8; 3];
        for item in items {
            item.gain = item.price - asked(&whole, item.asks);
            match singles[item.kind] {
                true => one[item.kind] = one[item.kind].max(item.gain),
                false => bound += item.gain.max(0),
            }
        }
        let one = one.iter().zip(singles).filter(|&(_, single)| single);
        bound + one.map(|(one, _)| one).sum::<i64>()
    }

    /// Returns the request to compute weights for `items`. The tasks chosen so far have the
    /// demand `used`.
    pub fn question<'q>(
        &self,
        items: &'q [Item<'l>],
        singles: [bool; 3],
        (used, supply): (&'q [i64], &'q [i64]),
    ) -> Question<'q, 'l> {
        Question {
            items,
            singles,
            sms: (self.level.low, self.level.high),
            used,
            supply,
        }
    }

    /// Ranks `candidates` by their gain for a group that has the price sum `worth` and the demand `used`. `supply` is the
    /// supply of one SM by each measure.
    ///
    /// If `improved` is true, computes new weights for `candidates`. Also returns the cost of the
    /// computation, converted to tests.
    pub fn rank(
        &self,
        candidates: &[Item<'l>],
        weights: &[f64],
        (worth, used, supply): (i64, &[i64], &[i64]),
        improved: bool,
    ) -> (Ranking<'l>, u64) {
        let mut weights = weights.to_vec();
        let mut cost = 0;
        if improved {
            let steps = improve(
                &self.question(candidates, [false; 3], (used, supply)),
                &mut weights,
            );
            cost = steps / STEPS + 1;
        }
        let whole = whole(&weights);
        let items = candidates.iter().map(|item| Item {
            gain: item.price - asked(&whole, item.asks),
            ..*item
        });
        let mut items: Vec<Item<'l>> = items.collect();
        items.sort_by_key(|item| (std::cmp::Reverse(item.gain), item.task));
        let mut rest = vec![0; items.len() + 1];
        for (place, item) in items.iter().enumerate().rev() {
            rest[place] = rest[place + 1] + item.gain.max(0);
        }
        let used = asked(&whole, used);
        let allowances = (self.level.low..=self.level.high).map(|sms| (sms, all(&whole, supply, sms) - used));
        let ranking = Ranking {
            base: worth + self.left(&whole, supply) - used,
            worth,
            allowances: allowances.collect(),
            items,
            rest,
            weights,
            begun: 0,
            table: OnceCell::new(),
        };
        (ranking, cost)
    }

    /// Returns the largest difference between the weighted supply of m SMs and the price of m
    /// SMs, over all sizes m of the family.
    fn left(&self, weights: &[(usize, i64)], supply: &[i64]) -> i64 {
        let left = |sms: u32| all(weights, supply, sms) - i64::from(sms) * ONE;
        left(self.level.low).max(left(self.level.high))
    }
}

/// Returns the weighted supply of `sms` SMs, rounded up [price units].
fn all(weights: &[(usize, i64)], supply: &[i64], sms: u32) -> i64 {
    let each = weights
        .iter()
        .map(|&(measure, weight)| i128::from(weight) * i128::from(supply[measure]));
    let all = each.sum::<i128>() * i128::from(sms) * i128::from(ONE);
    let all = i64::try_from((all >> 52) + 1).unwrap_or(i64::MAX / 8);
    debug_assert!(all < i64::MAX / 8, "weights are at most 1000");
    all
}

/// Returns the positive `weights` as integers, with the indices of their measures.
fn whole(weights: &[f64]) -> Vec<(usize, i64)> {
    let weights = weights.iter().enumerate();
    weights
        .map(|(measure, &weight)| (measure, (weight.clamp(0.0, 1000.0) * WEIGHT) as i64))
        .filter(|&(_, weight)| weight > 0)
        .collect()
}

/// Tasks that may join a group, sorted by gain.
pub(super) struct Ranking<'l> {
    /// The tasks by decreasing gain.
    pub items: Vec<Item<'l>>,
    /// Sum of the positive gains of the tasks from each position on.
    pub rest: Vec<i64>,
    /// Upper bound on the excess of the current group, before any of these tasks joins.
    pub base: i64,
    /// Price sum of the current group, before any of these tasks joins.
    pub worth: i64,
    /// For each number of SMs: the weighted supply minus the weighted demand of the current group
    /// [price units].
    pub allowances: Vec<(u32, i64)>,
    pub weights: Vec<f64>,
    /// Number of groups that the search could still visit at the creation of the ranking.
    pub begun: u64,
    /// Table of possible gains, created on demand.
    pub table: OnceCell<Table>,
}

impl Ranking<'_> {
    /// Returns an upper bound on the excess after some of these tasks join the current group.
    pub fn bound(&self) -> i64 {
        self.base + self.rest[0]
    }
}

/// Returns the weighted demand of `asks`, rounded down [price units].
fn asked(weights: &[(usize, i64)], asks: &[i64]) -> i64 {
    let each = weights
        .iter()
        .map(|&(measure, weight)| i128::from(weight) * i128::from(asks[measure]));
    let sum: i128 = each.sum();
    i64::try_from((sum * i128::from(ONE)) >> 52).unwrap_or(i64::MAX / 8)
}
