//! Memory that hardware divides: a MIG instance has memory slices of its own.
//!
//! An instance with s of D slices has the bandwidth B' = ⌊B·s/D⌋ for itself. Other partitions never delay it, but its kernels
//! may be slower than with the whole memory. What is counted of an instance is its SMs, so s is that of the instance with at
//! least so many SMs and the fewest memory slices.

use super::Problem;
use crate::interference::bandwidth::instance::wcet_within;
use crate::partitioning::hardware::Offer;
use gpusched_model::error::Error;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, SharedMemory, Task};

/// A memory that hardware divides.
pub(super) struct Sliced<'a> {
    memory: SharedMemory,
    offer: &'a Offer,
}

impl Sliced<'_> {
    /// B' of an instance with at least `sms` SMs: rounded down, and 0 where there is no such instance.
    fn share(&self, sms: u32) -> Bandwidth {
        let (slices, all) = self.offer.slices(sms).unwrap_or((0, 1));
        self.memory.bandwidth.share(slices, all)
    }

    /// C'(m), from `whole`, C(m) with the whole memory; `None` if unknown.
    ///
    /// No less than on any larger instance: a kernel that could use more on more SMs may be slower there.
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
    /// The memory, if hardware divides it among partitions.
    pub(super) fn sliced(&self) -> Option<Sliced<'a>> {
        let (memory, offer) = (self.memory?, self.offer?);
        offer.slices(1).map(|_| Sliced { memory, offer })
    }

    /// Whether each partition has a part of the memory for itself.
    pub(crate) fn has_slices(&self) -> bool {
        self.sliced().is_some()
    }

    /// The memory as a partition of `sms` SMs knows it, if its traffic counts.
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

    /// # Errors
    /// [`Error::Refused`] for memory slices without any bandwidth.
    pub(super) fn check_slices(&self) -> Result<(), Error> {
        let Some(sliced) = self.sliced() else {
            return Ok(());
        };
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
            format!("at least {slices} B/s, so that each of {slices} memory slices has some"),
        ))
    }
}
