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
    /// Only the work-capacity test looks at it.
    pub capacity: CapacityDemand,
}

/// What one task asks of the SMs of its partition if they could be shared without loss.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct CapacityDemand {
    /// min over m of m · C(m) in its company [SM·ns].
    pub least_work: u128,
    /// Cⁿ(m), without its company [ns].
    pub wcet_alone: Time,
}

impl Demand {
    /// A task of the same WCET in any company and on any number of SMs.
    pub fn new(wcet: Time, period: Time, deadline: Time) -> Demand {
        Demand {
            wcet,
            period,
            deadline,
            capacity: CapacityDemand {
                least_work: wcet.ns().into(),
                wcet_alone: wcet,
            },
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
