//! Budgets with the largest best-effort bandwidth, weighted by time, with which a system meets all deadlines and limits.
//!
//! The WCETs grow with each budget, so every vector of budgets above a failing vector fails. The search keeps boxes of vectors that
//! may contain a better vector. It finds a passing vector and the next, failing vector on the diagonal of a box, and removes all
//! vectors at or above the failing one (polyblock algorithm, Tuy 2000).

use std::collections::BinaryHeap;

use gpusched_model::end_to_end::{
    Answer, ChosenBudgets, ChosenGroup, Draft, Environment, Group, Grouping, NextBudget, share,
};
use gpusched_model::error::Refusal;
use gpusched_model::time::Time;

use super::regulated::Regulated;

/// Options of the search for budgets.
#[derive(Copy, Clone, Debug)]
pub struct BudgetSearch {
    /// Segments that have equal budgets.
    pub grouping: Grouping,
    /// Number of tests after which the search ends with the best budgets so far.
    pub tests: u64,
}

/// Vectors between `low` and `high`, memory times of the groups [ns]. `bound` is the value of `high`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Room {
    bound: u128,
    low: Vec<u64>,
    high: Vec<u64>,
}

struct Tests<'a> {
    /// Receives the number of tests.
    watch: &'a dyn Fn(u64),
    regulated: &'a Regulated<'a>,
    groups: &'a [Group],
    weights: Vec<u64>,
    /// For each group, the memory time from which no larger memory time changes a WCET.
    saturated: Vec<u64>,
    done: u64,
    /// Vectors that passed and that failed.
    passed: Vec<Vec<u64>>,
    failed: Vec<Vec<u64>>,
}

/// Chooses the budgets of the system in `draft`. Stated budgets have no effect. `watch` receives the number of tests so far.
///
/// # Errors
/// Fails if the system has no `budgets`, and like [`super::analyze_draft`].
pub fn choose_budgets(
    draft: &Draft,
    environment: Environment,
    search: BudgetSearch,
    watch: &dyn Fn(u64),
) -> Result<ChosenBudgets, Refusal> {
    let Some(budgets) = &draft.budgets else {
        let refusal = Refusal::new(
            "budgets",
            "no field `budgets`",
            "the regulation period of the budgets",
        );
        return Err(refusal.hint("state `\"budgets\": {\"regulation_period\": \"1ms\"}`"));
    };
    let regulated = Regulated::new(draft, budgets, environment)?;
    let groups = search.grouping.groups(&regulated.isolated);
    let weights = groups.iter().map(|group| weight(&regulated, group)).collect();
    let mut tests = Tests {
        watch,
        regulated: &regulated,
        groups: &groups,
        weights,
        saturated: groups.iter().map(|group| saturation(&regulated, group)).collect(),
        done: 0,
        passed: Vec::new(),
        failed: Vec::new(),
    };
    let none = vec![0; groups.len()];
    let first = tests.answer(&none)?;
    let (best, upper) = match first.schedulable {
        true => tests.search(none, search.tests),
        false => (none, 0),
    };
    let value = tests.value(&best);
    let verdict = tests.answer(&best)?;
    let period = regulated.period();
    let chosen = (0..groups.len()).map(|index| {
        let next = (verdict.schedulable && best[index] < period).then(|| {
            let mut next = best.clone();
            next[index] += 1;
            tests.next(next[index], &next)
        });
        ChosenGroup {
            name: groups[index].name.clone(),
            memory_time_ns: Time::from_ns(best[index]),
            q: share(best[index], budgets.regulation_period),
            weight_ppb: tests.weights[index],
            next,
        }
    });
    let chosen = chosen.collect();
    let whole = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
    Ok(ChosenBudgets {
        per: search.grouping,
        regulation_period_ns: budgets.regulation_period,
        groups: chosen,
        value: whole(value),
        upper_bound: whole(upper),
        optimal: upper == value,
        tests: tests.done,
        system: regulated.with_budgets(search.grouping, &groups, &best),
        verdict,
        identity: None,
    })
}

/// Number of groups up to which the search raises the memory times in all orders.
const ALL_ORDERS: usize = 4;

/// Largest number of orders for more groups.
const MOST_ORDERS: usize = 16;

/// Share of time for which the segments of a group execute in isolation, rounded down for each segment [10⁻⁹].
fn weight(regulated: &Regulated, group: &Group) -> u64 {
    let shares = group.segments.iter().map(|&(task, segment)| {
        let isolated = u128::from(regulated.demands[task][segment].isolated());
        let period = u128::from(regulated.isolated.tasks()[task].period.ns());
        u64::try_from(isolated * 1_000_000_000 / period).unwrap_or(u64::MAX)
    });
    shares.fold(0, u64::saturating_add)
}

/// Returns the memory time from which no larger memory time changes a WCET of the group.
fn saturation(regulated: &Regulated, group: &Group) -> u64 {
    let segments = { group.segments.iter() }
        .map(|&(task, segment)| regulated.demands[task][segment].saturation(regulated.period()));
    segments.max().unwrap_or(1)
}

impl Tests<'_> {
    fn answer(&mut self, bursts: &[u64]) -> Result<Answer, Refusal> {
        self.done += 1;
        (self.watch)(self.done);
        let all = self.regulated.spread(self.groups, bursts);
        Ok(self.regulated.at(&all)?.answer)
    }

    /// Whether the system passes the test. A system that the larger WCETs make invalid fails.
    fn passes(&mut self, bursts: &[u64]) -> bool {
        let below =
            |small: &[u64], large: &[u64]| small.iter().zip(large).all(|(small, large)| small <= large);
        let period = self.regulated.period();
        let same = bursts.iter().zip(&self.saturated);
        let same = same.map(|(&burst, &saturated)| if burst < saturated { burst } else { period });
        let bursts = &same.collect::<Vec<u64>>()[..];
        if self.passed.iter().any(|passed| below(bursts, passed)) {
            return true;
        }
        if self.failed.iter().any(|failed| below(failed, bursts)) {
            return false;
        }
        let passes = self.answer(bursts).is_ok_and(|answer| answer.schedulable);
        let (list, bursts) = (
            if passes {
                &mut self.passed
            } else {
                &mut self.failed
            },
            bursts.to_vec(),
        );
        match passes {
            true => list.retain(|known| !below(known, &bursts)),
            false => list.retain(|known| !below(&bursts, known)),
        }
        list.push(bursts);
        passes
    }

    fn value(&self, bursts: &[u64]) -> u128 {
        let products = self.weights.iter().zip(bursts);
        products
            .map(|(&weight, &burst)| u128::from(weight) * u128::from(burst))
            .sum()
    }

    /// Returns the largest λ from 0 to `steps` for which the vector `at(λ)` passes. `at(0)` passes.
    fn last(&mut self, steps: u64, at: impl Fn(u64) -> Vec<u64>) -> u64 {
        let (mut good, mut bad) = (0, steps + 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.passes(&at(middle)) {
                true => good = middle,
                false => bad = middle,
            }
        }
        good
    }

    /// Raises each memory time of a passing vector as far as the system passes, in several orders. Returns the best result. The first
    /// order has the largest weight first. Up to [`ALL_ORDERS`] groups, the orders are all orders, otherwise its rotations.
    fn raised(&mut self, bursts: &[u64]) -> Vec<u64> {
        let mut first: Vec<usize> = (0..bursts.len()).collect();
        first.sort_by_key(|&index| std::cmp::Reverse(self.weights[index]));
        let mut orders = vec![Vec::new()];
        if first.len() <= ALL_ORDERS {
            for _ in 0..first.len() {
                let longer = orders.iter().flat_map(|order: &Vec<usize>| {
                    let rest = first.iter().filter(|index| !order.contains(index));
                    rest.map(|&index| [&order[..], &[index]].concat())
                });
                orders = longer.collect();
            }
        } else {
            let rotated = (0..first.len()).map(|start| [&first[start..], &first[..start]].concat());
            orders = rotated.take(MOST_ORDERS).collect();
        }
        let mut best = bursts.to_vec();
        for order in orders {
            let found = self.raised_in(bursts.to_vec(), &order);
            if self.value(&found) > self.value(&best) {
                best = found;
            }
        }
        best
    }

    /// Raises each memory time of a passing vector as far as the system passes, in the order `order`.
    fn raised_in(&mut self, mut bursts: Vec<u64>, order: &[usize]) -> Vec<u64> {
        let period = self.regulated.period();
        for &index in order {
            let start = bursts[index];
            let at = |steps: u64| {
                let mut next = bursts.clone();
                next[index] = start + steps;
                next
            };
            let steps = self.last(period - start, at);
            bursts[index] = start + steps;
        }
        bursts
    }

    /// Returns the best vector that the search finds, and an upper bound on the values of all passing vectors. `none` passes.
    fn search(&mut self, none: Vec<u64>, effort: u64) -> (Vec<u64>, u128) {
        let high = vec![self.regulated.period(); none.len()];
        let mut best = self.raised(&none);
        let mut value = self.value(&best);
        let mut rooms = BinaryHeap::from([Room {
            bound: self.value(&high),
            low: none,
            high,
        }]);
        while let Some(Room { bound, low, high }) = rooms.pop() {
            if bound <= value {
                break;
            }
            if self.done >= effort {
                return (best, bound);
            }
            if !self.passes(&low) {
                continue;
            }
            let steps = low
                .iter()
                .zip(&high)
                .map(|(low, high)| high - low)
                .max()
                .unwrap_or(0); // no group
            let at = |step: u64| {
                let point = low.iter().zip(&high).map(|(&low, &high)| {
                    let part = (u128::from(high - low) * u128::from(step)).div_ceil(u128::from(steps.max(1)));
                    low + u64::try_from(part).unwrap_or(high - low)
                });
                point.collect::<Vec<u64>>()
            };
            let last = self.last(steps, at);
            if self.value(&at(last)) > value {
                best = self.raised(&at(last));
                value = self.value(&best);
            }
            if last == steps {
                continue; // the largest vector of the box passes
            }
            // Above its saturation, a memory time has no effect. So the vector still fails with the saturation.
            let failing = at(last + 1).into_iter().zip(&self.saturated);
            let failing: Vec<u64> = failing.map(|(limit, &saturated)| limit.min(saturated)).collect();
            for (index, &limit) in failing.iter().enumerate() {
                if limit <= low[index] {
                    continue;
                }
                let (mut low, mut high) = (low.clone(), high.clone());
                high[index] = limit - 1;
                for before in 0..index {
                    low[before] = low[before].max(failing[before]);
                }
                let bound = self.value(&high);
                if bound > value {
                    rooms.push(Room { bound, low, high });
                }
            }
        }
        (best, value)
    }

    /// Returns the tasks and chains that fail with the vector `bursts`, which is one unit above a chosen vector.
    fn next(&mut self, burst: u64, bursts: &[u64]) -> NextBudget {
        let answer = self.answer(bursts).ok();
        let late = |answer: &Answer| {
            let tasks = answer.tasks.iter().enumerate().filter(|(_, task)| !task.meets);
            let chains = answer.chains.iter().enumerate();
            let chains = chains.filter(|(_, chain)| chain.meets == Some(false));
            (
                tasks.map(|(index, _)| index).collect(),
                chains.map(|(index, _)| index).collect(),
            )
        };
        let (late_tasks, late_chains) = answer.as_ref().map(late).unwrap_or_default();
        NextBudget {
            memory_time_ns: Time::from_ns(burst),
            late_tasks,
            late_chains,
        }
    }
}
