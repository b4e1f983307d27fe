//! Work of streams and tasks in windows: `docs/explanation/end-to-end.md`, and (2) to (4) and (10) of
//! `docs/explanation/pipelines.md`.

use std::cmp::Ordering;

use gpusched_model::end_to_end::Resource;

use super::arithmetic::{INFINITE, released, started};
use super::streams::State;

/// The jobs that are released at one segment, or the jobs of a task that busy-waits on its core [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Stream {
    pub jitter: u64,
    /// Jitter of jobs that carry their work into a window: R − c − φ.
    carried: u64,
    pub period: u64,
    pub cost: u64,
    /// δ: minimum distance between two jobs; 0 if it is unknown.
    pub distance: u64,
}

impl Stream {
    /// Returns the stream of a segment.
    pub fn of(state: &State, (task, segment): (usize, usize)) -> Stream {
        Stream {
            jitter: state.jitter(task, segment),
            carried: state.carried(task, segment),
            period: state.tasks[task].period,
            cost: state.part(task, segment).cost,
            distance: state.distance(task, segment),
        }
    }

    /// Returns the jobs of a task that busy-waits on its core.
    fn busy(state: &State, task: usize) -> Stream {
        let owner = &state.tasks[task];
        let cost = state.active(task);
        let (jitter, carried, distance) = match state.response(task) {
            INFINITE => (INFINITE, INFINITE, 0), // late jobs queue behind each other
            _ if cost == INFINITE => (INFINITE, INFINITE, 0),
            response => (
                owner.jitter,
                response.saturating_sub(cost),
                state.distance(task, 0),
            ),
        };
        Stream {
            jitter,
            carried,
            period: owner.period,
            cost,
            distance,
        }
    }

    /// E(w): execution in any window.
    fn executing(&self, window: u64) -> u64 {
        released(window, (self.carried, self.period, self.cost))
    }

    /// The smaller one of n(w)·c and E(w).
    fn within(&self, window: u64) -> u64 {
        let jitter = self.jitter.min(self.carried);
        Stream { jitter, ..*self }.arriving(window)
    }

    /// n(w)·c: work that is released in a half-open window.
    pub fn arriving(&self, window: u64) -> u64 {
        self.jobs(window).saturating_mul(self.cost)
    }

    /// n(w): number of releases in a half-open window.
    pub fn jobs(&self, window: u64) -> u64 {
        let jobs = released(window, (self.jitter, self.period, 1));
        match self.distance {
            0 => jobs,
            distance => jobs.min(window.div_ceil(distance)),
        }
    }

    /// Returns the longest window with at most `jobs` releases.
    pub fn longest(&self, jobs: u64) -> u64 {
        let by_period = jobs.saturating_mul(self.period).saturating_sub(self.jitter);
        by_period.max(jobs.saturating_mul(self.distance))
    }

    /// Returns a time after `time`: the work in a closed window does not grow before it.
    pub fn next(&self, time: u64) -> u64 {
        let by_period = match self.jitter {
            INFINITE => INFINITE,
            jitter => started(time, (jitter, self.period, 1)),
        };
        let by_distance = match self.distance {
            0 => INFINITE,
            distance => (time / distance).saturating_add(1),
        };
        // The smaller number of jobs decides when the work grows.
        match by_distance < by_period {
            true => by_distance.saturating_mul(self.distance),
            false if self.jitter == INFINITE => INFINITE,
            false => by_period.saturating_mul(self.period).saturating_sub(self.jitter),
        }
    }
}

/// Work of one task on one resource in windows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Work {
    pub streams: Vec<Stream>,
    /// Execution of all segments in any window: jitter, period and cost. `None` if no bound follows, or if `streams` has this bound.
    whole: Option<(u64, u64, u64)>,
    /// Whether the window starts without pending work of the task.
    idle_before: bool,
}

impl Work {
    /// Returns the work of another task on `resource`. If `idle_before` is true, the window starts without pending work of
    /// the task.
    pub fn of(state: &State, task: usize, resource: Resource, idle_before: bool) -> Work {
        let owner = &state.tasks[task];
        if owner.spins && resource.is_core() {
            return Work {
                streams: vec![Stream::busy(state, task)],
                whole: None,
                idle_before,
            };
        }
        let segments = owner.parts.iter().enumerate();
        let here = segments.filter(|(_, part)| part.on == resource);
        let here: Vec<usize> = here.map(|(segment, _)| segment).collect();
        Work::of_segments(state, task, &here, idle_before)
    }

    /// Returns the work of `segments`: all segments of a task on a resource.
    pub fn of_segments(state: &State, task: usize, segments: &[usize], idle_before: bool) -> Work {
        let streams = segments.iter().map(|&segment| Stream::of(state, (task, segment)));
        let whole = (segments.len() > 1 && !state.enforced).then(|| state.whole(task, segments));
        Work {
            streams: streams.collect(),
            whole: whole.filter(|&(_, period, cost)| cost <= period),
            idle_before,
        }
    }

    /// Returns the work of `streams` in a window that starts without pending work of these streams.
    pub fn streams(streams: Vec<Stream>) -> Work {
        Work {
            streams,
            whole: None,
            idle_before: true,
        }
    }

    /// Returns the work if each job takes `longer` more. No bound exists on the work in windows that start with pending work.
    pub fn longer(self, longer: u64) -> Work {
        if longer == 0 {
            return self;
        }
        let streams = self.streams.into_iter().map(|stream| Stream {
            cost: stream.cost.saturating_add(longer),
            carried: INFINITE,
            ..stream
        });
        Work {
            idle_before: self.idle_before,
            ..Work::streams(streams.collect())
        }
    }

    /// any(w): work in any window.
    pub fn any(&self, window: u64) -> u64 {
        self.sum(window, Stream::executing)
    }

    /// in(w), or any(w) if the window may start with pending work.
    pub fn within(&self, window: u64) -> u64 {
        match self.idle_before {
            true => self.sum(window, Stream::within),
            false => self.any(window),
        }
    }

    fn sum(&self, window: u64, work: impl Fn(&Stream, u64) -> u64) -> u64 {
        let each = self.streams.iter().map(|stream| work(stream, window));
        let sum = each.fold(0, u64::saturating_add);
        self.whole.map_or(sum, |whole| sum.min(released(window, whole)))
    }
}

/// Compares Σ c/T of `streams`, as pairs of c and T, with 1. Also returns the least common multiple of the periods. Returns
/// `None` if a number is too large.
pub(super) fn utilization(streams: impl Iterator<Item = (u64, u64)> + Clone) -> Option<(Ordering, u128)> {
    let (work, multiple) = work_per_multiple(streams)?;
    Some((work.cmp(&multiple), multiple))
}

/// Returns Σ c/T of `streams` [thousandths], rounded up; `None` if a number is too large.
pub(super) fn load(streams: impl Iterator<Item = (u64, u64)> + Clone) -> Option<u64> {
    let (work, multiple) = work_per_multiple(streams)?;
    u64::try_from(work.checked_mul(1000)?.div_ceil(multiple)).ok()
}

/// Returns the work of `streams` in the least common multiple of their periods, and this multiple.
fn work_per_multiple(mut streams: impl Iterator<Item = (u64, u64)> + Clone) -> Option<(u128, u128)> {
    let multiple = streams.clone().try_fold(1u128, |multiple, (_, period)| {
        let period = u128::from(period);
        (multiple / num_integer::gcd(multiple, period)).checked_mul(period)
    })?;
    let work = streams.try_fold(0u128, |sum, (cost, period)| {
        let share = u128::from(cost).checked_mul(multiple / u128::from(period))?;
        sum.checked_add(share)
    })?;
    Some((work, multiple))
}
