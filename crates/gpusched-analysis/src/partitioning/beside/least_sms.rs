//! The fewest SMs of a division of the tasks into groups that share a memory.
//!
//! Suppose that each group i has at least aᵢ SMs in every plan of the division. On aᵢ or more SMs, the group has at least
//! the *least traffic* of its tasks on these sizes. A group that fails beside the least traffic of the other groups also
//! fails beside their real traffic, because the tests are monotone in this traffic. So the group needs more than aᵢ SMs,
//! and aᵢ grows. The growth ends when each group passes on aᵢ SMs beside the least traffic of the others.
//!
//! In most cases, the least traffic is the real traffic on aᵢ SMs. Then the sizes aᵢ are a plan, and no plan of the division
//! has fewer SMs. In the other cases, the search examines all larger sizes.

use std::collections::HashMap;

use crate::interference::bandwidth::{Load, Source};
use crate::partitioning::problem::Problem;
use crate::partitioning::search::budget::Budget;
use crate::partitioning::search::lemmas::smallest;
use gpusched_model::verdict::Verdict;

/// Result for one division.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Least {
    /// Sizes of the groups in a plan with the fewest SMs.
    Sizes(Vec<u32>),
    /// No plan of the division has so few SMs.
    Nothing,
    /// The search effort is used up.
    Unknown,
}

/// Computations of the traffic of a task that take as long as one test.
const TRAFFIC: u64 = 10;

/// Computes the fewest SMs of divisions, within a search effort.
pub(super) struct Divisions<'p> {
    problem: &'p Problem<'p>,
    /// Supported partition sizes [SMs], ascending.
    supported: Vec<u32>,
    /// Least traffic of each task on m or more SMs, at position m − 1, for each m that a plan may give to one group.
    traffic: Vec<Vec<Source>>,
    /// Fewest SMs of each group without memory traffic, computed on demand. `None` if the GPU has too few SMs.
    alone: HashMap<Vec<usize>, Option<u32>>,
    tested: u64,
    budget: Budget,
}

impl<'p> Divisions<'p> {
    /// Prepares a search for plans of at most `most` SMs. Returns `None` if the search effort does not suffice.
    pub fn new(problem: &'p Problem<'p>, most: u32, budget: Budget) -> Option<Divisions<'p>> {
        let tested = problem.tasks().len() as u64 * u64::from(most) / TRAFFIC;
        let supported = problem.supported_sizes();
        (!budget.is_spent(tested)).then(|| Divisions {
            problem,
            traffic: (0..problem.tasks().len())
                .map(|task| least_traffic(problem, task, &supported, most))
                .collect(),
            supported,
            alone: HashMap::new(),
            tested,
            budget,
        })
    }

    pub fn problem(&self) -> &'p Problem<'p> {
        self.problem
    }

    /// Returns the number of tests so far.
    pub fn tested(&self) -> u64 {
        self.tested
    }

    /// Whether the search effort is used up.
    pub fn exhausted(&self) -> bool {
        self.budget.is_spent(self.tested)
    }

    /// Returns the fewest SMs on which `tasks` (ascending) pass without memory traffic. No plan gives them fewer SMs.
    /// Returns `None` if the GPU has too few SMs.
    pub fn alone(&mut self, tasks: &[usize]) -> Option<u32> {
        if let Some(&known) = self.alone.get(tasks) {
            return known;
        }
        self.tested += 1;
        let problem = self.problem;
        let supported = &self.supported;
        let last = u32::try_from(supported.len()).unwrap_or(u32::MAX);
        let found = smallest(1, last, |place| {
            problem.accepts(tasks, supported[place as usize - 1])
        });
        let found = found.map(|place| supported[place as usize - 1]);
        self.alone.insert(tasks.to_vec(), found);
        found
    }

    /// Returns the sizes of the plan of `groups` with the fewest SMs, if a plan has at most `most` SMs. If the least sizes
    /// are no plan, the search for larger sizes ends after `patience` tests.
    pub fn least_sms(&mut self, groups: &[Vec<usize>], most: u32, patience: u64) -> Least {
        self.tested += 1;
        let mut sizes = Vec::with_capacity(groups.len());
        for tasks in groups {
            if self.exhausted() {
                return Least::Unknown;
            }
            let Some(sms) = self.alone(tasks) else {
                return Least::Nothing;
            };
            sizes.push(sms);
        }
        if total(&sizes) > u64::from(most) {
            return Least::Nothing;
        }
        loop {
            if self.exhausted() {
                return Least::Unknown;
            }
            let loads = self.least_loads(groups, &sizes);
            let mut grown = false;
            for index in 0..groups.len() {
                let spare = u64::from(most).saturating_sub(total(&sizes));
                let largest = sizes[index].saturating_add(u32::try_from(spare).unwrap_or(u32::MAX));
                while !self.may_pass(groups, index, sizes[index], &loads) {
                    let Some(next) = self.next_size(sizes[index]).filter(|&next| next <= largest) else {
                        return Least::Nothing;
                    };
                    if self.exhausted() {
                        return Least::Unknown;
                    }
                    sizes[index] = next;
                    grown = true;
                }
            }
            if !grown {
                break;
            }
        }
        if self.passes(groups, &sizes) {
            return Least::Sizes(sizes);
        }
        let outer = self.budget;
        self.budget = outer.at_most(self.tested.saturating_add(patience));
        let found = self.larger(groups, &sizes, most);
        self.budget = outer;
        found
    }

    /// Returns the smallest supported size above `sms`.
    fn next_size(&self, sms: u32) -> Option<u32> {
        let place = self.supported.partition_point(|&size| size <= sms);
        self.supported.get(place).copied()
    }

    /// Examines all sizes of at least `least`, in the order of their sum.
    fn larger(&mut self, groups: &[Vec<usize>], least: &[u32], most: u32) -> Least {
        let first = u32::try_from(total(least)).unwrap_or(u32::MAX);
        for sum in first.saturating_add(1)..=most {
            let mut sizes = least.to_vec();
            match self.distribute(groups, &mut sizes, 0, sum - first) {
                None => return Least::Unknown,
                Some(true) => return Least::Sizes(sizes),
                Some(false) => {}
            }
        }
        Least::Nothing
    }

    /// Distributes `spare` SMs to the groups from `group` on, so that all groups have supported sizes. Returns whether the
    /// plan passes in one of these ways, or `None` if the search effort is used up.
    fn distribute(
        &mut self,
        groups: &[Vec<usize>],
        sizes: &mut [u32],
        group: usize,
        spare: u32,
    ) -> Option<bool> {
        if self.exhausted() {
            return None;
        }
        if group + 1 == sizes.len() {
            sizes[group] += spare;
            if self.supported.binary_search(&sizes[group]).is_ok() && self.passes(groups, sizes) {
                return Some(true);
            }
            sizes[group] -= spare;
            return Some(false);
        }
        let least = sizes[group];
        let mut size = Some(least);
        while let Some(larger) = size.filter(|&size| size - least <= spare) {
            sizes[group] = larger;
            if self.distribute(groups, sizes, group + 1, spare - (larger - least))? {
                return Some(true);
            }
            size = self.next_size(larger);
        }
        sizes[group] = least;
        Some(false)
    }

    /// Returns the least traffic of each group on at least `sizes` SMs.
    fn least_loads(&self, groups: &[Vec<usize>], sizes: &[u32]) -> Vec<Load> {
        let load = |(tasks, &sms): (&Vec<usize>, &u32)| {
            Load::new(tasks.iter().map(|&task| self.traffic[task][sms as usize - 1]))
        };
        groups.iter().zip(sizes).map(load).collect()
    }

    /// Whether the group at `index` may pass on `sms` SMs if the other groups have the traffic `loads`. An inconclusive
    /// test may pass with more traffic.
    fn may_pass(&mut self, groups: &[Vec<usize>], index: usize, sms: u32, loads: &[Load]) -> bool {
        self.tested += 1;
        let others = loads.iter().enumerate().filter(|&(other, _)| other != index);
        let others = others.map(|(_, load)| load);
        self.problem.passes_beside(&groups[index], sms, others) != Some(false)
    }

    /// Whether the plan of `groups` on `sizes` SMs is schedulable.
    fn passes(&mut self, groups: &[Vec<usize>], sizes: &[u32]) -> bool {
        self.tested += groups.len() as u64;
        let parts = groups.iter().zip(sizes);
        let parts: Vec<(&[usize], u32)> = parts.map(|(tasks, &sms)| (&tasks[..], sms)).collect();
        let verdicts: Vec<Verdict> = self.problem.verdicts(&parts);
        verdicts.iter().all(|verdict| verdict.schedulable)
    }
}

fn total(sizes: &[u32]) -> u64 {
    sizes.iter().map(|&sms| u64::from(sms)).sum()
}

/// Returns the least traffic of `task` on m or more SMs, for each m up to `most`. A partition has a size of `supported`.
///
/// The smallest WCET leads to the least traffic. If it is unknown on m SMs, the traffic counts as 0.
fn least_traffic(problem: &Problem<'_>, task: usize, supported: &[u32], most: u32) -> Vec<Source> {
    let on = |sms: u32| {
        // A partition of at least m SMs has at least the smallest supported size from m on.
        let place = supported.partition_point(|&size| size < sms);
        let sms = supported.get(place).copied().unwrap_or(sms);
        let demands = problem.demands(&[task], sms).ok();
        let source = problem.sources(&[task], sms, demands.as_deref()).pop()?;
        Some(if demands.is_some() {
            source
        } else {
            source.silent()
        })
    };
    let mut least: Vec<Source> = (1..=most).rev().filter_map(on).collect();
    for larger in 1..least.len() {
        least[larger] = least[larger].least(least[larger - 1]);
    }
    least.reverse();
    least
}
