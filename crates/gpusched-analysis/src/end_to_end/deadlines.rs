//! Response times under earliest deadline first with jitter (Spuri, INRIA RR-2772, 1996) and blocking (George,
//! Rivierre, Spuri, INRIA RR-2966, 1996), for streams of segments and for the first parts of jobs.
//!
//! The busy period starts at time 0. Just before time 0, no job with a deadline up to the analyzed deadline is pending.
//! At time 0, at most one job with a later deadline runs. It runs in a non-preemptive part that started before time 0.
//! The analyzed job arrives at a ≥ −J and ends at the least t with
//!
//! t = B(a) + ⌊(a + J)/T⌋·C + c + Σ min(⌈(t + Jⱼ)/Tⱼ⌉, ⌊(a + D + Jⱼ − Dⱼ)/Tⱼ⌋ + 1)⁺·Cⱼ.
//!
//! Without timers, a job releases its segments one after the other. So later segments of the analyzed job have one job less
//! in the second term of the minimum, and other segments of its task never block it. If the task is pipelined, younger jobs at
//! other segments may block it.
//!
//! The response time is the maximum of t − a over all a at which the right-hand side has a step. Most of these a need one
//! evaluation: if the right-hand side for t = a + x is at most t, then the job ends within x after its arrival.

use crate::interference::bandwidth::Delay;

use super::arithmetic::{INFINITE, released};
use super::time_slices::Turns;

/// Maximum number of evaluations of streams for one resource.
const STEPS: u64 = 10_000_000;

/// Longest accepted busy period on a resource with losses [ns]. If the busy period is longer, the streams have no
/// bounds.
const FAR: u64 = 1 << 50;

/// A stream of jobs under earliest deadline first [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Stream {
    pub period: u64,
    /// Relative deadline of a job, counted from its arrival. It is negative if the deadline of the whole job is before the earliest
    /// release of the segment.
    pub deadline: i128,
    pub jitter: u64,
    pub cost: u64,
    /// Longest time for which a job that has started delays more urgent jobs; 0 under immediate preemption.
    pub block: u64,
    /// Task whose jobs release the streams with this task one after the other, in the order of the streams. `None` if timers
    /// release the jobs.
    pub task: Option<usize>,
    /// Whether the task is pipelined, so that younger jobs may be at other segments.
    pub pipelined: bool,
}

/// Analysis of one resource.
pub(super) struct Deadlines<'a> {
    streams: &'a [Stream],
    /// Time that the resource loses in a window because of a shared memory.
    lost: Delay,
    /// Turns of the resource, if it is a context.
    turns: Turns<'a>,
    /// Length of the longest busy period.
    horizon: u64,
    steps: std::cell::Cell<u64>,
}

impl<'a> Deadlines<'a> {
    /// Returns the analysis of `streams` on a resource that loses the time `lost` and executes only in its `turns`. Returns
    /// `None` if the streams have no bounds.
    pub fn new(streams: &'a [Stream], lost: Delay, turns: Turns<'a>) -> Option<Deadlines<'a>> {
        let unbounded = |stream: &Stream| stream.cost == INFINITE || stream.jitter == INFINITE;
        if streams.iter().any(unbounded) || overloaded(streams) {
            return None;
        }
        let blocker = streams.iter().map(|stream| stream.block).max().unwrap_or(0);
        let work = |length: u64| {
            let work = streams.iter().fold(blocker, |work, stream| {
                work.saturating_add(released(length, (stream.jitter, stream.period, stream.cost)))
            });
            turns.served(work, length).saturating_add(lost.within(length))
        };
        if !(lost.is_none() && turns.is_none()) && work(FAR) > FAR {
            return None; // no busy period ends soon
        }
        let mut length = streams
            .iter()
            .map(|stream| stream.cost)
            .fold(blocker, u64::saturating_add);
        let mut steps = STEPS;
        loop {
            steps = steps.checked_sub(streams.len() as u64)?;
            let longer = work(length);
            if longer == INFINITE {
                return None;
            }
            if longer <= length {
                break;
            }
            length = longer;
        }
        Some(Deadlines {
            streams,
            lost,
            turns,
            horizon: length,
            steps: std::cell::Cell::new(steps),
        })
    }

    /// Returns the longest time from the arrival of a job of stream `own` until the job has executed for `part` ≤ C, or
    /// `known` if this time is shorter. Returns [`INFINITE`] if the time exceeds `limit`, or if the step limit is reached.
    pub fn response(&self, own: usize, part: u64, (known, limit): (u64, u64)) -> u64 {
        let me = self.streams[own];
        let mut worst = me.jitter.saturating_add(part).max(known);
        let mut window = Window::default();
        // Arrivals are shifted by the jitter, so that the earliest arrival is 0.
        for other in self.streams {
            let first = (other.deadline - i128::from(other.jitter)) - (me.deadline - i128::from(me.jitter));
            let first = match first >= 0 {
                true => first,
                false => first.rem_euclid(i128::from(other.period)),
            };
            let mut arrivals = u64::try_from(first).ok(); // a later arrival is after each busy period
            // Blocking and end of the previous job.
            let mut previous: Option<(u64, u64)> = None;
            while let Some(shifted) = arrivals
                // Each job ends in the longest busy period.
                && shifted < self.horizon
                && (self.horizon - shifted).saturating_add(me.jitter) > worst
                && worst <= limit
            {
                arrivals = shifted.checked_add(other.period);
                let longest = self.longest(&mut window, (own, part, shifted), worst, &mut previous);
                let Some(longest) = longest else {
                    return INFINITE;
                };
                worst = worst.max(longest);
            }
        }
        if worst > limit { INFINITE } else { worst }
    }

    /// Returns the time from the arrival of a job of stream `own` at `shifted` − J until the job has executed for `part`, or
    /// a smaller time if this time is at most `worst`. `previous` is the blocking and the end of an earlier job.
    fn longest(
        &self,
        window: &mut Window,
        (own, part, shifted): (usize, u64, u64),
        worst: u64,
        previous: &mut Option<(u64, u64)>,
    ) -> Option<u64> {
        window.set(self.streams, own, shifted);
        let (blocker, jitter) = (window.base, self.streams[own].jitter);
        let before = shifted / self.streams[own].period;
        window.base = before
            .checked_mul(self.streams[own].cost)?
            .checked_add(part)?
            .checked_add(blocker)?;
        // If the work of this window is at most its length, the job ends in it.
        let latest = shifted.saturating_add(worst).saturating_sub(jitter);
        if window.base <= latest && self.work(window, latest)? <= latest {
            return Some(worst);
        }
        // With the same blocking, a job that arrives later never ends earlier.
        let mut end = match *previous {
            Some((same, end)) if same == blocker => window.base.max(end),
            _ => window.base,
        };
        loop {
            let longer = self.work(window, end)?;
            if longer <= end {
                *previous = Some((blocker, end));
                return Some(end.saturating_add(jitter).saturating_sub(shifted));
            }
            end = longer;
        }
    }

    /// Returns the right-hand side of the equation for the end of a job.
    fn work(&self, window: &Window, end: u64) -> Option<u64> {
        self.steps
            .set(self.steps.get().checked_sub(self.streams.len() as u64)?);
        let mut work = window.base;
        for &(stream, due) in &window.due {
            let released = end.checked_add(stream.jitter)?.div_ceil(stream.period);
            work = work.checked_add(released.min(due).checked_mul(stream.cost)?)?;
        }
        let work = self.turns.served(work, end).checked_add(self.lost.within(end))?;
        (work != INFINITE).then_some(work)
    }
}

/// The terms of the equation for one job.
#[derive(Default)]
struct Window {
    /// Work that does not depend on the end of the job.
    base: u64,
    /// Other streams, and the maximum number of their jobs with a deadline up to the analyzed deadline.
    due: Vec<(Stream, u64)>,
}

impl Window {
    /// Sets the terms of other streams for a job of stream `own` that arrives at `shifted` − J. Sets `base` to the blocking.
    fn set(&mut self, streams: &[Stream], own: usize, shifted: u64) {
        let me = streams[own];
        // The deadline may be before the start of the busy period, because the job may be late.
        let due = i128::from(shifted) + me.deadline - i128::from(me.jitter);
        self.base = 0;
        self.due.clear();
        for (other, &stream) in streams.iter().enumerate() {
            if other == own {
                continue;
            }
            let same_task = me.task.is_some() && stream.task == me.task;
            if stream.deadline > due && (!same_task || me.pipelined) {
                self.base = self.base.max(stream.block);
            }
            if let Ok(room) = u64::try_from(due + i128::from(stream.jitter) - stream.deadline) {
                // A later segment of the analyzed job is released after the end of the analyzed segment.
                let released_later = same_task && other > own;
                let jobs = (room / stream.period).saturating_add(u64::from(!released_later));
                self.due.push((stream, jobs));
            }
        }
    }
}

/// Whether Σ C/T exceeds 1, or is so close to 1 that the exact comparison overflows.
fn overloaded(streams: &[Stream]) -> bool {
    let mut sum: (u128, u128) = (0, 1);
    for stream in streams {
        let (cost, period) = (u128::from(stream.cost), u128::from(stream.period));
        let common = num_integer::gcd(sum.1, period);
        let Some(denominator) = (sum.1 / common).checked_mul(period) else {
            return rounded_up(streams);
        };
        let (Some(left), Some(right)) = (
            sum.0.checked_mul(period / common),
            cost.checked_mul(denominator / period),
        ) else {
            return rounded_up(streams);
        };
        let Some(numerator) = left.checked_add(right) else {
            return rounded_up(streams);
        };
        sum = (numerator, denominator);
    }
    sum.0 > sum.1
}

/// Whether Σ C/T > 1, with every term rounded up to a multiple of 2⁻⁶⁰, which is safe.
fn rounded_up(streams: &[Stream]) -> bool {
    let unit = 1u128 << 60;
    let terms = streams
        .iter()
        .map(|stream| (u128::from(stream.cost) * unit).div_ceil(u128::from(stream.period)));
    terms.fold(0, u128::saturating_add) > unit
}
