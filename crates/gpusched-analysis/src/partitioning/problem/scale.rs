//! A common factor on the WCETs of all tasks.

use crate::schedulability::Demand;
use gpusched_model::time::Time;

/// Factor on all WCETs and all longest blocks, in thousandths. Products are rounded up to whole nanoseconds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Scale(u64);

impl Scale {
    /// The factor 1, which leaves the WCETs of the task set unchanged.
    pub const ONE: Scale = Scale(1000);

    pub fn permille(permille: u64) -> Scale {
        Scale(permille)
    }

    /// Creates the factor 1 + `percent`/100.
    pub fn increase(percent: u32) -> Scale {
        Scale(1000 + 10 * u64::from(percent))
    }

    /// Returns the percentage of [`Scale::increase`], rounded down.
    pub fn percent_above_one(self) -> u32 {
        u32::try_from(self.0.saturating_sub(1000) / 10).unwrap_or(u32::MAX)
    }

    /// Multiplies `time` by the factor. The result is at most 1 ns above [`Time::LIMIT`], so it can exceed every deadline.
    pub fn time(self, time: Time) -> Time {
        if self == Scale::ONE {
            return time.min(Time::from_ns(Time::LIMIT.ns() + 1)); // without a division, because searches scale each WCET
        }
        let ns = (u128::from(time.ns()) * u128::from(self.0)).div_ceil(1000);
        Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX).min(Time::LIMIT.ns() + 1))
    }

    /// Multiplies `work` [SM·ns] by the factor and rounds up. The result is a lower bound on
    /// m·C(m) at this factor, because m·C(m) is an integer.
    pub fn work(self, work: u128) -> u128 {
        if self == Scale::ONE {
            return work;
        }
        work.saturating_mul(self.0.into()).div_ceil(1000)
    }

    /// Multiplies the WCET, the longest block and the work of `demand` by the factor.
    pub fn demand(self, demand: &Demand) -> Demand {
        Demand {
            wcet: self.time(demand.wcet),
            block: self.time(demand.block),
            least_work: self.work(demand.least_work),
            ..*demand
        }
    }
}
