//! States of tasks and resources during a simulation.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Job;
use super::plan::Constants;
use super::regulation::{Regulated, Regulation};
use super::time_slices::{Gpu, Rotation, Turns};
use crate::engine::tournament::{NEVER, Tournament};
use gpusched_model::time::Time;

/// A job that a thread executes or will execute. All times are in ns.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Arrived {
    pub number: u64,
    pub arrival: u64,
    /// Earliest start of the thread: arrival plus jitter, or the end of the previous segment, or the instant at which a slot of a
    /// buffer became free.
    pub release: u64,
}

/// State of a thread. All times are in ns.
#[derive(Clone, Default, Debug)]
pub(super) struct Thread {
    /// The next job, which has not arrived. Only the first thread of a task uses this field.
    pub next: Arrived,
    /// Jobs that have arrived and wait for the current job.
    pub waiting: VecDeque<Arrived>,
    /// The current job, if `busy` is true.
    pub job: Arrived,
    pub busy: bool,
    /// Position of the current segment among the segments of the thread.
    pub segment: usize,
    /// Release of the current segment. A segment of a pipelined task can be released while its thread executes an earlier job.
    pub released: u64,
    /// Whether the current segment has started.
    pub started: bool,
    /// Execution time of the current segment.
    pub total: u64,
    /// Remaining execution time of the current segment when it last stopped.
    pub left: u64,
    /// Interval of executed time during which the current segment needs a channel of the memory.
    pub needs: (u64, u64),
    /// Number of jobs that the thread has completed. A queue entry with a smaller number is invalid.
    pub completed: u64,
}

impl Thread {
    /// Resets the state for a new run.
    pub fn clear(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        *self = Thread {
            waiting,
            ..Thread::default()
        };
        self.waiting.clear();
    }
}

/// Returns `arrived` with its task and deadline.
pub(super) fn job(constants: &Constants, arrived: Arrived) -> Job {
    Job {
        task: constants.task,
        number: arrived.number,
        arrival: Time::from_ns(arrived.arrival),
        deadline: Time::from_ns(arrived.arrival.saturating_add(constants.deadline)),
    }
}

/// A job that waits for a resource or occupies it. The resource serves the lowest entry first. Entries are compared
/// field by field, in this order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Entry {
    pub key: u64,
    /// Release of the segment [ns], or of the first segment of a busy-waiting job. For a pipelined task: arrival of the job,
    /// except under first in, first out.
    pub release: u64,
    pub thread: usize,
    /// Number of completed jobs of the thread at the release. The entry is invalid after the next completion.
    pub completed: u64,
}

/// State of a resource. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub waiting: BinaryHeap<Reverse<Entry>>,
    pub running: Option<Entry>,
    /// False after a change of `running` or of its segment, until the resource is dispatched again.
    pub armed: bool,
    /// End of the running segment if it is not preempted; [`NEVER`] while the running task busy-waits or waits for a
    /// channel.
    pub finish: u64,
    /// Whether the running segment waits for a channel of the memory.
    pub stalled: bool,
    /// Whether the resource is a context that waits for its turn.
    pub held: bool,
    /// Thread whose kernel ended at the present instant and left the context without kernels. The next kernel of this thread is
    /// later, even if the segments between them have length 0.
    pub emptied: Option<usize>,
    /// Whether the observer knows that the running segment executes, and the start of this execution.
    pub announced: bool,
    pub since: u64,
    /// Whether the resource is in the list of resources to dispatch.
    pub dirty: bool,
    /// Whether the resource is in the list of resources that changed at the present instant.
    pub touched: bool,
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            waiting: BinaryHeap::new(),
            running: None,
            armed: false,
            finish: NEVER,
            stalled: false,
            held: false,
            emptied: None,
            announced: false,
            since: 0,
            dirty: false,
            touched: false,
        }
    }
}

impl Lane {
    /// Resets the state for a new run.
    pub fn clear(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        *self = Lane {
            waiting,
            ..Lane::default()
        };
    }

    /// Whether `thread` occupies the resource.
    pub fn is_held_by(&self, thread: usize) -> bool {
        self.running.is_some_and(|entry| entry.thread == thread)
    }
}

/// State of a run.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub threads: Vec<Thread>,
    pub lanes: Vec<Lane>,
    /// Next events, in this order: one for each resource, one for the timer of each thread, and one for the next arrival
    /// of each thread. Only the first thread of a task has arrivals.
    pub agenda: Tournament,
    /// Numbers of the resources to dispatch.
    pub dirty: Vec<usize>,
    /// Numbers of the resources that changed at the present instant.
    pub touched: Vec<usize>,
    /// Turns of the time-sliced partitions.
    pub rotations: Vec<Rotation>,
    pub regulated: Regulated,
}

impl State {
    pub fn new(threads: usize, resources: usize) -> State {
        State {
            threads: vec![Thread::default(); threads],
            lanes: vec![Lane::default(); resources],
            agenda: Tournament::new(resources + 2 * threads),
            dirty: Vec::with_capacity(resources),
            touched: Vec::with_capacity(resources),
            rotations: Vec::new(),
            regulated: Regulated::new(None, threads, resources),
        }
    }

    /// Resets the state for a new run.
    pub fn clear(&mut self, gpus: &[Gpu], turns: Turns, regulation: Option<&Regulation>) {
        self.regulated = Regulated::new(regulation, self.threads.len(), self.lanes.len());
        self.threads.iter_mut().for_each(Thread::clear);
        self.lanes.iter_mut().for_each(Lane::clear);
        self.agenda.clear();
        self.dirty.clear();
        self.touched.clear();
        self.rotations.clear();
        for (number, gpu) in gpus.iter().enumerate() {
            self.rotations.push(Rotation::new(gpu, turns, number));
            for context in &gpu.contexts {
                self.lanes[context.resource].held = true;
            }
        }
    }
}
