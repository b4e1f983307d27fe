//! Observer that measures reaction times and data ages of chains.

use std::collections::VecDeque;

use crate::end_to_end::{Event, Job};
use gpusched_model::Observer;
use gpusched_model::end_to_end::{Communication, System};
use gpusched_model::time::Time;

/// Maximum times of one chain. A time is `None` if the run is too short to show it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct ChainTime {
    /// Maximum reaction time [ns]. The reaction time starts when a job of the first task reads, because an external
    /// event directly after this read must wait for the next job. The reaction time ends at the first output that
    /// depends on a later job.
    pub reaction: Option<Time>,
    /// Maximum reduced data age [ns]. The data age starts at the read of a job of the first task. It ends at an output
    /// that depends on this job and on no later job.
    pub age: Option<Time>,
}

/// Measures all chains of a system. A job with asynchronous communication reads when its first segment starts, and
/// writes when its last segment ends. With logical execution times, a job reads at its arrival, and writes at its
/// deadline. A read at an instant returns the last value written at or before this instant.
#[derive(Clone, Debug)]
pub struct ChainTimes {
    chains: Vec<State>,
    /// For each task: chains and positions in the chains.
    uses: Vec<Vec<(usize, usize)>>,
    /// Reads at the present instant. The observer handles these reads after all writes of the instant.
    reads: Vec<Read>,
    now: Time,
}

/// Value that a job of the first task reads.
#[derive(Copy, Clone, Debug)]
struct Value {
    /// Number of the job that reads the value.
    number: u64,
    /// Time of the read [ns].
    read: u64,
}

#[derive(Copy, Clone, Debug)]
struct Read {
    job: Job,
    communication: Communication,
}

#[derive(Clone, Debug)]
struct State {
    communication: Communication,
    hops: Vec<Hop>,
    /// Among the jobs of the first task: the latest job on which an output depends.
    shown: Option<Value>,
    longest: ChainTime,
}

/// State of a task in a chain.
#[derive(Clone, Default, Debug)]
struct Hop {
    /// Value that the task wrote last.
    written: Option<Value>,
    /// Values that the present jobs have read, in the order of the jobs. Only a pipelined task has several present jobs. Used only
    /// for asynchronous communication.
    current: VecDeque<Option<Value>>,
    /// Times of future writes [ns], with their values. Used only for logical execution times.
    future: VecDeque<(u64, Option<Value>)>,
}

impl ChainTimes {
    /// Creates an observer of the chains of `system`.
    pub fn new(system: &System) -> ChainTimes {
        let mut uses = vec![Vec::new(); system.tasks().len()];
        for (index, chain) in system.chains().iter().enumerate() {
            for (hop, &task) in chain.tasks.iter().enumerate() {
                uses[task].push((index, hop));
            }
        }
        let chains = system.chains().iter().map(|chain| State {
            communication: chain.communication,
            hops: vec![Hop::default(); chain.tasks.len()],
            shown: None,
            longest: ChainTime::default(),
        });
        ChainTimes {
            chains: chains.collect(),
            uses,
            reads: Vec::new(),
            now: Time::ZERO,
        }
    }

    /// Prepares for the next run. The maxima of all previous runs stay.
    pub fn restart(&mut self) {
        self.flush();
        self.now = Time::ZERO;
        for chain in &mut self.chains {
            chain.shown = None;
            for hop in &mut chain.hops {
                hop.written = None;
                hop.current.clear();
                hop.future.clear();
            }
        }
    }

    /// Returns the maximum times of each chain over all runs, in the order of the system. Call this function after the
    /// end of a run.
    pub fn times(&mut self) -> Vec<ChainTime> {
        self.flush();
        self.chains.iter().map(|chain| chain.longest).collect()
    }

    /// Executes all pending reads.
    fn flush(&mut self) {
        for read in std::mem::take(&mut self.reads) {
            self.read(read);
        }
    }

    fn read(&mut self, Read { job, communication }: Read) {
        let now = self.now.ns();
        for &(chain, position) in &self.uses[job.task] {
            let chain = &mut self.chains[chain];
            if chain.communication != communication {
                continue;
            }
            let value = match position.checked_sub(1) {
                None => Some(Value {
                    number: job.number,
                    read: now,
                }),
                Some(previous) => chain.hops[previous].latest(now),
            };
            match communication {
                Communication::Asynchronous => chain.hops[position].current.push_back(value),
                Communication::Let => {
                    let end = job.deadline.ns();
                    if position + 1 == chain.hops.len() {
                        chain.output(end, value);
                    } else {
                        chain.hops[position].future.push_back((end, value));
                    }
                }
            }
        }
    }

    /// Writes the value of `job`, whose last segment ends.
    fn write(&mut self, job: Job) {
        // A job of length 0 reads and writes at one instant.
        let pending = |read: &Read| {
            read.job.task == job.task
                && read.job.number == job.number
                && read.communication == Communication::Asynchronous
        };
        if let Some(index) = self.reads.iter().position(pending) {
            let read = self.reads.remove(index);
            self.read(read);
        }
        for &(chain, position) in &self.uses[job.task] {
            let chain = &mut self.chains[chain];
            if chain.communication == Communication::Asynchronous {
                let value = chain.hops[position].current.pop_front().flatten();
                chain.hops[position].written = value;
                if position + 1 == chain.hops.len() {
                    chain.output(self.now.ns(), value);
                }
            }
        }
    }
}

impl Hop {
    /// Returns the last value written at or before `now` [ns].
    fn latest(&mut self, now: u64) -> Option<Value> {
        while let Some(&(_, value)) = self.future.front().filter(|&&(time, _)| time <= now) {
            self.future.pop_front();
            self.written = value;
        }
        self.written
    }
}

impl State {
    /// Records that the last task of the chain writes `value` at `now` [ns].
    fn output(&mut self, now: u64, value: Option<Value>) {
        let Some(value) = value else {
            return; // the output precedes the first data
        };
        let since = |read: u64| Some(Time::from_ns(now.saturating_sub(read)));
        self.longest.age = self.longest.age.max(since(value.read));
        match self.shown {
            Some(shown) if shown.number < value.number => {
                self.longest.reaction = self.longest.reaction.max(since(shown.read));
                self.shown = Some(value);
            }
            Some(_) => {}
            None => self.shown = Some(value),
        }
    }
}

impl Observer<Event> for ChainTimes {
    fn see(&mut self, now: Time, event: Event) {
        if now > self.now {
            self.flush();
            self.now = now;
        }
        let read = |job, communication| Read { job, communication };
        match event {
            Event::Arrival(job) => self.reads.push(read(job, Communication::Let)),
            Event::Start(part) if part.segment == 0 => {
                self.reads.push(read(part.job, Communication::Asynchronous));
            }
            Event::Complete(job) => self.write(job),
            _ => {}
        }
    }
}
