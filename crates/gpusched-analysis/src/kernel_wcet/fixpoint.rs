//! Search for the least fixed point of Algorithm 1 of [Aghilinasab20] in a limited number of
//! steps.
//!
//! Algorithm 1 iterates t ← G(t), where G(t) is the WCET under the interference in a window of
//! length t. If the interference delay increases nearly as fast as the window length, t increases
//! slowly: by a factor close to 1, or by one period per step. So after a few steps, gpusched
//! searches directly for the first t with G(t) ≤ t:
//!
//! * The right-hand sides of Eqs 9 and 10 depend on t_mem(t) and ⌈t/T⌉. These functions have bends, and are linear in
//!   t between two bends. The optimum of a linear program is a concave function of its right-hand sides. So G(t) − t
//!   is concave between two bends. If G(t) − t is positive at both bends, G(t) − t is positive between them. If G(t) −
//!   t is positive only at the first bend, its sign changes once between the bends, and bisection finds this change.
//! * At points that are one period apart, the right-hand sides increase linearly. So G(t) − t is
//!   also concave over these points. Bisection finds the first of these points at which G(t) − t is 0 or negative.

use super::regulation::Regulation;
use gpusched_model::time::Time;

/// Number of plain iterations of Algorithm 1 before the direct search starts.
const PLAIN: u32 = 32;

/// Computes the least t ≥ `start` with `wcet`(t) ≤ t. Also returns the number of calls of `wcet`,
/// which is at most a few hundred.
///
/// The result t must be at least `start` and at most `enough`.
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

/// Returns the first time after `time` for which `early` returns false. For `time`, `early` must
/// return true.
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

/// Returns the first time after `early_at`, at most `late_at`, for which `early` returns false. Between the two times,
/// the result of `early` must change only once.
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

/// Returns the smallest number n ≥ 1 of periods for which `early` returns false at `bend` + n
/// periods.
fn periods(bend: u64, period: u64, mut early: impl FnMut(u64) -> bool) -> u64 {
    let mut after = |periods: u64| early(bend.saturating_add(periods.saturating_mul(period)));
    let mut many = 1;
    while after(many) {
        many *= 2;
    }
    first_late(many / 2, many, after)
}
