//! An observer that keeps who issued when.

use super::{Issue, Overview};
use gpusched_model::Observer;

/// The most cycles of a record unless said otherwise: they are held in memory.
const MOST: u64 = 20_000_000;

/// The warp that issued in each cycle, and what the run comes to.
#[derive(Debug, Clone)]
pub struct Record {
    order: Vec<Option<u8>>,
    overview: Overview,
    most: u64,
    full: bool,
}

impl Default for Record {
    /// Of at most 20 million cycles.
    fn default() -> Record {
        Record::with_limit(MOST)
    }
}

impl Record {
    /// Of at most `cycles` cycles.
    pub fn with_limit(cycles: u64) -> Record {
        Record {
            order: Vec::new(),
            overview: Overview::default(),
            most: cycles,
            full: false,
        }
    }

    /// The warp that issued in each cycle up to the last issue; `None` where none did.
    pub fn order(&self) -> &[Option<u8>] {
        &self.order
    }

    /// What the run comes to, as far as it is recorded.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// The limit, if there were more cycles; those after it are not recorded.
    pub fn exceeded(&self) -> Option<u64> {
        self.full.then_some(self.most)
    }
}

impl Observer<Issue, u64> for Record {
    fn see(&mut self, cycle: u64, issue: Issue) {
        if cycle >= self.most {
            self.full = true;
            return;
        }
        let place = usize::try_from(cycle).unwrap_or(usize::MAX);
        self.order.resize(place, None);
        self.order.push(u8::try_from(issue.warp).ok()); // at most 64 warps
        self.overview.see(cycle, issue);
    }

    fn goes_on(&self) -> bool {
        !self.full
    }
}
