//! Utilization of partitions over time, as CSV.

use std::fmt::Write as _;

use gpusched_sim::tasks::Occupancy;

/// CSV header.
pub const HEADER: &str = "set,time_ms,partition,sms,busy\n";

/// Default number of intervals.
const INTERVALS: u32 = 200;

/// CSV table of the utilization of partitions over time, for several task sets.
pub struct Utilizations {
    intervals: u32,
    text: String,
}

impl Utilizations {
    /// Creates an empty table with `intervals` time intervals per task set.
    pub fn new(intervals: Option<u32>) -> Utilizations {
        Utilizations {
            intervals: intervals.unwrap_or(INTERVALS),
            text: HEADER.to_owned(),
        }
    }

    /// Returns the number of intervals.
    pub fn intervals(&self) -> usize {
        self.intervals as usize
    }

    /// Adds rows for the partitions of task set `set` on a GPU of `gpu` SMs. `sms` is the number
    /// of SMs of each partition.
    pub fn add(&mut self, set: u64, gpu: u32, sms: &[u32], partitions: &[Occupancy]) {
        let Some(first) = partitions.first() else { return };
        let width = first.width();
        for interval in 0..first.busy().len() {
            let time = (interval as u64).saturating_mul(width) as f64 / 1e6;
            let mut all = 0.0;
            for (index, (partition, &sms)) in partitions.iter().zip(sms).enumerate() {
                let busy = partition.busy().get(interval).copied().unwrap_or(0) as f64 / width as f64;
                all += busy * f64::from(sms);
                let _ = writeln!(self.text, "{set},{time:.6},{index},{sms},{busy:.6}"); // never fails
            }
            let busy = all / f64::from(gpu);
            let _ = writeln!(self.text, "{set},{time:.6},all,{gpu},{busy:.6}");
        }
    }

    /// Returns the table as CSV text.
    pub fn csv(self) -> String {
        self.text
    }
}
