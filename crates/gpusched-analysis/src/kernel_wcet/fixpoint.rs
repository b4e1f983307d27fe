//! Search for the least fixpoint of Algorithm 1 in a bounded number of steps.
//!
//! Algorithm 1 iterates t ← G(t). If the interference in an extension of t is nearly as long as the extension, t increases slowly:
//! by a factor close to 1, or by one period per step. So after a few steps, gpusched directly searches for the first t with G(t) ≤
//! t:
//!
//! * The right-hand sides of Eqs 9 and 10 depend on t_mem(t) and ⌈t/T⌉. Between two bends of these functions, the right-hand sides
//!   are linear in t. The optimum of a linear program is a concave function of its right-hand sides, so G(t) − t is concave between
//!   two bends. If G(t) − t is positive at both ends, it is positive between them. Otherwise its sign changes once, and bisection
//!   finds the change.
//! * At points that are one period apart, the right-hand sides increase linearly. So G(t) − t is concave over such points, too.
//!   Bisection finds the first period with a bend where G(t) − t is not positive.

use super::regulation::Regulation;
use gpusched_model::time::Time;

/// Number of steps of Algorithm 1 before the search starts.
const PLAIN: u32 = 32;

/// Computes the least t ≥ `start` with `wcet`(t) ≤ t. Also returns the number of calls of `wcet`, which is at most a few hundred.
///
/// `start` must be at most this t, and `enough` must be at least this t.
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

/// Returns the first instant after `time` that is not `early`. `time` itself must be `early`.
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

/// Returns the first instant in (`early_at`, `late_at`] that is not `early`, if the interval has only one change.
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

/// Returns the number of periods after which `bend` is no longer `early`; at least 1.
fn periods(bend: u64, period: u64, mut early: impl FnMut(u64) -> bool) -> u64 {
    let mut after = |periods: u64| early(bend.saturating_add(periods.saturating_mul(period)));
    let mut many = 1;
    while after(many) {
        many *= 2;
    }
    first_late(many / 2, many, after)
}
