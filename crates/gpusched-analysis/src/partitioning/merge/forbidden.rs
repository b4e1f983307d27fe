//! The list of forbidden pairs ([Singh21] §3.5.3): pairs of partitions whose merge is known to fail. Algorithm 1 does
//! not try to merge these pairs.

use super::merging::can_merge;
use super::relation::{Set, SymmetricRelation};
use super::trial::MergeTrials;
use crate::partitioning::search::{Candidate, GroupTester};

/// Pairs of partition ids that Algorithm 1 must not merge.
#[derive(Debug)]
pub(crate) struct ForbiddenList {
    /// Pairs whose merge failed. A pair becomes obsolete when one of its partitions leaves the list.
    failed: SymmetricRelation,
    /// Pairs of partitions that together contain a failing pair of tasks. A union inherits the pairs of its parts.
    /// Under INA, the relation is empty.
    crossing: SymmetricRelation,
}

impl ForbiddenList {
    /// Creates an empty list for ids below `capacity`.
    pub fn new(capacity: usize) -> ForbiddenList {
        ForbiddenList {
            failed: SymmetricRelation::with_capacity(capacity),
            crossing: SymmetricRelation::with_capacity(capacity),
        }
    }

    /// Runs line 6 of Algorithm 1: tests every pair of single-task partitions. Partition i has id i.
    ///
    /// Returns the number of tested merges, which is always n(n−1)/2.
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

    /// Runs line 19 of Algorithm 1: records a failed merge.
    pub fn add(&mut self, first: usize, second: usize) {
        self.failed.relate(first, second);
    }

    /// Copies the forbidden partners of `parts` to `union`.
    pub fn inherit(&mut self, union: usize, parts: [usize; 2]) {
        for part in parts {
            self.crossing.inherit(union, part);
        }
    }

    /// Fills `partners` with the partitions that may merge with `first`. Returns their number.
    pub fn partners(&self, first: usize, partitions: &Set, partners: &mut Set) -> usize {
        partners.fill_with_unrelated(partitions, first, [&self.failed, &self.crossing])
    }
}
