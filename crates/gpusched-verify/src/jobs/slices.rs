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

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::{Device, TaskSet};

    #[test]
    fn a_kernel_is_slower_by_the_bytes_that_its_slices_move_later() {
        let device = Device::named("a100").unwrap();
        let slices = Slices {
            mig: device.mig().unwrap(),
            whole: 800,
        };
        // An instance below 28 SMs has one of eight memory slices. Below 42 SMs, it has two slices, and below 98 SMs,
        // it has four.
        let shares = [1, 14, 15, 28, 42, 56, 57, 98, 99].map(|sms| slices.bandwidth(sms));
        assert_eq!(shares, [100, 100, 200, 200, 400, 400, 800, 800, 0]);
        let wcet = |fields: &str, sms| {
            let json = format!(r#"{{"tasks":[{{"period":9000,"wcet":{{"table":[[1,1000]]}}{fields}}}]}}"#);
            let set: TaskSet = serde_json::from_str(&json).unwrap();
            slices.wcet(&set.tasks()[0], sms, |_| Some(1000))
        };
        // A task without stated memory traffic always uses the whole memory bandwidth. With one
        // of eight slices, its WCET is eight times as long.
        assert_eq!(wcet("", 14), Some(8000));
        assert_eq!(wcet("", 98), Some(1000));
        assert_eq!(wcet("", 99), None);
        assert_eq!(wcet(r#","bandwidth":100"#, 14), Some(1000));
        assert_eq!(wcet(r#","bandwidth":101"#, 14), Some(1010));
        assert_eq!(wcet(r#","traffic":0"#, 14), Some(1000));
        // A larger instance with the same number of memory slices may use more bandwidth. The WCET for fewer SMs
        // accounts for this larger instance.
        assert_eq!(wcet(r#","bandwidth":[[42,400],[56,800]]"#, 42), Some(2000));
    }
}
