//! Time that a context of a time-sliced partition loses while it waits for its turns.
//! `docs/explanation/time-slices.md` has the equations and their proofs.

use gpusched_model::end_to_end::{Idle, Resource};

use super::arithmetic::INFINITE;
use super::contexts::{Context, Gpu};
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
            let (time, taken) = occupied(self.state, gpu, context, most, window, 0);
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

/// Returns the time that `context` takes in a window with at most `most` turns, and the number of its turns. The time contains the
/// switches to the context. `counted` is execution of the context that the caller counts itself.
pub(super) fn occupied(
    state: &State,
    gpu: &Gpu,
    context: &Context,
    most: u64,
    window: u64,
    counted: u64,
) -> (u64, u64) {
    if most == 0 {
        return (0, 0);
    }
    let longest = context
        .slice
        .saturating_add(context.overrun)
        .saturating_add(gpu.switch);
    let time = most.saturating_mul(longest);
    if gpu.idle == Idle::Skip
        && let Some(work) = Work::of(state, context, window)
    {
        let taken = work.turns(context).min(most);
        let mut busy = work.occupied(context, most);
        if counted > 0 {
            busy = busy.saturating_add(1).saturating_sub(counted);
        }
        let switches = taken.saturating_mul(gpu.switch);
        return (time.min(busy.saturating_add(switches)), taken);
    }
    (time, most)
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
        for &(task, ref segments) in &context.tasks {
            let owner = &state.tasks[task];
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
                if cost > owner.period {
                    return INFINITE; // kernels and overruns of a pipelined task can be longer than the period
                }
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
                let cuts = match context.tasks.len() == 1 && state.starts_fresh(task, segment) {
                    true => cost.div_ceil(slice).saturating_sub(1),
                    false => cost.saturating_sub(1).div_ceil(slice),
                };
                cost.saturating_add(cuts.saturating_mul(context.overrun))
            };
            work.with_overruns = match context.whole_kernels {
                true => work.with_overruns.saturating_add(total(&with_overruns)),
                false => INFINITE,
            };
            for &segment in segments {
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
