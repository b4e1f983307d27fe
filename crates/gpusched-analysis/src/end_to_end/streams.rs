//! Streams: the releases of the segments of a system. Segment k of task j releases one job in each interval
//! [a + φ, a + φ + J(j,k)], where a is an arrival of the task. The jitter J(j,k) comes from the bounds on the end of
//! the previous segment.

use gpusched_model::end_to_end::{Bounds, CorePolicy, PartitionPolicy, Resource, System, TaskBounds};
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Bytes};

use super::arithmetic::INFINITE;
use super::contexts::Gpu;
use super::memory::{Memory, Omitted};
use crate::interference::bandwidth::{Delay, Load, Source};

/// For a pipelined task, a value above this multiple of the larger one of period and deadline is no bound.
const LIMIT: u64 = 8;

/// The bounds of one segment [ns]; [`INFINITE`] if a bound is missing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// R: bound on the time from the arrival of the job to the end of the segment.
    pub end: u64,
    /// S: bound on the time from the release to the end of the segment.
    pub delay: u64,
}

/// Parameters of a segment [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Resource that executes the segment.
    pub on: Resource,
    /// c: WCET of the segment.
    pub cost: u64,
    /// Longest time without preemption under an `lp-` policy.
    pub block: u64,
    /// V: memory traffic; `None` if it is unknown.
    pub traffic: Option<Bytes>,
    /// d: peak memory bandwidth; `None` if it is unknown.
    pub bandwidth: Option<Bandwidth>,
    /// φ: minimum time from the arrival to the release, or the time of the release by a timer.
    pub earliest: u64,
    /// With timers: time from the release of the segment to the release of its successor. For the last segment: time to
    /// the deadline. Without timers: relative deadline of the task.
    pub deadline: u64,
    /// Whether the resource has fixed priorities with immediate preemption, and is no context. A window of a pipelined task can
    /// contain several segments on such resources.
    pub joint: bool,
}

impl Part {
    /// Returns d and V of the segment [nano-bytes per nanosecond, nano-bytes].
    fn moved(&self, memory: Bandwidth) -> (u128, u128) {
        let peak = self.bandwidth.map_or(memory, |peak| peak.min(memory));
        let rate = u128::from(peak.bytes_per_second());
        let most = rate.saturating_mul(self.cost.into());
        (rate, self.traffic.map_or(most, |bytes| bytes.nano().min(most)))
    }
}

/// Parameters of a task [ns].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Owner {
    pub period: u64,
    pub deadline: u64,
    pub jitter: u64,
    pub priority: u32,
    pub gpu_priority: u32,
    /// Whether the task occupies its core while it waits.
    pub spins: bool,
    /// Whether each segment is a thread.
    pub pipelined: bool,
    /// Slots of the buffers of a pipelined task; see [`Task::buffers`](gpusched_model::end_to_end::Task::buffers).
    pub slots: Vec<Option<u32>>,
    /// Values above this limit are not bounds: the period, or a multiple of period and deadline of a pipelined task.
    pub limit: u64,
    pub parts: Vec<Part>,
    /// Sum of all BCETs.
    pub least: u64,
    /// Positions of the first and the last segment on a core.
    pub on_core: Option<(usize, usize)>,
}

/// Parameters of a system, and the bounds that are known so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub tasks: Vec<Owner>,
    pub bounds: Vec<Vec<Bound>>,
    pub memory: Option<Memory>,
    pub time_sliced: Vec<Gpu>,
    /// Whether timers release the segments.
    pub enforced: bool,
    /// Whether each segment must end before the timer releases its successor.
    pub windows: bool,
}

impl State {
    /// Returns the state without waiting: each segment takes its WCET. Every bound of this state is at most its value
    /// in the least solution.
    ///
    /// `offsets` contains the time from the arrival of a job to the release of each segment by a timer.
    pub fn new(system: &System, offsets: Option<&[Vec<Time>]>) -> State {
        let tasks: Vec<Owner> = system
            .tasks()
            .iter()
            .enumerate()
            .map(|(index, task)| {
                let timers = offsets.and_then(|offsets| offsets.get(index));
                let parts = task
                    .segments
                    .iter()
                    .enumerate()
                    .map(|(position, segment)| {
                        let timer = |position: usize| {
                            timers
                                .and_then(|timers| timers.get(position))
                                .map(|time| time.ns())
                        };
                        let earliest = timer(position).unwrap_or(task.earliest(position).ns());
                        let next = timer(position + 1).unwrap_or(task.deadline.ns());
                        Part {
                            on: segment.on,
                            cost: segment.wcet.ns(),
                            block: segment.block.ns(),
                            traffic: segment.traffic,
                            bandwidth: segment.bandwidth,
                            earliest,
                            deadline: next.saturating_sub(earliest),
                            joint: joint(system, segment.on),
                        }
                    })
                    .collect::<Vec<Part>>();
                let first = parts.iter().position(|part| part.on.is_core());
                let last = parts.iter().rposition(|part| part.on.is_core());
                Owner {
                    period: task.period.ns(),
                    deadline: task.deadline.ns(),
                    jitter: task.jitter.ns(),
                    priority: task.priority,
                    gpu_priority: task.gpu_priority,
                    spins: task.spins(),
                    pipelined: task.is_pipelined(),
                    slots: task.buffers.clone(),
                    limit: match task.is_pipelined() {
                        true => task.period.max(task.deadline).ns().saturating_mul(LIMIT),
                        false => task.period.ns(),
                    },
                    parts,
                    least: task.earliest(task.segments.len()).ns(),
                    on_core: first.zip(last),
                }
            })
            .collect();
        let bounds = tasks
            .iter()
            .map(|task| {
                let mut end = task.jitter;
                task.parts
                    .iter()
                    .map(|part| {
                        end = end.saturating_add(part.cost);
                        Bound {
                            end,
                            delay: part.cost,
                        }
                    })
                    .collect()
            })
            .collect();
        State {
            memory: Memory::of(system, |memory| {
                let parts = tasks.iter().flat_map(|task| &task.parts);
                parts.map(|part| (part.on, part.moved(memory))).collect()
            }),
            time_sliced: Gpu::all(system),
            tasks,
            bounds,
            enforced: offsets.is_some(),
            windows: false,
        }
    }

    pub fn part(&self, task: usize, segment: usize) -> &Part {
        &self.tasks[task].parts[segment]
    }

    pub fn bound(&self, task: usize, segment: usize) -> Bound {
        self.bounds[task][segment]
    }

    /// R: bound on the response time of `task`.
    pub fn response(&self, task: usize) -> u64 {
        self.bounds[task].last().map_or(INFINITE, |bound| bound.end)
    }

    /// Whether late jobs of a sequential task queue behind each other, because the task has no bound. A stage of a pipelined task
    /// does not wait for later stages.
    pub fn queue(&self, task: usize) -> bool {
        !self.tasks[task].pipelined && self.response(task) == INFINITE
    }

    /// J(j,k): longest time from the earliest to the latest release of a segment. If a task with several segments has
    /// no bound, its jobs queue behind each other, so no segment has a bound on its jitter.
    pub fn jitter(&self, task: usize, segment: usize) -> u64 {
        let owner = &self.tasks[task];
        if owner.pipelined {
            return match self.eligible(task, segment) {
                INFINITE => INFINITE,
                end => end.saturating_sub(owner.parts[segment].earliest),
            };
        }
        if owner.parts.len() > 1 && self.queue(task) && self.enforced == self.windows {
            return INFINITE;
        }
        if self.enforced {
            return if segment == 0 { owner.jitter } else { 0 };
        }
        match segment.checked_sub(1) {
            None => owner.jitter,
            Some(before) => match self.bound(task, before).end {
                INFINITE => INFINITE,
                end => end.saturating_sub(owner.parts[segment].earliest),
            },
        }
    }

    /// A(i,k): bound on the time from the arrival of a job to the moment when a segment of a pipelined task is eligible.
    pub fn eligible(&self, task: usize, segment: usize) -> u64 {
        let owner = &self.tasks[task];
        let slots = owner.slots.get(segment).copied().flatten();
        let before = match segment.checked_sub(1) {
            None => owner.jitter,
            Some(before) => self.bound(task, before).end,
        };
        let free = slots.map(|slots| match self.bound(task, segment + 1).end {
            INFINITE => INFINITE,
            end => end.saturating_sub(u64::from(slots).saturating_mul(owner.period)),
        });
        free.map_or(before, |free| free.max(before))
    }

    /// δ: minimum time between two releases of a segment; 0 if it is unknown. A sequential task executes a whole job between them.
    pub fn distance(&self, task: usize, segment: usize) -> u64 {
        let owner = &self.tasks[task];
        if !owner.pipelined {
            return if self.enforced { 0 } else { owner.least };
        }
        match (owner.slots.get(segment), segment.checked_sub(1)) {
            (Some(Some(_)), _) | (_, None) => 0,
            (_, Some(before)) => owner.parts[segment]
                .earliest
                .saturating_sub(owner.parts[before].earliest),
        }
    }

    /// Returns the work of the requests of a segment of a pipelined task that may be outstanding at any moment.
    pub fn outstanding(&self, task: usize, segment: usize) -> u64 {
        let (owner, part) = (&self.tasks[task], self.part(task, segment));
        match self.bound(task, segment).end {
            INFINITE => INFINITE,
            end => {
                let lag = end.saturating_sub(part.earliest);
                lag.div_ceil(owner.period).saturating_mul(part.cost)
            }
        }
    }

    /// Returns the stream of a segment: J, T and c.
    pub fn stream(&self, task: usize, segment: usize) -> (u64, u64, u64) {
        let owner = &self.tasks[task];
        (
            self.jitter(task, segment),
            owner.period,
            owner.parts[segment].cost,
        )
    }

    /// Returns the jitter of a segment whose jobs carry their work into a window: R(j,k) − c − φ. Returns [`INFINITE`]
    /// if the segment has no bound, or if late jobs of its task queue.
    pub fn carried(&self, task: usize, segment: usize) -> u64 {
        let (part, end) = (self.part(task, segment), self.bound(task, segment).end);
        if end == INFINITE || self.queue(task) {
            return INFINITE;
        }
        end.saturating_sub(part.cost).saturating_sub(part.earliest)
    }

    /// Returns the stream of whole jobs that carry their work into a window: jitter, period and cost. The work is on one resource:
    /// `segments`. Without segments or without a bound, the jitter is [`INFINITE`].
    pub fn whole(&self, task: usize, segments: &[usize]) -> (u64, u64, u64) {
        let owner = &self.tasks[task];
        let costs = segments.iter().map(|&segment| owner.parts[segment].cost);
        let cost = costs.fold(0, u64::saturating_add);
        let jitter = match (segments.first(), segments.last()) {
            (Some(&first), Some(&last)) if self.bound(task, last).end != INFINITE && !self.queue(task) => {
                let end = self.bound(task, last).end;
                let earliest = owner.parts[first].earliest;
                end.saturating_sub(cost).saturating_sub(earliest)
            }
            _ => INFINITE,
        };
        (jitter, owner.period, cost)
    }

    /// Whether late jobs of `other` queue behind each other at the priority of the analyzed task. If so, these jobs may
    /// be pending at the start of every window, because a segment of the analyzed task may run while they are pending.
    pub fn queues(&self, other: usize, same_priority: bool) -> bool {
        same_priority && self.enforced == self.windows && self.queue(other)
    }

    /// Returns the sum of the WCETs of the task on its core and of the delays of all other segments.
    pub fn with_waiting(&self, task: usize) -> u64 {
        let owner = &self.tasks[task];
        let parts = owner.parts.iter().zip(&self.bounds[task]);
        let sum = parts.map(|(part, bound)| if part.on.is_core() { part.cost } else { bound.delay });
        sum.fold(0, u64::saturating_add)
    }

    /// E: longest time for which a job of the task executes or waits. A job ends at most R after its arrival.
    pub fn active(&self, task: usize) -> u64 {
        self.with_waiting(task).min(self.response(task))
    }

    /// Returns the sum of the WCETs and delays of the segments up to `segment`.
    pub fn prefix(&self, task: usize, segment: usize) -> u64 {
        let parts = self.tasks[task]
            .parts
            .iter()
            .zip(&self.bounds[task])
            .take(segment + 1);
        let sum = parts.map(|(part, bound)| if part.on.is_core() { part.cost } else { bound.delay });
        sum.fold(0, u64::saturating_add)
    }

    /// Returns the time that `resource` loses in any window, because of the traffic of all other resources.
    pub fn lost(&self, resource: Resource, omitted: Omitted) -> Delay {
        let Some(memory) = self.memory.filter(|memory| memory.contended) else {
            return Delay::new(Bandwidth::LIMIT, []);
        };
        let mut others: Vec<(Resource, Vec<Source>)> = Vec::new();
        for (task, owner) in self.tasks.iter().enumerate() {
            if omitted == Omitted::Task(task) {
                continue;
            }
            for (segment, part) in owner
                .parts
                .iter()
                .enumerate()
                .filter(|(_, part)| part.on != resource)
            {
                let end = match self.response(task) {
                    INFINITE => INFINITE, // the jobs of the task may queue
                    _ => self.bound(task, segment).end,
                };
                let span = (end != INFINITE).then(|| Time::from_ns(end.saturating_sub(part.earliest)));
                let period = Time::from_ns(owner.period);
                let source = Source::of_segment(part.moved(memory.bandwidth), period, span);
                match others.iter_mut().find(|(other, _)| *other == part.on) {
                    Some((_, sources)) => sources.push(source),
                    None => others.push((part.on, vec![source])),
                }
            }
        }
        // A resource executes one segment at a time.
        Delay::new(
            memory.bandwidth,
            others.into_iter().map(|(_, sources)| Load::new(sources)),
        )
    }

    /// Whether the context of a segment is idle just before each release of the segment: only this task uses the context, and
    /// the previous segment is on another resource. If the last segment of the previous job is on the context, this job must
    /// end before the next arrival.
    pub fn starts_fresh(&self, task: usize, segment: usize) -> bool {
        let owner = &self.tasks[task];
        if owner.pipelined {
            return false; // an older job may use the context
        }
        let on = owner.parts[segment].on;
        let mut gpus = self.time_sliced.iter();
        let idle = match segment.checked_sub(1) {
            Some(before) => owner.parts[before].on != on,
            None => owner.parts.last().is_none_or(|last| last.on != on) || self.response(task) < owner.period,
        };
        idle && gpus.any(|gpu| gpu.serves_only(on, task))
    }

    /// Returns the longest time for which a segment blocks other segments in a window, if it started before the window.
    /// Without a shared memory, the segment has executed for at least 1 ns before the window. With a shared memory, the
    /// segment may have lost this time.
    pub fn blocking(&self, length: u64) -> u64 {
        length.saturating_sub(u64::from(self.memory.is_none()))
    }

    /// Returns the table of bounds.
    pub fn table(&self) -> Bounds {
        let time = |ns: u64| (ns != INFINITE).then_some(Time::from_ns(ns));
        let rows = self
            .tasks
            .iter()
            .zip(&self.bounds)
            .map(|(task, bounds)| TaskBounds {
                // The first stages of a pipelined task may have bounds without a bound on the task.
                ends_ns: match bounds.last() {
                    Some(last) if last.end == INFINITE && !task.pipelined => vec![None; bounds.len()],
                    _ => bounds.iter().map(|bound| time(bound.end)).collect(),
                },
                delays_ns: task
                    .parts
                    .iter()
                    .zip(bounds)
                    .map(|(part, bound)| {
                        if task.pipelined || (part.on.is_core() && !self.enforced) {
                            None
                        } else {
                            time(bound.delay)
                        }
                    })
                    .collect(),
            });
        Bounds(rows.collect())
    }
}

/// Whether `resource` has fixed priorities with immediate preemption, and is no context.
fn joint(system: &System, resource: Resource) -> bool {
    let fp = match resource {
        Resource::Core(index) => {
            let core = system.cores().get(index);
            core.is_some_and(|core| core.policy == CorePolicy::Fp)
        }
        Resource::Engine(_) => false,
        Resource::Partition(index) => {
            let partition = system.partitions().get(index);
            partition.is_some_and(|partition| partition.policy == PartitionPolicy::Fp)
        }
    };
    fp && system.context(resource).is_none()
}
