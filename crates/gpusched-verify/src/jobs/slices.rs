//! Memory slices of MIG instances. An instance has only a part of the memory bandwidth, so a WCET may be longer.

use gpusched_model::device::{Granularity, Mig};
use gpusched_model::{Plan, SharedMemory, Task};

/// Memory slices of a plan whose partitions are MIG instances.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Slices<'a> {
    mig: &'a Mig,
    /// B: guaranteed memory bandwidth [nano-bytes per ns].
    whole: u128,
}

impl<'a> Slices<'a> {
    /// Returns the slices of `plan`. Returns `None` if the partitions share the whole memory, or
    /// if the interference model ignores memory traffic.
    pub fn of(plan: &'a Plan, memory: Option<SharedMemory>) -> Option<Slices<'a>> {
        let hardware = plan.hardware.as_ref()?;
        (hardware.granularity == Granularity::Mig).then_some(())?;
        Some(Slices {
            mig: hardware.device.mig()?,
            whole: memory?.bandwidth.bytes_per_second().into(),
        })
    }

    /// Returns B', the memory bandwidth of an instance with at least `sms` SMs. The function assumes the profile with
    /// the fewest memory slices among all profiles with enough SMs. Returns 0 if no profile has enough SMs.
    pub fn bandwidth(&self, sms: u32) -> u128 {
        let fewest = self
            .mig
            .profiles
            .iter()
            .filter(|profile| profile.sms >= sms)
            .map(|profile| u128::from(profile.memory))
            .min();
        fewest.map_or(0, |slices| {
            self.whole * slices / u128::from(self.mig.memory_slices)
        })
    }

    /// Returns C' [ns], the longest WCET of `task` on any instance with `sms` or more SMs.
    /// `alone` returns the WCET C with the whole memory. Returns `None` if one of the WCETs is
    /// unknown.
    pub fn wcet(&self, task: &Task, sms: u32, alone: impl Fn(u32) -> Option<u128>) -> Option<u128> {
        let profiles = self.mig.profiles.iter().map(|profile| profile.sms);
        let sizes = profiles.filter(|&size| size > sms).chain([sms]);
        sizes
            .map(|size| self.wcet_at(task, size, alone(size)?))
            .try_fold(0, |longest, c| Some(longest.max(c?)))
    }

    /// Returns C' = C + V/B' − V/d for V bytes at a rate of at most d, if d exceeds the bandwidth B' of the instance.
    /// Rounds V/B' up and V/d down. If d is at most B', returns C.
    fn wcet_at(&self, task: &Task, sms: u32, alone: u128) -> Option<u128> {
        let stated = task
            .bandwidth(sms)
            .map(|rate| u128::from(rate.bytes_per_second()));
        let rate = stated.unwrap_or(self.whole).min(self.whole);
        let most = rate * alone;
        let bytes = task
            .traffic()
            .map_or(most, |bytes| most.min(u128::from(bytes.bytes()) * 1_000_000_000));
        let share = self.bandwidth(sms);
        if bytes == 0 || rate <= share {
            return Some(alone);
        }
        if share == 0 {
            return None;
        }
        let c = alone + bytes.div_ceil(share) - bytes / rate;
        (c < 1 << 63).then_some(c)
    }
}
