//! Restart of the clocks when a kernel is launched on an idle GPU.
//!
//! GPGPU-Sim sets the times of all clock edges to 0 (`reinit_clock_domains`) before it launches a kernel on an idle
//! GPU. The first edges of all clocks after the launch then coincide, as at the start of a run.

use super::wakes::NEVER;
use crate::gpu::memory_side::below::Below;
use crate::gpu::{Gpu, Launch, Settings};
use crate::sm::Sm;

/// Returns the core cycles of all launches after cycle 0, in descending order without repetition. The list is empty if
/// the clocks do not restart.
pub fn launches(kernels: &[Launch], settings: &Settings) -> Vec<u64> {
    let mut cycles: Vec<u64> = match settings.restart_clocks {
        true => kernels
            .iter()
            .map(Launch::launched)
            .filter(|&at| at > 0)
            .collect(),
        false => Vec::new(),
    };
    cycles.sort_unstable_by(|one, other| other.cmp(one));
    cycles.dedup();
    cycles
}

impl Below {
    /// Wakes all channels that contain requests. Their wake-up times are based on the clocks before the restart.
    fn wake_channels(&mut self) {
        for channel in 0..self.partitions.len() {
            if self.partition_wakes.is_due(channel, NEVER - 1) {
                self.partition_wakes.set(channel, 0, 0);
            }
        }
    }
}

impl Gpu<'_> {
    /// Returns the next core cycle when the clocks may restart. The memory side must not be simulated beyond this cycle.
    pub(in crate::gpu) fn next_restart(&self) -> u64 {
        self.restarts.last().copied().unwrap_or(NEVER)
    }

    /// Restarts the clocks if a kernel is launched in this cycle and the GPU is idle.
    pub(in crate::gpu) fn restart_clocks(&mut self) {
        if self.next_restart() > self.now {
            return;
        }
        self.restarts.pop();
        if self.is_idle() {
            debug_assert_eq!(self.below.now, self.now);
            self.edges.restart();
            self.below.wake_channels();
            #[cfg(test)]
            {
                self.restarted += 1;
            }
        }
    }

    /// Returns whether all kernels launched before this cycle have ended, and no request or reply is on its way. L2 may
    /// still write lines back to DRAM.
    fn is_idle(&self) -> bool {
        let now = self.now;
        let waits = |(kernel, launch): (usize, &Launch)| {
            launch.launched() < now && self.dispatcher.has_left(kernel, self.kernels)
        };
        let empty = |(sm, ahead): (&Sm, &super::ahead::Ahead)| sm.is_empty() && ahead.until <= now;
        !self.kernels.iter().enumerate().any(waits)
            && self.sms.iter().zip(&self.ahead).all(empty)
            && self.has_no_requests()
            && self.below.replies.is_empty()
            && self.ports.iter().all(|port| port.is_empty())
    }
}
