//! Possible sums of partition sizes.

use num_integer::gcd;

/// Set of all sums of partition sizes, where a size may occur several times.
///
/// For each remainder r modulo the smallest size `a`, `least` contains the smallest sum with remainder r. Every sum with
/// remainder r is this smallest sum plus a multiple of `a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    least: Vec<Option<u64>>,
}

impl Totals {
    /// Returns the set of all numbers.
    pub fn all() -> Totals {
        Totals { least: vec![Some(0)] }
    }

    /// Returns the set of the sums of the positive numbers in `sizes`. If `sizes` has no positive number, every number is
    /// a sum.
    pub fn of(sizes: impl IntoIterator<Item = u32>) -> Totals {
        let mut sizes: Vec<usize> = sizes
            .into_iter()
            .filter(|&size| size > 0)
            .map(|size| size as usize)
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        let Some((&smallest, others)) = sizes.split_first() else {
            return Totals::all();
        };
        let mut least = vec![None; smallest];
        least[0] = Some(0u64);
        for &size in others {
            // The loop passes twice through each cycle of remainders. The second pass uses the improvements of the first
            // pass.
            for first in 0..gcd(smallest, size) {
                let mut at = first;
                for _ in 0..2 * smallest / gcd(smallest, size) {
                    let next = (at + size) % smallest;
                    let sum = least[at].map(|sum| sum + size as u64);
                    least[next] = match (least[next], sum) {
                        (Some(known), Some(sum)) => Some(known.min(sum)),
                        (known, sum) => known.or(sum),
                    };
                    at = next;
                }
            }
        }
        Totals { least }
    }

    /// Returns the smallest sum that is at least `sms`.
    pub fn at_least(&self, sms: u32) -> u32 {
        let modulus = self.least.len() as u64;
        let sums = (0u64..).zip(&self.least).filter_map(|(remainder, &least)| {
            let from = u64::from(sms) + (remainder + modulus - u64::from(sms) % modulus) % modulus;
            Some(from.max(least?))
        });
        sums.min()
            .map_or(sms, |sum| u32::try_from(sum).unwrap_or(u32::MAX))
    }

    /// Returns the largest sum below `sms`, or 0 if no positive sum is below `sms`.
    pub fn below(&self, sms: u32) -> u32 {
        (0..sms).rev().find(|&sum| self.at_least(sum) == sum).unwrap_or(0)
    }
}
