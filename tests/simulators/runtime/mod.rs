//! Guarantee: the dispatcher of the runtime follows the rules of the job simulator, and a plan that is proven with overheads
//! meets all deadlines within these overheads.

mod audits;
mod dispatcher;
mod interleavings;
mod overheads;
mod ring;
mod same_schedule;
mod topology;

use std::convert::Infallible;

use gpusched::runtime::backend::{Lane, dispatch};
use gpusched::runtime::core::{Core, Job, Outcome, Record};

use crate::support::rounds;

/// Number of random sets. `GPUSCHED_TESTS=5` checks a million.
fn sets() -> u64 {
    rounds(200_000)
}

/// A partition in virtual time.
struct Driven<'a> {
    now: u64,
    /// Occupancy of a job or of its next chunk [ns], and whether the chunk is the last one.
    occupancy: &'a mut dyn FnMut(Job) -> (u64, bool),
    /// Delay of a wake-up [ns].
    late: &'a mut dyn FnMut() -> u64,
}

impl Lane for Driven<'_> {
    type Error = Infallible;

    fn now(&mut self) -> u64 {
        self.now
    }

    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), Infallible> {
        let (time, last) = (self.occupancy)(*job);
        self.now = decision + time;
        let outcome = Outcome {
            enqueued: decision,
            overhead: None,
            failed: false,
            last,
        };
        Ok((self.now, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        self.now = self.now.max(until + (self.late)());
        self.now
    }
}

/// Runs `core` in virtual time, and returns the records of all jobs.
fn drive(
    core: &mut Core,
    occupancy: &mut dyn FnMut(Job) -> (u64, bool),
    late: &mut dyn FnMut() -> u64,
) -> Vec<Record> {
    let mut records = Vec::new();
    let mut lane = Driven {
        now: 0,
        occupancy,
        late,
    };
    dispatch(core, &mut lane, |_, record| records.push(record)).unwrap();
    records
}
