//! Preemptive EDF on one partition, exact: processor-demand criterion with QPA, in integers.
//!
//! Sporadic tasks with arbitrary deadlines are schedulable iff U ≤ 1 and dbf(t) ≤ t for every t > 0 (Baruah, Mok &
//! Rosier 1990). QPA (Zhang & Burns, IEEE Trans. Computers 58(9), 2009) walks t backwards from a bound L and skips
//! everything in between: when dbf(t) < t, no violation lies in (dbf(t), t).
//!
//! L is the smaller of
//! * Lₐ: for t ≥ max(Dᵢ − Tᵢ), dbf(t) ≤ Σ (t + Tᵢ − Dᵢ)·Uᵢ, so dbf(t) ≤ t from Σ max(0, Tᵢ − Dᵢ)·Uᵢ / (1 − U) on;
//! * L_b: the length of the synchronous busy period, which contains the first miss if there is one.
//!
//! Both are computed rounded up, which only adds intervals to check. Where U = 1 only L_b exists.

use std::cmp::Ordering;

use super::Demand;
use crate::model::utilization::compare_total;
use crate::model::verdict::Evidence;
use crate::time::Time;

/// QPA or busy-period steps after which the test gives up as [`Evidence::Undecided`]; a step is O(n).
///
/// Reached only if U is 1, or next to 1, and the hyperperiod is astronomical: the problem is coNP-hard.
pub const STEP_LIMIT: u64 = 1_000_000;

/// Whether all deadlines are met under preemptive EDF.
pub fn test(demands: &[Demand]) -> Evidence {
    let bound = utilization_bound(demands, 0);
    // A bound exists only if U < 1.
    if bound.is_none() && utilization_against_one(demands) == Ordering::Greater {
        return Evidence::UtilizationAboveOne;
    }
    if demands.iter().all(|demand| demand.deadline >= demand.period) {
        // dbf(t) ≤ U·t ≤ t.
        return Evidence::DemandWithinSupply {
            interval_ns: Time::ZERO,
            checked: Vec::new(),
        };
    }
    check_up_to(demands, 0, bound)
}

/// The slack of a schedulable set: the largest x with dbf(t) + x ≤ t at every deadline t [ns].
///
/// Any one busy period absorbs that much extra work (an overrun, say) without a miss. `None` if the set is not
/// schedulable; 0, a lower bound, where U is 1.
pub fn slack(demands: &[Demand]) -> Option<Time> {
    if !test(demands).is_positive() {
        return None;
    }
    if utilization_against_one(demands) == Ordering::Equal {
        return Some(Time::ZERO);
    }
    let earliest = demands.iter().map(|demand| demand.deadline.ns()).min()?;
    let (mut fits, mut fails) = (0, earliest + 1);
    while fails - fits > 1 {
        let extra = fits + (fails - fits) / 2;
        if check_up_to(demands, extra, utilization_bound(demands, extra)).is_positive() {
            fits = extra;
        } else {
            fails = extra;
        }
    }
    Some(Time::from_ns(fits))
}

/// dbf(t): the demand of all jobs released and due within an interval of length `interval` [ns].
pub fn demand_bound(demands: &[Demand], interval: u64) -> u128 {
    demands.iter().fold(0u128, |total, demand| {
        total.saturating_add(demand.within(interval))
    })
}

fn utilization_against_one(demands: &[Demand]) -> Ordering {
    let terms = demands
        .iter()
        .map(|demand| (demand.wcet.ns().into(), demand.period.ns()));
    compare_total(terms, 1)
}

/// Whether dbf(t) + `extra` ≤ t at every deadline t, given U ≤ 1 and `bound`, which is Lₐ.
fn check_up_to(demands: &[Demand], extra: u64, bound: Option<u64>) -> Evidence {
    match interval_to_check(demands, extra, bound) {
        Some(interval) => qpa(demands, extra, interval),
        None => Evidence::Undecided { steps: STEP_LIMIT },
    }
}

/// L: dbf(t) + `extra` ≤ t holds beyond. `None` where no bound is found in 64 bits within the step limit.
fn interval_to_check(demands: &[Demand], extra: u64, bound: Option<u64>) -> Option<u64> {
    // From an Lₐ of a few periods QPA is done before L_b is found.
    const FEW: u64 = 64;
    let longest = demands.iter().map(|demand| demand.period.ns()).max()?;
    match bound {
        Some(bound) if bound / FEW <= longest => Some(bound),
        Some(bound) => Some(busy_period(demands, extra, bound, FEW).unwrap_or(bound)),
        None => busy_period(demands, extra, u64::MAX, STEP_LIMIT),
    }
}

/// Lₐ, rounded up; `None` if U is 1 or so close that the bound does not fit 64 bits.
fn utilization_bound(demands: &[Demand], extra: u64) -> Option<u64> {
    const SCALE: u32 = 48;
    let one = 1u128 << SCALE;
    let mut utilization = 0u128; // Σ Uᵢ in 2⁻⁴⁸, each term rounded up
    let mut numerator = u128::from(extra); // Σ max(0, Tᵢ − Dᵢ)·Uᵢ [ns], each term rounded up
    let mut least = 0u64; // max(Dᵢ − Tᵢ)
    for demand in demands {
        let (wcet, period) = (u128::from(demand.wcet.ns()), u128::from(demand.period.ns()));
        if period == 0 {
            return None;
        }
        utilization = utilization.checked_add((wcet << SCALE).div_ceil(period))?;
        match demand.period.checked_sub(demand.deadline) {
            Some(early) => {
                numerator = numerator.checked_add((u128::from(early.ns()) * wcet).div_ceil(period))?;
            }
            None => least = least.max(demand.deadline.ns() - demand.period.ns()),
        }
    }
    let slack = one.checked_sub(utilization).filter(|&slack| slack > 0)?;
    let bound = numerator.checked_mul(one)?.div_ceil(slack);
    Some(u64::try_from(bound).ok()?.max(least))
}

/// L_b: the length of the synchronous busy period that starts with `extra` work, if it is found within `steps` and at
/// most `limit`.
fn busy_period(demands: &[Demand], extra: u64, limit: u64, steps: u64) -> Option<u64> {
    let work = |length: u64| {
        demands.iter().try_fold(extra, |total, demand| {
            let jobs = length.div_ceil(demand.period.ns());
            total.checked_add(jobs.checked_mul(demand.wcet.ns())?)
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

/// QPA from the last deadline at or before `interval` down to the first one.
fn qpa(demands: &[Demand], extra: u64, interval: u64) -> Evidence {
    let last_deadline_before = |t: u64| {
        demands
            .iter()
            .filter_map(|demand| demand.last_deadline_before(t))
            .max()
    };
    let mut checked = Vec::new();
    let mut next = last_deadline_before(interval.saturating_add(1));
    while let Some(t) = next {
        if checked.len() as u64 == STEP_LIMIT {
            return Evidence::Undecided { steps: STEP_LIMIT };
        }
        let demand = demand_bound(demands, t).saturating_add(extra.into());
        next = match u64::try_from(demand) {
            Ok(demand) if demand <= t => {
                checked.push((Time::from_ns(t), Time::from_ns(demand)));
                // No interval from dbf(t) up to t is violated, for dbf is no larger there.
                if demand < t {
                    (demand > 0).then_some(demand)
                } else {
                    last_deadline_before(t)
                }
            }
            _ => {
                return Evidence::DemandExceedsInterval {
                    interval_ns: Time::from_ns(t),
                    demand_ns: u64::try_from(demand).unwrap_or(u64::MAX),
                };
            }
        };
    }
    Evidence::DemandWithinSupply {
        interval_ns: Time::from_ns(interval),
        checked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tasks: &[(u64, u64, u64)]) -> Vec<Demand> {
        tasks
            .iter()
            .map(|&(c, d, t)| Demand::new(Time::from_ns(c), Time::from_ns(t), Time::from_ns(d)))
            .collect()
    }

    #[test]
    fn violated_interval_is_named() {
        // Two jobs due within 5 need 6.
        let evidence = test(&set(&[(3, 4, 100), (3, 5, 100)]));
        assert_eq!(
            evidence,
            Evidence::DemandExceedsInterval {
                interval_ns: Time::from_ns(5),
                demand_ns: 6
            }
        );
    }

    #[test]
    fn full_utilization_is_decided_exactly() {
        assert!(test(&set(&[(1, 2, 2), (1, 3, 3), (1, 6, 6)])).is_positive());
        assert_eq!(
            test(&set(&[(1, 2, 2), (1, 3, 3), (1_000_001, 6_000_000, 6_000_000)])),
            Evidence::UtilizationAboveOne
        );
        // U = 1 and a constrained deadline: dbf(5) = 5, dbf(4) = 5
        assert!(test(&set(&[(1, 2, 2), (3, 5, 6)])).is_positive());
        assert!(!test(&set(&[(1, 2, 2), (3, 4, 6)])).is_positive());
        assert!(test(&set(&[(2, 2, 4), (2, 4, 4)])).is_positive());
    }

    #[test]
    fn absurd_numbers_do_not_overflow() {
        let limit = Time::LIMIT.ns();
        assert!(test(&set(&[(limit, limit, limit)])).is_positive());
        assert!(!test(&set(&[(limit, limit, limit), (1, 1, limit)])).is_positive());
        assert!(!test(&set(&[(limit, 1, limit), (limit, 1, 1)])).is_positive());
        assert!(test(&set(&[(1, 1, limit), (1, limit, 2)])).is_positive());
        assert_eq!(test(&set(&[(1, 1, 0)])), Evidence::UtilizationAboveOne);
    }

    #[test]
    fn slack_is_the_least_distance_of_demand_and_interval() {
        // dbf: 2 at 5, 5 at 9, 7 at 15, …: least distance 3 at 5
        assert_eq!(slack(&set(&[(2, 5, 10), (3, 9, 20)])), Some(Time::from_ns(3)));
        assert_eq!(slack(&set(&[(3, 4, 100), (3, 5, 100)])), None);
    }
}
