//! The simulator of one system, which can execute many runs.

use super::plan::Plan;
use super::run::Run;
use super::thread::State;
use super::{Channels, Event, Extent, FOREVER, Regulation, Source, Turns};
use gpusched_model::Observer;
use gpusched_model::end_to_end::System;
use gpusched_model::error::Error;
use gpusched_model::time::Time;

/// Simulator of one system, which can execute many runs.
#[derive(Clone, Debug)]
pub struct Simulator {
    plan: Plan,
    state: State,
    memory: Option<Channels>,
    regulation: Option<Regulation>,
    turns: Turns,
}

impl Simulator {
    /// Prepares the simulation of `system`. `offsets_ns` contains the times of enforced releases: for each task and
    /// segment, the time from the arrival of a job to the earliest release of the segment [ns].
    ///
    /// # Errors
    /// Fails if `offsets_ns` does not have one time per segment, or if a task with enforced releases busy-waits or is pipelined.
    pub fn new(system: &System, offsets_ns: Option<&[Vec<Time>]>) -> Result<Simulator, Error> {
        let plan = Plan::new(system, offsets_ns)?;
        let state = State::new(plan.threads.len(), plan.rules.len());
        Ok(Simulator {
            plan,
            state,
            memory: None,
            regulation: None,
            turns: Turns::default(),
        })
    }

    /// Lets all resources share `memory` in the next runs.
    ///
    /// # Errors
    /// Fails if `memory` does not fit the system, or if a partition has preemption at block boundaries, or if a task is
    /// pipelined.
    pub fn share(&mut self, memory: Channels) -> Result<(), Error> {
        memory.check(&self.plan)?;
        self.memory = Some(memory);
        Ok(())
    }

    /// Lets best-effort cores with the regulation `regulation` access memory in the next runs. `system` is the system of the
    /// simulator.
    ///
    /// # Errors
    /// Fails if `regulation` does not fit the system, or if all resources share a memory.
    pub fn regulate(&mut self, system: &System, regulation: Regulation) -> Result<(), Error> {
        regulation.check(system)?;
        if self.memory.is_some() {
            let expected = "no shared memory, because a channel would hide the delays";
            return Err(Error::parameter("regulation", "a regulation", expected));
        }
        self.regulation = Some(regulation);
        Ok(())
    }

    /// Returns how long best-effort cores accessed memory from time 0 to `end` of the last run. `end` is at least the time of the last
    /// event.
    pub fn memory_time(&self, end: Time) -> Time {
        Time::from_ns(self.state.regulated.memory_until(end.ns()))
    }

    /// Returns the number of segments of the last run that ended after their nominal schedules. It is 0 without [`Regulation::slack`].
    pub fn late_segments(&self) -> u64 {
        self.state.regulated.late
    }

    /// Sets the behavior of time-sliced partitions in the next runs.
    pub fn set_turns(&mut self, turns: Turns) {
        self.turns = turns;
    }

    /// Executes the jobs of `source` within `extent`. `observer` receives each event. Each run starts at time 0 with
    /// idle resources.
    ///
    /// # Errors
    /// Fails if an event is later than [`FOREVER`].
    pub fn run(
        &mut self,
        source: &mut impl Source,
        extent: Extent,
        observer: &mut (impl Observer<Event> + ?Sized),
    ) -> Result<(), Error> {
        if extent.end > FOREVER {
            return Err(Error::parameter("duration", extent.end, "at most 2^62 ns"));
        }
        self.state
            .clear(&self.plan.time_sliced, self.turns, self.regulation.as_ref());
        Run {
            plan: &self.plan,
            memory: self.memory.as_ref(),
            regulation: self.regulation.as_ref(),
            state: &mut self.state,
            source,
            observer,
            extent,
            now: 0,
        }
        .execute()
    }
}
