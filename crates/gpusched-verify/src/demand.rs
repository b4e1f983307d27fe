//! The steps of a processor-demand test.
//!
//! The claim is h(t) = dbf(t) + B(t) ≤ t for every t > 0. B(t) is the longest blocking by a job due later than t. It is enough
//! to check the deadlines of jobs, where dbf steps, up to a length L. Beyond L the claim holds for one of three reasons:
//! * Σ max(0, T − D)·U + B ≤ L·(1 − U) and L ≥ D − T, because dbf(t) ≤ Σ (t + T − D)·U for such t.
//! * Σ ⌈L/T⌉·C + B ≤ L and L > 0. Then a violation at t > L implies one at t − L, because dbf(t) ≤ Σ ⌈L/T⌉·C + dbf(t − L).
//! * Σ ⌈L/T⌉·C ≤ L, L > 0, and L is at least every D. From there on, no job blocks, and the second reason applies without B.
//!
//! If h(t) ≤ t, the claim holds from max(h(t), D_k) up to t. D_k is the last deadline, at or before t, of a job that blocks for
//! longer than B(t). In this range, neither dbf nor B is larger than at t. So the evidence is a list of lengths. No
//! deadline lies between a length and the range that the previous length covers.

use super::fraction::Fraction;
use super::{Fault, Job};
use gpusched_model::Policy;
use gpusched_model::time::Time;

/// Maximum number of steps of [`Supply::suffices`].
const STEPS: u32 = 100_000;

/// Demand of a policy of the EDF family.
pub(super) struct Supply {
    jobs: Vec<Demanding>,
}

/// Demand of one job on the processor.
struct Demanding {
    /// C, including the cost of a preemption.
    wcet: u128,
    period: u128,
    /// D − J.
    deadline: u128,
    /// Blocking of a more urgent job by this job: 0 if the policy preempts at once.
    blocking: u128,
}

impl Supply {
    /// Creates the demand of `jobs`. Deadlines count from the release (D − J). Under limited preemption, each job pays for one
    /// more block of a job that it may preempt. `Err` contains a task whose jitter reaches its deadline.
    pub fn new(policy: Policy, jobs: &[Job]) -> Result<Supply, usize> {
        let demanding = |job: &Job| {
            let deadline = job.deadline.checked_sub(job.jitter).filter(|&d| d > 0);
            let deadline = deadline.ok_or(job.task)?;
            let longest = match policy {
                Policy::NpEdf => job.wcet,
                Policy::LpEdf => job.block,
                _ => 0,
            };
            // The preempted job k is released before job h and due after it: a_k ≤ r_k < r_h ≤ a_h + J_h and a_k + D_k > a_h +
            // D_h. Hence D_k > D_h − J_h.
            let preempted = jobs.iter().filter(|other| {
                policy == Policy::LpEdf
                    && other.task != job.task
                    && other.deadline > deadline
                    && other.block < other.wcet
            });
            let charge = preempted.map(|other| other.block).max().unwrap_or(0);
            Ok(Demanding {
                wcet: job.wcet + charge,
                period: job.period,
                deadline,
                blocking: longest.saturating_sub(1),
            })
        };
        let jobs = jobs.iter().map(demanding).collect::<Result<_, usize>>()?;
        Ok(Supply { jobs })
    }

    pub fn utilization(&self) -> Fraction {
        Fraction::sum(self.jobs.iter().map(|job| Fraction::new(job.wcet, job.period)))
    }

    /// h(t).
    fn demand(&self, t: u128) -> u128 {
        let due = |job: &Demanding| match t.checked_sub(job.deadline) {
            Some(room) => (room / job.period + 1).saturating_mul(job.wcet),
            None => 0,
        };
        let total = self.jobs.iter().map(due).fold(0u128, u128::saturating_add);
        total.saturating_add(self.blocking_beyond(t))
    }

    fn blocking_beyond(&self, t: u128) -> u128 {
        let later = self.jobs.iter().filter(|job| job.deadline > t);
        later.map(|job| job.blocking).max().unwrap_or(0)
    }

    /// Returns the last deadline of a job strictly before `t`.
    fn last_deadline_before(&self, t: u128) -> Option<u128> {
        let last = |job: &Demanding| {
            let room = t.checked_sub(1)?.checked_sub(job.deadline)?;
            Some(job.deadline + room / job.period * job.period)
        };
        self.jobs.iter().filter_map(last).max()
    }

    /// Whether the claim holds beyond `length`.
    fn holds_beyond(&self, length: u128) -> bool {
        // No job is due before the earliest deadline, so blocking counts from there on.
        let earliest = self.jobs.iter().map(|job| job.deadline).min().unwrap_or(0);
        let blocking = self.blocking_beyond(earliest);
        let work = self
            .jobs
            .iter()
            .map(|job| length.div_ceil(job.period).saturating_mul(job.wcet));
        let work = work.fold(0u128, u128::saturating_add);
        let unblocked = self.jobs.iter().all(|job| length >= job.deadline);
        // An interval of length 0 contains no release, so it proves nothing about longer intervals.
        if length > 0 && (work.saturating_add(blocking) <= length || (unblocked && work <= length)) {
            return true;
        }
        let Some(idle) = self.utilization().complement() else {
            return false;
        };
        let early = self.jobs.iter().map(|job| {
            Fraction::new(job.period.saturating_sub(job.deadline), job.period)
                .times(Fraction::new(job.wcet, 1))
        });
        let needed = Fraction::sum(early).plus(Fraction::new(blocking, 1));
        self.jobs.iter().all(|job| length + job.period >= job.deadline)
            && needed.at_most(&idle.times(Fraction::new(length, 1)))
    }

    /// Whether no job blocks another one and every deadline is at least the period. Then U ≤ 1 is enough.
    fn is_implicit(&self) -> bool {
        let earliest = self.jobs.iter().map(|job| job.deadline).min().unwrap_or(0);
        self.blocking_beyond(earliest) == 0 && self.jobs.iter().all(|job| job.deadline >= job.period)
    }

    /// Returns the lower end of the range where the claim holds, if `needed`, h(`t`), is at most `t`.
    fn covered_from(&self, t: u128, needed: u128) -> u128 {
        let same_blocking_from = self
            .jobs
            .iter()
            .filter(|job| job.deadline <= t && job.blocking > self.blocking_beyond(t))
            .map(|job| job.deadline)
            .max();
        needed.max(same_blocking_from.unwrap_or(0))
    }

    /// Whether the claim holds; `None` if the check exceeds its step limit.
    pub fn suffices(&self) -> Option<bool> {
        if self.utilization().cmp(1).is_gt() {
            return Some(false);
        }
        if self.is_implicit() {
            return Some(true);
        }
        let mut open = self.last_deadline_before(self.enough()? + 1);
        for _ in 0..STEPS {
            let Some(t) = open else {
                return Some(true);
            };
            let needed = self.demand(t);
            if needed > t {
                return Some(false);
            }
            open = self.last_deadline_before(self.covered_from(t, needed));
        }
        None
    }

    /// Returns a length beyond which the claim holds.
    fn enough(&self) -> Option<u128> {
        let deadlines = || self.jobs.iter().map(|job| job.deadline);
        let blocking = self.blocking_beyond(deadlines().min()?);
        [(deadlines().max()?, 0), (1, blocking)]
            .into_iter()
            .filter_map(|(start, blocking)| {
                let mut length = start;
                for _ in 0..STEPS {
                    let work = self
                        .jobs
                        .iter()
                        .map(|job| length.div_ceil(job.period).saturating_mul(job.wcet));
                    match work.fold(blocking, u128::saturating_add) {
                        next if next <= length => return Some(length),
                        next => length = next,
                    }
                }
                None
            })
            .find(|&length| self.holds_beyond(length))
    }

    /// Checks `demand-within-supply`.
    pub fn check_walk(&self, interval: Time, checked: &[(Time, Time)]) -> Result<(), Fault> {
        if self.utilization().cmp(1).is_gt() {
            return Err(Fault::new(
                "",
                "found evidence of schedulability, but the utilization is above 1",
            ));
        }
        let length = u128::from(interval.ns());
        let holds = self.holds_beyond(length) || (length == 0 && self.is_implicit());
        if !holds {
            let message =
                format!("found {interval}, expected a length beyond which no interval can be violated");
            return Err(Fault::new("interval_ns", message));
        }
        let mut open = match length {
            0 => None,
            length => self.last_deadline_before(length + 1),
        };
        for (index, &(t, demand)) in checked.iter().enumerate() {
            let field = format!("checked[{index}]");
            let (t, stated) = (u128::from(t.ns()), u128::from(demand.ns()));
            let Some(next) = open else {
                return Err(Fault::new(
                    field,
                    "found a length although all lengths are covered",
                ));
            };
            if t < next || t > length {
                let message = format!("found {t} ns, expected a length from {next} to {length} ns");
                return Err(Fault::new(field, message));
            }
            let needed = self.demand(t);
            if stated != needed || needed > t {
                let message = format!("found a demand of {stated} ns at {t} ns, expected {needed}");
                return Err(Fault::new(field, message));
            }
            open = self.last_deadline_before(self.covered_from(t, needed));
        }
        match open {
            Some(next) => Err(Fault::new("checked", format!("ends before {next} ns is covered"))),
            None => Ok(()),
        }
    }

    /// Checks `demand-exceeds-interval`.
    pub fn check_violation(&self, interval: Time, stated: u64) -> Result<(), Fault> {
        let t = u128::from(interval.ns());
        let needed = self.demand(t);
        let representable = u64::try_from(needed).unwrap_or(u64::MAX);
        if needed <= t || stated != representable {
            let message = format!("found a demand of {stated} ns within {t} ns, expected {needed}");
            return Err(Fault::new("demand_ns", message));
        }
        Ok(())
    }
}
