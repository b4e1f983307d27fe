//! Check of the evidence of a processor-demand test.
//!
//! The evidence proves h(t) = dbf(t) + B(t) ≤ t for every t > 0. B(t) is the longest blocking by a job whose deadline
//! is later than t. The function dbf grows only at deadlines, so the check examines only the deadlines up to a length
//! L. For every t > L, one of three conditions proves h(t) ≤ t:
//! * Σ max(0, T − D)·U + B ≤ L·(1 − U) and L ≥ D − T. The reason is that dbf(t) ≤ Σ (t + T − D)·U
//!   for t > L.
//! * Σ ⌈l/T⌉·C + B ≤ l for some l with 0 < l ≤ L. If h(t) > t for some t > L, then also h(t − l) > t − l, because
//!   dbf(t) ≤ Σ ⌈l/T⌉·C + dbf(t − l).
//! * Σ ⌈l/T⌉·C ≤ l for some l with 0 < l ≤ L, and L ≥ D for every task. No job blocks for t ≥ L, so the second
//!   condition applies without B.
//!
//! If h(t) ≤ t, then h(s) ≤ s for every s from max(h(t), D_k) to t. Here, D_k is the longest relative deadline among
//! the tasks that have a relative deadline of at most t and that block for longer than B(t). In this range, dbf and B
//! are at most as large as at t. The evidence is a descending list of lengths t ([`check_cover`]).

use super::fraction::Fraction;
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::Policy;
use gpusched_model::time::Time;

/// Maximum number of iterations in [`Supply::suffices`].
const STEPS: u32 = 100_000;

/// Maximum number of iterations of the check of one interval length. The analysis makes fewer iterations.
const CHECK_STEPS: u32 = 2_000_000;

/// Processor demand of a partition under EDF, with or without preemption.
pub(crate) struct Supply {
    jobs: Vec<Demanding>,
}

/// Processor demand of one task.
struct Demanding {
    /// The WCET that the test uses: C plus the cost of one preemption.
    wcet: u128,
    period: u128,
    /// D − J: time from the latest release to the deadline.
    deadline: u128,
    /// Longest time for which a job of this task blocks a job with an earlier deadline. 0 if
    /// preemption is immediate.
    blocking: u128,
}

impl Supply {
    /// Creates the demand of `jobs`. Each deadline counts from the latest release (D − J). Under
    /// limited preemption, the WCET of each job includes one block of a job that it may preempt.
    /// If a task has J ≥ D, returns the position of the task as `Err`.
    pub fn new(policy: Policy, jobs: &[Job]) -> Result<Supply, usize> {
        let demanding = |job: &Job| {
            let deadline = job.deadline.checked_sub(job.jitter).filter(|&d| d > 0);
            let deadline = deadline.ok_or(job.task)?;
            let longest = match policy {
                Policy::NpEdf => job.wcet,
                Policy::LpEdf => job.block,
                _ => 0,
            };
            // Job h can preempt job k only if k is released before h and has a later deadline:
            // a_k ≤ r_k < r_h ≤ a_h + J_h and a_k + D_k > a_h + D_h. Hence D_k > D_h − J_h.
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
                blocking: longest.saturating_sub(job.lead),
            })
        };
        let jobs = jobs.iter().map(demanding).collect::<Result<_, usize>>()?;
        Ok(Supply { jobs })
    }

    pub fn utilization(&self) -> Fraction {
        Fraction::sum(self.jobs.iter().map(|job| Fraction::new(job.wcet, job.period)))
    }

    /// Returns h(t), the demand plus the blocking in an interval of length `t`.
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

    /// Returns the latest deadline before `t`, over all jobs.
    fn last_deadline_before(&self, t: u128) -> Option<u128> {
        let last = |job: &Demanding| {
            let room = t.checked_sub(1)?.checked_sub(job.deadline)?;
            Some(job.deadline + room / job.period * job.period)
        };
        self.jobs.iter().filter_map(last).max()
    }

    /// Returns the longest blocking. No deadline is before the earliest relative deadline, so this is the blocking at the
    /// earliest relative deadline.
    fn longest_blocking(&self) -> u128 {
        let earliest = self.jobs.iter().map(|job| job.deadline).min().unwrap_or(0);
        self.blocking_beyond(earliest)
    }

    /// Returns the least l > 0 with Σ ⌈l/T⌉·C + `extra` ≤ l. Returns `None` if l exceeds `limit`, or after `steps`
    /// iterations. For `limit` = 0, the result is `None`: an interval of length 0 contains no release, so it proves
    /// nothing about longer intervals.
    fn busy_period(&self, extra: u128, limit: u128, steps: u32) -> Option<u128> {
        let mut length = 1u128;
        for _ in 0..steps {
            let work = self
                .jobs
                .iter()
                .map(|job| length.div_ceil(job.period).saturating_mul(job.wcet));
            match work.fold(extra, u128::saturating_add) {
                _ if length > limit => return None,
                next if next <= length => return Some(length),
                next => length = next,
            }
        }
        None
    }

    /// Returns whether one of the three conditions proves h(t) ≤ t for every t above `length`.
    fn holds_beyond(&self, length: u128) -> bool {
        let blocking = self.longest_blocking();
        let unblocked = self.jobs.iter().all(|job| length >= job.deadline);
        let extra = if unblocked { 0 } else { blocking };
        let by_utilization = || {
            let idle = self.utilization().complement()?;
            let early = self.jobs.iter().map(|job| {
                Fraction::new(job.period.saturating_sub(job.deadline), job.period)
                    .times(Fraction::new(job.wcet, 1))
            });
            let needed = Fraction::sum(early).plus(Fraction::new(blocking, 1));
            let late = self.jobs.iter().all(|job| length + job.period >= job.deadline);
            (late && needed.at_most(&idle.times(Fraction::new(length, 1)))).then_some(())
        };
        by_utilization().is_some() || self.busy_period(extra, length, CHECK_STEPS).is_some()
    }

    /// Returns whether the blocking is 0 and every deadline is at least the period. In this case,
    /// U ≤ 1 proves schedulability.
    fn is_implicit(&self) -> bool {
        self.longest_blocking() == 0 && self.jobs.iter().all(|job| job.deadline >= job.period)
    }

    /// Returns a length s such that h(x) ≤ x for every x from s to `t`. The caller ensures that `needed` is h(`t`) and
    /// at most `t`.
    fn covered_from(&self, t: u128, needed: u128) -> u128 {
        let same_blocking_from = self
            .jobs
            .iter()
            .filter(|job| job.deadline <= t && job.blocking > self.blocking_beyond(t))
            .map(|job| job.deadline)
            .max();
        needed.max(same_blocking_from.unwrap_or(0))
    }

    /// Returns whether h(t) ≤ t for every t, or `None` if the check reaches its step limit.
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

    /// Returns a length L such that h(t) ≤ t for every t > L, or `None` if no such length is
    /// found.
    fn enough(&self) -> Option<u128> {
        let latest = self.jobs.iter().map(|job| job.deadline).max()?;
        Some(self.busy_period(0, u128::MAX, STEPS)?.max(latest))
    }

    /// Checks evidence of the kind `demand-within-supply`: the demand never exceeds the length of an interval.
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
            let message = format!(
                "found {interval}, which is too short, because the demand may exceed the length of a \
                 longer interval"
            );
            return Err(Fault::new("interval_ns", message));
        }
        check_cover(
            length,
            checked,
            |t| self.last_deadline_before(t),
            |t, stated| {
                let needed = self.demand(t);
                if stated != needed || needed > t {
                    return Err(format!(
                        "found a demand of {stated} ns in an interval of {t} ns, expected a demand of {needed} \
                         ns that does not exceed {t} ns"
                    ));
                }
                Ok(self.covered_from(t, needed))
            },
        )
    }

    /// Checks evidence of the kind `demand-exceeds-interval`: the demand exceeds the length of the stated interval.
    pub fn check_violation(&self, interval: Time, stated: u64) -> Result<(), Fault> {
        let t = u128::from(interval.ns());
        let needed = self.demand(t);
        let representable = u64::try_from(needed).unwrap_or(u64::MAX);
        if needed <= t || stated != representable {
            let message = format!(
                "found a demand of {stated} ns in an interval of {t} ns, expected a demand of {needed} ns \
                 that exceeds {t} ns"
            );
            return Err(Fault::new("demand_ns", message));
        }
        Ok(())
    }
}

/// Checks the list `checked` of interval lengths, each with its stated value. `entry` checks one length t with its
/// value, and returns the length from which the entry proves all lengths up to t. The lengths must descend, and the
/// entries must cover every deadline up to `length`. An entry that only proves what earlier entries prove is valid.
pub(crate) fn check_cover(
    length: u128,
    checked: &[(Time, Time)],
    last_deadline_before: impl Fn(u128) -> Option<u128>,
    entry: impl Fn(u128, u128) -> Result<u128, String>,
) -> Result<(), Fault> {
    let mut open = last_deadline_before(length + 1);
    let mut most = length;
    for (index, &(t, stated)) in checked.iter().enumerate() {
        let field = format!("checked[{index}]");
        let (t, stated) = (u128::from(t.ns()), u128::from(stated.ns()));
        let least = open.unwrap_or(1);
        if least > most {
            let message =
                "found an additional entry, although the earlier entries cover all interval lengths";
            return Err(Fault::new(field, message));
        }
        if t < least || t > most {
            let message = format!("found {t} ns, expected an interval length from {least} to {most} ns");
            return Err(Fault::new(field, message));
        }
        let from = entry(t, stated).map_err(|message| Fault::new(field, message))?;
        open = open.and_then(|_| last_deadline_before(from));
        most = t - 1;
    }
    match open {
        Some(next) => Err(Fault::new(
            "checked",
            format!("found no entry that covers the interval length {next} ns"),
        )),
        None => Ok(()),
    }
}
