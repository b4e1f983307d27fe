//! The guaranteed memory bandwidth of a kernel. If the rate of the kernel exceeds this bandwidth, its WCET is inflated.
//! Otherwise, its WCET is the isolated WCET.

use gpusched_model::Bandwidth;
use gpusched_model::time::Time;

/// Guaranteed memory bandwidth of a partition, as a fraction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// Numerator of the bandwidth [nano-bytes per nanosecond].
    numerator: u128,
    denominator: u128,
}

impl Level {
    /// Returns the bandwidth that the other partitions leave if all of them use their peak rates `peaks` [nano-bytes
    /// per nanosecond]. Returns `None` if the sum of `peaks` exceeds `capacity`.
    ///
    /// While a kernel gets less bandwidth than it could use, the memory is busy. The other
    /// partitions get at most the sum of `peaks`. So every arbiter guarantees the remaining
    /// bandwidth. If the sum of the peak rates of all partitions is at most the capacity, the memory delays no kernel.
    pub fn left(capacity: Bandwidth, peaks: &[u128]) -> Option<Level> {
        let drawn = peaks.iter().fold(0u128, |sum, &peak| sum.saturating_add(peak));
        let numerator = u128::from(capacity.bytes_per_second()).checked_sub(drawn)?;
        Some(Level {
            numerator,
            denominator: 1,
        })
    }

    /// Returns the bandwidth that max-min fair arbitration guarantees to a partition. `peaks` are
    /// the peak rates of the other partitions [nano-bytes per nanosecond].
    ///
    /// If another partition uses less than its peak rate, more bandwidth remains. So a kernel
    /// that could use the rate d gets at least the smaller of d and the returned bandwidth.
    pub fn beside(capacity: Bandwidth, mut peaks: Vec<u128>) -> Level {
        peaks.sort_unstable();
        let mut left = u128::from(capacity.bytes_per_second());
        let mut claimants = peaks.len() as u128 + 1;
        for peak in peaks {
            // A partition gets its full peak rate if this rate is at most an equal share of the
            // remaining bandwidth.
            if peak.saturating_mul(claimants) > left {
                break;
            }
            left -= peak;
            claimants -= 1;
        }
        Level {
            numerator: left,
            denominator: claimants,
        }
    }

    /// Returns the inflated WCET of a kernel with isolated WCET `alone` and a rate of at most
    /// `rate` [nano-bytes per nanosecond].
    ///
    /// The inflated WCET is `alone`·`rate`/level, rounded up, but at least `alone`. Here, level
    /// is the guaranteed bandwidth. Returns `None` if the inflated WCET exceeds 63 bits, or if
    /// the level is 0 and `rate` is not 0.
    pub fn stretch(&self, alone: Time, rate: u128) -> Option<Time> {
        let wanted = rate.checked_mul(self.denominator)?;
        if wanted <= self.numerator {
            return Some(alone);
        }
        let scaled = u128::from(alone.ns()).checked_mul(wanted)?;
        let ns = u64::try_from(scaled.checked_add(self.numerator.checked_sub(1)?)? / self.numerator).ok()?;
        Some(Time::from_ns(ns)).filter(|&time| time <= Time::LIMIT)
    }
}
