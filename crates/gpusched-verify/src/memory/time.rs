//! Memory times of jobs, from the printed formula.

use num_bigint::BigUint;

use gpusched_model::{Bandwidth, MemoryTime, OtherTraffic, RateForm, Task};

/// Source of memory time: at most `each` per job [ns]. Jobs arrive at least `period` [ns] apart, and end within `span`
/// [ns] of their arrival.
#[derive(Clone, Debug)]
pub(crate) struct Occupant {
    each: BigUint,
    period: u128,
    span: u128,
}

impl Occupant {
    /// Returns the memory time of `task`, or `None` if the task states no sectors.
    pub fn of_task(task: &Task, time: MemoryTime) -> Option<Occupant> {
        let sectors = task.sectors()?;
        let drain = sectors.drain.filter(|_| time.form == RateForm::OwnDrain);
        let slower = |rate: Bandwidth, own: Option<Bandwidth>| match own {
            Some(own) if own < rate => own,
            _ => rate,
        };
        let l2 = slower(time.l2_bytes_per_second, drain.map(|drain| drain.l2));
        let dram = slower(time.dram_bytes_per_second, drain.map(|drain| drain.dram));
        Some(Occupant {
            each: memory_time((sectors.reads, sectors.writes), l2, dram),
            period: task.period().ns().into(),
            span: task.deadline().ns().into(),
        })
    }

    /// Returns the memory time of a source that is not a task. A sector has 32 bytes. Every sector counts as a write.
    pub fn of_other(other: &OtherTraffic, time: MemoryTime) -> Occupant {
        let bytes = other.traffic.bytes();
        let sectors = bytes / 32 + u64::from(!bytes.is_multiple_of(32));
        let period = u128::from(other.period.ns());
        let deadline = other.deadline.map_or(period, |deadline| deadline.ns().into());
        Occupant {
            each: memory_time((0, sectors), time.l2_bytes_per_second, time.dram_bytes_per_second),
            period,
            span: if other.batch { deadline } else { period + deadline },
        }
    }

    /// Returns the memory time of all jobs that may overlap a window of length `window` [ns]. If n + 1 jobs overlap
    /// the window, n periods fit into the window and the span of the first job.
    pub fn within(&self, window: u128) -> BigUint {
        let jobs = (window + self.span) / self.period + 1;
        &self.each * jobs
    }

    /// Returns whether jobs have no memory time.
    pub fn is_none(&self) -> bool {
        self.each == BigUint::ZERO
    }
}

/// Returns 32(R + W)/B_L2 + 32(R + 2W)/B_DRAM seconds in ns, as one fraction that is rounded up.
fn memory_time((reads, writes): (u64, u64), l2: Bandwidth, dram: Bandwidth) -> BigUint {
    let (l2, dram) = (
        BigUint::from(l2.bytes_per_second()),
        BigUint::from(dram.bytes_per_second()),
    );
    let (reads, writes) = (BigUint::from(reads), BigUint::from(writes));
    let numerator = (&reads + &writes) * &dram + (reads + writes * 2u32) * &l2;
    let denominator = l2 * dram;
    (numerator * 32u32 * 1_000_000_000u64 + &denominator - 1u32) / denominator
}
