//! Response times under earliest deadline first with jitter (Spuri, INRIA RR-2772, 1996) and blocking (George,
//! Rivierre, Spuri, INRIA RR-2966, 1996), for streams of segments and for the first parts of jobs.
//!
//! The busy period starts at time 0. Just before time 0, no job with a deadline up to the analyzed deadline is pending.
//! At time 0, at most one job with a later deadline runs. It runs in a non-preemptive part that started before time 0.
//! The analyzed job arrives at a ≥ −J and ends at the least t with
//!
//! t = B(a) + ⌊(a + J)/T⌋·C + c + Σ min(⌈(t + Jⱼ)/Tⱼ⌉, ⌊(a + D + Jⱼ − Dⱼ)/Tⱼ⌋ + 1)⁺·Cⱼ.
//!
//! The response time is the maximum of t − a over all a at which the right-hand side has a step.

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
    /// Relative deadline of a job, counted from its arrival.
    pub deadline: u64,
    pub jitter: u64,
    pub cost: u64,
    /// Longest time for which a job that has started delays more urgent jobs; 0 under immediate preemption.
    pub block: u64,
    /// Pipelined task and segment of the stream; `None` for a sequential task.
    pub stage: Option<(usize, usize)>,
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
        let unbounded = |stream: &Stream| {
            stream.cost == INFINITE
                || stream.jitter == INFINITE
                || stream.jitter > stream.deadline
                || stream.deadline == 0
        };
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

    /// Returns the longest time from the arrival of a job of stream `own` until the job has executed for `part` ≤ C.
    /// Returns [`INFINITE`] if the step limit is reached.
    pub fn response(&self, own: usize, part: u64) -> u64 {
        let me = self.streams[own];
        let mut worst = me.jitter.saturating_add(part);
        // Arrivals are shifted by the jitter, so that the earliest arrival is 0.
        for other in self.streams {
            let first = (i128::from(other.deadline) - i128::from(other.jitter))
                - (i128::from(me.deadline) - i128::from(me.jitter));
            let period = i128::from(other.period);
            let mut shifted = match first >= 0 {
                true => first,
                false => first.rem_euclid(period),
            };
            while shifted < i128::from(self.horizon) {
                let Some(end) = self.end(own, part, shifted) else {
                    return INFINITE;
                };
                // The arrival is `shifted` − J.
                let response = i128::from(end) - shifted + i128::from(me.jitter);
                worst = worst.max(u64::try_from(response).unwrap_or(0));
                shifted += period;
            }
        }
        worst
    }

    /// Returns the time when a job of `own` has executed for `part`, if the job arrives at `shifted` − J.
    fn end(&self, own: usize, part: u64, shifted: i128) -> Option<u64> {
        let me = self.streams[own];
        let before = u64::try_from(shifted / i128::from(me.period)).ok()?;
        let due = shifted - i128::from(me.jitter) + i128::from(me.deadline);
        let later = self.streams.iter().enumerate();
        let later = later.filter(|&(other, stream)| other != own && i128::from(stream.deadline) > due);
        let blocker = later.map(|(_, stream)| stream.block).max().unwrap_or(0);
        let base = blocker
            .checked_add(before.checked_mul(me.cost)?)?
            .checked_add(part)?;
        let mut end = base;
        loop {
            self.steps
                .set(self.steps.get().checked_sub(self.streams.len() as u64)?);
            let mut work = base;
            for (other, stream) in self.streams.iter().enumerate() {
                let room = due + i128::from(stream.jitter) - i128::from(stream.deadline);
                if other == own || room < 0 {
                    continue;
                }
                let released = end.checked_add(stream.jitter)?.div_ceil(stream.period);
                let due = u64::try_from(room / i128::from(stream.period)).ok()?;
                let due = due.saturating_add(u64::from(!follows(me, *stream)));
                work = work.checked_add(released.min(due).checked_mul(stream.cost)?)?;
            }
            let work = self.turns.served(work, end).checked_add(self.lost.within(end))?;
            if work == INFINITE {
                return None;
            }
            if work <= end {
                return Some(end);
            }
            end = work;
        }
    }
}

/// Whether `other` is a later segment of the pipelined task of `own`. A job is never at both segments.
fn follows(own: Stream, other: Stream) -> bool {
    match (own.stage, other.stage) {
        (Some((task, segment)), Some((of, later))) => of == task && later > segment,
        _ => false,
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
