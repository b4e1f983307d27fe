//! Time that a context of a time-sliced partition loses while it waits for its turns.
//! `docs/explanation/time-slices.md` has the equations and their proofs.

use gpusched_model::end_to_end::{Idle, PartitionPolicy, Resource, System};

use super::arithmetic::INFINITE;
use super::streams::State;

/// A time-sliced partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gpu {
    /// θ: time to switch to another context [ns].
    switch: u64,
    idle: Idle,
    contexts: Vec<Context>,
    /// Positions in `contexts`, in the order of the turns.
    runlist: Vec<usize>,
}

/// A context of a time-sliced partition.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Context {
    resource: Resource,
    /// q: slice [ns].
    slice: u64,
    /// o: overrun [ns].
    overrun: u64,
    /// Tasks with a segment on the context.
    tasks: Vec<usize>,
    /// Whether no kernel of the context preempts another kernel of the context.
    whole_kernels: bool,
}

impl Gpu {
    /// Returns the time-sliced partitions of `system`.
    pub fn all(system: &System) -> Vec<Gpu> {
        let gpus = system.time_slices().iter();
        let gpus = gpus.map(|gpu| Gpu {
            switch: gpu.switch.ns(),
            idle: gpu.idle,
            contexts: gpu
                .contexts
                .iter()
                .map(|context| {
                    let resource = Resource::Partition(context.partition);
                    let mut tasks: Vec<usize> = system.on(resource).map(|(task, _)| task).collect();
                    tasks.dedup();
                    let policy = system
                        .partitions()
                        .get(context.partition)
                        .map(|found| found.policy);
                    Context {
                        resource,
                        slice: context.slice.ns(),
                        overrun: context.overrun.ns(),
                        whole_kernels: tasks.len() <= 1
                            || !matches!(policy, Some(PartitionPolicy::Fp | PartitionPolicy::Edf) | None),
                        tasks,
                    }
                })
                .collect(),
            runlist: gpu.runlist.clone(),
        });
        gpus.collect()
    }

    /// Whether `on` is a context that executes segments of `task` only, and contexts without kernels have no turns.
    pub fn serves_only(&self, on: Resource, task: usize) -> bool {
        let found = self.contexts.iter().find(|context| context.resource == on);
        self.idle == Idle::Skip && found.is_some_and(|context| context.tasks == [task])
    }

    /// Whether the times of context `on` depend on the bounds of `task`.
    pub fn depends(&self, on: Resource, task: usize) -> bool {
        self.resources().any(|resource| resource == on)
            && self.contexts.iter().any(|context| context.tasks.contains(&task))
    }

    /// Returns the contexts.
    pub fn resources(&self) -> impl Iterator<Item = Resource> {
        self.contexts.iter().map(|context| context.resource)
    }
}

/// The waiting times of one resource. A resource that is no context never waits.
pub(super) struct Turns<'a> {
    state: &'a State,
    /// The time-sliced partition, and the position of the context.
    own: Option<(&'a Gpu, usize)>,
    /// Whether the context is idle just before the window.
    fresh: bool,
}

impl<'a> Turns<'a> {
    /// Returns the waiting times of `resource`. `fresh` states whether its context is idle just before each window.
    pub fn of(state: &'a State, resource: Resource, fresh: bool) -> Turns<'a> {
        let mut gpus = state.time_sliced.iter();
        let own = gpus.find_map(|gpu| Some((gpu, gpu.resources().position(|found| found == resource)?)));
        Turns { state, own, fresh }
    }

    /// Returns the waiting times of the resource of a segment, in windows that start at its release.
    pub fn from_release(state: &'a State, (task, segment): (usize, usize)) -> Turns<'a> {
        Turns::of(
            state,
            state.part(task, segment).on,
            state.starts_fresh(task, segment),
        )
    }

    /// Whether the resource is no context.
    pub fn is_none(&self) -> bool {
        self.own.is_none()
    }

    /// Returns the time in which the resource executes `demand`, in a window of length `window`.
    pub fn served(&self, demand: u64, window: u64) -> u64 {
        demand.saturating_add(self.waiting(demand, window, |slice| demand.div_ceil(slice)))
    }

    /// Returns the time until the resource has executed `demand` and a further kernel starts, in a window of length
    /// `window`.
    pub fn started(&self, demand: u64, window: u64) -> u64 {
        demand.saturating_add(self.waiting(demand, window, |slice| demand / slice + 1))
    }

    /// Returns the time that the context waits while it executes `demand` in `gaps`(q) intervals between turns.
    fn waiting(&self, demand: u64, window: u64, gaps: impl Fn(u64) -> u64) -> u64 {
        let Some((gpu, own)) = self.own else {
            return 0;
        };
        if demand == INFINITE || window == INFINITE {
            return INFINITE;
        }
        let context = &gpu.contexts[own];
        if gpu.idle == Idle::Fixed {
            return gpu.fixed(own, gaps);
        }
        let gaps = gaps(context.slice);
        let overruns = gaps.saturating_sub(u64::from(self.fresh));
        let most = gpu.turns(own, gaps).into_iter();
        let worst = most.map(|turns| self.others(gpu, &turns, gaps, window)).max();
        worst
            .unwrap_or(0) // each context has a turn
            .saturating_add(overruns.saturating_mul(context.overrun))
    }

    /// Returns the time that other contexts and all switches take, if each context has at most `turns`.
    fn others(&self, gpu: &Gpu, turns: &[u64], gaps: u64, window: u64) -> u64 {
        let (mut lost, mut count) = (0u64, 0u64);
        for (context, &most) in gpu.contexts.iter().zip(turns) {
            let longest = context
                .slice
                .saturating_add(context.overrun)
                .saturating_add(gpu.switch);
            let mut time = most.saturating_mul(longest);
            let mut taken = most;
            if gpu.idle == Idle::Skip
                && let Some(work) = Work::of(self.state, context, window)
            {
                taken = work.turns(context).min(most);
                let busy = work.occupied(context, most);
                time = time.min(busy.saturating_add(taken.saturating_mul(gpu.switch)));
            }
            lost = lost.saturating_add(time);
            count = count.saturating_add(taken);
        }
        let switches = match gpu.idle {
            Idle::Skip => gaps.min(count.saturating_add(1)),
            _ => gaps,
        };
        lost.saturating_add(switches.saturating_mul(gpu.switch))
    }
}

impl Gpu {
    /// Returns the waiting time of a context whose turns start at fixed times.
    fn fixed(&self, own: usize, gaps: impl Fn(u64) -> u64) -> u64 {
        let turns = self.runlist.iter().filter(|&&turn| turn == own).count();
        if turns > 1 {
            return INFINITE; // the distances between the turns differ
        }
        let length = |turn: &usize| self.contexts[*turn].slice.saturating_add(self.switch);
        let round = self.runlist.iter().map(length).fold(0, u64::saturating_add);
        let before = self.runlist.iter().position(|&turn| turn == own).unwrap_or(0);
        let before = before.checked_sub(1).unwrap_or(self.runlist.len() - 1);
        let usable = self.contexts[own]
            .slice
            .saturating_sub(self.contexts[self.runlist[before]].overrun);
        match usable {
            0 => INFINITE,
            _ => gaps(usable).saturating_mul(round.saturating_sub(usable)),
        }
    }

    /// For each turn of context `own` in a round: returns how many turns each context has in `gaps` consecutive intervals
    /// between own turns, if the first interval follows this turn. Own turns do not count.
    fn turns(&self, own: usize, gaps: u64) -> Vec<Vec<u64>> {
        let length = self.runlist.len();
        let starts = (0..length).filter(|&start| self.runlist[start] == own);
        let own_turns = starts.clone().count() as u64;
        let of_start = |start: usize| {
            let round = (1..=length).map(|step| self.runlist[(start + step) % length]);
            let mut turns = vec![0u64; self.contexts.len()];
            let mut rest = gaps % own_turns;
            for turn in round {
                turns[turn] = turns[turn].saturating_add(gaps / own_turns);
                if turn == own {
                    rest = rest.saturating_sub(1);
                } else if rest > 0 {
                    turns[turn] = turns[turn].saturating_add(1);
                }
            }
            turns[own] = 0;
            turns
        };
        starts.map(of_start).collect()
    }
}

/// Work of another context in any window of one length.
struct Work {
    /// Execution of its kernels [ns].
    executed: u64,
    /// Number of its kernels that end in the window.
    ends: u64,
    /// Execution of its kernels and overruns during these kernels [ns]; [`INFINITE`] if slices may end between parts of a
    /// kernel.
    with_overruns: u64,
}

impl Work {
    /// Returns the work of `context`; `None` if its work has no bound.
    fn of(state: &State, context: &Context, window: u64) -> Option<Work> {
        let mut work = Work {
            executed: 0,
            ends: 0,
            with_overruns: 0,
        };
        for (task, owner) in state.tasks.iter().enumerate() {
            let here = |segment: &usize| owner.parts[*segment].on == context.resource;
            let segments: Vec<usize> = (0..owner.parts.len()).filter(here).collect();
            let (Some(&first), Some(&last)) = (segments.first(), segments.last()) else {
                continue;
            };
            if state.response(task) == INFINITE {
                return None;
            }
            let within = |segment: usize, since: usize| {
                let end = state.bound(task, segment).end;
                end.saturating_sub(owner.parts[since].earliest)
            };
            let jobs = |lag: u64, cost: u64| {
                let length = window.saturating_add(lag).saturating_sub(cost);
                length.div_ceil(owner.period).saturating_mul(cost)
            };
            let total = |cost: &dyn Fn(usize) -> u64| {
                let single = segments
                    .iter()
                    .map(|&segment| jobs(within(segment, segment), cost(segment)));
                let single = single.fold(0, u64::saturating_add);
                let whole = segments
                    .iter()
                    .map(|&segment| cost(segment))
                    .fold(0, u64::saturating_add);
                match whole <= owner.period {
                    true => single.min(jobs(within(last, first), whole)),
                    false => single,
                }
            };
            work.executed = work
                .executed
                .saturating_add(total(&|segment| owner.parts[segment].cost));
            let with_overruns = |segment: usize| {
                let (cost, slice) = (owner.parts[segment].cost, context.slice);
                let cuts = match state.starts_fresh(task, segment) {
                    true => cost.div_ceil(slice).saturating_sub(1),
                    false => cost.saturating_sub(1).div_ceil(slice),
                };
                cost.saturating_add(cuts.saturating_mul(context.overrun))
            };
            work.with_overruns = match context.whole_kernels {
                true => work.with_overruns.saturating_add(total(&with_overruns)),
                false => INFINITE,
            };
            for &segment in &segments {
                let ends = window.saturating_add(within(segment, segment));
                work.ends = work.ends.saturating_add(ends.div_ceil(owner.period));
            }
        }
        Some(work)
    }

    /// Returns how many turns start and end in the window: each takes a slice, or a kernel ends.
    fn turns(&self, context: &Context) -> u64 {
        let executed = self.executed.min(self.with_overruns);
        (executed / context.slice).saturating_add(self.ends)
    }

    /// Returns the time for which the context occupies the GPU in the window, with at most `turns`.
    fn occupied(&self, context: &Context, turns: u64) -> u64 {
        let overruns = (self.executed / context.slice).saturating_add(1).min(turns);
        let by_slices = overruns
            .saturating_mul(context.overrun)
            .saturating_add(self.executed);
        by_slices.min(self.with_overruns)
    }
}
