//! The demand of one task for execution time on its partition.

use gpusched_model::time::Time;

/// A sporadic task on a uniprocessor. The WCET is the inflated WCET of the task for its co-located tasks and for the size of its
/// partition.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// C(m), the WCET [ns].
    pub wcet: Time,
    /// T, the period [ns]; > 0.
    pub period: Time,
    /// D, the relative deadline [ns].
    pub deadline: Time,
    /// J, the release jitter: largest delay from the arrival of a job to its release [ns]. D counts from the arrival.
    pub jitter: Time,
    /// Longest time between two preemption points under limited preemption [ns]. If a job has no preemption point, this is C(m).
    pub block: Time,
    /// Minimum of m · C(m) over all m [SM·ns]. Only the work-capacity tests use it.
    pub least_work: u128,
}

impl Demand {
    /// Creates a task without jitter and with a single thread block. Its least work is its WCET, as on a uniprocessor.
    pub fn new(wcet: Time, period: Time, deadline: Time) -> Demand {
        Demand {
            wcet,
            period,
            deadline,
            jitter: Time::ZERO,
            block: wcet,
            least_work: wcet.ns().into(),
        }
    }

    /// Returns the same task with release jitter `jitter` [ns].
    pub fn with_jitter(self, jitter: Time) -> Demand {
        Demand { jitter, ..self }
    }

    /// Returns the same task divided into thread blocks of up to `block` [ns]. If `block` is at least C(m), the task has one block.
    pub fn with_block(self, block: Time) -> Demand {
        Demand {
            block: block.min(self.wcet),
            ..self
        }
    }

    /// Returns dbf(t): the demand of the jobs with release and deadline within an interval of length t = `interval` [ns].
    pub(crate) fn within(&self, interval: u64) -> u128 {
        let (deadline, period) = (self.deadline.ns(), self.period.ns());
        match interval.checked_sub(deadline) {
            Some(slack) if period > 0 => (u128::from(slack / period) + 1) * u128::from(self.wcet.ns()),
            _ => 0,
        }
    }

    /// Returns the latest deadline before `interval` of a job of this task in the synchronous schedule [ns].
    pub(crate) fn last_deadline_before(&self, interval: u64) -> Option<u64> {
        let room = interval.checked_sub(1)?.checked_sub(self.deadline.ns())?;
        Some(interval - 1 - room % self.period.ns().max(1))
    }
}
