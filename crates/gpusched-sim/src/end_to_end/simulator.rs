//! The simulator of one system, which can execute many runs.

use super::plan::Plan;
use super::run::Run;
use super::thread::{Lane, Thread};
use super::{Channels, Event, Source};
use crate::engine::tournament::Tournament;
use gpusched_model::Observer;
use gpusched_model::end_to_end::System;
use gpusched_model::error::Error;
use gpusched_model::time::Time;

/// Maximum time in a simulation: 2⁶² ns.
pub const FOREVER: Time = Time::from_ns(1 << 62);

/// Limits on the length of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Only jobs that arrive before this time are simulated [ns]; at most [`FOREVER`].
    pub end: Time,
    /// Maximum number of jobs of each task.
    pub jobs: u64,
    /// Whether the run stops at `end`. If false, the run completes all jobs that arrive before `end`.
    pub cut: bool,
}

impl Extent {
    /// All jobs of the source.
    pub const ALL: Extent = Extent::before(FOREVER);

    /// All jobs that arrive before `end`. The run completes these jobs.
    pub const fn before(end: Time) -> Extent {
        Extent {
            end,
            jobs: u64::MAX,
            cut: false,
        }
    }

    /// The first `jobs` jobs of each task.
    pub const fn jobs(jobs: u64) -> Extent {
        Extent { jobs, ..Extent::ALL }
    }

    /// All jobs that arrive before `end`. The run stops at `end`.
    pub const fn until(end: Time) -> Extent {
        Extent {
            cut: true,
            ..Extent::before(end)
        }
    }
}

/// Simulator of one system, which can execute many runs.
#[derive(Clone, Debug)]
pub struct Simulator {
    plan: Plan,
    state: State,
    memory: Option<Channels>,
}

/// State of a run.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub threads: Vec<Thread>,
    pub lanes: Vec<Lane>,
    /// Next events, in this order: one for each resource, one for the timer of each task, and one for the next arrival
    /// of each task.
    pub agenda: Tournament,
    /// Numbers of the resources to dispatch.
    pub dirty: Vec<usize>,
    /// Numbers of the resources that changed at the present instant.
    pub touched: Vec<usize>,
}

impl Simulator {
    /// Prepares the simulation of `system`. `offsets_ns` contains the times of enforced releases: for each task and
    /// segment, the time from the arrival of a job to the earliest release of the segment [ns].
    ///
    /// # Errors
    /// Fails if `offsets_ns` does not have one time per segment, or if a task with enforced releases busy-waits.
    pub fn new(system: &System, offsets_ns: Option<&[Vec<Time>]>) -> Result<Simulator, Error> {
        let plan = Plan::new(system, offsets_ns)?;
        let (tasks, resources) = (plan.tasks.len(), plan.rules.len());
        let state = State {
            threads: vec![Thread::default(); tasks],
            lanes: vec![Lane::default(); resources],
            agenda: Tournament::new(resources + 2 * tasks),
            dirty: Vec::with_capacity(resources),
            touched: Vec::with_capacity(resources),
        };
        Ok(Simulator {
            plan,
            state,
            memory: None,
        })
    }

    /// Lets all resources share `memory` in the next runs.
    ///
    /// # Errors
    /// Fails if `memory` does not fit the system, or if a partition has preemption at block boundaries.
    pub fn share(&mut self, memory: Channels) -> Result<(), Error> {
        memory.check(&self.plan)?;
        self.memory = Some(memory);
        Ok(())
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
        self.state.clear();
        Run {
            plan: &self.plan,
            memory: self.memory.as_ref(),
            state: &mut self.state,
            source,
            observer,
            extent,
            now: 0,
        }
        .execute()
    }
}

impl State {
    /// Resets the state for a new run.
    fn clear(&mut self) {
        self.threads.iter_mut().for_each(Thread::clear);
        self.lanes.iter_mut().for_each(Lane::clear);
        self.agenda.clear();
        self.dirty.clear();
        self.touched.clear();
    }
}
