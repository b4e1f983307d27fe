//! Memory times of jobs, from the printed formula.

use num_bigint::BigUint;

use gpusched_model::{Bandwidth, MemoryTime, OtherTraffic, RateForm, Task, TaskSet};

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
        let own_dram = sectors.dram.filter(|_| time.own_l2);
        Some(Occupant {
            each: memory_time((sectors.reads, sectors.writes), own_dram, l2, dram),
            period: task.period().ns().into(),
            span: task.deadline().ns().into(),
        })
    }

    /// Returns jobs of `task` that occupy a port for `each` ns.
    pub fn at_port(task: &Task, each: BigUint) -> Occupant {
        Occupant {
            each,
            period: task.period().ns().into(),
            span: task.deadline().ns().into(),
        }
    }

    /// Returns the source with `more` ns per job.
    pub fn plus(self, more: BigUint) -> Occupant {
        Occupant {
            each: self.each + more,
            ..self
        }
    }

    /// Returns the memory time of a source that is not a task. A sector has 32 bytes. Every sector counts as a write.
    pub fn of_other(other: &OtherTraffic, time: MemoryTime) -> Occupant {
        let bytes = other.traffic.bytes();
        let sectors = bytes / 32 + u64::from(!bytes.is_multiple_of(32));
        let period = u128::from(other.period.ns());
        let deadline = other.deadline.map_or(period, |deadline| deadline.ns().into());
        Occupant {
            each: memory_time(
                (0, sectors),
                None,
                time.l2_bytes_per_second,
                time.dram_bytes_per_second,
            ),
            period,
            span: if other.batch { deadline } else { period + deadline },
        }
    }

    /// Returns the memory time of all jobs that may overlap a window of length `window` [ns]. If n + 1 jobs overlap the
    /// window, n periods are at most as long as the window plus the span of the first job.
    pub fn within(&self, window: u128) -> BigUint {
        let jobs = (window + self.span) / self.period + 1;
        &self.each * jobs
    }

    /// Returns whether jobs have no memory time.
    pub fn is_none(&self) -> bool {
        self.each == BigUint::ZERO
    }
}

/// Write-backs of dirty lines that jobs find in L2.
#[derive(Copy, Clone, Debug)]
pub(crate) struct WriteBacks {
    /// Sectors that all tasks write. `None` if there are other sources.
    written: Option<u128>,
    /// Rate of the DRAM [bytes per second].
    rate: u64,
}

impl WriteBacks {
    /// Returns the write-backs of the lines that the tasks and other sources of `set` leave in L2.
    pub fn of(set: &TaskSet, time: MemoryTime) -> WriteBacks {
        let mut rate = time.dram_bytes_per_second.bytes_per_second();
        let mut written = 0;
        for sectors in set.tasks().iter().filter_map(Task::sectors) {
            written += u128::from(sectors.writes);
            if let (RateForm::OwnDrain, Some(drain)) = (time.form, sectors.drain) {
                rate = rate.min(drain.dram.bytes_per_second());
            }
        }
        WriteBacks {
            written: set.other_traffic().is_empty().then_some(written),
            rate,
        }
    }

    /// Returns the time of the write-backs during a job of `task`, rounded up [ns]. Each access may evict a line of four
    /// dirty sectors. `verify` refuses tasks without sectors.
    pub fn delay(self, task: &Task) -> u128 {
        let Some(sectors) = task.sectors() else {
            return u128::MAX;
        };
        let evicted = 4 * (u128::from(sectors.reads) + u128::from(sectors.writes));
        let sectors = match self.written {
            Some(written) if written < evicted => written,
            _ => evicted,
        };
        (sectors * 32 * 1_000_000_000).div_ceil(self.rate.into())
    }
}

/// Returns 32(R + W)/B_L2 + 32(R + 2W)/B_DRAM seconds in ns, as one fraction that is rounded up. If `own_dram` is given, it
/// replaces R + 2W.
fn memory_time(
    (reads, writes): (u64, u64),
    own_dram: Option<u64>,
    l2: Bandwidth,
    dram: Bandwidth,
) -> BigUint {
    let (l2, dram) = (
        BigUint::from(l2.bytes_per_second()),
        BigUint::from(dram.bytes_per_second()),
    );
    let (reads, writes) = (BigUint::from(reads), BigUint::from(writes));
    let at_dram = own_dram.map_or_else(|| &reads + &writes * 2u32, BigUint::from);
    let numerator = (reads + writes) * &dram + at_dram * &l2;
    let denominator = l2 * dram;
    (numerator * 32u32 * 1_000_000_000u64 + &denominator - 1u32) / denominator
}
