//! Requests under FIFO, (12) and (13).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::super::load::{rate, released};
use super::super::service::{Lost, Service, Until};
use super::super::stream::Stream;
use super::super::table::Table;
use super::super::window::{least, smaller, total};
use super::{JOBS_LIMIT, Limits};
use crate::conditions::{Fraction, least_common_multiple};

/// Maximum number of moments to examine. A resource with more moments has only the bound (12).
const MOMENTS_LIMIT: u128 = 1_000_000;

/// Returns the least R of the segment `own`, or `None` if no bound follows.
pub(super) fn end(table: &Table<'_>, own: &Stream) -> Option<u128> {
    let eligible = table.eligible(own.task, own.segment)?;
    let queue = Queue::new(table, own);
    let waiting = smaller(queue.outstanding(eligible), queue.busy_window());
    let end = eligible.saturating_add(waiting?);
    Some(end).filter(|&end| end <= queue.limits.end)
}

/// Returns the longest time from the release of the segment `own` of a sequential task to its end, by (13).
pub(in super::super) fn busy_window(table: &Table<'_>, own: &Stream) -> Option<u128> {
    Queue::new(table, own).busy_window()
}

/// A resource under FIFO.
struct Queue<'a> {
    own: &'a Stream,
    all: &'a [Stream],
    /// The service of a context.
    service: Service<'a>,
    limits: Limits,
}

impl<'a> Queue<'a> {
    fn new(table: &'a Table<'_>, own: &'a Stream) -> Queue<'a> {
        let on = table.task(own.task).segments[own.segment].on;
        Queue {
            own,
            all: table.streams(on),
            service: table.service(on, Lost::default()),
            limits: Limits::new(table, own.task),
        }
    }

    /// Returns the time for all requests that may precede the segment, (12).
    fn outstanding(&self, eligible: u128) -> Option<u128> {
        let own = self.own;
        let mut work = own.cost;
        let mut longest: BTreeMap<usize, u128> = BTreeMap::new();
        for other in self.all {
            let requests = if other.task != own.task && !other.pipelined {
                let longest = longest.entry(other.task).or_default();
                *longest = other.cost.max(*longest);
                0
            } else {
                let outstanding = other.end?.saturating_sub(other.earliest).div_ceil(other.period);
                outstanding.min(match other.task == own.task {
                    false => outstanding,
                    true if other.segment >= own.segment => {
                        let lag = other.end?.saturating_sub(own.earliest);
                        lag.div_ceil(own.period).saturating_sub(1)
                    }
                    true => {
                        let lag = eligible.checked_sub(other.earliest);
                        lag.map_or(0, |lag| lag / own.period)
                    }
                })
            };
            work = work.saturating_add(requests.saturating_mul(other.cost));
        }
        let work = longest.into_values().fold(work, u128::saturating_add);
        least(work.max(1), self.limits.end, |w| {
            self.service.time(work, w, Until::End)
        })
    }

    /// Returns the longest time from a moment of the busy window to the end of a job that becomes eligible at this moment,
    /// (13).
    fn busy_window(&self) -> Option<u128> {
        let rates = self.all.iter().map(|stream| rate(stream, 0));
        let load = Fraction::sum(rates).cmp(1);
        let context = self.service.turns.is_some();
        let whole = || match context {
            true => None,
            false => self.longest(self.hyperperiod()?, false),
        };
        match load {
            Ordering::Greater => None,
            Ordering::Equal if !context => whole(),
            _ => match self.length() {
                Some(length) => self.longest(length, true),
                None => whole(),
            },
        }
    }

    /// Returns Z, the longest busy window; `None` if it is too long.
    fn length(&self) -> Option<u128> {
        let start = self
            .all
            .iter()
            .map(|stream| stream.cost)
            .fold(0, u128::saturating_add);
        let length = least(start, self.limits.window, |z| {
            let work = total(self.all.iter().map(|stream| released(stream, z, true, 0)))?;
            self.service.time(work, z, Until::End)
        })?;
        self.few_jobs(length, true).then_some(length)
    }

    /// Returns whether at most 10,000 jobs of all segments are released in a window of length `length`.
    fn few_jobs(&self, length: u128, spaced: bool) -> bool {
        let jobs = total(self.all.iter().map(|stream| stream.jobs(length, spaced)));
        jobs.is_some_and(|jobs| jobs <= JOBS_LIMIT)
    }

    /// Returns the least common multiple of all periods.
    fn hyperperiod(&self) -> Option<u128> {
        let multiple = least_common_multiple(self.all.iter().map(|stream| stream.period))?;
        self.few_jobs(multiple, false).then_some(multiple)
    }

    /// Returns the largest value over all moments below `length`. `spaced` tells whether minimum distances count.
    fn longest(&self, length: u128, spaced: bool) -> Option<u128> {
        // The time of a pipelined task counts from the latest moment when its jobs are eligible.
        let own_counts_from_latest = self.own.pipelined;
        let mut longest = 0;
        for moment in self.moments(length, spaced)? {
            let work = total(self.all.iter().map(|stream| {
                let own = (stream.task, stream.segment) == (self.own.task, self.own.segment);
                match own && own_counts_from_latest {
                    true => Some((moment / self.own.period + 1).saturating_mul(self.own.cost)),
                    false => released(stream, moment + 1, spaced, 0),
                }
            }))?;
            let limit = moment.saturating_add(self.limits.end);
            let end = least(work, limit, |e| self.service.time(work, e, Until::End))?;
            longest = end.saturating_sub(moment).max(longest);
        }
        Some(longest)
    }

    /// Returns all moments below `length` at which the work grows.
    fn moments(&self, length: u128, spaced: bool) -> Option<Vec<u128>> {
        let own = self.own.period;
        let mut moments: Vec<u128> = (0..length.div_ceil(own)).map(|job| job * own).collect();
        for stream in self.all {
            if let Some(jitter) = stream.jitter {
                let period = stream.period;
                let first = jitter.div_ceil(period);
                let last = length.saturating_add(jitter) / period;
                if last.saturating_sub(first) > MOMENTS_LIMIT {
                    return None;
                }
                let steps = (first..=last).map(|job| job * period - jitter);
                moments.extend(steps.filter(|&moment| moment < length));
            }
            if spaced && stream.distance > 0 {
                // With a jitter bound, the distance limits the number of jobs only at the start of the window.
                let limited = |&job: &u128| {
                    let moment = job.saturating_mul(stream.distance);
                    let most = stream.jitter.map(|jitter| {
                        let length = moment.saturating_add(jitter).saturating_add(1);
                        length.div_ceil(stream.period)
                    });
                    moment < length && most.is_none_or(|most| job <= most)
                };
                let jobs = (0..MOMENTS_LIMIT).take_while(limited);
                moments.extend(jobs.map(|job| job * stream.distance));
            }
        }
        moments.push(0);
        moments.sort_unstable();
        moments.dedup();
        Some(moments)
    }
}
