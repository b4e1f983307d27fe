//! Memory slices of MIG instances: what a kernel loses because its instance has a part of the bandwidth.

use gpusched_model::device::{Granularity, Mig};
use gpusched_model::{Plan, SharedMemory, Task};

/// The memory of a plan whose partitions are MIG instances.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Slices<'a> {
    mig: &'a Mig,
    /// B [nano-bytes per ns].
    whole: u128,
}

impl<'a> Slices<'a> {
    /// Those of `plan`; `None` where its partitions share the whole memory, or traffic does not count.
    pub fn of(plan: &'a Plan, memory: Option<SharedMemory>) -> Option<Slices<'a>> {
        let hardware = plan.hardware.as_ref()?;
        (hardware.granularity == Granularity::Mig).then_some(())?;
        Some(Slices {
            mig: hardware.device.mig()?,
            whole: memory?.bandwidth.bytes_per_second().into(),
        })
    }

    /// B': the bandwidth of the instance with at least `sms` SMs that has the fewest slices; 0 if there is none.
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

    /// C' [ns] of `task` on `sms` SMs, where `alone` gives C with the whole memory: the longest on an instance of `sms` SMs or
    /// more. `None` where one is unknown.
    pub fn wcet(&self, task: &Task, sms: u32, alone: impl Fn(u32) -> Option<u128>) -> Option<u128> {
        let profiles = self.mig.profiles.iter().map(|profile| profile.sms);
        let sizes = profiles.filter(|&size| size > sms).chain([sms]);
        sizes
            .map(|size| self.wcet_at(task, size, alone(size)?))
            .try_fold(0, |longest, c| Some(longest.max(c?)))
    }

    /// C + V/B' − V/d, each part rounded up, if the kernel could use d > B'.
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
        // One of eight slices below 28 SMs, two below 42, four below 98.
        let shares = [1, 14, 15, 28, 42, 56, 57, 98, 99].map(|sms| slices.bandwidth(sms));
        assert_eq!(shares, [100, 100, 200, 200, 400, 400, 800, 800, 0]);
        let wcet = |fields: &str, sms| {
            let json = format!(r#"{{"tasks":[{{"period":9000,"wcet":{{"table":[[1,1000]]}}{fields}}}]}}"#);
            let set: TaskSet = serde_json::from_str(&json).unwrap();
            slices.wcet(&set.tasks()[0], sms, |_| Some(1000))
        };
        // What is not stated is the whole memory, all the time: eight times as long.
        assert_eq!(wcet("", 14), Some(8000));
        assert_eq!(wcet("", 98), Some(1000));
        assert_eq!(wcet("", 99), None);
        assert_eq!(wcet(r#","bandwidth":100"#, 14), Some(1000));
        assert_eq!(wcet(r#","bandwidth":101"#, 14), Some(1010));
        assert_eq!(wcet(r#","traffic":0"#, 14), Some(1000));
        // More SMs may draw more, from no more slices; counted for fewer SMs as well.
        assert_eq!(wcet(r#","bandwidth":[[42,400],[56,800]]"#, 42), Some(2000));
    }
}
