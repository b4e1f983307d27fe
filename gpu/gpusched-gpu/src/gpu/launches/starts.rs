//! Starts and ends of blocks.

use super::dispatch::{Start, warps};
use crate::gpu::pace::ahead::Ahead;
use crate::gpu::{Failure, Gpu};
use crate::sm::{BlockStart, EndedBlock, Sm};

impl Gpu<'_> {
    /// Records the end of the blocks in `over` and releases their resources. Each entry is a pair
    /// of SM and block.
    pub(in crate::gpu) fn end(&mut self, over: &mut [(usize, EndedBlock)]) {
        over.sort_by_key(|&(sm, _)| sm);
        for (sm, ended) in over {
            self.dispatcher
                .give_back(*sm, ended.kernel, &self.kernels[ended.kernel]);
            let start = self.dispatcher.started(ended.kernel, ended.index);
            let blocks = self.kernels[ended.kernel].blocks;
            self.results.ended(*sm, start, ended, blocks);
            if self.results.kernels[ended.kernel].ended == blocks {
                let traffic = self.below.meter.before(self.now);
                self.results.kernels[ended.kernel].close_window(traffic);
            }
        }
    }

    /// Starts the blocks in `starts` at the end of the previous cycle.
    pub(in crate::gpu) fn start(&mut self, starts: &[Start]) -> Result<(), Failure> {
        if starts.is_empty() {
            return Ok(());
        }
        let mut keys = Vec::new();
        for start in starts {
            let kernel = &mut self.results.kernels[start.kernel];
            if kernel.first_block.is_none() {
                kernel.first_block = Some(self.now);
                kernel.window = self.below.meter.before(self.now);
            }
            if self.classes.shares() {
                let key = self.kernels[start.kernel].source.key(start.index);
                let key = key.map_err(|reason| self.no_source(start, reason.to_string()))?;
                keys.push((start.kernel, key));
            }
        }
        let parted = self.classes.start(starts, |one, other| keys[one] == keys[other]);
        for from in parted.copies {
            self.sms.push(self.sms[from].clone());
            self.sm_wakes.push(self.sm_wakes[from]);
            self.ahead.push(Ahead::new());
        }
        for (simulated, start) in parted.starts {
            // If a simulated SM may represent several SMs, no kernel uses L1.
            if self.sms[simulated].is_empty()
                && !self.classes.shares()
                && let Some(l1) = self
                    .divisions
                    .divide(&self.machine, self.kernels, start.sm, start.kernel)
            {
                self.sms[simulated].resize_l1(l1);
            }
            let kernel = &self.kernels[start.kernel];
            let streams = kernel
                .source
                .warps(start.index)
                .and_then(|streams| match streams.len() == warps(kernel) {
                    true => Ok(streams),
                    false => Err(format!(
                        "found {} warps in block {}, expected {}",
                        streams.len(),
                        start.index,
                        warps(kernel)
                    )),
                })
                .map_err(|message| self.no_source(&start, message))?;
            let block = BlockStart {
                kernel: start.kernel,
                index: start.index,
                place: start.place,
                first_slot: start.first_slot,
                streams,
            };
            self.sms[simulated].start(block, self.now);
            (self.sm_wakes[simulated], self.ahead[simulated].wake) = (self.now, self.now);
        }
        Ok(())
    }

    fn no_source(&self, start: &Start, message: String) -> Failure {
        Failure::Source {
            kernel: self.kernels[start.kernel].name.clone(),
            message,
        }
    }

    /// Invalidates the L1 caches of each cluster whose last resident block has just ended. If a
    /// simulated SM may represent several SMs, all L1 caches are empty, and the function does
    /// nothing.
    pub(in crate::gpu) fn flush(&mut self, over: &[(usize, EndedBlock)]) {
        if self.classes.shares() {
            return;
        }
        let per_cluster = self.machine.sms_per_cluster as usize;
        for (sm, _) in over {
            let first = sm / per_cluster * per_cluster;
            let cluster = &mut self.sms[first..first + per_cluster];
            if cluster.iter().all(Sm::is_empty) {
                cluster.iter_mut().for_each(Sm::invalidate_l1);
            }
        }
    }
}
