//! Work of other tasks in a window: any(w) and in(w) of the page "End-to-end systems".

use gpusched_model::end_to_end::Resource;

use super::stream::Stream;
use super::table::Table;
use super::window::{smaller, total};
use crate::conditions::Fraction;

/// Work of one task on a resource.
pub(super) struct Load<'a> {
    pub task: usize,
    pub streams: &'a [Stream],
    period: u128,
    /// All segments on the resource together, or the whole job of a task that busy-waits on its core. `None` if no bound
    /// follows.
    whole: Option<Whole>,
    /// Release jitter of a task that busy-waits on its core. Its segments do not count one by one.
    busy: Option<u128>,
}

struct Whole {
    cost: u128,
    /// Time from the arrival to the start of a window at most, if the whole job executes in this window.
    early: u128,
}

impl<'a> Load<'a> {
    /// Returns the tasks with a segment on `resource`.
    pub fn all(table: &'a Table<'_>, resource: Resource) -> Vec<Load<'a>> {
        let by_task = table.streams(resource).chunk_by(|a, b| a.task == b.task);
        by_task
            .filter_map(|streams| Load::new(table, resource, streams))
            .collect()
    }

    fn new(table: &Table<'_>, resource: Resource, streams: &'a [Stream]) -> Option<Load<'a>> {
        let (first, last) = (streams.first()?, streams.last()?); // every task of the list has a stream
        let task = first.task;
        let busy = resource.is_core() && table.task(task).spins();
        let whole = match busy {
            true => table
                .response(task)
                .zip(table.whole(task))
                .map(|(end, cost)| Whole {
                    cost,
                    early: end.saturating_sub(cost),
                }),
            // With enforced releases, each segment is a stream of its own.
            false if table.enforced() => None,
            false => {
                let cost = streams
                    .iter()
                    .map(|stream| stream.cost)
                    .fold(0, u128::saturating_add);
                let end = last.end.filter(|_| cost <= first.period);
                end.map(|end| Whole {
                    cost,
                    early: end.saturating_sub(cost.saturating_add(first.earliest)),
                })
            }
        };
        Some(Load {
            task,
            streams,
            period: first.period,
            whole,
            busy: busy.then(|| table.task(task).jitter.ns().into()),
        })
    }

    /// Returns any(w): the work in any half-open window of length `window` > 0.
    pub fn any(&self, window: u128) -> Option<u128> {
        let whole = self.whole.as_ref().map(|whole| {
            let jobs = window.saturating_add(whole.early).div_ceil(self.period);
            jobs.saturating_mul(whole.cost)
        });
        match self.busy {
            Some(_) => whole,
            None => smaller(whole, total(self.streams.iter().map(|stream| stream.any(window)))),
        }
    }

    /// Returns in(w): the work in a window of length `window` > 0 that starts without pending work of the task. `spaced`
    /// tells whether minimum distances count. Each job preempts a kernel, which takes `charge` longer.
    pub fn since_idle(&self, window: u128, spaced: bool, charge: u128) -> Option<u128> {
        if let Some(jitter) = self.busy {
            let whole = self.whole.as_ref()?; // without a bound, the jobs may queue
            let released = window.saturating_add(jitter).div_ceil(self.period);
            let jobs = released.min(self.streams.first()?.apart(window, spaced).unwrap_or(released));
            return smaller(Some(jobs.saturating_mul(whole.cost)), self.any(window));
        }
        let streams = total(
            self.streams
                .iter()
                .map(|stream| each(stream, window, spaced, charge)),
        );
        match charge {
            0 => smaller(streams, self.any(window)),
            _ => streams, // E(w) does not contain the cost of preemptions
        }
    }

    /// Returns the work per time. Each job of a segment takes `charge` longer.
    pub fn rate(&self, charge: u128) -> Option<Fraction> {
        match self.busy {
            Some(_) => Some(Fraction::new(self.whole.as_ref()?.cost, self.period)),
            None => {
                let rates = self.streams.iter().map(|stream| rate(stream, charge));
                Some(Fraction::sum(rates))
            }
        }
    }
}

/// Returns the work of the releases of `stream` in a window of length `window` > 0 that starts without pending work of the stream:
/// at most the execution in any window. Each job preempts a kernel, which takes `charge` longer.
pub(super) fn each(stream: &Stream, window: u128, spaced: bool, charge: u128) -> Option<u128> {
    match charge {
        0 => smaller(released(stream, window, spaced, 0), stream.any(window)),
        _ => released(stream, window, spaced, charge),
    }
}

/// Returns the work of the releases of `stream` in a window of length `window` > 0, with `charge` for each job.
pub(super) fn released(stream: &Stream, window: u128, spaced: bool, charge: u128) -> Option<u128> {
    let jobs = stream.jobs(window, spaced)?;
    Some(jobs.saturating_mul(stream.cost.saturating_add(charge)))
}

/// Returns the work of `stream` per time, with `charge` for each job.
pub(super) fn rate(stream: &Stream, charge: u128) -> Fraction {
    Fraction::new(stream.cost.saturating_add(charge), stream.period)
}
