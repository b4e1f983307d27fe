//! Check of partition sizes and placements against the partition rules of the device.
//!
//! The check applies the published rules to each partition. The check searches for only two kinds of totals: SMs of
//! several GPCs, and SMs of several partitions.

use std::collections::BTreeSet;

use super::fault::Fault;
use gpusched_model::Device;
use gpusched_model::counted;
use gpusched_model::device::{Granularity, Hardware, Place};
use gpusched_model::plan::{Partition, Plan};

/// Checks the partition sizes and the placements of `plan`. In a plan without a device, every
/// size is valid, and placements are invalid.
pub(super) fn check(plan: &Plan) -> Result<(), Fault> {
    let Some(hardware) = &plan.hardware else {
        return match plan
            .partitions
            .iter()
            .position(|partition| partition.place.is_some())
        {
            None => Ok(()),
            Some(index) => Err(Fault::new(
                format!("partitions[{index}].place"),
                "found a placement, expected no placement in a plan without `hardware`",
            )),
        };
    };
    let device = &hardware.device;
    if device.sms() != plan.gpu_sms {
        let message = format!("found {}, expected {}, as in gpu_sms", device.sms(), plan.gpu_sms);
        return Err(Fault::new("hardware.device.sms", message));
    }
    if !device.granularities().contains(&hardware.granularity) {
        let message = format!(
            "found {}, which the device does not support",
            hardware.granularity
        );
        return Err(Fault::new("hardware.granularity", message));
    }
    for (index, partition) in plan.partitions.iter().enumerate() {
        if !offers(hardware, partition.sms) {
            let message = format!(
                "found {}, which is not a supported partition size for granularity {} on {}",
                partition.sms,
                hardware.granularity,
                device.name()
            );
            return Err(Fault::new(format!("partitions[{index}].sms"), message));
        }
    }
    places(plan, hardware)
}

/// Returns the largest total number of SMs of all partitions.
pub(super) fn capacity(plan: &Plan) -> u32 {
    let green = plan
        .hardware
        .as_ref()
        .filter(|hardware| hardware.granularity == Granularity::GreenContext);
    let rule = green.and_then(|hardware| hardware.device.green_context());
    rule.and_then(|rule| rule.total)
        .map_or(plan.gpu_sms, |total| total.min(plan.gpu_sms))
}

/// Returns whether the hardware supports a partition with `sms` SMs.
fn offers(hardware: &Hardware, sms: u32) -> bool {
    let device = &hardware.device;
    let within = (1..=device.sms()).contains(&sms);
    match hardware.granularity {
        Granularity::Sm => sms > 0, // an unschedulable plan may use more SMs than the GPU has
        Granularity::Tpc => device
            .sms_per_tpc()
            .is_some_and(|unit| within && sms.is_multiple_of(unit)),
        Granularity::Gpc => within && gpc_sums(device).contains(&sms),
        Granularity::GreenContext => device.green_context().is_some_and(|rule| {
            let total = rule.total(device.sms());
            (rule.min..=total).contains(&sms) && sms.is_multiple_of(rule.step)
        }),
        Granularity::Mps => device
            .mps()
            .is_some_and(|rule| within && sms.is_multiple_of(rule.chunk)),
        Granularity::Mig => device
            .mig()
            .is_some_and(|mig| mig.profiles.iter().any(|profile| profile.sms == sms)),
    }
}

/// Valid partition sizes of a plan [SMs].
pub(super) enum Sizes {
    /// Every size is valid.
    All,
    /// Only the supported partition sizes are valid. The sizes are positive, and in ascending order.
    Some(Vec<u32>),
}

impl Sizes {
    pub fn of(plan: &Plan) -> Sizes {
        match &plan.hardware {
            Some(hardware) if hardware.granularity != Granularity::Sm => {
                Sizes::Some((1..=plan.gpu_sms).filter(|&sms| offers(hardware, sms)).collect())
            }
            _ => Sizes::All,
        }
    }

    /// Returns the valid sizes up to `sms`, in ascending order.
    pub fn up_to(&self, sms: u32) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Sizes::All => Box::new(1..=sms),
            Sizes::Some(sizes) => Box::new(sizes.iter().copied().take_while(move |&size| size <= sms)),
        }
    }

    /// Returns the largest valid size that is at most `sms`, or 0 if every valid size is larger.
    pub fn at_most(&self, sms: u32) -> u32 {
        match self {
            Sizes::All => sms,
            Sizes::Some(sizes) => sizes[..sizes.partition_point(|&size| size <= sms)]
                .last()
                .copied()
                .unwrap_or(0),
        }
    }

    /// Returns the smallest total of at least `sms` SMs that partitions with valid sizes can have together. If `sms` is
    /// above [`COUNTED`], returns `sms`.
    pub fn total_from(&self, sms: u32) -> u32 {
        let Sizes::Some(sizes) = self else {
            return sms;
        };
        let Some(&largest) = sizes.last().filter(|_| sms <= COUNTED) else {
            return sms;
        };
        // The smallest total of at least `sms` is below `sms` plus the largest size, which is
        // `end`.
        let end = (sms + largest) as usize;
        let mut is_total = vec![false; end];
        is_total[0] = true;
        for total in 1..end {
            is_total[total] = sizes
                .iter()
                .any(|&size| total >= size as usize && is_total[total - size as usize]);
        }
        (sms..)
            .zip(&is_total[sms as usize..])
            .find(|&(_, &is)| is)
            .map_or(sms, |(total, _)| total)
    }
}

/// Largest number of SMs for which [`Sizes::total_from`] searches for a total.
const COUNTED: u32 = 1 << 24;

/// Returns whether every partition has a placement, or whether the driver chooses the placements.
pub(super) fn has_room(plan: &Plan) -> bool {
    plan.hardware.as_ref().is_none_or(|hardware| {
        driver_places(hardware) || plan.partitions.iter().all(|partition| partition.place.is_some())
    })
}

/// Returns whether the driver chooses the SMs of a partition.
fn driver_places(hardware: &Hardware) -> bool {
    matches!(hardware.granularity, Granularity::GreenContext | Granularity::Mps)
}

/// Returns the total number of SMs of each set of GPCs.
fn gpc_sums(device: &Device) -> BTreeSet<u32> {
    let mut sums = BTreeSet::from([0]);
    for gpc in device.sms_per_gpc() {
        let more: Vec<u32> = sums.iter().map(|sum| sum + gpc).collect();
        sums.extend(more);
    }
    sums
}

/// Checks that either every partition or no partition has a placement. In addition, checks each placement: the
/// placement must fit the granularity, have the stated number of SMs, and overlap no other
/// placement.
fn places(plan: &Plan, hardware: &Hardware) -> Result<(), Fault> {
    let given = plan
        .partitions
        .iter()
        .filter(|partition| partition.place.is_some())
        .count();
    let driver = driver_places(hardware);
    let expected = match (driver, plan.schedulable) {
        (true, _) => "no placement, because the driver chooses the placements",
        (false, true) => "one placement for each partition of a schedulable plan",
        (false, false) => "one placement for each partition, or no placement",
    };
    let all = given == plan.partitions.len();
    if (driver && given > 0) || (!driver && !all && (given > 0 || plan.schedulable)) {
        let message = format!(
            "found {} for {}, expected {expected}",
            counted(given, "placement"),
            counted(plan.partitions.len(), "partition")
        );
        return Err(Fault::new("partitions", message));
    }
    if given == 0 {
        return Ok(());
    }
    let mut taken = Taken {
        units: BTreeSet::new(),
        compute: 0,
    };
    for (index, partition) in plan.partitions.iter().enumerate() {
        let message = match &partition.place {
            None => continue,
            Some(place) => taken.take(partition, place, hardware),
        };
        if let Err(message) = message {
            return Err(Fault::new(format!("partitions[{index}].place"), message));
        }
    }
    Ok(())
}

/// Resources of the partitions that the check has examined so far. These are SMs, or memory slices and compute slices
/// under MIG.
struct Taken {
    units: BTreeSet<u32>,
    compute: u32,
}

impl Taken {
    /// Assigns the resources of `place` to `partition`. If the placement is invalid, returns the
    /// fault message as `Err`.
    fn take(&mut self, partition: &Partition, place: &Place, hardware: &Hardware) -> Result<(), String> {
        let device = &hardware.device;
        let (numbers, all, name, sms_of): (_, _, _, &dyn Fn(u32) -> Vec<u32>) =
            match (place, hardware.granularity) {
                (Place::Sms(sms), Granularity::Sm) => (sms, device.sms(), "SM", &|sm| vec![sm]),
                (Place::Tpcs(tpcs), Granularity::Tpc) => (tpcs, device.tpcs().unwrap_or(0), "TPC", &|tpc| {
                    device.sms_of_tpc(tpc).collect()
                }),
                (Place::Gpcs(gpcs), Granularity::Gpc) => {
                    let all = device.tpcs_per_gpc().len();
                    (gpcs, u32::try_from(all).unwrap_or(0), "GPC", &|gpc| {
                        let tpcs = device.tpcs_of_gpc(gpc);
                        tpcs.into_iter().flat_map(|tpc| device.sms_of_tpc(tpc)).collect()
                    })
                }
                (Place::Instance(instance), Granularity::Mig) => {
                    return self.take_instance(partition, &instance.profile, instance.start, device);
                }
                _ => {
                    return Err(format!(
                        "found {place}, which is not a placement for granularity {}",
                        hardware.granularity
                    ));
                }
            };
        if let Some(none) = numbers.iter().find(|&&number| number >= all) {
            return Err(format!("found {name} {none}, expected 0 to {}", all - 1));
        }
        if !numbers.is_sorted_by(|a, b| a < b) {
            return Err(format!("found {name}s out of order, expected ascending numbers"));
        }
        let sms: Vec<u32> = numbers.iter().flat_map(|&number| sms_of(number)).collect();
        if sms.len() as u64 != u64::from(partition.sms) {
            return Err(format!(
                "found a placement with {}, expected {}, the size of the partition",
                counted(sms.len(), "SM"),
                partition.sms
            ));
        }
        self.take_units(sms, "SM")
    }

    fn take_instance(
        &mut self,
        partition: &Partition,
        name: &str,
        start: u32,
        device: &Device,
    ) -> Result<(), String> {
        let profile = device.mig().and_then(|mig| Some((mig, mig.profile(name)?)));
        let Some((mig, profile)) = profile else {
            return Err(format!(
                "found profile {name:?}, which the device does not support"
            ));
        };
        if profile.sms != partition.sms {
            return Err(format!(
                "found profile {name} of {}, expected {}, the size of the partition",
                counted(profile.sms, "SM"),
                partition.sms
            ));
        }
        if !profile.starts.contains(&start) {
            return Err(format!(
                "found profile {name} at memory slice {start}, where this profile cannot start"
            ));
        }
        self.compute += profile.compute;
        if self.compute > mig.compute_slices {
            return Err(format!(
                "found {} compute slices in this partition and the earlier partitions, expected at most {}",
                self.compute, mig.compute_slices
            ));
        }
        self.take_units((start..start + profile.memory).collect(), "memory slice")
    }

    fn take_units(&mut self, units: Vec<u32>, name: &str) -> Result<(), String> {
        for unit in units {
            if !self.units.insert(unit) {
                return Err(format!(
                    "found {name} {unit}, which an earlier partition already occupies"
                ));
            }
        }
        Ok(())
    }
}
