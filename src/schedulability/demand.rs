//! What one task asks of its partition.

use crate::time::Time;

/// A sporadic task on a uniprocessor: the WCET is already inflated by its company and fixed to the partition's size.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// C(m) [ns].
    pub wcet: Time,
    /// T [ns], greater than 0.
    pub period: Time,
    /// D [ns].
    pub deadline: Time,
    /// min over m of m · C(m) [SM·ns]; only the work-capacity tests look at it.
    pub least_work: u128,
}

impl Demand {
    /// A task whose least work is its WCET, as on a uniprocessor.
    pub fn new(wcet: Time, period: Time, deadline: Time) -> Demand {
        Demand {
            wcet,
            period,
            deadline,
            least_work: wcet.ns().into(),
        }
    }

    /// dbf(t): the demand of jobs released and due within an interval of length `interval` [ns].
    pub(crate) fn within(&self, interval: u64) -> u128 {
        let (deadline, period) = (self.deadline.ns(), self.period.ns());
        match interval.checked_sub(deadline) {
            Some(slack) if period > 0 => (u128::from(slack / period) + 1) * u128::from(self.wcet.ns()),
            _ => 0,
        }
    }

    /// The latest deadline of a job before `interval` in the synchronous schedule [ns].
    pub(crate) fn last_deadline_before(&self, interval: u64) -> Option<u64> {
        let room = interval.checked_sub(1)?.checked_sub(self.deadline.ns())?;
        Some(interval - 1 - room % self.period.ns().max(1))
    }
}
