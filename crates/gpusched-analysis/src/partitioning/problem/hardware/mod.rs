//! The supported partition sizes of a device, and the placement of partitions.
//!
//! A search counts *allocation units* (`shares` in the code). An allocation unit is one SM, except under MIG, where
//! instances compete for two kinds of slices (see `mig`). A partition with v allocation units has m(v) SMs. Here m(v)
//! is the largest supported size that costs at most v allocation units. m(v) never decreases with v. A group of tasks
//! that passes its test also passes with more SMs. Therefore, allocation units have three properties that SMs have:
//!
//! * Bisection finds the smallest v on which a group passes its test.
//! * A union of groups needs at least as many allocation units as each group in it.
//! * A lower bound on allocation units is valid for all plans.
//!
//! m(v) increases only at values v that are the cost of a supported size. The smallest v on which a group passes is
//! therefore always the cost of a supported size, and a search never rounds v. One allocation unit provides at most one
//! SM: m(v) ≤ v. The work of a group is therefore a lower bound on its allocation units, and not only on its SMs.
//!
//! An offer may leave out the places that earlier partitions hold ([`Offer::beside`]).
//!
//! Under `gpc` and `mig`, a search decides which partitions fit together. Under the other granularities, partitions fit
//! together if and only if the GPU has enough allocation units.

mod gpcs;
mod mig;
mod placed;
mod spread;
mod totals;

pub use placed::Placed;
pub(crate) use totals::Totals;

use gpusched_model::device::{Device, Granularity, Hardware, Place};
use gpusched_model::error::Error;
use gpusched_model::plan::Partition;

/// Supported partition sizes of a device at one granularity.
#[derive(Debug, Clone)]
pub struct Offer {
    hardware: Hardware,
    /// m(v), indexed by v; `None` if every number of SMs is supported.
    sms: Option<Vec<u32>>,
    /// Allocation units of the whole GPU.
    shares: u32,
    /// Whether the sizes are relaxed: one allocation unit is one SM, and partitions need no
    /// placement.
    relaxed: bool,
    /// Places that no partition may use, because other partitions hold them.
    held: Vec<Place>,
    /// Number of SMs that other partitions hold.
    held_sms: u32,
}

impl Offer {
    /// Returns the supported partition sizes of `device` at `granularity`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if `device` does not support `granularity`.
    pub fn new(device: &Device, granularity: Granularity) -> Result<Offer, Error> {
        let hardware = Hardware::new(device, granularity);
        let all = device.sms();
        let steps = |min: u32, step: u32, total: u32| -> Vec<u32> {
            let size = |v: u32| v - v % step;
            (0..=total)
                .map(|v| if size(v) < min { 0 } else { size(v) })
                .collect()
        };
        let (sms, shares) = match granularity {
            Granularity::Sm => (None, all),
            Granularity::Tpc => match device.sms_per_tpc() {
                Some(unit) => (Some(steps(1, unit, all)), all),
                None => return Err(unknown(device, granularity)),
            },
            Granularity::Gpc if device.tpcs_per_gpc().is_empty() => return Err(unknown(device, granularity)),
            Granularity::Gpc => (Some(gpcs::sizes(device)), all),
            Granularity::GreenContext => match device.green_context() {
                Some(rule) => {
                    let total = hardware.capacity();
                    (Some(steps(rule.min, rule.step, total)), total)
                }
                None => return Err(unknown(device, granularity)),
            },
            Granularity::Mps => match device.mps() {
                Some(rule) => (Some(steps(1, rule.chunk, all)), all),
                None => return Err(unknown(device, granularity)),
            },
            Granularity::Mig => match device.mig() {
                Some(mig) => {
                    let sms = mig::sizes(mig);
                    let shares = u32::try_from(sms.len()).unwrap_or(u32::MAX).saturating_sub(1);
                    (Some(sms), shares)
                }
                None => return Err(unknown(device, granularity)),
            },
        };
        Ok(Offer {
            hardware,
            sms,
            shares,
            relaxed: false,
            held: Vec::new(),
            held_sms: 0,
        })
    }

    /// Returns the partition sizes on the part of the device that `kept` does not hold. Their sizes and places are supported,
    /// and they fit on the device together.
    pub(crate) fn beside(&self, kept: &[Partition]) -> Offer {
        // Under MIG, the largest instance that costs v units has at least the SMs of every cheaper instance, so an instance
        // costs at least as many units as the first v with its SMs.
        let units = |sms: u32| (1..=self.shares).find(|&v| self.sms_of(v) >= sms).unwrap_or(0);
        let sum = |of: &dyn Fn(u32) -> u32| {
            let each = kept.iter().map(|partition| of(partition.sms));
            each.fold(0u32, u32::saturating_add)
        };
        let places = kept.iter().filter_map(|partition| partition.place.clone());
        Offer {
            shares: self.shares.saturating_sub(sum(&units)),
            held: self.held.iter().cloned().chain(places).collect(),
            held_sms: self.held_sms.saturating_add(sum(&|sms| sms)),
            ..self.clone()
        }
    }

    /// Returns the largest total number of SMs of all partitions.
    pub(crate) fn capacity(&self) -> u32 {
        self.hardware.capacity().saturating_sub(self.held_sms)
    }

    /// Returns a relaxation with these partition sizes. In the relaxation, one allocation unit is
    /// one SM, and partitions need no placement. Every plan for the device is also a plan for the
    /// relaxation. A lower bound on the SMs for the relaxation is therefore also a lower bound
    /// for the device.
    pub(crate) fn relaxed(&self) -> Offer {
        let all = self.hardware.device.sms();
        let sizes = self.sizes();
        let largest = |sms| {
            sizes
                .iter()
                .copied()
                .take_while(|&size| size <= sms)
                .last()
                .unwrap_or(0)
        };
        Offer {
            hardware: self.hardware.clone(),
            sms: self.sms.as_ref().map(|_| (0..=all).map(largest).collect()),
            shares: all,
            relaxed: true,
            held: Vec::new(),
            held_sms: 0,
        }
    }

    /// Returns the device and the granularity.
    pub fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// Returns the allocation units of the whole GPU.
    pub fn shares(&self) -> u32 {
        self.shares
    }

    /// Returns m(v), the SMs of a partition with v = `shares` allocation units. Returns 0 if every supported size needs
    /// more units. The result never exceeds the SMs of the GPU.
    pub fn sms_of(&self, shares: u32) -> u32 {
        match &self.sms {
            None => shares,
            Some(sms) => sms.get(shares as usize).or(sms.last()).copied().unwrap_or(0),
        }
    }

    /// Returns the number of SMs of the largest supported partition.
    pub fn largest(&self) -> u32 {
        self.sms_of(self.shares)
    }

    /// Whether partitions may lack a placement although the GPU has enough allocation units.
    pub(crate) fn has_places(&self) -> bool {
        !self.relaxed && matches!(self.hardware.granularity, Granularity::Gpc | Granularity::Mig)
    }

    /// Whether one allocation unit is one SM.
    pub(crate) fn counts_sms(&self) -> bool {
        self.relaxed || self.hardware.granularity != Granularity::Mig
    }

    /// Returns two numbers of memory slices: the smallest number of an instance with at least `sms` SMs, and the number
    /// of the device. Returns `None` if the hardware does not divide the memory. The first number is 0 if every
    /// instance has fewer SMs.
    pub(crate) fn slices(&self, sms: u32) -> Option<(u32, u32)> {
        let mig = self.hardware.device.mig().filter(|_| !self.counts_sms())?;
        Some((mig.memory_of(sms).unwrap_or(0), mig.memory_slices))
    }

    /// Returns the supported partition sizes [SMs], ascending and positive. The list is empty if every size is supported.
    pub fn sizes(&self) -> Vec<u32> {
        // An instance may be the only instance that fits, even if it costs more allocation units than a larger
        // instance.
        let instances = self.hardware.device.mig().filter(|_| !self.counts_sms());
        let mut sizes: Vec<u32> = match (instances, &self.sms) {
            (Some(mig), _) => mig.profiles.iter().map(|profile| profile.sms).collect(),
            (None, sms) => sms.iter().flatten().copied().collect(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|&size| size > 0);
        sizes
    }

    /// Returns the possible sums of partition sizes [allocation units].
    pub(crate) fn totals(&self) -> Totals {
        match &self.sms {
            Some(sms) if self.counts_sms() => Totals::of(sms.iter().copied()),
            _ => Totals::all(),
        }
    }

    /// Whether partitions of at least `sizes` SMs fit on the device together.
    pub(crate) fn has_room(&self, sizes: &[u32]) -> bool {
        let device = &self.hardware.device;
        match (self.hardware.granularity, device.mig()) {
            (Granularity::Gpc, _) => gpcs::has_room(device, sizes, &self.held),
            (Granularity::Mig, Some(mig)) => mig::has_room(mig, sizes, &self.held),
            _ => self.place(sizes).is_some(),
        }
    }

    /// Returns a placement with the fewest SMs in total for partitions of at least `sizes` SMs, as [`Offer::place_apart`]
    /// does for equal weights.
    pub fn place(&self, sizes: &[u32]) -> Option<Vec<Placed>> {
        self.place_apart(sizes, &[])
    }

    /// Returns a placement with the fewest SMs in total for partitions of at least `sizes` SMs. The result has the
    /// order of `sizes`. On SMs and TPCs, partitions share a port only if too few ports are free, and the partitions with
    /// the smallest `weights` then share TPCs. Missing weights are 0.
    ///
    /// Returns `None` if the device has no placement for these partitions.
    pub fn place_apart(&self, sizes: &[u32], weights: &[u128]) -> Option<Vec<Placed>> {
        let device = &self.hardware.device;
        match self.hardware.granularity {
            Granularity::Gpc => gpcs::place(device, sizes, &self.held),
            Granularity::Mig => mig::place(device.mig()?, sizes, &self.held),
            Granularity::Sm => {
                let sms = spread::sms(device, sizes, weights, &self.held)?.into_iter();
                let placed = sms.zip(sizes).map(|(sms, &size)| Placed {
                    sms: size,
                    place: Some(Place::Sms(sms)),
                });
                Some(placed.collect())
            }
            Granularity::Tpc => {
                let unit = device.sms_per_tpc()?;
                let counts: Vec<u32> = sizes.iter().map(|sms| sms.div_ceil(unit)).collect();
                let tpcs = spread::tpcs(device, &counts, weights, &self.held)?.into_iter();
                let placed = tpcs.zip(counts).map(|(tpcs, count)| Placed {
                    sms: count * unit,
                    place: Some(Place::Tpcs(tpcs)),
                });
                Some(placed.collect())
            }
            Granularity::GreenContext | Granularity::Mps => {
                let sum: u64 = sizes.iter().map(|&sms| u64::from(sms)).sum();
                let driver = |&sms: &u32| Placed { sms, place: None };
                (sum <= self.capacity().into()).then(|| sizes.iter().map(driver).collect())
            }
        }
    }
}

fn unknown(device: &Device, granularity: Granularity) -> Error {
    let known: Vec<String> = device.granularities().iter().map(ToString::to_string).collect();
    let why = match granularity {
        Granularity::Tpc => " (the TPCs of this device are unknown)",
        Granularity::Gpc => " (the GPCs of this device are unknown)",
        _ => "",
    };
    Error::parameter(
        "granularity",
        granularity,
        format!(
            "{}, which device {} supports{why}",
            known.join(", "),
            device.name()
        ),
    )
}

/// Returns the numbers of the SMs, TPCs or GPCs of `place`. The list is empty for an instance.
fn numbers(place: &Place) -> &[u32] {
    match place {
        Place::Sms(numbers) | Place::Tpcs(numbers) | Place::Gpcs(numbers) => numbers,
        Place::Instance(_) => &[],
    }
}
