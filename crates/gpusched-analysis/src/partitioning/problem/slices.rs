//! Memory that the hardware divides: each MIG instance has its own memory slices.
//!
//! An instance with s of D slices has the bandwidth B' = ⌊B·s/D⌋. Other partitions never delay the instance, but the
//! kernels of the instance may be slower than with the whole memory. gpusched describes an instance only by its
//! number of SMs. Therefore s is the smallest number of slices among all instances with at least this number of SMs.

use super::Problem;
use super::hardware::Offer;
use crate::interference::bandwidth::instance::wcet_within;
use gpusched_model::error::Error;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, SharedMemory, Task};

/// A memory that the hardware divides.
pub(super) struct Sliced<'a> {
    memory: SharedMemory,
    offer: &'a Offer,
}

impl Sliced<'_> {
    /// Returns B', rounded down, of an instance with at least `sms` SMs. Returns 0 if every instance has fewer SMs.
    fn share(&self, sms: u32) -> Bandwidth {
        let (slices, all) = self.offer.slices(sms).unwrap_or((0, 1));
        self.memory.bandwidth.share(slices, all)
    }

    /// Returns C'(m), the WCET of `task` with the bandwidth B' of an instance of m = `sms` SMs.
    /// Returns `None` if C'(m) is unknown. `whole` returns C(m), the WCET with the whole memory.
    ///
    /// The result is the maximum of C' over this instance and all larger instances, so it never increases with m. C'
    /// itself may increase, because a kernel requests more bandwidth on more SMs.
    pub fn wcet(&self, task: &Task, sms: u32, whole: impl Fn(u32) -> Option<Time>) -> Option<Time> {
        let larger = self.offer.sizes().into_iter().filter(|&size| size > sms);
        let within = |sms: u32| {
            let alone = whole(sms)?;
            wcet_within(self.share(sms), self.memory.bandwidth, task, sms, alone)
        };
        larger
            .map(within)
            .fold(within(sms), |longest, larger| longest?.max(larger?).into())
    }
}

impl<'a> Problem<'a> {
    /// Returns the memory and its slices if the hardware divides the memory among partitions.
    pub(super) fn sliced(&self) -> Option<Sliced<'a>> {
        let (memory, offer) = (self.memory?, self.offer?);
        offer.slices(1).map(|_| Sliced { memory, offer })
    }

    /// Whether each partition has its own memory slices.
    pub(crate) fn has_slices(&self) -> bool {
        self.sliced().is_some()
    }

    /// Returns the memory that a partition of `sms` SMs can use, or `None` if memory traffic does not count.
    pub(crate) fn memory_at(&self, sms: u32) -> Option<SharedMemory> {
        let memory = self.memory?;
        Some(match self.sliced() {
            None => memory,
            Some(sliced) => SharedMemory {
                bandwidth: sliced.share(sms),
                ..memory
            },
        })
    }

    /// Checks that each memory slice has a positive bandwidth.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a memory slice has a bandwidth of 0, or with memory times.
    pub(super) fn check_slices(&self) -> Result<(), Error> {
        let Some(sliced) = self.sliced() else {
            return Ok(());
        };
        if sliced.memory.time.is_some() {
            let found = "mig with memory times";
            let expected = "another granularity, because each MIG instance has its own L2 slices and memory slices, so \
                            its rates differ from the rates of the whole GPU";
            return Err(Error::parameter("granularity", found, expected));
        }
        if sliced.share(1).bytes_per_second() > 0 {
            return Ok(());
        }
        let slices = self
            .offer
            .and_then(|offer| offer.slices(1))
            .map_or(1, |(_, all)| all);
        Err(Error::parameter(
            "memory_bandwidth",
            sliced.memory.bandwidth,
            format!("at least {slices} B/s, which is 1 B/s for each of {slices} memory slices"),
        ))
    }
}
