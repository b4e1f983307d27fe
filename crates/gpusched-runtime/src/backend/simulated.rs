//! The backend without a GPU: each partition runs in virtual time, with drawn execution times and overheads.
//!
//! Partitions share nothing in the analysis of a plan without memory interference, so each partition has its own
//! virtual clock.

use std::convert::Infallible;

use gpusched_model::error::Result;
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use rand_chacha::ChaCha8Rng;

use super::{Lane, dispatch};
use crate::core::{Job, Outcome, Record};
use crate::program::{Part, Program};
use crate::run::{PartRun, Run};
use crate::work::{Draws, Work, uniform};

/// A partition in virtual time. All times are in ns.
struct Virtual {
    now: u64,
    draws: Draws,
    overheads: ChaCha8Rng,
    /// Longest overhead of a job, and longest delay of a wake-up.
    longest: (u64, u64),
}

impl Lane for Virtual {
    type Error = Infallible;

    fn now(&mut self) -> u64 {
        self.now
    }

    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), Infallible> {
        interrupt::check();
        let overhead = uniform(&mut self.overheads, self.longest.0);
        let enqueue = uniform(&mut self.overheads, overhead);
        let outcome = Outcome {
            enqueued: decision.saturating_add(enqueue),
            failed: false,
        };
        let execution = self.draws.next(job.task, job.number);
        self.now = decision.saturating_add(overhead).saturating_add(execution);
        Ok((self.now, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        let late = uniform(&mut self.overheads, self.longest.1);
        self.now = self.now.max(until.saturating_add(late));
        self.now
    }
}

/// Runs `program` in virtual time. The first job of each task arrives at time 0, and no job arrives at `end` or later.
///
/// # Errors
/// Fails in the same cases as [`Part::core`].
pub fn run(program: &Program, work: &Work, end: Time) -> Result<Run> {
    let partitions = program.partitions.iter().enumerate();
    let partitions = partitions.map(|(index, part)| {
        let mut records = Vec::new();
        let core = run_part(program, (index, part), work, end, |record| records.push(record))?;
        Ok(PartRun::of(&core, records))
    });
    Ok(Run {
        origin: 0,
        partitions: partitions.collect::<Result<_>>()?,
        machine: None,
        wakes_checked: true,
    })
}

/// Runs one partition. `done` receives each record.
fn run_part(
    program: &Program,
    (index, part): (usize, &Part),
    work: &Work,
    end: Time,
    done: impl FnMut(Record),
) -> Result<crate::core::Core> {
    let overheads = program.overheads.unwrap_or_default();
    let mut core = part.core(0, end.ns(), overheads.wake_ns)?;
    let mut lane = Virtual {
        now: 0,
        draws: work.of(&part.tasks),
        overheads: stream(work.seed, Purpose::DispatchOverheads, 0, index as u64),
        longest: (overheads.occupancy_ns.ns(), overheads.wake_ns.ns()),
    };
    match dispatch(&mut core, &mut lane, done) {
        Ok(()) => Ok(core),
        Err(never) => match never {},
    }
}
