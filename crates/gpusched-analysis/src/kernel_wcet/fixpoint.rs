//! The least fixpoint of Algorithm 1 in a bounded number of steps.
//!
//! Algorithm 1 iterates t ← G(t). If interference consumes nearly all of the added time again, t grows slowly, by a factor close to
//! 1 or by one period per step. So after a few steps, gpusched searches directly for the first t with G(t) ≤ t:
//!
//! * Between two bends of t_mem(t) and ⌈t/T⌉, the right-hand sides of Eqs 9 and 10 are linear in t. The optimum of a linear program
//!   is a concave function of its right-hand sides. So G(t) − t is concave there. If it is positive at both ends, it is positive in
//!   between. Otherwise it changes sign once, and bisection finds the place.
//! * From period to period the right-hand sides grow linearly. So at equal places in all periods, G(t) − t is concave, too.
//!   Bisection finds the first period with a bend that is not positive.

use super::regulation::Regulation;
use gpusched_model::time::Time;

/// Number of plain steps of Algorithm 1 before the search.
const PLAIN: u32 = 32;

/// Finds the least t ≥ `start` with `wcet`(t) ≤ t, and counts the calls of `wcet`: at most a few hundred.
///
/// `start` must be at most this t, and `enough` at least this t.
pub(super) fn least(
    start: Time,
    enough: Time,
    regulation: &Regulation,
    mut wcet: impl FnMut(Time) -> Time,
) -> (Time, u32) {
    let mut calls = 0;
    let mut call = |time| {
        calls += 1;
        wcet(time)
    };
    let mut time = start;
    for _ in 0..PLAIN {
        let next = call(time);
        if next <= time {
            return (time, calls);
        }
        time = next;
    }
    let mut early = |ns| ns < enough.ns() && call(Time::from_ns(ns)) > Time::from_ns(ns);
    if early(time.ns()) {
        time = Time::from_ns(search(time.ns(), regulation, early));
    }
    (time, calls)
}

/// The first instant after `time` that is not `early`. `time` itself is `early`.
fn search(mut time: u64, regulation: &Regulation, mut early: impl FnMut(u64) -> bool) -> u64 {
    let period = regulation.period();
    loop {
        let start = time;
        let mut bends = Vec::with_capacity(4);
        while time - start < period {
            let bend = regulation.next_bend(time);
            if !early(bend) {
                return first_late(time, bend, early);
            }
            bends.push(bend);
            time = bend;
        }
        if start >= regulation.settled() {
            let periods = bends.iter().map(|&bend| periods(bend, period, &mut early));
            let skipped = periods.min().unwrap_or(1) - 1;
            time = time.saturating_add(skipped.saturating_mul(period));
        }
    }
}

/// The first instant in (`early_at`, `late_at`] that is not `early`, if there is only one change.
fn first_late(mut early_at: u64, mut late_at: u64, mut early: impl FnMut(u64) -> bool) -> u64 {
    while late_at - early_at > 1 {
        let middle = early_at + (late_at - early_at) / 2;
        match early(middle) {
            true => early_at = middle,
            false => late_at = middle,
        }
    }
    late_at
}

/// Number of periods after which `bend` is no longer `early`; at least 1.
fn periods(bend: u64, period: u64, mut early: impl FnMut(u64) -> bool) -> u64 {
    let mut after = |periods: u64| early(bend.saturating_add(periods.saturating_mul(period)));
    let mut many = 1;
    while after(many) {
        many *= 2;
    }
    first_late(many / 2, many, after)
}
