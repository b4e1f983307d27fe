//! What a kernel has for certain: below which level it is never slowed down, and how slow it gets above.

use gpusched_model::Bandwidth;
use gpusched_model::time::Time;

/// The bandwidth that a partition has for certain: a fraction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// [nano-bytes per nanosecond].
    numerator: u128,
    denominator: u128,
}

impl Level {
    /// What is left for a partition when all others draw what they can; `None` if they may draw more than there is.
    ///
    /// A kernel that gets less than it could use finds the memory busy, and the others draw `peaks` together at most. So where all
    /// peaks fit the capacity, nobody is slowed down, however bandwidth is divided.
    pub fn left(capacity: Bandwidth, peaks: &[u128]) -> Option<Level> {
        let drawn = peaks.iter().fold(0u128, |sum, &peak| sum.saturating_add(peak));
        let numerator = u128::from(capacity.bytes_per_second()).checked_sub(drawn)?;
        Some(Level {
            numerator,
            denominator: 1,
        })
    }

    /// What is left for a partition that wants all it can get, beside others that never draw more than `peaks` [nano-bytes per
    /// nanosecond].
    ///
    /// Others that want less only leave more. So a kernel that could use d gets min(d, level) at least.
    pub fn beside(capacity: Bandwidth, mut peaks: Vec<u128>) -> Level {
        peaks.sort_unstable();
        let mut left = u128::from(capacity.bytes_per_second());
        let mut claimants = peaks.len() as u128 + 1;
        for peak in peaks {
            // All that want less than an equal share of what is left get it.
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

    /// How long a kernel takes that takes `alone` by itself and draws `rate` [nano-bytes per nanosecond] at most: d/level as long,
    /// rounded up, if that is more. `None` beyond 63 bits, and for a kernel that wants some of a level of 0.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn level(capacity: u64, peaks: &[u128]) -> Level {
        Level::beside(Bandwidth::new(capacity).unwrap(), peaks.to_vec())
    }

    #[test]
    fn levels_are_those_of_filling_by_hand() {
        let is = |level: Level, value: (u128, u128)| level.numerator * value.1 == value.0 * level.denominator;
        assert!(is(level(90, &[]), (90, 1)));
        assert!(is(level(90, &[10, 20]), (60, 1)));
        assert!(is(level(90, &[10, 80]), (40, 1)));
        assert!(is(level(100, &[80, 80]), (100, 3)));
        assert!(is(level(90, &[30, 30]), (30, 1)));
        let left = |peaks: &[u128]| Level::left(Bandwidth::new(90).unwrap(), peaks);
        assert!(is(left(&[30, 40]).unwrap(), (20, 1)));
        // A kernel that draws nothing is never slowed down.
        let nothing = left(&[30, 60]).unwrap();
        assert_eq!(nothing.stretch(Time::from_ns(1000), 0), Some(Time::from_ns(1000)));
        assert_eq!(nothing.stretch(Time::from_ns(1000), 1), None);
        assert_eq!((left(&[30, 61]), left(&[u128::MAX, 1])), (None, None));
    }

    #[test]
    fn only_who_wants_more_than_the_level_is_slower() {
        let third = level(100, &[80, 80]);
        let stretch = |level: &Level, rate| level.stretch(Time::from_ns(1000), rate).map(Time::ns);
        assert_eq!(stretch(&third, 33), Some(1000));
        assert_eq!(stretch(&third, 34), Some(1020));
        assert_eq!(stretch(&third, 100), Some(3000));
        assert_eq!(third.stretch(Time::LIMIT, 100), None);
        // With nobody else there, nobody is slowed down.
        assert_eq!(stretch(&level(100, &[]), 100), Some(1000));
    }
}
