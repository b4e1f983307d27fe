//! The demand of one task: the parameters that a uniprocessor test uses.

use gpusched_model::Overheads;
use gpusched_model::time::Time;

/// A sporadic task. The test treats its partition as a uniprocessor. The WCET is the inflated WCET for the co-located
/// tasks and for the size of the partition.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// C(m): WCET on m SMs [ns].
    pub wcet: Time,
    /// T: period [ns]; > 0.
    pub period: Time,
    /// D: relative deadline, measured from the arrival of a job [ns].
    pub deadline: Time,
    /// J: release jitter, the largest delay from the arrival of a job to its release [ns].
    pub jitter: Time,
    /// Longest time between two preemption points under limited preemption [ns]. If a job has no
    /// preemption point, this time is C(m).
    pub block: Time,
    /// Least time from the start of a blocking job of this task to the release of the job that it blocks [ns]. This time
    /// is 1 ns if all jobs start at whole nanoseconds, and 0 if delays may end between two nanoseconds.
    pub lead: Time,
    /// Least work: the minimum of m · C(m) over all m [SM·ns]. Only the work-capacity tests use
    /// it.
    pub least_work: u128,
}

impl Demand {
    /// Creates a task without jitter and without preemption points. As on a uniprocessor, the least work of the task is
    /// its WCET.
    pub fn new(wcet: Time, period: Time, deadline: Time) -> Demand {
        Demand {
            wcet,
            period,
            deadline,
            jitter: Time::ZERO,
            block: wcet,
            lead: Time::from_ns(1),
            least_work: wcet.ns().into(),
        }
    }

    /// Returns this task with the release jitter `jitter` [ns].
    pub fn with_jitter(self, jitter: Time) -> Demand {
        Demand { jitter, ..self }
    }

    /// Returns this task with thread blocks of up to `block` [ns]. The end of a thread block is a preemption point. If
    /// `block` is at least C(m), the task has no preemption point.
    pub fn with_block(self, block: Time) -> Demand {
        Demand {
            block: block.min(self.wcet),
            ..self
        }
    }

    /// Returns this task with the overheads of its dispatcher: C' = C + o, J' = J + w. A job is one launch, so its longest
    /// block grows by o, too. D and T stay the same.
    ///
    /// *Why:* in a busy partition, a decision sees every arrival up to its time. So jitter arises only after idle time, and
    /// a run is a schedule of jobs with execution times up to C' and releases within J'. Because w is the same for all
    /// tasks, the order of D − J stays the same.
    ///
    /// A sum above [`Time::LIMIT`] becomes a value that exceeds every deadline: LIMIT + 1 ns for C', and LIMIT for J'.
    pub fn with_overheads(self, overheads: Overheads) -> Demand {
        let wcet = longer(self.wcet, overheads.occupancy_ns);
        Demand {
            wcet,
            block: longer(self.block, overheads.occupancy_ns).min(wcet),
            jitter: later(self.jitter, overheads.wake_ns),
            least_work: self.least_work.saturating_add(overheads.occupancy_ns.ns().into()),
            ..self
        }
    }

    /// Returns the longest time for which a running job of this task blocks a newly released job, without preemption
    /// [ns].
    pub(crate) fn blocking(&self) -> u64 {
        self.wcet.ns().saturating_sub(self.lead.ns())
    }

    /// Returns the longest time for which a running job of this task blocks a newly released job, under limited
    /// preemption [ns].
    pub(crate) fn block_blocking(&self) -> u64 {
        self.block.ns().saturating_sub(self.lead.ns())
    }

    /// Returns dbf(t): the total WCET of all jobs with arrival and deadline within an interval of
    /// length t = `interval` [ns].
    pub(crate) fn within(&self, interval: u64) -> u128 {
        let (deadline, period) = (self.deadline.ns(), self.period.ns());
        match interval.checked_sub(deadline) {
            Some(slack) if period > 0 => (u128::from(slack / period) + 1) * u128::from(self.wcet.ns()),
            _ => 0,
        }
    }

    /// Returns the latest deadline [ns] of this task before `interval`, if its first job is released at time 0 and its
    /// later jobs are released as early as possible.
    pub(crate) fn last_deadline_before(&self, interval: u64) -> Option<u64> {
        let room = interval.checked_sub(1)?.checked_sub(self.deadline.ns())?;
        Some(interval - 1 - room % self.period.ns().max(1))
    }
}

/// Returns C + o, or LIMIT + 1 ns if the sum is above [`Time::LIMIT`]. `wcet` and `occupancy` are at most LIMIT + 1 ns.
pub(crate) fn longer(wcet: Time, occupancy: Time) -> Time {
    let sum = wcet.ns().saturating_add(occupancy.ns());
    Time::from_ns(sum.min(Time::LIMIT.ns() + 1))
}

/// Returns J + w, or [`Time::LIMIT`] if the sum is above it.
pub(crate) fn later(jitter: Time, wake: Time) -> Time {
    let sum = jitter.ns().saturating_add(wake.ns());
    Time::from_ns(sum.min(Time::LIMIT.ns()))
}
