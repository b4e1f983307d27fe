//! L: length of the longest interval that a test under EDF must check.
//!
//! L is the smaller of two lengths:
//! * Lₐ = (B + Σ max(0, Tᵢ − Dᵢ)·Uᵢ) / (1 − U), or max(Dᵢ − Tᵢ) if this is larger. For t ≥ max(Dᵢ
//!   − Tᵢ), dbf(t) ≤ Σ (t + Tᵢ − Dᵢ)·Uᵢ. So dbf(t) + B ≤ t for all t ≥ Lₐ.
//! * L_b: the length of the synchronous busy period that starts with work B. A violation at t >
//!   L_b implies a violation at t − L_b.
//!
//! The functions round Lₐ and L_b up, so a test may check more intervals than necessary. If U = 1, only L_b exists, and
//! only for B = 0. Intervals of at least the largest deadline D have no blocking, so L = max(D, L_b) if U = 1.

use super::qpa::STEP_LIMIT;
use crate::schedulability::Demand;

/// Returns L for blocking of at most `blocking` [ns]. `bound` is the [`utilization_bound`] for this blocking. Returns
/// `None` if L exceeds 64 bits, or if the search for L exceeds the step limit.
pub(super) fn interval_to_check(tasks: &[Demand], blocking: u64, bound: Option<u64>) -> Option<u64> {
    // If Lₐ is at most this number of periods, QPA up to Lₐ takes less time than the search for
    // L_b.
    const FEW: u64 = 64;
    let longest = tasks.iter().map(|task| task.period.ns()).max()?;
    match bound {
        Some(bound) if bound / FEW <= longest => Some(bound),
        Some(bound) => Some(busy_period(tasks, blocking, bound, FEW).unwrap_or(bound)),
        None => {
            let busy = busy_period(tasks, 0, u64::MAX, STEP_LIMIT)?;
            let latest = tasks.iter().map(|task| task.deadline.ns()).max()?;
            Some(if blocking > 0 { busy.max(latest) } else { busy })
        }
    }
}

/// Returns Lₐ for blocking B = `blocking` [ns], rounded up. Returns `None` if U is 1, or if U is
/// so close to 1 that Lₐ exceeds 64 bits.
pub(super) fn utilization_bound(tasks: &[Demand], blocking: u64) -> Option<u64> {
    const SCALE: u32 = 48;
    let one = 1u128 << SCALE;
    let mut utilization = 0u128; // Σ Uᵢ in units of 2⁻⁴⁸, each term rounded up
    let mut numerator = u128::from(blocking); // B + Σ max(0, Tᵢ − Dᵢ)·Uᵢ [ns], each term rounded up
    let mut least = 0u64; // max(Dᵢ − Tᵢ)
    for task in tasks {
        let (wcet, period) = (u128::from(task.wcet.ns()), u128::from(task.period.ns()));
        if period == 0 {
            return None;
        }
        utilization = utilization.checked_add((wcet << SCALE).div_ceil(period))?;
        match task.period.checked_sub(task.deadline) {
            Some(early) => {
                numerator = numerator.checked_add((u128::from(early.ns()) * wcet).div_ceil(period))?;
            }
            None => least = least.max(task.deadline.ns() - task.period.ns()),
        }
    }
    let slack = one.checked_sub(utilization).filter(|&slack| slack > 0)?;
    let bound = numerator.checked_mul(one)?.div_ceil(slack);
    Some(u64::try_from(bound).ok()?.max(least))
}

/// Returns L_b: the length of the synchronous busy period that starts with work `extra` [ns].
/// Returns `None` if the length exceeds `limit`, or if the iteration does not end within `steps`.
fn busy_period(tasks: &[Demand], extra: u64, limit: u64, steps: u64) -> Option<u64> {
    let work = |length: u64| {
        tasks.iter().try_fold(extra, |total, task| {
            let jobs = length.div_ceil(task.period.ns());
            total.checked_add(jobs.checked_mul(task.wcet.ns())?)
        })
    };
    let mut length = work(1)?;
    for _ in 0..steps {
        let next = work(length)?;
        if next > limit {
            return None;
        }
        if next == length {
            return Some(length);
        }
        length = next;
    }
    None
}
