//! Memory traffic of each kernel, counted at the slices of L2 and at the DRAM channels.

use super::camping::{Camping, Servers};
use crate::gpu::KernelTraffic;
use crate::memory::events::{Column, Issued, LookedUp};

/// Counts of the traffic of each kernel.
///
/// The memory side may be ahead of the SMs. The meter therefore also keeps each change in the cycles that the SMs have
/// not yet simulated. With these changes, [`Meter::before`] computes the traffic before an earlier cycle.
#[derive(Debug)]
pub struct Meter {
    kernels: Vec<KernelTraffic>,
    /// For each kernel, the number of dirty sectors in evicted lines whose last writer is this kernel.
    evicted: Vec<u64>,
    /// Changes in cycles that the SMs have not yet simulated, in the order of time.
    recent: Vec<(u64, u8, Change)>,
    /// `recent` contains only changes in cycles before this cycle.
    until: u64,
    camping: Option<Camping>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    L2 { writes: bool, missed: bool },
    Dram { writes: bool },
    Activation,
}

impl Change {
    /// Applies `with` to each count that this change increases by one.
    fn count(self, traffic: &mut KernelTraffic, with: impl Fn(&mut u64)) {
        match self {
            Change::L2 { writes, missed } => {
                with(match writes {
                    true => &mut traffic.l2_writes,
                    false => &mut traffic.l2_reads,
                });
                if missed {
                    with(&mut traffic.l2_misses);
                }
            }
            Change::Dram { writes: true } => with(&mut traffic.dram_writes),
            Change::Dram { writes: false } => with(&mut traffic.dram_reads),
            Change::Activation => with(&mut traffic.activations),
        }
    }
}

impl Meter {
    /// Creates a meter for `kernels` kernels. If `servers` is given, the meter also computes the largest share of the
    /// traffic that one slice, channel or bank receives.
    pub fn new(kernels: usize, servers: Option<Servers>) -> Self {
        Self {
            kernels: vec![KernelTraffic::default(); kernels],
            evicted: vec![0; kernels],
            recent: Vec::new(),
            until: 0,
            camping: servers.map(Camping::new),
        }
    }

    /// Announces that the memory side simulates the cycles before `until` ahead of the SMs.
    pub fn begin(&mut self, until: u64) {
        self.recent.clear();
        self.until = until;
    }

    /// Whether the meter computes the largest shares of the traffic. They depend on the cycle where the memory side ends.
    pub fn camps(&self) -> bool {
        self.camping.is_some()
    }

    /// Moves the changes in cycles that the SMs have not yet simulated to `front`, which then knows the traffic before each of
    /// these cycles.
    pub fn lend(&mut self, front: &mut Meter) {
        front.kernels.clone_from(&self.kernels);
        std::mem::swap(&mut self.recent, &mut front.recent);
    }

    /// Takes the changes of `front` from cycle `now` on back. The SMs have simulated all earlier cycles.
    pub fn take_back(&mut self, front: &mut Meter, now: u64) {
        front.recent.retain(|&(at, ..)| at >= now);
        front.recent.append(&mut self.recent);
        std::mem::swap(&mut self.recent, &mut front.recent);
    }

    fn add(&mut self, cycle: u64, kernel: u8, change: Change) {
        if let Some(traffic) = self.kernels.get_mut(usize::from(kernel)) {
            change.count(traffic, |count| *count += 1);
        }
        if cycle < self.until {
            self.recent.push((cycle, kernel, change));
        }
    }

    /// Counts an access to slice `slice` in cycle `cycle`.
    pub fn look_up(&mut self, cycle: u64, slice: usize, access: LookedUp) {
        let LookedUp {
            kernel,
            writes,
            missed,
            evicted,
        } = access;
        if let Some((kernel, sectors)) = evicted
            && let Some(count) = self.evicted.get_mut(usize::from(kernel))
        {
            *count += u64::from(sectors);
        }
        self.add(cycle, kernel, Change::L2 { writes, missed });
        if let Some(camping) = &mut self.camping {
            camping.at_slice(slice);
        }
    }

    /// Counts the commands that channel `channel` issues in cycle `cycle`.
    pub fn issue(&mut self, cycle: u64, channel: usize, issued: Issued) {
        if let Some(Column { kernel, bank, writes }) = issued.column {
            self.add(cycle, kernel, Change::Dram { writes });
            if let Some(camping) = &mut self.camping {
                camping.at_bank(channel, usize::from(bank));
            }
        }
        if let Some(kernel) = issued.activation {
            self.add(cycle, kernel, Change::Activation);
        }
    }

    /// Returns the traffic of each kernel in all cycles before `cycle`. The SMs have not yet simulated later cycles.
    pub fn before(&self, cycle: u64) -> Vec<KernelTraffic> {
        let mut kernels = self.kernels.clone();
        let later = self.recent.partition_point(|&(at, ..)| at < cycle);
        for &(_, kernel, change) in self.recent.iter().skip(later) {
            if let Some(traffic) = kernels.get_mut(usize::from(kernel)) {
                change.count(traffic, |count| *count -= 1);
            }
        }
        kernels
    }

    /// Returns for each kernel the number of evicted dirty sectors.
    pub fn evicted(&self) -> &[u64] {
        &self.evicted
    }

    /// If the meter computes them, returns the largest shares of the traffic that one slice, channel and bank receive.
    pub fn shares(&self) -> Option<super::camping::Shares> {
        self.camping.as_ref().map(Camping::shares)
    }
}
