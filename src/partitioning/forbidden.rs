//! The list of forbidden pairs, [Singh21] §3.5.3: merges known to fail are not tried again.

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};

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

/// Pairs of partitions, by id, that must not be merged.
#[derive(Debug, Default)]
pub(super) struct ForbiddenList {
    /// Pairs whose merge failed; gone with either partition.
    failed: SymmetricRelation,
    /// Pairs with a failing cross pair of tasks; a merged partition inherits those of its parts. Empty under INA.
    crossing: SymmetricRelation,
}

impl ForbiddenList {
    /// Algorithm 1, line 6: every pair of single-task partitions is tried. Partition i has id i. Returns the number of
    /// merges as well, always n(n−1)/2.
    pub fn prefilled(problem: &Problem<'_>, singles: &[Candidate]) -> (ForbiddenList, u64) {
        let mut list = ForbiddenList::default();
        let mut merges = 0;
        for (a, first) in singles.iter().enumerate() {
            for (b, second) in singles.iter().enumerate().skip(a + 1) {
                merges += 1;
                if merge(problem, first, second).is_none() {
                    list.crossing.relate(a, b);
                }
            }
        }
        (list, merges)
    }

    /// Algorithm 1, line 19.
    pub fn add(&mut self, first: usize, second: usize) {
        self.failed.relate(first, second);
    }

    /// `union` takes over what its parts must not meet.
    pub fn inherit(&mut self, union: usize, parts: [usize; 2]) {
        for part in parts {
            self.crossing.copy(part, union);
        }
    }

    /// Whether `first` and `second` must not be merged.
    pub fn contains(&self, first: usize, second: usize) -> bool {
        self.failed.holds(first, second) || self.crossing.holds(first, second)
    }
}

/// A symmetric relation between small numbers, a bit per pair.
#[derive(Debug, Default)]
struct SymmetricRelation {
    rows: Vec<FixedBitSet>,
}

impl SymmetricRelation {
    fn holds(&self, a: usize, b: usize) -> bool {
        self.rows.get(a).is_some_and(|row| row.contains(b))
    }

    fn relate(&mut self, a: usize, b: usize) {
        for (row, column) in [(a, b), (b, a)] {
            if self.rows.len() <= row {
                self.rows.resize_with(row + 1, FixedBitSet::new);
            }
            self.rows[row].grow_and_insert(column);
        }
    }

    /// Relates `to` to all that `from` is related to.
    fn copy(&mut self, from: usize, to: usize) {
        let related: Vec<usize> = self
            .rows
            .get(from)
            .into_iter()
            .flat_map(FixedBitSet::ones)
            .collect();
        for other in related {
            self.relate(other, to);
        }
    }
}
