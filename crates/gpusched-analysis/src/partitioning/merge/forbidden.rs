//! The list of forbidden pairs, [Singh21] §3.5.3: merges known to fail are not tried again.

use serde::{Deserialize, Serialize};

use super::merging::can_merge;
use super::relation::{Set, SymmetricRelation};
use super::trial::MergeTrials;
use crate::partitioning::search::{Candidate, GroupTester};

/// How the list is filled. §3.5.3's sentence on INA contradicts §3.6.2; this follows §3.6.2.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Forbidden {
    /// Inactive: starts empty; pairs of partitions whose merge failed are added.
    #[default]
    Ina,
    /// Active: before the search every pair of tasks is tried; two partitions with a failing cross pair never merge.
    Act,
}

/// Pairs of partitions, by id, that must not be merged.
#[derive(Debug)]
pub(crate) struct ForbiddenList {
    /// Pairs whose merge failed; gone with either partition.
    failed: SymmetricRelation,
    /// Pairs with a failing cross pair of tasks; a merged partition inherits those of its parts. Empty under INA.
    crossing: SymmetricRelation,
}

impl ForbiddenList {
    /// An empty list, for ids below `capacity`.
    pub fn new(capacity: usize) -> ForbiddenList {
        ForbiddenList {
            failed: SymmetricRelation::with_capacity(capacity),
            crossing: SymmetricRelation::with_capacity(capacity),
        }
    }

    /// Algorithm 1, line 6: every pair of single-task partitions is tried. Partition i has id i. Returns the number of
    /// merges, always n(n−1)/2.
    pub fn prefill(&mut self, tester: &mut GroupTester<'_>, singles: &[Candidate]) -> u64 {
        let mut merges = 0;
        for (a, first) in singles.iter().enumerate() {
            let mut trials = MergeTrials::on(tester, first);
            for (b, second) in singles.iter().enumerate().skip(a + 1) {
                merges += 1;
                if !can_merge(&mut trials, second) {
                    self.crossing.relate(a, b);
                }
            }
        }
        merges
    }

    /// Algorithm 1, line 19.
    pub fn add(&mut self, first: usize, second: usize) {
        self.failed.relate(first, second);
    }

    /// `union` takes over what its parts must not meet.
    pub fn inherit(&mut self, union: usize, parts: [usize; 2]) {
        for part in parts {
            self.crossing.inherit(union, part);
        }
    }

    /// Makes `partners` those of `partitions` that `first` may be merged with, and counts them.
    pub fn partners(&self, first: usize, partitions: &Set, partners: &mut Set) -> usize {
        partners.fill_with_unrelated(partitions, first, [&self.failed, &self.crossing])
    }
}
