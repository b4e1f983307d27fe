//! The demand of one task on its partition.

use gpusched_model::time::Time;

/// A sporadic task on a uniprocessor. Its WCET is inflated by its co-located tasks, and holds for the size of its partition.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// C(m) [ns].
    pub wcet: Time,
    /// T [ns], greater than 0.
    pub period: Time,
    /// D [ns].
    pub deadline: Time,
    /// J [ns]: largest delay from the arrival of a job to its release. D counts from the arrival.
    pub jitter: Time,
    /// Longest time without a preemption point under limited preemption [ns]; C(m) if a job has no preemption point.
    pub block: Time,
    /// min over m of m · C(m) [SM·ns]; only the work-capacity tests use it.
    pub least_work: u128,
}

impl Demand {
    /// A task without jitter and with a single thread block. Its least work is its WCET, as on a uniprocessor.
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

    /// The same task with release jitter `jitter` [ns].
    pub fn with_jitter(self, jitter: Time) -> Demand {
        Demand { jitter, ..self }
    }

    /// The same task made of thread blocks of up to `block` [ns]; one block if that is C(m) or more.
    pub fn with_block(self, block: Time) -> Demand {
        Demand {
            block: block.min(self.wcet),
            ..self
        }
    }

    /// dbf(t): demand of the jobs that are released and due within an interval of length `interval` [ns].
    pub(crate) fn within(&self, interval: u64) -> u128 {
        let (deadline, period) = (self.deadline.ns(), self.period.ns());
        match interval.checked_sub(deadline) {
            Some(slack) if period > 0 => (u128::from(slack / period) + 1) * u128::from(self.wcet.ns()),
            _ => 0,
        }
    }

    /// Latest deadline of a job before `interval` in the synchronous schedule [ns].
    pub(crate) fn last_deadline_before(&self, interval: u64) -> Option<u64> {
        let room = interval.checked_sub(1)?.checked_sub(self.deadline.ns())?;
        Some(interval - 1 - room % self.period.ns().max(1))
    }
}
