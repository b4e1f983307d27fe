//! The least fixpoint of Algorithm 1, found in a bounded number of steps.
//!
//! Algorithm 1 iterates t ← G(t). Where nearly all of the time that is added is lost to interference again, that creeps, by a
//! factor close to 1 or by one period at a time. So after a few steps we look for the first t with G(t) ≤ t directly:
//!
//! * Between two bends of t_mem(t) and ⌈t/T⌉ the right-hand sides of Eqs 9 and 10 are linear in t, and the optimum of a linear
//!   program is a concave function of its right-hand sides. So G(t) − t is concave there: if it is positive at both ends
//!   it is positive in between, else it changes sign once, and bisection finds where.
//! * From period to period the right-hand sides grow linearly, so that at equal places in all periods G(t) − t is
//!   concave, too, and bisection finds the first period in which one of its bends is not positive.

use super::regulation::Regulation;
use gpusched_model::time::Time;

/// Plain steps of Algorithm 1 before the search.
const PLAIN: u32 = 32;

/// The least t ≥ `start` with `wcet`(t) ≤ t, and how many times `wcet` was called: at most a few hundred times.
///
/// `start` must not be above that t, and `enough` must not be below it.
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

/// The first instant after `time` that is not `early`, where `time` is.
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

/// The first instant in (`early_at`, `late_at`] that is not `early`, if there is one change only.
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

/// After how many periods `bend` is no longer `early`; at least 1.
fn periods(bend: u64, period: u64, mut early: impl FnMut(u64) -> bool) -> u64 {
    let mut after = |periods: u64| early(bend.saturating_add(periods.saturating_mul(period)));
    let mut many = 1;
    while after(many) {
        many *= 2;
    }
    first_late(many / 2, many, after)
}
