//! Observer that keeps only the times and the SMs of each kernel.

use crate::blocks::{CopyRecord, Event, KernelRecord};
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// The times and SMs of all kernels, and the times of all copies. The size of the overview does
/// not depend on the number of blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    kernels: Vec<Option<KernelOverview>>,
    copies: Vec<CopyRecord>,
}

/// The times and the SMs of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelOverview {
    /// Times at which the kernel was ready, started and ended.
    pub times: KernelRecord,
    /// SMs of the kernel, one bit per SM. Each word contains 64 SMs, and its lowest bit stands for the SM with the
    /// lowest number.
    sms: Vec<u64>,
}

impl KernelOverview {
    /// Returns the SMs on which the kernel ran, in ascending order.
    pub fn sms(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.sms).flat_map(|(index, &word): (u32, _)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| 64 * index + bit)
        })
    }
}

impl Overview {
    /// Returns the overview of each kernel that ran, in the order of the scenario.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelOverview> {
        self.kernels.iter().flatten()
    }

    /// Returns the copies, sorted by their ends.
    pub fn copies(&self) -> &[CopyRecord] {
        &self.copies
    }

    fn kernel(&mut self, kernel: usize) -> Option<&mut KernelOverview> {
        self.kernels.get_mut(kernel)?.as_mut()
    }
}

impl Observer<Event> for Overview {
    #[inline(always)]
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::KernelRelease(kernel) => {
                if self.kernels.len() <= kernel {
                    self.kernels.resize(kernel + 1, None);
                }
                if let Some(place) = self.kernels.get_mut(kernel) {
                    *place = Some(KernelOverview {
                        times: KernelRecord {
                            kernel,
                            ready_ns: now,
                            start_ns: Time::LIMIT,
                            end_ns: Time::ZERO,
                        },
                        sms: Vec::new(),
                    });
                }
            }
            Event::BlockStart(block) => {
                let (word, bit) = ((block.sm / 64) as usize, block.sm % 64);
                if let Some(kernel) = self.kernel(block.kernel) {
                    kernel.times.start_ns = kernel.times.start_ns.min(now);
                    if kernel.sms.len() <= word {
                        kernel.sms.resize(word + 1, 0);
                    }
                    if let Some(word) = kernel.sms.get_mut(word) {
                        *word |= 1 << bit;
                    }
                }
            }
            Event::KernelComplete(kernel) => {
                if let Some(kernel) = self.kernel(kernel) {
                    kernel.times.end_ns = now;
                }
            }
            Event::CopyComplete(copy, start) => self.copies.push(CopyRecord {
                copy,
                start_ns: start,
                end_ns: now,
            }),
            _ => {}
        }
    }
}
