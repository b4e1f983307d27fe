//! The memory time of a job: an upper limit on the delay that the job causes to each other partition.

use gpusched_model::{Bandwidth, MemoryTime, OtherTraffic, RateForm, Sectors};

/// Size of an L2 sector [bytes].
const SECTOR: u64 = 32;

/// Returns M [ns] of a job with `sectors`, rounded up once: M = 32(R + W)/B_L2 + 32(R + 2W)/B_DRAM.
///
/// The form `own-drain` uses the rates of the kernel itself where they are lower.
pub fn of_job(sectors: Sectors, time: MemoryTime) -> u128 {
    let own = match time.form {
        RateForm::OwnDrain => sectors.drain,
        RateForm::Universal | RateForm::Balanced => None,
    };
    let lower = |rate: Bandwidth, own: Option<Bandwidth>| own.map_or(rate, |own| own.min(rate));
    let l2 = lower(time.l2_bytes_per_second, own.map(|own| own.l2));
    let dram = lower(time.dram_bytes_per_second, own.map(|own| own.dram));
    at(sectors.reads, sectors.writes, l2, dram)
}

/// Returns M [ns] of one period of a source that is not a task. Each sector counts as a write, which is the safe
/// extreme.
pub fn of_other(other: &OtherTraffic, time: MemoryTime) -> u128 {
    let sectors = other.traffic.bytes().div_ceil(SECTOR);
    at(0, sectors, time.l2_bytes_per_second, time.dram_bytes_per_second)
}

/// Returns the memory time of `reads` and `writes` sectors [ns]. The remainders share one denominator, so the sum is
/// rounded up once. No product exceeds 128 bits, because sectors and rates are at most 10^15.
fn at(reads: u64, writes: u64, l2: Bandwidth, dram: Bandwidth) -> u128 {
    let nano = |sectors: u128| sectors * u128::from(SECTOR) * 1_000_000_000;
    let (reads, writes) = (u128::from(reads), u128::from(writes));
    let (l2, dram) = (
        u128::from(l2.bytes_per_second()).max(1),
        u128::from(dram.bytes_per_second()).max(1),
    );
    let (at_l2, at_dram) = (nano(reads + writes), nano(reads + 2 * writes));
    let rest = (at_l2 % l2) * dram + (at_dram % dram) * l2;
    at_l2 / l2 + at_dram / dram + rest.div_ceil(l2 * dram)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(reads: u64, writes: u64, l2: u64, dram: u64) -> u128 {
        let rate = |rate| Bandwidth::new(rate).unwrap();
        at(reads, writes, rate(l2), rate(dram))
    }

    /// By hand: 32·3/3 + 32·4/7 = 32 + 18 + 2/7 seconds, and 32/3 + 32/3 = 21 + 1/3 seconds.
    #[test]
    fn sums_are_rounded_up_once() {
        assert_eq!(m(2, 1, 3_000_000_000, 7_000_000_000), 51);
        assert_eq!(m(1, 0, 3_000_000_000, 3_000_000_000), 22);
        assert_eq!(m(3, 0, 3_000_000_000, 3_000_000_000), 64);
        assert_eq!(m(0, 0, 1, 1), 0);
        let most = 1_000_000_000_000;
        assert_eq!(m(most, most, 1, 1), 160 * u128::from(most) * 1_000_000_000);
    }

    /// The extreme values of files do not overflow.
    #[test]
    fn large_numbers_stay_exact() {
        let limit = Bandwidth::LIMIT.bytes_per_second();
        let most = limit / 32;
        let by_l2 = u128::from(2 * most) * 32_000_000_000;
        let by_dram = u128::from(3 * most) * 32_000_000_000;
        let rates = (u128::from(limit - 1), u128::from(limit));
        let whole = by_l2 / rates.0 + by_dram / rates.1;
        let found = m(most, most, limit - 1, limit);
        assert!(whole <= found && found <= whole + 2, "{found} {whole}");
    }
}
