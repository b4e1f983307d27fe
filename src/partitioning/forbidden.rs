//! The list of forbidden pairs, [Singh21] §3.5.3: merges known to fail are not tried again.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::list::Listed;
use super::merge::merge;
use super::{Candidate, Problem};

/// How the list is filled. §3.5.3's sentence on INA contradicts §3.6.2; this follows §3.6.2.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Forbidden {
    /// Inactive: starts empty; pairs of partitions whose merge failed are added.
    #[default]
    Ina,
    /// Active: before the search every pair of tasks is tried; two partitions with a failing cross pair never merge.
    Act,
}

/// Pairs that must not be merged.
#[derive(Debug, Default)]
pub(super) struct ForbiddenList {
    /// Pairs of partitions (lower id first).
    partitions: HashSet<(u32, u32)>,
    /// Pairs of tasks (lower position first); empty under INA.
    tasks: HashSet<(usize, usize)>,
}

impl ForbiddenList {
    /// Algorithm 1, line 6: every pair of single-task partitions is tried. Returns the number of merges as well, always
    /// n(n−1)/2.
    pub fn prefilled(problem: &Problem<'_>, singles: &[Candidate]) -> (ForbiddenList, u64) {
        let mut list = ForbiddenList::default();
        let mut merges = 0;
        for (position, first) in singles.iter().enumerate() {
            for second in &singles[position + 1..] {
                merges += 1;
                if merge(problem, first, second).is_none() {
                    list.tasks.insert(ordered(first.tasks[0], second.tasks[0]));
                }
            }
        }
        (list, merges)
    }

    /// Algorithm 1, line 19.
    pub fn add(&mut self, first: &Listed, second: &Listed) {
        self.partitions.insert(ordered(first.id, second.id));
    }

    /// Whether `first` and `second` must not be merged.
    pub fn contains(&self, first: &Listed, second: &Listed) -> bool {
        if self.partitions.contains(&ordered(first.id, second.id)) {
            return true;
        }
        !self.tasks.is_empty()
            && first.partition.tasks.iter().any(|&a| {
                second
                    .partition
                    .tasks
                    .iter()
                    .any(|&b| self.tasks.contains(&ordered(a, b)))
            })
    }
}

fn ordered<T: Ord>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}
