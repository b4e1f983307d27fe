//! Divides a few units into partitions with the fewest SMs in total, by dynamic programming over sets of units. A unit
//! is one task, or several tasks that stay together.

use crate::partitioning::search::{Part, Sizes};

/// Reusable buffers for divisions.
#[derive(Debug, Default)]
pub(crate) struct Division {
    /// Fewest SMs for each set of units.
    least: Vec<u32>,
    /// One of the two subsets in the best split of each set of units; 0 if the set is one partition.
    side: Vec<usize>,
    tasks: Vec<usize>,
}

impl Division {
    /// Returns a division of `units` with the fewest SMs, or `None` if every division needs more
    /// than `limit` SMs. Each unit must pass its test on its own SMs.
    ///
    /// A set S of units needs at least as many SMs as the best division of each subset of S. The
    /// tests are sustainable, so a partition still passes after a unit leaves it. The search therefore tests S as one
    /// partition only with at least this number of SMs, and with fewer SMs than the best split of S.
    pub fn of(&mut self, sizes: &mut Sizes<'_, '_>, units: &[Part], limit: u32) -> Option<Vec<Part>> {
        let all = (1usize << units.len()) - 1;
        self.least.clear();
        self.least.resize(all + 1, 0);
        self.side.clear();
        self.side.resize(all + 1, 0);
        for set in 1..=all {
            let (split, side) = self.best_split(set);
            let (low, high) = match side {
                0 => (1, units[set.trailing_zeros() as usize].sms),
                _ => (self.at_least(set), split - 1),
            };
            let whole = match low <= high {
                true => {
                    self.list_tasks(units, set);
                    sizes.smallest(&self.tasks, low, high)
                }
                false => None,
            };
            (self.least[set], self.side[set]) = match (whole, side) {
                (Some(sms), _) => (sms, 0),
                (None, 0) => (high, 0),
                (None, side) => (split, side),
            };
        }
        (self.least[all] <= limit).then(|| {
            let mut parts = Vec::new();
            self.collect(units, all, &mut parts);
            parts
        })
    }

    /// Returns the SMs of the best split of `set` into two subsets, and the subset that does not contain the first
    /// unit. For a single unit, the subset is 0.
    fn best_split(&self, set: usize) -> (u32, usize) {
        let rest = set & (set - 1);
        let mut best = (u32::MAX, 0);
        let mut side = rest;
        while side != 0 {
            let sms = self.least[side].saturating_add(self.least[set ^ side]);
            if sms < best.0 {
                best = (sms, side);
            }
            side = (side - 1) & rest;
        }
        best
    }

    fn at_least(&self, set: usize) -> u32 {
        let mut units = set;
        let mut least = 1;
        while units != 0 {
            let unit = units & units.wrapping_neg();
            least = least.max(self.least[set ^ unit]);
            units ^= unit;
        }
        least
    }

    fn list_tasks(&mut self, units: &[Part], set: usize) {
        self.tasks.clear();
        for (index, unit) in units.iter().enumerate() {
            if set & (1 << index) != 0 {
                self.tasks.extend_from_slice(&unit.tasks);
            }
        }
        self.tasks.sort_unstable();
    }

    fn collect(&mut self, units: &[Part], set: usize, parts: &mut Vec<Part>) {
        match self.side[set] {
            0 => {
                self.list_tasks(units, set);
                parts.push(Part {
                    sms: self.least[set],
                    tasks: self.tasks.clone(),
                });
            }
            side => {
                self.collect(units, side, parts);
                self.collect(units, set ^ side, parts);
            }
        }
    }
}
