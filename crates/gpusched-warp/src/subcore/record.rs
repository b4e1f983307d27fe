//! An observer that records the issuing warp of each cycle.

use super::{Issue, Overview};
use gpusched_model::Observer;

/// Default limit of a record [cycles]; the record is held in memory.
const MOST: u64 = 20_000_000;

/// The warp that issued in each cycle, and the summary of the run.
#[derive(Debug, Clone)]
pub struct Record {
    order: Vec<Option<u8>>,
    overview: Overview,
    most: u64,
    full: bool,
}

impl Default for Record {
    /// Creates a record of at most 20 million cycles.
    fn default() -> Record {
        Record::with_limit(MOST)
    }
}

impl Record {
    /// Creates a record of at most `cycles` cycles.
    pub fn with_limit(cycles: u64) -> Record {
        Record {
            order: Vec::new(),
            overview: Overview::default(),
            most: cycles,
            full: false,
        }
    }

    /// Returns the warp that issued in each cycle up to the last issue; `None` for cycles without an issue.
    pub fn order(&self) -> &[Option<u8>] {
        &self.order
    }

    /// Returns the summary of the recorded part of the run.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// Returns the limit if the run exceeds it. Cycles after the limit are not recorded.
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
