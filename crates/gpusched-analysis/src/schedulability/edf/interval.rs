//! L: the length up to which the demand has to be checked.
//!
//! L is the smaller of
//! * Lₐ: for t ≥ max(Dᵢ − Tᵢ), dbf(t) ≤ Σ (t + Tᵢ − Dᵢ)·Uᵢ, so dbf(t) + B ≤ t from
//!   (B + Σ max(0, Tᵢ − Dᵢ)·Uᵢ) / (1 − U) on;
//! * L_b: the length of the synchronous busy period that starts with work B. If t > L_b is violated, so is t − L_b.
//!
//! Both are computed rounded up, which only adds intervals to check. Where U = 1 only L_b exists, and without B: from the
//! largest deadline on there is no blocking, so L = max(D, L_b) then.

use super::qpa::STEP_LIMIT;
use crate::schedulability::Demand;

/// L for demand and blocking of at most `blocking` [ns]; `bound` is the [`utilization_bound`] with the same. `None` where
/// no bound is found in 64 bits within the step limit.
pub(super) fn interval_to_check(tasks: &[Demand], blocking: u64, bound: Option<u64>) -> Option<u64> {
    // From an Lₐ of a few periods QPA is done before L_b is found.
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

/// Lₐ for `blocking` [ns], rounded up; `None` if U is 1 or so close that the bound does not fit 64 bits.
pub(super) fn utilization_bound(tasks: &[Demand], blocking: u64) -> Option<u64> {
    const SCALE: u32 = 48;
    let one = 1u128 << SCALE;
    let mut utilization = 0u128; // Σ Uᵢ in 2⁻⁴⁸, each term rounded up
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

/// L_b: the length of the synchronous busy period that starts with `extra` work, if it is found within `steps` and at
/// most `limit`.
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
