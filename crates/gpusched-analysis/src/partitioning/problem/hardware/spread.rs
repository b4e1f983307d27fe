//! Placements of partitions on SMs and TPCs that share few ports.
//!
//! 1. If the device states the GPC of each TPC, the partitions with the largest weights get own GPCs, as long as the other
//!    partitions still fit.
//! 2. Each other partition gets own TPCs, as long as TPCs are free.
//! 3. If TPCs are too few, each partition still gets own TPCs for all its SMs but less than a TPC. The rests with the
//!    smallest weights share TPCs.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{gpcs, numbers};
use gpusched_model::device::{Device, Place};

/// Returns disjoint sets of SMs of `device` for partitions of `sizes` SMs, ascending. The SMs of `held` are not free. A
/// partition with a larger weight rather gets own ports. Returns `None` if the device has too few free SMs.
pub(super) fn sms(device: &Device, sizes: &[u32], weights: &[u128], held: &[Place]) -> Option<Vec<Vec<u32>>> {
    let unit = device.sms_per_tpc().unwrap_or(1).max(1);
    let held: BTreeSet<u32> = held.iter().flat_map(numbers).copied().collect();
    Spread::new(device, unit, 1, held).place(sizes, weights)
}

/// Returns disjoint sets of TPCs of `device` for partitions of `sizes` TPCs, as [`sms`] does.
pub(super) fn tpcs(
    device: &Device,
    sizes: &[u32],
    weights: &[u128],
    held: &[Place],
) -> Option<Vec<Vec<u32>>> {
    let held: BTreeSet<u32> = held.iter().flat_map(numbers).copied().collect();
    Spread::new(device, 1, device.sms_per_tpc()?, held).place(sizes, weights)
}

/// Free units of a device: SMs, or whole TPCs.
struct Spread<'d> {
    device: &'d Device,
    /// Units of one TPC.
    per_tpc: u32,
    /// SMs of one unit.
    sms: u32,
    /// Units that are not free.
    taken: BTreeSet<u32>,
    /// All units. The units of one GPC follow each other if the device states the GPC of each TPC.
    order: Vec<u32>,
}

impl<'d> Spread<'d> {
    fn new(device: &'d Device, per_tpc: u32, sms: u32, taken: BTreeSet<u32>) -> Spread<'d> {
        let mut order: Vec<u32> = (0..device.sms() / sms).collect();
        order.sort_by_key(|unit| (device.gpc_of_tpc(unit / per_tpc), *unit));
        Spread {
            device,
            per_tpc,
            sms,
            taken,
            order,
        }
    }

    fn place(mut self, sizes: &[u32], weights: &[u128]) -> Option<Vec<Vec<u32>>> {
        let all: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        if all > self.free(|_| true).len() as u64 {
            return None;
        }
        let weight = |index: usize| weights.get(index).copied().unwrap_or(0);
        let mut heaviest: Vec<usize> = (0..sizes.len()).collect();
        heaviest.sort_by_key(|&index| (Reverse(weight(index)), index));
        let mut placed = vec![Vec::new(); sizes.len()];
        let own = self.in_own_gpcs(sizes, &heaviest);
        let mut others = heaviest;
        others.retain(|&index| !own.iter().any(|(owner, _)| *owner == index));
        for (index, units) in own {
            placed[index] = units.iter().copied().take(sizes[index] as usize).collect();
            placed[index].sort_unstable();
            self.take(units); // no other partition gets SMs of these GPCs
        }
        let per_tpc = self.per_tpc;
        let needs = |index: &usize| sizes[*index].div_ceil(per_tpc) as usize;
        let whole = self.whole_tpcs();
        if others.iter().map(needs).sum::<usize>() <= whole.len() {
            let mut whole = whole.into_iter();
            // The first partitions get the first TPCs.
            others.sort_unstable();
            for index in others {
                let tpcs: Vec<u32> = whole.by_ref().take(needs(&index)).collect();
                let units = tpcs.iter().flat_map(|&tpc| self.units_of(tpc));
                placed[index] = self.take(units.take(sizes[index] as usize).collect());
            }
            return Some(placed);
        }
        self.with_shared_tpcs(sizes, &others, placed)
    }

    /// Places `others`, sorted by decreasing weight, although the free TPCs are too few for own TPCs.
    fn with_shared_tpcs(
        mut self,
        sizes: &[u32],
        others: &[usize],
        mut placed: Vec<Vec<u32>>,
    ) -> Option<Vec<Vec<u32>>> {
        let (per_tpc, all) = (self.per_tpc, self.whole_tpcs());
        let mut whole = all.into_iter();
        let mut by_index: Vec<usize> = others.to_vec();
        by_index.sort_unstable();
        for index in by_index {
            let tpcs: Vec<u32> = whole.by_ref().take((sizes[index] / per_tpc) as usize).collect();
            placed[index] = self.take(tpcs.iter().flat_map(|&tpc| self.units_of(tpc)).collect());
        }
        let rest = |placed: &[Vec<u32>], index: usize| sizes[index] as usize - placed[index].len();
        let mut open: usize = others.iter().map(|&index| rest(&placed, index)).sum();
        let mut free = self.free(|_| true).len();
        let mut shared = Vec::new();
        for &index in others {
            let size = rest(&placed, index);
            if size == 0 {
                continue;
            }
            let fits = size < per_tpc as usize && open - size + per_tpc as usize <= free;
            match fits.then(|| whole.next()).flatten() {
                Some(tpc) => {
                    let units: Vec<u32> = self.units_of(tpc).collect();
                    free -= units.len();
                    open -= size;
                    placed[index].extend(units.iter().take(size));
                    // The other units of this TPC stay free, but no partition gets them.
                    self.take(units);
                }
                None => shared.push(index),
            }
        }
        for index in shared {
            let units: Vec<u32> = { self.free(|_| true).into_iter() }
                .take(rest(&placed, index))
                .collect();
            placed[index].extend(self.take(units));
            placed[index].sort_unstable();
        }
        { placed.iter().zip(sizes) }
            .all(|(units, &size)| units.len() == size as usize)
            .then_some(placed)
    }

    /// Returns own GPCs for as many of the `heaviest` partitions as possible, so that the others still get own TPCs: the
    /// position of each partition, and all units of its GPCs.
    fn in_own_gpcs(&self, sizes: &[u32], heaviest: &[usize]) -> Vec<(usize, Vec<u32>)> {
        let gpcs = self.device.tpcs_per_gpc().len();
        if !self.device.states_gpc_of_tpc() {
            return Vec::new();
        }
        let gpc_of = |unit: &u32| self.device.gpc_of_tpc(unit / self.per_tpc);
        let used: BTreeSet<u32> = self.taken.iter().filter_map(gpc_of).collect();
        let used = [Place::Gpcs(used.into_iter().collect())];
        (1..=heaviest.len().min(gpcs))
            .rev()
            .find_map(|count| {
                let (first, rest) = heaviest.split_at(count);
                let needs: Vec<u32> = first.iter().map(|&index| sizes[index] * self.sms).collect();
                let own = gpcs::place(self.device, &needs, &used)?;
                let mut owned = 0;
                let mut found = Vec::new();
                for (&index, at) in first.iter().zip(own) {
                    let Some(Place::Gpcs(gpcs)) = at.place else {
                        return None;
                    };
                    let units = self.free(|unit| gpc_of(unit).is_some_and(|gpc| gpcs.contains(&gpc)));
                    owned += units.len() / self.per_tpc as usize;
                    found.push((index, units));
                }
                let needed = rest
                    .iter()
                    .map(|&index| sizes[index].div_ceil(self.per_tpc) as usize);
                let whole = self.whole_tpcs().len();
                (needed.sum::<usize>() + owned <= whole).then_some(found)
            })
            .unwrap_or_default()
    }

    /// Returns the free units for which `wanted` is true, in order.
    fn free(&self, wanted: impl Fn(&u32) -> bool) -> Vec<u32> {
        let free = self.order.iter().filter(|unit| !self.taken.contains(unit));
        free.copied().filter(wanted).collect()
    }

    fn units_of(&self, tpc: u32) -> std::ops::Range<u32> {
        tpc * self.per_tpc..(tpc + 1) * self.per_tpc
    }

    /// Returns the TPCs whose units are all free, in order.
    fn whole_tpcs(&self) -> Vec<u32> {
        let first = self.order.iter().filter(|unit| unit.is_multiple_of(self.per_tpc));
        let tpcs = first.map(|unit| unit / self.per_tpc);
        tpcs.filter(|&tpc| self.units_of(tpc).all(|unit| !self.taken.contains(&unit)))
            .collect()
    }

    /// Takes `units`, and returns them in ascending order.
    fn take(&mut self, mut units: Vec<u32>) -> Vec<u32> {
        self.taken.extend(&units);
        units.sort_unstable();
        units
    }
}
