//! The backend without a GPU for the jobs of a program: virtual time that never runs ahead of the clock.
//!
//! The thread of a partition calls the program for each job, and waits for a random execution time. The recorded times are the planned
//! times, so a busy computer delays the program but breaks no bound. Times are on CLOCK_MONOTONIC.

use std::convert::Infallible;

use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

use super::{Lane, dispatch};
use crate::client::{Client, LEAD, Launched, OPEN_END, Served, Signal, Start};
use crate::core::{Job, Outcome};
use crate::realtime;
use crate::run::{PartRun, Run};
use crate::work::{Draws, Work};

/// A partition in virtual time that keeps behind the clock [ns].
struct Paced {
    now: u64,
    draws: Draws,
    client: Box<dyn Client>,
    pending: Option<Signal>,
}

impl Lane for Paced {
    type Error = Infallible;

    fn now(&mut self) -> u64 {
        self.now
    }

    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), Infallible> {
        let (execution, last) = self.draws.next(job);
        let failed = self.client.enqueue(0, job) == Launched::Failed;
        self.now = match failed {
            true => decision,
            false => decision.saturating_add(execution),
        };
        while realtime::now() < self.now {
            realtime::sleep_until(self.now);
        }
        let outcome = Outcome {
            enqueued: decision,
            overhead: None,
            failed,
            last: last || failed,
        };
        Ok((self.now, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        while realtime::now() < until {
            self.pending = self.client.signal(until);
            if let Some(signal) = self.pending {
                let at = match signal {
                    Signal::Release { at, .. } => at,
                    Signal::Stop => self.now,
                };
                self.now = self.now.max(at).min(until);
                return self.now;
            }
        }
        self.now = self.now.max(until);
        self.now
    }

    fn signal(&mut self) -> Option<Signal> {
        self.pending.take().or_else(|| self.client.signal(0))
    }
}

/// Runs the jobs of a program without a GPU until the program stops the dispatchers. `work` states the execution times.
///
/// # Errors
/// Fails in the same cases as [`Part::core`](crate::Part::core).
pub fn serve(start: Start, work: &Work) -> Result<Run> {
    let first = match start.first {
        0 => realtime::now().saturating_add(LEAD),
        first => first,
    };
    // The session may have ended already.
    let _ = start.running.send(first);
    let panicked = || Error::Internal("the thread of a partition panicked".to_owned());
    let partitions = std::thread::scope(|scope| {
        let parts = start.partitions.into_iter();
        let threads: Vec<_> = parts
            .map(|served| scope.spawn(move || serve_part(served, work, first)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| panicked()).flatten())
            .collect::<Result<_>>()
    })?;
    Ok(Run {
        origin: first,
        partitions,
        machine: None,
        interrupted: 0,
        duration: Time::from_ns(OPEN_END),
        // A planned wake-up is never late.
        wake_bound: Some(Time::ZERO),
        stopped: true,
        own: true,
    })
}

/// Runs one partition.
fn serve_part(served: Served, work: &Work, first: u64) -> Result<PartRun> {
    let Served { part, client, .. } = served;
    let end = first.saturating_add(OPEN_END);
    let mut core = part.core(first, end, Time::from_ns(u64::MAX))?;
    let mut lane = Paced {
        now: first.min(realtime::now()),
        draws: work.of(&part.tasks),
        client,
        pending: None,
    };
    match dispatch(&mut core, &mut lane, |lane, record| lane.client.done(&record)) {
        Ok(()) => lane.client.ended(None),
        Err(never) => match never {},
    }
    Ok(PartRun::of(&core, &part, Vec::new()))
}
