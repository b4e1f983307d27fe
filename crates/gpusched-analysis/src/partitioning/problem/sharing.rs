//! Ports of TPCs and GPCs that partitions share.

use std::collections::BTreeSet;

use super::Problem;
use crate::interference::bandwidth::{PortModel, Shared, Source};
use gpusched_model::device::{Device, Granularity, Hardware, Place};

/// Ports that each pair of partitions shares.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    tpcs: Units,
    gpcs: Units,
}

/// TPCs or GPCs of partitions.
#[derive(Clone, Debug)]
enum Units {
    /// No two partitions have SMs in one unit.
    Own,
    /// Any two partitions may have SMs in one unit.
    Any,
    /// Units of each partition.
    Known(Vec<BTreeSet<u32>>),
}

impl Units {
    /// Returns the units of all `places`, or `otherwise` if a place is unknown.
    fn of(
        places: &[Option<&Place>],
        units: impl Fn(&Place) -> Option<BTreeSet<u32>>,
        otherwise: Units,
    ) -> Units {
        let all: Option<Vec<_>> = places.iter().map(|place| units((*place)?)).collect();
        all.map_or(otherwise, Units::Known)
    }

    fn common(&self, a: usize, b: usize) -> bool {
        match self {
            Units::Own => false,
            Units::Any => true,
            Units::Known(all) => match (all.get(a), all.get(b)) {
                (Some(a), Some(b)) => !a.is_disjoint(b),
                _ => true,
            },
        }
    }
}

impl Sharing {
    /// Partitions that share no port.
    pub(super) const NONE: Sharing = Sharing {
        tpcs: Units::Own,
        gpcs: Units::Own,
    };

    /// Returns the ports that partitions at `places` share on `hardware`. If a place is unknown although gpusched chooses
    /// the places, the partitions share only the ports that they share at all places.
    fn on(hardware: &Hardware, places: &[Option<&Place>]) -> Sharing {
        let device = &hardware.device;
        let unit = device.sms_per_tpc();
        // If the driver chooses the SMs, partitions of whole TPCs may still have SMs in one TPC if their size is no
        // multiple of a TPC.
        let whole = |size: u32| match unit {
            Some(unit) if size.is_multiple_of(unit) => Units::Own,
            _ => Units::Any,
        };
        let tpcs = match hardware.granularity {
            Granularity::Tpc | Granularity::Gpc | Granularity::Mig => Units::Own,
            Granularity::Sm => Units::of(places, |place| tpcs(device, place), Units::Own),
            Granularity::GreenContext => whole(device.green_context().map_or(1, |rule| rule.step)),
            Granularity::Mps => whole(device.mps().map_or(1, |rule| rule.chunk)),
        };
        let gpcs = match hardware.granularity {
            Granularity::Mig => Units::Own,
            Granularity::GreenContext | Granularity::Mps => Units::Any,
            _ if !device.states_gpc_of_tpc() => Units::Any,
            Granularity::Gpc => Units::Own,
            Granularity::Sm | Granularity::Tpc => Units::of(places, |place| gpcs(device, place), Units::Own),
        };
        Sharing { tpcs, gpcs }
    }

    /// Returns the levels at which partitions `a` and `b` share ports.
    pub fn between(&self, a: usize, b: usize) -> Shared {
        Shared {
            tpc: self.tpcs.common(a, b),
            gpc: self.gpcs.common(a, b),
        }
    }

    /// Returns the levels at which any two partitions share ports.
    fn of_any_two(&self) -> Shared {
        Shared {
            tpc: matches!(self.tpcs, Units::Any),
            gpc: matches!(self.gpcs, Units::Any),
        }
    }
}

/// Returns the TPCs of `place`.
fn tpcs(device: &Device, place: &Place) -> Option<BTreeSet<u32>> {
    match place {
        Place::Sms(sms) => {
            let unit = device.sms_per_tpc()?;
            Some(sms.iter().map(|sm| sm / unit).collect())
        }
        Place::Tpcs(tpcs) => Some(tpcs.iter().copied().collect()),
        Place::Gpcs(_) | Place::Instance(_) => None,
    }
}

/// Returns the GPCs of `place`.
fn gpcs(device: &Device, place: &Place) -> Option<BTreeSet<u32>> {
    let tpcs = tpcs(device, place)?;
    tpcs.into_iter().map(|tpc| device.gpc_of_tpc(tpc)).collect()
}

impl Problem<'_> {
    /// Returns the rates of ports that the analysis counts. Without a memory that partitions share, ports do not count.
    pub(crate) fn ports(&self) -> PortModel {
        match (self.memory, self.offer) {
            (Some(_), Some(offer)) if !self.has_slices() => {
                PortModel::of(&offer.hardware().device).measured(self.measured_on)
            }
            _ => PortModel::default(),
        }
    }

    /// Returns the ports that partitions at `places` share. See [`Sharing::on`].
    pub(crate) fn sharing_at(&self, places: &[Option<&Place>]) -> Sharing {
        self.offer
            .map_or(Sharing::NONE, |offer| Sharing::on(offer.hardware(), places))
    }

    /// Returns how much a partition with `tasks` delays a partition that shares its TPC ports: Σ M'/T over its tasks [2⁻²⁰].
    /// Without memory times, the sum is over times at ports.
    pub(crate) fn weight_at_ports(&self, tasks: &[usize]) -> u128 {
        let (ports, time) = (self.ports(), self.memory.and_then(|memory| memory.time));
        let shared = Shared { tpc: true, gpc: true };
        let tasks = tasks.iter().filter_map(|&task| self.tasks.get(task));
        let rates = tasks.map(|task| match time {
            Some(time) => Source::of_task_time(task, time, &ports, shared).mean_rate(),
            None => Source::of_task_at_ports(task, &ports, shared).mean_rate(),
        });
        rates.fold(0, u128::saturating_add)
    }

    /// Returns the levels at which any two partitions share ports with known rates, at all places.
    pub(crate) fn shared_by_any_two(&self) -> Shared {
        self.ports().counted(self.sharing_at(&[None]).of_any_two())
    }
}
