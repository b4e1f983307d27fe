//! Simulation of the SMs and of the memory side at the same time, by several threads.
//!
//! The memory side is always simulated half of its [lead](super::lead) ahead of the SMs. In a *window*, one thread simulates
//! the next half of the lead, and other threads simulate the SMs up to the start of this half. Both parts are independent:
//! the SMs know all replies of their cycles, and their requests reach the slices only after the end of the lead.
//!
//! The SMs are first simulated ahead, by all threads. Then one thread simulates requests and starts of blocks cycle by cycle. If the
//! memory side took longer than this second part in the last window, one thread starts with the memory side. Otherwise, all threads
//! first simulate the SMs. This order only affects the speed.
//!
//! In a window, a *front* replaces the memory side for the SMs. It has the known replies, the cycles when the slices accept
//! requests, and the traffic. It collects the requests, which the memory side receives at the end of the window. All results
//! are therefore equal for every number of threads.

use std::time::Instant;

use crate::gpu::memory_side::below::Below;
use crate::gpu::{Failure, Gpu};

impl Gpu<'_> {
    /// Returns whether the next cycles can be simulated as a window.
    pub(in crate::gpu) fn has_window(&self) -> bool {
        self.front.is_some() && self.below.now > self.now
    }

    /// Creates the front if several threads share the work and the memory side can be ahead of the SMs.
    pub(in crate::gpu) fn make_front(&mut self) {
        if self.parallel && self.lead > 1 && !self.below.meter.camps() {
            let kernels = self.kernels.len();
            self.front = Some(Box::new(Below::new(
                &self.machine,
                &self.parts,
                kernels,
                &[],
                false,
            )));
            self.lead = (u64::from(self.machine.memory.rop_latency) / 2).min(self.lead);
        }
    }

    /// Simulates a window. Returns whether the run has ended.
    ///
    /// # Errors
    /// Fails with [`Failure`] if the simulation fails.
    pub(in crate::gpu) fn window(&mut self, limit: u64) -> Result<bool, Failure> {
        let Some(mut front) = self.front.take() else {
            return self.edge(limit);
        };
        let known = self.below.now;
        let latency = u64::from(self.machine.memory.rop_latency);
        let until = self.reach((known + self.lead).min(self.now + latency)).max(known);
        self.below.lend(&mut front);
        std::mem::swap(&mut self.below, &mut front);
        self.windowed = true;
        if self.sms_first {
            self.go_ahead_early();
        }
        let memory = &mut front;
        let run_memory = || {
            let start = Instant::now();
            memory.run(memory.edges.clone(), until);
            start.elapsed()
        };
        let run_sms = || {
            if !self.sms_first {
                self.go_ahead_early();
            }
            let start = Instant::now();
            (self.edges_until(known, limit), start.elapsed())
        };
        let ((over, rest), memory) = rayon::join(run_sms, run_memory);
        self.sms_first = memory <= rest;
        self.windowed = false;
        std::mem::swap(&mut self.below, &mut front);
        self.below.take_back(&mut front, self.now);
        self.wake_for_replies();
        self.front = Some(front);
        let over = over?;
        if !over {
            self.proceed(limit)?;
        }
        Ok(over)
    }

    /// Simulates the SMs before cycle `until`. Returns whether the run has ended.
    fn edges_until(&mut self, until: u64, limit: u64) -> Result<bool, Failure> {
        while self.now < until {
            if self.edge(limit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
