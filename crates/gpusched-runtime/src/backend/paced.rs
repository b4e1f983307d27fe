//! The backend without a GPU for the jobs of a program: virtual time that never runs ahead of the clock.
//!
//! The thread of a partition calls the program for each job, and waits for a random execution time. The recorded times are the planned
//! times, so a busy computer delays the program but breaks no bound. Times are on CLOCK_MONOTONIC.

use std::cell::Cell;
use std::convert::Infallible;

use gpusched_model::error::Result;
use gpusched_model::time::Time;

use super::threads::{Gate, together};
use super::{Lane, dispatch};
use crate::client::{Client, LEAD, Launched, OPEN_END, Served, Signal, Start, not_passed};
use crate::core::{Job, Outcome};
use crate::realtime;
use crate::run::{PartRun, Run};
use crate::trace::Heading;
use crate::trace::ring::Slots;
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
/// Fails in the same cases as [`Part::core`](crate::Part::core) and [`Ring::prepare`](crate::trace::ring::Ring::prepare), if the system
/// does not create a thread, or if the stated time of the first arrivals has passed.
pub fn serve(start: Start, work: &Work) -> Result<Run> {
    let Start {
        first,
        partitions,
        ring,
        running,
    } = start;
    let ring = ring.as_ref();
    if let Some((ring, heading)) = ring {
        ring.prepare(&Heading {
            wake_bound: WAKE_BOUND,
            contexts: vec![None; partitions.len()],
            ..heading.clone()
        })?;
    }
    let origin = Cell::new(0);
    let begin = || {
        let now = realtime::now();
        not_passed(first, now)?;
        origin.set(if first == 0 {
            now.saturating_add(LEAD)
        } else {
            first
        });
        ring.iter().for_each(|(ring, _)| ring.begin(origin.get()));
        // The session may have ended already.
        let _ = running.send(origin.get());
        Ok(origin.get())
    };
    let serve = |index, served, gate| {
        let slots = ring.and_then(|(ring, _)| ring.slots(index));
        serve_part((served, slots), work, gate)
    };
    let partitions = together(partitions, serve, begin, None)?;
    Ok(Run {
        origin: origin.get(),
        partitions,
        machine: None,
        interrupted: 0,
        duration: Time::from_ns(OPEN_END),
        wake_bound: WAKE_BOUND,
        stopped: true,
        own: true,
    })
}

/// A planned wake-up is never late.
const WAKE_BOUND: Option<Time> = Some(Time::ZERO);

/// Runs one partition.
fn serve_part((served, mut slots): (Served, Option<Slots<'_>>), work: &Work, gate: Gate) -> Result<PartRun> {
    let Served { part, client, .. } = served;
    let wake_bound = Time::from_ns(u64::MAX);
    // After the gate, the same call succeeds, because only the order of the tasks can be wrong.
    part.core(0, 0, wake_bound)?;
    let first = gate.wait()?;
    let end = first.saturating_add(OPEN_END);
    let mut core = part.core(first, end, wake_bound)?;
    let mut lane = Paced {
        now: first.min(realtime::now()),
        draws: work.of(&part.tasks),
        client,
        pending: None,
    };
    let done = |lane: &mut Paced, record| {
        slots.iter_mut().for_each(|slots| slots.push(&record));
        lane.client.done(&record);
    };
    match dispatch(&mut core, &mut lane, done) {
        Ok(()) => lane.client.ended(None),
        Err(never) => match never {},
    }
    Ok(PartRun::of(&core, &part, Vec::new()))
}
