//! Pairs of tasks that cannot share a partition of some size.
//!
//! The measures ignore priorities and a part of the blocking. Under policies with blocking, tests of pairs therefore
//! exclude many groups. If two tasks fail their test on m SMs, then every group with both tasks fails on m SMs.

use crate::interference::CoLocated;
use crate::partitioning::search::Sizes;

/// Results of tests of pairs. The test is monotone in the number of SMs, so two sizes describe all results of a pair.
pub(super) struct Pairs {
    tasks: usize,
    /// For each combination of contention classes: the results of each pair.
    known: Vec<([u8; 3], Vec<Sides>)>,
}

/// Results of the tests of one pair.
#[derive(Copy, Clone)]
struct Sides {
    /// Largest size on which the pair failed, or 0.
    fails: u32,
    /// Smallest size on which the pair passed, or [`u32::MAX`].
    passes: u32,
}

impl Pairs {
    pub fn new(tasks: usize) -> Pairs {
        Pairs {
            tasks,
            known: Vec::new(),
        }
    }

    /// Returns the number of the row with the results for the contention classes `classes`.
    pub fn row(&mut self, classes: [u8; 3]) -> usize {
        let row = self.known.iter().position(|(known, _)| *known == classes);
        row.unwrap_or_else(|| {
            let unknown = Sides {
                fails: 0,
                passes: u32::MAX,
            };
            self.known.push((classes, vec![unknown; self.tasks * self.tasks]));
            self.known.len() - 1
        })
    }

    /// Whether tasks `a` and `b` pass their test on `sms` SMs together, with the contention among the tasks `co_located`.
    /// `row` is the [number](Pairs::row) of its contention classes.
    pub fn pass(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (a, b): (usize, usize),
        (row, co_located): (usize, CoLocated),
        sms: u32,
    ) -> bool {
        let (first, second) = (a.min(b), a.max(b));
        let sides = &mut self.known[row].1[first * self.tasks + second];
        if sms <= sides.fails || sms >= sides.passes {
            return sms >= sides.passes;
        }
        let passes = sizes.passes(&[first, second], co_located, sms);
        match passes {
            true => sides.passes = sms,
            false => sides.fails = sms,
        }
        passes
    }
}
