//! Work of streams and tasks in windows: (2) to (4) and (10) of `docs/explanation/pipelines.md`.

use std::cmp::Ordering;

use gpusched_model::end_to_end::Resource;

use super::super::arithmetic::{INFINITE, released, started};
use super::super::streams::State;

/// The jobs that become eligible at one segment [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Stream {
    pub jitter: u64,
    pub period: u64,
    pub cost: u64,
    /// δ: minimum distance between two jobs; 0 if it is unknown.
    pub distance: u64,
}

impl Stream {
    /// Returns the stream of a segment.
    pub fn of(state: &State, (task, segment): (usize, usize)) -> Stream {
        let (jitter, period, cost) = state.stream(task, segment);
        Stream {
            jitter,
            period,
            cost,
            distance: state.distance(task, segment),
        }
    }

    /// (2) n(w)·c: work that becomes eligible in a half-open window.
    pub fn arriving(&self, window: u64) -> u64 {
        let jobs = released(window, (self.jitter, self.period, 1));
        let jobs = match self.distance {
            0 => jobs,
            distance => jobs.min(window.div_ceil(distance)),
        };
        jobs.saturating_mul(self.cost)
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
pub(in super::super) struct Work {
    /// Jobs that become eligible in the window, for each segment.
    pub arriving: Vec<Stream>,
    /// (3) Execution in any window, for each segment: jitter, period and cost of E(w).
    executing: Vec<(u64, u64, u64)>,
    /// (3) Execution of all segments in any window.
    whole: Option<(u64, u64, u64)>,
    /// Whether the window starts without pending work of the task.
    pub idle_before: bool,
}

impl Work {
    /// (4) Returns the work of another task on `resource`. If `idle_before` is true, the window starts without pending work of
    /// the task.
    pub fn of(state: &State, task: usize, resource: Resource, idle_before: bool) -> Work {
        let owner = &state.tasks[task];
        if owner.spins && resource.is_core() {
            let cost = state.active(task);
            let (jitter, executing) = match state.response(task) {
                INFINITE => (INFINITE, INFINITE), // late jobs queue behind each other
                response => (owner.jitter, response.saturating_sub(cost)),
            };
            let jobs = Stream {
                jitter: if cost == INFINITE { INFINITE } else { jitter },
                period: owner.period,
                cost,
                distance: 0,
            };
            return Work {
                arriving: vec![jobs],
                executing: vec![(executing, owner.period, cost)],
                whole: None,
                idle_before,
            };
        }
        let segments = (0..owner.parts.len()).filter(|&segment| owner.parts[segment].on == resource);
        let segments: Vec<usize> = segments.collect();
        let arriving: Vec<Stream> = segments
            .iter()
            .map(|&segment| Stream::of(state, (task, segment)))
            .collect();
        let executing = segments.iter().map(|&segment| {
            let cost = owner.parts[segment].cost;
            (state.carried(task, segment), owner.period, cost)
        });
        let costs = arriving.iter().map(|stream| stream.cost);
        let cost = costs.fold(0, u64::saturating_add);
        let whole = segments.first().zip(segments.last()).map(|(&first, &last)| {
            let jitter = match state.response(task) {
                INFINITE => INFINITE,
                _ => state
                    .bound(task, last)
                    .end
                    .saturating_sub(cost)
                    .saturating_sub(owner.parts[first].earliest),
            };
            (jitter, owner.period, cost)
        });
        Work {
            executing: executing.collect(),
            arriving,
            whole: whole.filter(|_| cost <= owner.period),
            idle_before,
        }
    }

    /// Returns the work of the streams `arriving` in a window that starts without pending work of these streams.
    pub fn streams(arriving: Vec<Stream>) -> Work {
        Work {
            executing: vec![(INFINITE, 1, 1)],
            arriving,
            whole: None,
            idle_before: true,
        }
    }

    /// Returns the work if each job takes `longer` more. No bound exists on the work in windows that start with pending work.
    pub fn longer(self, longer: u64) -> Work {
        if longer == 0 {
            return self;
        }
        let arriving = self.arriving.into_iter().map(|stream| Stream {
            cost: stream.cost.saturating_add(longer),
            ..stream
        });
        Work {
            idle_before: self.idle_before,
            ..Work::streams(arriving.collect())
        }
    }

    /// (4) any(w): work in any window.
    pub fn any(&self, window: u64) -> u64 {
        let sum = self
            .executing
            .iter()
            .map(|&stream| released(window, stream))
            .fold(0, u64::saturating_add);
        self.whole.map_or(sum, |whole| sum.min(released(window, whole)))
    }

    /// (4) in(w), or any(w) if the window may start with pending work.
    pub fn within(&self, window: u64) -> u64 {
        let any = self.any(window);
        if !self.idle_before {
            return any;
        }
        let arriving = self.arriving.iter().map(|stream| stream.arriving(window));
        arriving.fold(0, u64::saturating_add).min(any)
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
