//! The backend without a GPU: each partition runs in virtual time, with drawn execution times and overheads.
//!
//! Partitions share nothing in the analysis of a plan without memory interference, so each partition has its own
//! virtual clock.

use std::convert::Infallible;
use std::sync::atomic::Ordering;

use gpusched_model::error::Result;
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use rand_chacha::ChaCha8Rng;

use super::{Backend, Control, Lane, dispatch};
use crate::core::{Job, Outcome, Record};
use crate::program::{Part, Program};
use crate::run::{PartRun, Run};
use crate::trace::Heading;
use crate::work::{Draws, Work, uniform};

/// A partition in virtual time. All times are in ns.
struct Virtual<'a> {
    now: u64,
    draws: Draws,
    overheads: ChaCha8Rng,
    /// Longest overhead of a job, and longest delay of a wake-up.
    longest: (u64, u64),
    control: Control<'a>,
}

impl Lane for Virtual<'_> {
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

    fn stops(&self) -> bool {
        self.control.stop.load(Ordering::Relaxed)
    }
}

/// Runs `program` in virtual time. The first job of each task arrives at time 0, and no job arrives at `end` or later.
///
/// # Errors
/// Fails in the same cases as [`Part::core`] and [`Ring::prepare`](crate::trace::ring::Ring::prepare).
pub fn run(program: &Program, work: &Work, end: Time, control: Control<'_>) -> Result<Run> {
    let wake_bound = Some(program.overheads.wake_ns);
    if let Some(ring) = control.ring {
        ring.prepare(&Heading {
            program: program.clone(),
            work: work.clone(),
            backend: Backend::Simulated.to_string(),
            duration: end,
            wake_bound,
            machine: None,
            contexts: vec![None; program.partitions.len()],
        })?;
    }
    let partitions = program.partitions.iter().enumerate();
    let partitions = partitions.map(|(index, part)| {
        let mut records = Vec::new();
        let mut slots = control.ring.and_then(|ring| ring.slots(index));
        let done = |record| {
            slots.iter_mut().for_each(|slots| slots.push(&record));
            records.push(record);
        };
        let core = run_part(program, (index, part), work, (end, control), done)?;
        Ok(PartRun::of(&core, records))
    });
    let partitions: Vec<PartRun> = partitions.collect::<Result<_>>()?;
    Ok(Run {
        origin: 0,
        duration: end,
        wake_bound,
        stopped: control.stopped(program, end, &partitions),
        partitions,
        machine: None,
    })
}

/// Runs one partition. `done` receives each record.
fn run_part(
    program: &Program,
    (index, part): (usize, &Part),
    work: &Work,
    (end, control): (Time, Control<'_>),
    done: impl FnMut(Record),
) -> Result<crate::core::Core> {
    let overheads = &program.overheads;
    let mut core = part.core(0, end.ns(), overheads.wake_ns)?;
    let mut lane = Virtual {
        now: 0,
        draws: work.of(&part.tasks),
        overheads: stream(work.seed, Purpose::DispatchOverheads, 0, index as u64),
        longest: (overheads.occupancy_ns.ns(), overheads.wake_ns.ns()),
        control,
    };
    match dispatch(&mut core, &mut lane, done) {
        Ok(()) => Ok(core),
        Err(never) => match never {},
    }
}
