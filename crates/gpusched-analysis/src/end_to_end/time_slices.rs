//! Time that a context of a time-sliced partition loses while it waits for its turns.
//! `docs/explanation/time-slices.md` has the equations and their proofs.

use gpusched_model::end_to_end::{Idle, Resource};

use super::arithmetic::INFINITE;
use super::contexts::{Context, Gpu, Work};
use super::streams::State;

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
        for context in own.iter().flat_map(|(gpu, _)| &gpu.contexts) {
            let tasks = context.tasks.iter();
            context.depends_on(tasks.flat_map(|&(task, ref segments)| {
                let ends = segments
                    .iter()
                    .map(move |&segment| state.bound(task, segment).end);
                std::iter::once(state.response(task)).chain(ends)
            }));
        }
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

    /// Returns the time that the resource takes to execute `demand`, in a window of length `window`.
    pub fn served(&self, demand: u64, window: u64) -> u64 {
        demand.saturating_add(self.waiting(demand, window, |slice| demand.div_ceil(slice)))
    }

    /// Returns the time until the resource has executed `demand` and a further kernel starts, in a window of length
    /// `window`. The window includes the instant of the start, because another context may receive a kernel at this instant.
    pub fn started(&self, demand: u64, window: u64) -> u64 {
        let waiting = self.waiting(demand, window.saturating_add(1), |slice| demand / slice + 1);
        demand.saturating_add(waiting)
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
        let overruns = match gpu.is_alone(own) {
            true => 0,
            false => gaps.saturating_sub(u64::from(self.fresh)),
        };
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
            let known = || context.work(window, || work(self.state, context, window));
            let (time, taken) = taken(gpu, context, most, 0, known);
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

/// Returns the time that `context` takes in a window with at most `most` turns. The time contains the switches to the context.
/// `counted` is execution of the context that the caller counts itself.
pub(super) fn occupied(
    state: &State,
    gpu: &Gpu,
    context: &Context,
    most: u64,
    window: u64,
    counted: u64,
) -> u64 {
    taken(gpu, context, most, counted, || work(state, context, window).0).0
}

/// Returns the time that `context` takes in at most `most` turns, and the number of these turns, with the value of `work` as its
/// work. `None` is work without a bound.
fn taken(
    gpu: &Gpu,
    context: &Context,
    most: u64,
    counted: u64,
    work: impl FnOnce() -> Option<Work>,
) -> (u64, u64) {
    if most == 0 {
        return (0, 0);
    }
    let longest = context
        .slice
        .saturating_add(context.overrun)
        .saturating_add(gpu.switch);
    let time = most.saturating_mul(longest);
    let work = if gpu.idle == Idle::Skip { work() } else { None };
    let Some(work) = work else {
        return (time, most);
    };
    let taken = work.turns.min(most);
    let by_slices = work.slice_ends.min(most).saturating_mul(context.overrun);
    let mut busy = work.executed.saturating_add(by_slices).min(work.with_overruns);
    busy = busy.saturating_sub(counted);
    let switches = taken.saturating_mul(gpu.switch);
    (time.min(busy.saturating_add(switches)), taken)
}

/// Returns the work of `context` in any window of length `window`, and the first and the last length with this work. Returns
/// `None` if the work has no bound.
fn work(state: &State, context: &Context, window: u64) -> (Option<Work>, (u64, u64)) {
    let mut steps = Steps {
        window,
        before: window,
        after: INFINITE - window,
    };
    let (mut executed, mut with_overruns, mut ends) = (0u64, 0u64, 0u64);
    for &(task, ref segments) in &context.tasks {
        let owner = &state.tasks[task];
        let (Some(&first), Some(&last)) = (segments.first(), segments.last()) else {
            continue;
        };
        let unknown = |&segment: &usize| state.bound(task, segment).end == INFINITE;
        if state.queue(task) || segments.iter().any(unknown) {
            return (None, (0, INFINITE));
        }
        let within = |segment: usize, since: usize| {
            let end = state.bound(task, segment).end;
            end.saturating_sub(owner.parts[since].earliest)
        };
        let total = |steps: &mut Steps, cost: &dyn Fn(usize) -> u64| {
            let (mut single, mut whole) = (0u64, 0u64);
            for &segment in segments {
                let cost = cost(segment);
                single = single.saturating_add(steps.work(within(segment, segment), cost, owner.period));
                whole = whole.saturating_add(cost);
            }
            match segments.len() > 1 && whole <= owner.period {
                true => single.min(steps.work(within(last, first), whole, owner.period)),
                false => single, // the same value for one segment
            }
        };
        executed = executed.saturating_add(total(&mut steps, &|segment| owner.parts[segment].cost));
        let longer = |segment: usize| {
            let (cost, slice) = (owner.parts[segment].cost, context.slice);
            let cuts = match context.tasks.len() == 1 && state.starts_fresh(task, segment) {
                true => cost.div_ceil(slice).saturating_sub(1),
                false => cost.saturating_sub(1).div_ceil(slice),
            };
            cost.saturating_add(cuts.saturating_mul(context.overrun))
        };
        with_overruns = match context.whole_kernels {
            true => with_overruns.saturating_add(total(&mut steps, &longer)),
            false => INFINITE,
        };
        for &segment in segments {
            ends = ends
                .saturating_add(steps.jobs(window.saturating_add(within(segment, segment)), owner.period));
        }
    }
    let work = Work {
        executed,
        // Each turn that starts and ends in the window takes a slice, or a kernel ends.
        turns: (executed.min(with_overruns) / context.slice).saturating_add(ends),
        slice_ends: (executed / context.slice).saturating_add(1),
        with_overruns,
    };
    (Some(work), (window - steps.before, window + steps.after))
}

/// Distances to the steps of a sum of numbers of jobs.
struct Steps {
    window: u64,
    /// The sum is the same in windows that are at most this time shorter.
    before: u64,
    /// The sum is the same in windows that are at most this time longer.
    after: u64,
}

impl Steps {
    /// Returns ⌈`length`/`period`⌉, where `length` grows with the window.
    fn jobs(&mut self, length: u64, period: u64) -> u64 {
        let jobs = length.div_ceil(period);
        let until = jobs.saturating_mul(period);
        self.after = self.after.min(until - length);
        self.before = self.before.min(match length {
            0 => 0,
            _ => (length - 1) % period,
        });
        jobs
    }

    /// Returns the execution of a segment with lag `lag` in the window.
    fn work(&mut self, lag: u64, cost: u64, period: u64) -> u64 {
        if cost > period {
            return INFINITE; // kernels and overruns of a pipelined task can be longer than the period
        }
        let length = self.window.saturating_add(lag).saturating_sub(cost);
        self.jobs(length, period).saturating_mul(cost)
    }
}
