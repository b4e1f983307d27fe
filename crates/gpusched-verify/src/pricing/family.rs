//! Families of groups of tasks, with an upper bound on the total price of a group. All groups of a family have the same
//! number of SMs. Their tasks in conflict are from one list.
//!
//! One multiplier per measure combines all measures into one measure (`multipliers`). The
//! combined measure assigns a cost to each task and an allowance to each group. The surplus of a
//! task is its price minus its cost. The total price of a group is at most the allowance plus the
//! surpluses of its tasks.
//!
//! The search for the highest total price within an allowance is a knapsack problem. Dynamic programming (Bellman)
//! solves the problem for all allowances together. The search divides the allowance into steps, and rounds the cost of
//! each task down to whole steps.

use std::cell::OnceCell;

use super::candidate::Candidate;
use super::multipliers::{Multipliers, PARTS};
use gpusched_model::plan::UNITS_PER_SM;

/// A candidate, its surplus, and its cost in steps of the allowance.
#[derive(Copy, Clone, Debug)]
pub(super) struct Scored<'c> {
    pub candidate: &'c Candidate,
    /// Price minus cost [parts of a unit].
    surplus: i64,
    steps: usize,
}

/// Sums over the tasks of an incomplete group. The search still adds tasks to this group.
#[derive(Copy, Clone, Debug)]
pub(super) struct Part {
    /// Sum of the prices of the tasks [units].
    pub price: i64,
    /// Allowance plus the surpluses of the tasks [parts of a unit].
    most: i64,
    /// Number of steps of the allowance that the tasks leave unused.
    steps: usize,
}

/// Maximum number of steps into which an allowance is divided.
const STEPS: usize = 2_000;

/// Maximum total number of steps over all tasks of a family.
const ALL_STEPS: usize = 2_000_000;

/// All groups of tasks of `several`. If `lone` is not empty, each group also has one task of
/// `lone`.
pub(super) struct Family<'c> {
    /// Number of SMs of each group.
    pub sms: u32,
    /// Price of the SMs minus the price of tasks that are already chosen [units]. The search looks for groups with a higher
    /// total price.
    pub limit: i64,
    pub lone: Vec<Scored<'c>>,
    /// Candidates in conflict, by descending cost.
    pub several: Vec<Scored<'c>>,
    /// Allowance of a group [parts of a unit]. `steps` is the number of steps of the allowance.
    allowance: i64,
    steps: usize,
    /// For each position, the sum of the positive surpluses of `several` from this position on
    /// [parts of a unit].
    surpluses: Vec<i64>,
    /// For each position and each allowance, the maximum total price [units]. The search computes this table when it
    /// first needs it.
    most: OnceCell<Vec<i64>>,
}

impl<'c> Family<'c> {
    /// Creates the family of groups with a demand of at most `supply` by each measure. The search looks for groups with a
    /// total price above the price of `sms` SMs, if the tasks that are already chosen have the price `chosen`.
    pub fn within(
        multipliers: &Multipliers,
        supply: &[u64],
        (sms, chosen): (u32, i64),
        (lone, several): (&[&'c Candidate], &[&'c Candidate]),
    ) -> Family<'c> {
        let allowance = multipliers.allowance(supply);
        let steps = STEPS.min(ALL_STEPS / several.len().max(1)).max(1);
        let step = (allowance / steps as i64).saturating_add(1);
        // The step length is rounded up, so this division gives at most as many steps as before.
        let steps = steps.min((allowance / step) as usize);
        let scored = |candidates: &[&'c Candidate]| -> Vec<Scored<'c>> {
            let scored = candidates.iter().map(|&candidate| {
                let cost = multipliers.cost(&candidate.needs);
                Scored {
                    candidate,
                    surplus: in_parts(candidate.price).saturating_sub(cost),
                    steps: usize::try_from(cost / PARTS as i64 / step).unwrap_or(usize::MAX),
                }
            });
            scored.collect()
        };
        let mut several = scored(several);
        several.sort_by_key(|scored| (std::cmp::Reverse(scored.steps), scored.candidate.task));
        Family {
            sms,
            limit: (i64::from(sms) * UNITS_PER_SM as i64).saturating_sub(chosen),
            lone: scored(lone),
            surpluses: surpluses(&several),
            most: OnceCell::new(),
            several,
            allowance: in_parts(allowance),
            steps,
        }
    }

    /// Returns whether the upper bound proves that every group of the family has a total price of at most the price of
    /// the SMs.
    pub fn is_settled(&self) -> bool {
        match self.lone.is_empty() {
            true => self.is_of_no_interest(self.none(), 0),
            false => self.lone.iter().all(|lone| self.begin(lone).is_none()),
        }
    }

    /// Starts a group with the task `lone`. Returns `None` if every group with `lone` has a total
    /// price of at most the price of the SMs.
    pub fn begin(&self, lone: &Scored<'_>) -> Option<Part> {
        let part = self.with(self.none(), lone)?;
        (!self.is_of_no_interest(part, 0)).then_some(part)
    }

    /// Returns the empty group.
    pub fn none(&self) -> Part {
        Part {
            price: 0,
            most: self.allowance,
            steps: self.steps,
        }
    }

    /// Adds `task` to `part`. Returns `None` if the total cost would exceed the allowance.
    pub fn with(&self, part: Part, task: &Scored<'_>) -> Option<Part> {
        let with = Part {
            price: part.price.saturating_add(task.candidate.price),
            most: part.most.saturating_add(task.surplus),
            steps: part.steps.checked_sub(task.steps)?,
        };
        // If a sum saturated, a later negative surplus would make the result too low.
        debug_assert!(with.price < i64::MAX && with.most < i64::MAX);
        Some(with)
    }

    /// Returns whether all groups that extend `part` by tasks of `several` from `position` on have a total price of at
    /// most the price of the SMs.
    pub fn is_of_no_interest(&self, part: Part, position: usize) -> bool {
        // A total price above the limit exceeds the limit by at least one unit.
        part.most.saturating_add(self.surpluses[position]) < in_parts(self.limit.saturating_add(1))
            || part.price.saturating_add(self.most(position, part.steps)) <= self.limit
    }

    /// Returns the maximum total price [units] of tasks of `several` from `position` on, if their
    /// total cost is at most `steps`.
    fn most(&self, position: usize, steps: usize) -> i64 {
        assert!(
            steps <= self.steps,
            "the steps of a part are at most the steps of the allowance"
        );
        let most = self.most.get_or_init(|| most(&self.several, self.steps));
        most[position * (self.steps + 1) + steps]
    }
}

/// Converts units to parts of a unit.
fn in_parts(units: i64) -> i64 {
    units.saturating_mul(PARTS as i64)
}

/// For each position, returns the sum of the positive surpluses of `tasks` from this position on.
fn surpluses(tasks: &[Scored<'_>]) -> Vec<i64> {
    let mut sums = vec![0i64; tasks.len() + 1];
    let mut sum = 0i64;
    for (slot, task) in sums.iter_mut().zip(tasks).rev() {
        sum = sum.saturating_add(task.surplus.max(0));
        *slot = sum;
    }
    sums
}

/// For each position and each allowance up to `steps`, returns the maximum total price of tasks
/// from this position on.
fn most(tasks: &[Scored<'_>], steps: usize) -> Vec<i64> {
    let width = steps + 1;
    let mut all = vec![0i64; (tasks.len() + 1) * width];
    for (position, task) in tasks.iter().enumerate().rev() {
        let (before, after) = all.split_at_mut((position + 1) * width);
        let (row, after) = (&mut before[position * width..], &after[..width]);
        row.copy_from_slice(after);
        // An allowance below the cost of the task has no room for the task. So the entries for these allowances stay
        // unchanged.
        for (slot, &rest) in row.iter_mut().skip(task.steps).zip(after) {
            *slot = rest.saturating_add(task.candidate.price).max(*slot);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::demands::WHOLE;
    use super::super::measures::Needs;
    use super::*;

    fn candidate(task: usize, price: i64, shares: Vec<u64>) -> Candidate {
        Candidate {
            task,
            kind: None,
            price,
            needs: Needs { demand: None, shares },
        }
    }

    /// Returns the highest total price of a group of `candidates`, among the groups with a demand of at most 1 by each
    /// measure.
    fn best(candidates: &[Candidate]) -> i64 {
        let groups = (0u32..1 << candidates.len()).map(|group| {
            let members: Vec<&Candidate> = (0..candidates.len())
                .filter(|&place| group & (1 << place) != 0)
                .map(|place| &candidates[place])
                .collect();
            let needs = |measure: usize| {
                members
                    .iter()
                    .map(|member| member.needs.shares[measure])
                    .sum::<u64>()
            };
            match (0..2).all(|measure| needs(measure) <= WHOLE) {
                true => members.iter().map(|member| member.price).sum(),
                false => 0,
            }
        });
        groups.max().unwrap_or(0)
    }

    /// For all multipliers, the bound is at least the price of the best group. With the best
    /// multipliers and one binding measure, the bound is close to this price.
    #[test]
    fn no_group_is_worth_more_than_the_most() {
        let mut rng = ChaCha8Rng::seed_from_u64(41);
        let mut close = 0;
        for round in 0..400 {
            let sms = rng.random_range(1..6u32);
            let other = if round % 2 == 0 { WHOLE >> 22 } else { WHOLE >> 1 };
            let candidates: Vec<Candidate> = (0..rng.random_range(3..10))
                .map(|task| {
                    let shares = vec![rng.random_range(1..WHOLE >> 1), rng.random_range(0..other)];
                    candidate(task, rng.random_range(0..2 * UNITS_PER_SM as i64), shares)
                })
                .collect();
            let several: Vec<&Candidate> = candidates.iter().collect();
            let best = best(&candidates);
            let supply = vec![WHOLE; several[0].needs.shares.len()];
            let found = Multipliers::best(&supply, &[], &several).expect("a small program");
            let by_work = Multipliers::of_long_run(sms, supply.len());
            for (multipliers, good) in [(by_work, false), (found, true)] {
                let family = Family::within(&multipliers, &supply, (sms, 0), (&[], &several));
                let most = family.most(0, family.steps);
                assert!(most >= best, "{most} {best}");
                assert!(
                    family.allowance + family.surpluses[0] >= in_parts(best),
                    "{sms} {best}"
                );
                close += u32::from(good && round % 2 == 0 && most <= best + best / 20);
            }
        }
        assert!(close > 150, "{close} of 200");
    }

    /// The maximum price at an invalid position must not be 0. With a maximum of 0, the search would skip the family.
    #[test]
    fn a_wrong_place_settles_nothing() {
        let one = candidate(0, UNITS_PER_SM as i64, vec![WHOLE >> 1]);
        let by_work = Multipliers::of_long_run(1, 1);
        let family = Family::within(&by_work, &[WHOLE], (1, 0), (&[], &[&one]));
        let part = family.none();
        assert_eq!(family.most(1, part.steps), 0); // no task is left
        let panics =
            |read: &dyn Fn() -> bool| std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).is_err();
        assert!(panics(&|| family.is_of_no_interest(part, 2)));
        assert!(panics(&|| family.most(2, 0) == 0));
        let steps = part.steps + 1; // this position belongs to the next row
        assert!(panics(&|| family.most(0, steps) == 0));
    }
}
