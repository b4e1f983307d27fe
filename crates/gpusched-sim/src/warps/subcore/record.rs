//! Observer that records which warp issues in each cycle.

use super::{Issue, Overview};
use gpusched_model::Observer;

/// Default limit of a record [cycles]. A record is stored in memory.
const MOST: u64 = 20_000_000;

/// Warp that issued in each cycle, and summary of the run.
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

    /// Returns the warp that issued in each cycle, up to the last issue. `None` represents a
    /// cycle without an issue.
    pub fn order(&self) -> &[Option<u8>] {
        &self.order
    }

    /// Returns the summary of the recorded part of the run.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// Returns the limit of the record if the run exceeds the limit. Later cycles are not recorded.
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
