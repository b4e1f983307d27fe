//! Reference implementation: a simulator that advances 1 ns at a time and searches all tasks at each step.

use super::*;
use gpusched::model::Overheads;
use gpusched::model::end_to_end::{CorePolicy, EnginePolicy, PartitionPolicy, Resource, Task};
use gpusched::model::streams::below;
use rand_chacha::ChaCha8Rng;

/// Times of one execution of a segment.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Record {
    pub task: usize,
    pub job: u64,
    pub segment: usize,
    pub released: u64,
    pub started: u64,
    pub ended: u64,
}

/// Occupation of a resource during 1 ns.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    pub at: u64,
    pub resource: Resource,
    pub task: usize,
    pub job: u64,
    pub segment: usize,
    pub spins: bool,
}

/// Everything that happened in a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Log {
    pub records: Vec<Record>,
    pub uses: Vec<Use>,
    /// Tasks and numbers of the jobs that missed their deadlines.
    pub misses: Vec<(usize, u64)>,
}

impl Log {
    pub fn sorted(mut self) -> Log {
        self.records.sort_unstable();
        self.uses.sort_unstable();
        self.misses.sort_unstable();
        self
    }
}

/// Collects the events of the fast simulator in a [`Log`].
#[derive(Default)]
pub struct Recorder {
    pub log: Log,
    starts: Vec<(Part, u64)>,
}

impl gpusched::model::Observer<Event> for Recorder {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Start(part) => self.starts.push((part, now.ns())),
            Event::End { part, released } => {
                let index = self.starts.iter().position(|(found, _)| *found == part).unwrap();
                let (_, started) = self.starts.swap_remove(index);
                self.log.records.push(Record {
                    task: part.job.task,
                    job: part.job.number,
                    segment: part.segment,
                    released: released.ns(),
                    started,
                    ended: now.ns(),
                });
            }
            Event::Ran {
                part,
                on,
                since,
                spins,
            } => {
                assert!(since < now);
                self.log.uses.extend((since.ns()..now.ns()).map(|at| Use {
                    at,
                    resource: on,
                    task: part.job.task,
                    job: part.job.number,
                    segment: part.segment,
                    spins,
                }));
            }
            Event::Miss(job) => self.log.misses.push((job.task, job.number)),
            Event::Arrival(_) | Event::Release(_) | Event::Complete(_) => {}
        }
    }
}

/// A job that has arrived. A sequential task has at most one such job at a time.
#[derive(Clone, Debug)]
struct Current {
    task: usize,
    number: usize,
    jitter: u64,
    complete: bool,
    arrival: u64,
    times: Vec<u64>,
    segment: usize,
    released: Option<u64>,
    /// Release of the first segment.
    entered: u64,
    started: Option<u64>,
    executed: u64,
}

/// Dispatchers of partitions with overheads, drawn within their bounds; half of the overheads equal the bound.
pub struct Dispatchers {
    pub bounds: Overheads,
    pub rng: ChaCha8Rng,
    /// For each resource: the time at which its idle dispatcher sees the kernels that are ready.
    pub wakes: Vec<Option<u64>>,
}

impl Dispatchers {
    fn overhead(&mut self, bound: Time) -> u64 {
        let bound = bound.ns() as usize;
        [bound, below(&mut self.rng, bound + 1)][below(&mut self.rng, 2)] as u64
    }
}

/// State of all tasks and resources.
struct Machine<'a> {
    system: &'a System,
    offsets: Option<&'a [Vec<Time>]>,
    now: u64,
    jobs: Vec<Current>,
    /// For each resource: the position of the job that occupies it, and whether the resource chose this job after the last
    /// change of its segment.
    holders: Vec<(Resource, Option<usize>, bool)>,
    dispatchers: Option<Dispatchers>,
}

/// Executes all jobs of `script`.
pub fn run(
    system: &System,
    offsets: Option<&[Vec<Time>]>,
    memory: Option<&Channels>,
    script: &Script<'_>,
) -> Log {
    run_with(system, offsets, (memory, None), script)
}

/// Executes all jobs of `script`. With `dispatchers`, each kernel takes up to o longer, and an idle partition starts a kernel
/// up to w later.
pub fn run_with(
    system: &System,
    offsets: Option<&[Vec<Time>]>,
    (memory, dispatchers): (Option<&Channels>, Option<Dispatchers>),
    script: &Script<'_>,
) -> Log {
    let mut log = Log::default();
    let mut machine = Machine {
        system,
        offsets,
        now: 0,
        jobs: Vec::new(),
        holders: system
            .resources()
            .map(|resource| (resource, None, false))
            .collect(),
        dispatchers,
    };
    let mut next = vec![0; system.tasks().len()];
    loop {
        loop {
            for job in machine.ending() {
                machine.end(job, &mut log);
            }
            for (task, next) in next.iter_mut().enumerate() {
                while let Some((arrival, times)) = script.jobs(task).nth(*next)
                    && (system.tasks()[task].is_pipelined() || machine.of(task).next().is_none())
                    && arrival.at.ns() <= machine.now
                {
                    let times = machine.occupancies(task, ns(times));
                    machine.jobs.push(Current {
                        task,
                        number: *next,
                        jitter: arrival.jitter.ns(),
                        complete: false,
                        arrival: arrival.at.ns(),
                        times,
                        segment: 0,
                        released: None,
                        entered: 0,
                        started: None,
                        executed: 0,
                    });
                    *next += 1;
                }
            }
            for job in 0..machine.jobs.len() {
                machine.release(job);
            }
            for resource in 0..machine.holders.len() {
                machine.dispatch(resource);
            }
            if machine.ending().is_empty() {
                break;
            }
        }
        let left = (0..next.len()).any(|task| script.jobs(task).nth(next[task]).is_some());
        if !left && machine.jobs.iter().all(|job| job.complete) {
            return log.sorted();
        }
        machine.step(memory, &mut log);
    }
}

impl Machine<'_> {
    /// Returns the jobs of `task` that are not complete, in the order of their arrivals.
    fn of(&self, task: usize) -> impl Iterator<Item = &Current> {
        let jobs = self.jobs.iter();
        jobs.filter(move |job| job.task == task && !job.complete)
    }

    fn on(&self, job: usize) -> Resource {
        let job = &self.jobs[job];
        self.system.tasks()[job.task].segments[job.segment].on
    }

    /// Returns `times` of the segments of a job, plus the overheads of its kernels.
    fn occupancies(&mut self, task: usize, mut times: Vec<u64>) -> Vec<u64> {
        if let Some(dispatchers) = &mut self.dispatchers {
            for (segment, time) in self.system.tasks()[task].segments.iter().zip(&mut times) {
                if matches!(segment.on, Resource::Partition(_)) {
                    *time += dispatchers.overhead(dispatchers.bounds.occupancy_ns);
                }
            }
        }
        times
    }

    /// Whether the dispatcher of the resource at `index` chooses now. The dispatcher of an idle partition first wakes up.
    fn is_awake(&mut self, index: usize) -> bool {
        let (resource, holder, _) = self.holders[index];
        let Some(dispatchers) = &mut self.dispatchers else {
            return true;
        };
        if !matches!(resource, Resource::Partition(_)) || holder.is_some() {
            return true;
        }
        let wake = match dispatchers.wakes[index] {
            Some(wake) if wake >= self.now => wake,
            _ => self.now + dispatchers.overhead(dispatchers.bounds.wake_ns),
        };
        dispatchers.wakes[index] = (wake > self.now).then_some(wake);
        wake <= self.now
    }

    /// Returns the jobs whose segments end now.
    fn ending(&self) -> Vec<usize> {
        let ends = |&job: &usize| {
            let holds = |&(resource, holder, chosen): &(Resource, Option<usize>, bool)| {
                resource == self.on(job) && holder == Some(job) && chosen
            };
            let Current {
                executed,
                times,
                segment,
                ..
            } = &self.jobs[job];
            *executed == times[*segment] && self.holders.iter().any(holds)
        };
        let jobs = (0..self.jobs.len()).filter(|&job| !self.jobs[job].complete);
        jobs.filter(ends).collect()
    }

    fn end(&mut self, number: usize, log: &mut Log) {
        let on = self.on(number);
        let job = &mut self.jobs[number];
        let of = &self.system.tasks()[job.task];
        let last = job.segment + 1 == of.segments.len();
        log.records.push(Record {
            task: job.task,
            job: job.number as u64,
            segment: job.segment,
            released: job.released.unwrap(),
            started: job.started.unwrap_or(self.now),
            ended: self.now,
        });
        for (index, (resource, holder, chosen)) in self.holders.iter_mut().enumerate() {
            if *holder == Some(number) {
                *chosen = false;
                let stays = of.spins() && resource.is_core() && !last;
                if !stays && (*resource == on || last) {
                    *holder = None;
                    // The dispatcher that sees this end also sees every kernel that is ready now.
                    if let Some(dispatchers) = &mut self.dispatchers {
                        dispatchers.wakes[index] = Some(self.now);
                    }
                }
            }
        }
        if last {
            if self.now > job.arrival + of.deadline.ns() {
                log.misses.push((job.task, job.number as u64));
            }
            job.complete = true;
        } else {
            job.segment += 1;
            job.released = None;
            job.started = None;
            job.executed = 0;
        }
    }

    /// Whether all jobs of the task before `job` satisfy `condition`.
    fn before(&self, job: &Current, condition: impl Fn(&Current) -> bool) -> bool {
        let earlier = self.of(job.task).filter(|other| other.number < job.number);
        earlier.into_iter().all(condition)
    }

    /// Whether the segment of `job` can be released: earlier jobs are released, and the buffer after the segment has a slot.
    fn has_turn(&self, job: &Current) -> bool {
        let task = &self.system.tasks()[job.task];
        let ordered = self.before(job, |other| {
            other.segment > job.segment || (other.segment == job.segment && other.released.is_some())
        });
        // Jobs before this job that have not left the segment after the buffer need its slots.
        let used = self
            .of(job.task)
            .filter(|other| other.number < job.number && other.segment <= job.segment + 1);
        let free = task
            .slots(job.segment)
            .is_none_or(|slots| (used.count() as u64) < slots);
        !task.is_pipelined() || (ordered && free)
    }

    fn release(&mut self, number: usize) {
        let job = &self.jobs[number];
        let offset = self
            .offsets
            .map_or(0, |offsets| offsets[job.task][job.segment].ns());
        let wait = if job.segment == 0 {
            job.jitter.max(offset)
        } else {
            offset
        };
        let now =
            !job.complete && job.released.is_none() && job.arrival + wait <= self.now && self.has_turn(job);
        if now {
            let job = &mut self.jobs[number];
            job.released = Some(self.now);
            if job.segment == 0 {
                job.entered = self.now;
            }
        }
    }

    /// Returns the key of a job on `resource` if the job is ready there. The job with the lowest key is first.
    fn key(&self, number: usize, resource: Resource) -> Option<(u64, u64, usize, usize)> {
        let job = &self.jobs[number];
        let of: &Task = &self.system.tasks()[job.task];
        let released = job.released.filter(|_| !job.complete)?;
        // With timers, the next timer is the deadline of a segment.
        let timers = self.offsets.map(|offsets| &offsets[job.task]);
        let next = timers.and_then(|timers| timers.get(job.segment + 1));
        let deadline = job.arrival + next.unwrap_or(&of.deadline).ns();
        let spins = of.spins() && of.core.map(Resource::Core) == Some(resource);
        if !spins && self.on(number) != resource {
            return None;
        }
        // A segment of a pipelined task executes one job at a time.
        if of.is_pipelined() && !self.before(job, |other| other.segment > job.segment) {
            return None;
        }
        let (primary, fifo) = match resource {
            Resource::Core(index) => match self.system.cores()[index].policy {
                CorePolicy::Fp => (of.priority.into(), false),
                CorePolicy::Edf => (deadline, false),
            },
            Resource::Engine(index) => match self.system.engines()[index].policy {
                EnginePolicy::Fifo => (released, true),
                EnginePolicy::NpFp => (of.gpu_priority.into(), false),
            },
            Resource::Partition(index) => match self.system.partitions()[index].policy {
                PartitionPolicy::NpFifo => (released, true),
                PartitionPolicy::NpFp | PartitionPolicy::Fp | PartitionPolicy::LpFp => {
                    (of.gpu_priority.into(), false)
                }
                PartitionPolicy::Edf | PartitionPolicy::NpEdf | PartitionPolicy::LpEdf => (deadline, false),
            },
        };
        let second = match of.is_pipelined() {
            true if fifo => released,
            true => job.arrival,
            false if spins => job.entered,
            false => released,
        };
        let thread = if of.is_pipelined() { job.segment } else { 0 };
        Some((primary, second, job.task, thread))
    }

    /// Whether a job can lose `resource` now.
    fn yields(&self, job: usize, resource: Resource) -> bool {
        let job = &self.jobs[job];
        let block = self.system.tasks()[job.task].segments[job.segment].block.ns();
        match resource {
            Resource::Core(_) => true,
            Resource::Engine(_) => job.started.is_none(),
            Resource::Partition(index) => match self.system.partitions()[index].policy {
                PartitionPolicy::Fp | PartitionPolicy::Edf => true,
                PartitionPolicy::LpFp | PartitionPolicy::LpEdf => job.executed.is_multiple_of(block),
                PartitionPolicy::NpFifo | PartitionPolicy::NpFp | PartitionPolicy::NpEdf => {
                    job.started.is_none()
                }
            },
        }
    }

    fn dispatch(&mut self, index: usize) {
        let (resource, holder, _) = self.holders[index];
        let ready = (0..self.jobs.len()).filter_map(|job| Some((self.key(job, resource)?, job)));
        let Some((best, first)) = ready.min() else {
            // An idle dispatcher sleeps until the next kernel.
            if let Some(dispatchers) = &mut self.dispatchers {
                dispatchers.wakes[index] = dispatchers.wakes[index].filter(|&wake| wake >= self.now);
            }
            return;
        };
        if !self.is_awake(index) {
            return;
        }
        let keeps = |job: usize| {
            let own = self.key(job, resource).unwrap();
            // An older job of a pipelined task replaces a younger job of equal priority.
            let equal = match self.system.tasks()[own.2].is_pipelined() {
                true => (own.0, own.1) <= (best.0, best.1),
                false => own.0 == best.0,
            };
            own.0 < best.0 || equal || !self.yields(job, resource)
        };
        let job = holder.filter(|&job| keeps(job)).unwrap_or(first);
        self.holders[index] = (resource, Some(job), true);
    }

    /// Executes 1 ns. With a memory, a segment without a channel that it needs makes no progress.
    fn step(&mut self, memory: Option<&Channels>, log: &mut Log) {
        let mut free = memory.map_or(0, |memory| memory.count);
        let order = memory.map_or((0..self.holders.len()).collect(), |memory| memory.order.clone());
        for number in order {
            let (resource, holder, _) = self.holders[number];
            let Some(job) = holder else { continue };
            let executes = self.on(job) == resource;
            let job = &mut self.jobs[job];
            let task = job.task;
            log.uses.push(Use {
                at: self.now,
                resource,
                task,
                job: job.number as u64,
                segment: job.segment,
                spins: !executes,
            });
            if executes {
                job.started.get_or_insert(self.now);
                let (total, burst) = (
                    job.times[job.segment],
                    memory.map_or(Burst::default(), |memory| memory.bursts[task][job.segment]),
                );
                let needs = match burst.last {
                    true => job.executed + burst.time >= total,
                    false => job.executed < burst.time,
                };
                if !needs || free > 0 {
                    free -= usize::from(needs);
                    job.executed += 1;
                }
            }
        }
        self.now += 1;
    }
}
