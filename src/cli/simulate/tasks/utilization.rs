//! For how much of the time partitions are busy, over time, as CSV.

use std::fmt::Write as _;

use crate::simulator::tasks::Occupancy;

/// The columns.
pub const HEADER: &str = "set,time_ms,partition,sms,busy\n";

/// Intervals if nobody asks for another number.
const INTERVALS: u32 = 200;

/// The table so far.
pub struct Utilizations {
    intervals: u32,
    text: String,
}

impl Utilizations {
    /// An empty table of so many intervals.
    pub fn new(intervals: Option<u32>) -> Utilizations {
        Utilizations {
            intervals: intervals.unwrap_or(INTERVALS),
            text: HEADER.to_owned(),
        }
    }

    /// The number of intervals.
    pub fn intervals(&self) -> usize {
        self.intervals as usize
    }

    /// The rows of task set `set`: partitions of `sms` SMs each, on a GPU of `gpu` SMs.
    pub fn add(&mut self, set: u64, gpu: u32, sms: &[u32], partitions: &[Occupancy]) {
        let Some(first) = partitions.first() else { return };
        let width = first.width();
        for interval in 0..first.busy().len() {
            let time = (interval as u64).saturating_mul(width) as f64 / 1e6;
            let mut all = 0.0;
            for (index, (partition, &sms)) in partitions.iter().zip(sms).enumerate() {
                let busy = partition.busy().get(interval).copied().unwrap_or(0) as f64 / width as f64;
                all += busy * f64::from(sms);
                let _ = writeln!(self.text, "{set},{time:.6},{index},{sms},{busy:.6}"); // a string takes everything
            }
            let busy = all / f64::from(gpu);
            let _ = writeln!(self.text, "{set},{time:.6},all,{gpu},{busy:.6}");
        }
    }

    /// The table.
    pub fn csv(self) -> String {
        self.text
    }
}
