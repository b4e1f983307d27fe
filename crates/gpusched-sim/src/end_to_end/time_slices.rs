//! Turns of the contexts of a time-sliced partition.
//!
//! A turn starts after a switch. Without [`Idle::Skip`], contexts have their turns in a fixed order. With [`Idle::Skip`],
//! only contexts with kernels have turns, and a turn ends when its context has no kernel left. If a kernel is running at the
//! end of a slice, it can keep the GPU for an overrun.

use std::collections::VecDeque;

use gpusched_model::end_to_end::{Idle, System};
use gpusched_model::streams::{Purpose, below, stream};
use rand_chacha::ChaCha8Rng;

use crate::engine::tournament::NEVER;

/// Behavior of time-sliced partitions that their model leaves open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Turns {
    /// Whether contexts have turns in the order of the arrivals of their kernels. Only partitions with [`Idle::Skip`] and with
    /// one turn of each context per round can have this order. Otherwise, the order is the order of the partition.
    pub by_arrival: bool,
    /// Whether a context gets a new slice if no other context has kernels at the end of its slice. If false, its turn ends as
    /// soon as another context receives a kernel.
    pub renew: bool,
    /// Lengths of the overruns.
    pub overruns: Overruns,
    /// Seed, and number of the run: these numbers select the random stream.
    pub numbers: (u64, u64),
}

/// Lengths of the overruns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Overruns {
    /// Every overrun has its maximum length, and the kernel makes no progress.
    Longest,
    /// Random lengths. In one half of the overruns, the kernel makes progress.
    Random,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns {
            by_arrival: false,
            renew: true,
            overruns: Overruns::Longest,
            numbers: (0, 0),
        }
    }
}

/// A time-sliced partition. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Gpu {
    pub switch: u64,
    pub idle: Idle,
    pub contexts: Vec<Context>,
    pub runlist: Vec<usize>,
}

/// A context of a time-sliced partition.
#[derive(Copy, Clone, Debug)]
pub(super) struct Context {
    /// Number of the resource.
    pub resource: usize,
    pub slice: u64,
    pub overrun: u64,
}

impl Gpu {
    /// Returns the time-sliced partitions of `system`. The resource of partition 0 has the number `first`.
    pub fn all(system: &System, first: usize) -> Vec<Gpu> {
        let gpus = system.time_slices().iter().map(|gpu| Gpu {
            switch: gpu.switch.ns(),
            idle: gpu.idle,
            contexts: gpu
                .contexts
                .iter()
                .map(|context| Context {
                    resource: first + context.partition,
                    slice: context.slice.ns(),
                    overrun: context.overrun.ns(),
                })
                .collect(),
            runlist: gpu.runlist.clone(),
        });
        gpus.collect()
    }
}

/// Present activity of a time-sliced partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// No context has a turn.
    Between,
    /// The switch to the current context.
    Switch,
    /// The slice of the current context.
    Slice,
    /// The slice has ended, and no other context has kernels. The current context continues.
    Alone,
    /// The overrun of the current context. Its kernel of this thread keeps the GPU, with or without progress.
    Overrun { thread: usize, progress: bool },
}

/// A kernel that a context has chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Kernel {
    pub thread: usize,
    /// Whether the kernel has started to execute.
    pub started: bool,
}

/// State of a time-sliced partition in a run. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Rotation {
    phase: Phase,
    /// End of the present phase; [`NEVER`] if its end depends on kernels only.
    pub until: u64,
    /// Position of the present turn in the order of the turns; `None` before the first turn.
    position: Option<usize>,
    current: Option<usize>,
    /// Contexts that wait for their turns, in the order of arrival.
    queue: VecDeque<usize>,
    /// With fixed turns: start of the switch to the next context.
    nominal: u64,
    /// With fixed turns, and with turns of idle contexts: length of the present slice.
    slice: u64,
    rules: Turns,
    random: ChaCha8Rng,
}

impl Rotation {
    /// Returns the state at time 0 of partition `number`.
    pub fn new(gpu: &Gpu, rules: Turns, number: usize) -> Rotation {
        let distinct = gpu.runlist.len() == gpu.contexts.len();
        let (seed, run) = rules.numbers;
        Rotation {
            phase: Phase::Between,
            until: match gpu.idle {
                Idle::Skip => NEVER,
                Idle::Wait | Idle::Fixed => 0, // the first switch starts at time 0
            },
            position: None,
            current: None,
            queue: VecDeque::new(),
            nominal: 0,
            slice: 0,
            rules: Turns {
                by_arrival: rules.by_arrival && distinct && gpu.idle == Idle::Skip,
                ..rules
            },
            random: stream(seed, Purpose::TimeSlicedRuns, run, number as u64),
        }
    }

    /// Returns the context that executes at present.
    pub fn serves(&self) -> Option<usize> {
        match self.phase {
            Phase::Slice | Phase::Alone | Phase::Overrun { progress: true, .. } => self.current,
            Phase::Between | Phase::Switch | Phase::Overrun { progress: false, .. } => None,
        }
    }

    /// Passes through all changes at time `now`. `kernels` has the kernel that each context has chosen.
    pub fn advance(&mut self, gpu: &Gpu, now: u64, kernels: &[Option<Kernel>]) {
        self.join(kernels);
        loop {
            let kernel = self.current.and_then(|current| kernels[current]);
            let ended = self.until <= now;
            self.phase = match self.phase {
                Phase::Between => match self.next(gpu, now, kernels) {
                    Some(phase) => phase,
                    None => return,
                },
                Phase::Switch if ended => self.slice(gpu, now),
                Phase::Slice if gpu.idle == Idle::Skip && kernel.is_none() => Phase::Between,
                Phase::Slice if ended && gpu.idle == Idle::Skip && self.is_alone(kernels) => {
                    match self.rules.renew {
                        true => self.slice(gpu, now),
                        false => {
                            self.until = NEVER;
                            Phase::Alone
                        }
                    }
                }
                Phase::Slice if ended => self.overrun(gpu, now, kernel),
                Phase::Alone if kernel.is_none() => Phase::Between,
                Phase::Alone if !self.is_alone(kernels) => self.overrun(gpu, now, kernel),
                Phase::Overrun { thread, .. }
                    if ended || kernel.is_none_or(|kernel| kernel.thread != thread || !kernel.started) =>
                {
                    self.leave(kernel)
                }
                Phase::Switch | Phase::Slice | Phase::Alone | Phase::Overrun { .. } => return,
            };
            if self.phase == Phase::Between {
                self.until = NEVER;
            }
        }
    }

    /// Adds the contexts that have received kernels to the queue.
    fn join(&mut self, kernels: &[Option<Kernel>]) {
        if !self.rules.by_arrival {
            return;
        }
        let present = self.current.filter(|_| self.phase != Phase::Between);
        let joins = |context: &usize| {
            kernels[*context].is_some() && !self.queue.contains(context) && present != Some(*context)
        };
        let mut new: Vec<usize> = (0..kernels.len()).filter(joins).collect();
        while !new.is_empty() {
            let chosen = below(&mut self.random, new.len());
            self.queue.push_back(new.swap_remove(chosen));
        }
    }

    fn is_alone(&self, kernels: &[Option<Kernel>]) -> bool {
        let mut others = kernels.iter().enumerate();
        !others.any(|(context, kernel)| kernel.is_some() && self.current != Some(context))
    }

    /// Chooses the context of the next turn. Returns `None` if no context has a turn.
    fn next(&mut self, gpu: &Gpu, now: u64, kernels: &[Option<Kernel>]) -> Option<Phase> {
        let length = gpu.runlist.len();
        let first = self.position.map_or(0, |position| position + 1);
        let next = match gpu.idle {
            Idle::Skip if self.rules.by_arrival => loop {
                let context = self.queue.pop_front()?;
                if kernels[context].is_some() {
                    break context;
                }
            },
            Idle::Skip => {
                let mut turns = (0..length).map(|step| (first + step) % length);
                let position = turns.find(|&position| kernels[gpu.runlist[position]].is_some())?;
                self.position = Some(position);
                gpu.runlist[position]
            }
            Idle::Wait | Idle::Fixed => {
                let position = first % length;
                self.position = Some(position);
                gpu.runlist[position]
            }
        };
        let same = self.current.replace(next) == Some(next);
        self.slice = gpu.contexts[next].slice;
        if gpu.idle == Idle::Fixed {
            self.slice -= (now - self.nominal).min(self.slice);
            self.nominal += gpu.switch + gpu.contexts[next].slice;
        }
        if gpu.idle == Idle::Skip && (same || gpu.switch == 0) {
            return Some(self.slice(gpu, now));
        }
        self.until = now.saturating_add(gpu.switch);
        Some(Phase::Switch)
    }

    /// Starts a slice of the current context.
    fn slice(&mut self, gpu: &Gpu, now: u64) -> Phase {
        let length = match gpu.idle {
            Idle::Skip => self.current.map_or(0, |current| gpu.contexts[current].slice),
            Idle::Wait | Idle::Fixed => self.slice,
        };
        self.until = now.saturating_add(length);
        Phase::Slice
    }

    /// Ends the slice of the current context, whose kernel may keep the GPU.
    fn overrun(&mut self, gpu: &Gpu, now: u64, kernel: Option<Kernel>) -> Phase {
        let most = self.current.map_or(0, |current| gpu.contexts[current].overrun);
        let (length, progress) = match self.rules.overruns {
            Overruns::Longest => (most, false),
            Overruns::Random => {
                let bound = usize::try_from(most).unwrap_or(usize::MAX - 1);
                let length = match below(&mut self.random, 2) {
                    0 => most,
                    _ => below(&mut self.random, bound + 1) as u64,
                };
                (length, below(&mut self.random, 2) == 0)
            }
        };
        match kernel {
            Some(Kernel {
                thread,
                started: true,
            }) if length > 0 => {
                self.until = now.saturating_add(length);
                Phase::Overrun { thread, progress }
            }
            _ => self.leave(kernel),
        }
    }

    /// Ends the turn of the current context.
    fn leave(&mut self, kernel: Option<Kernel>) -> Phase {
        if let (true, Some(current), Some(_)) = (self.rules.by_arrival, self.current, kernel) {
            self.queue.push_back(current);
        }
        Phase::Between
    }
}
