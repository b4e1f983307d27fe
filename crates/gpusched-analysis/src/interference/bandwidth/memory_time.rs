//! The memory time of a job: an upper bound on the delay that the job causes to each other partition.
//!
//! Jobs leave dirty lines in L2. A later job of the same partition waits until L2 has written these lines back
//! ([`DirtyLines`]).

use gpusched_model::{Bandwidth, MemoryTime, OtherTraffic, RateForm, Sectors, Task};

/// Size of an L2 sector [bytes].
const SECTOR: u64 = 32;

/// Number of sectors of a line of L2. An access that allocates a line may evict this number of dirty sectors.
const SECTORS_OF_LINE: u64 = 4;

/// Dirty lines that a job may find in L2, because earlier jobs left them there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyLines {
    /// Maximum number of dirty sectors. `None` if sources that are not tasks write to L2, too.
    sectors: Option<u64>,
    /// Lowest rate at which DRAM accepts dirty sectors.
    rate: Bandwidth,
}

impl DirtyLines {
    /// Returns the dirty lines that the tasks of `set` leave. All jobs of a task write to the same lines.
    pub fn of(set: &[Task], other_traffic: &[OtherTraffic], time: MemoryTime) -> DirtyLines {
        let sectors = set.iter().filter_map(Task::sectors);
        let drains = sectors.clone().filter_map(|sectors| match time.form {
            RateForm::OwnDrain => sectors.drain,
            RateForm::Universal | RateForm::Balanced => None,
        });
        let rate = drains.map(|drain| drain.dram).min();
        let written = sectors.fold(0, |sum: u64, sectors| sum.saturating_add(sectors.writes));
        DirtyLines {
            sectors: other_traffic.is_empty().then_some(written),
            rate: lower(time.dram_bytes_per_second, rate),
        }
    }

    /// Returns the time for which L2 writes dirty lines back while a job with `sectors` executes [ns].
    pub fn delay(self, sectors: Sectors) -> u128 {
        let evicted = SECTORS_OF_LINE * (sectors.reads + sectors.writes);
        let evicted = self.sectors.map_or(evicted, |dirty| dirty.min(evicted));
        at(0, evicted, self.rate, self.rate)
    }
}

/// Returns M [ns] of a job with `sectors`, rounded up once: M = 32(R + W)/B_L2 + 32(R + 2W)/B_DRAM. If a job has its
/// own ways of L2, the number of its sectors at DRAM replaces R + 2W.
///
/// With the form `own-drain`, B_L2 and B_DRAM are at most the rates of the kernel itself.
pub fn of_job(sectors: Sectors, time: MemoryTime) -> u128 {
    let own = match time.form {
        RateForm::OwnDrain => sectors.drain,
        RateForm::Universal | RateForm::Balanced => None,
    };
    let l2 = lower(time.l2_bytes_per_second, own.map(|own| own.l2));
    let dram = lower(time.dram_bytes_per_second, own.map(|own| own.dram));
    at(
        sectors.reads + sectors.writes,
        sectors.at_dram(time.own_l2),
        l2,
        dram,
    )
}

fn lower(rate: Bandwidth, own: Option<Bandwidth>) -> Bandwidth {
    own.map_or(rate, |own| own.min(rate))
}

/// Returns M [ns] of one period of a source that is not a task. Each sector counts as a write, which gives the largest
/// M.
pub fn of_other(other: &OtherTraffic, time: MemoryTime) -> u128 {
    let sectors = other.traffic.bytes().div_ceil(SECTOR);
    at(
        sectors,
        2 * sectors,
        time.l2_bytes_per_second,
        time.dram_bytes_per_second,
    )
}

/// Returns the memory time of `at_l2` sectors at L2 and `at_dram` sectors at DRAM [ns]. Both remainders have a common
/// denominator, so only their sum is rounded up. No product exceeds 128 bits, because sectors and rates are at most
/// 10^15.
pub(super) fn at(at_l2: u64, at_dram: u64, l2: Bandwidth, dram: Bandwidth) -> u128 {
    let nano = |sectors: u64| u128::from(sectors) * u128::from(SECTOR) * 1_000_000_000;
    let (l2, dram) = (
        u128::from(l2.bytes_per_second()).max(1),
        u128::from(dram.bytes_per_second()).max(1),
    );
    let (at_l2, at_dram) = (nano(at_l2), nano(at_dram));
    let rest = (at_l2 % l2) * dram + (at_dram % dram) * l2;
    at_l2 / l2 + at_dram / dram + rest.div_ceil(l2 * dram)
}
