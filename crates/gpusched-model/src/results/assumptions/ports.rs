//! Ports of TPCs and GPCs. All requests of the SMs in a TPC or GPC, and all replies, pass through its port. So two
//! partitions with SMs in one TPC or GPC may delay each other, even if each partition has its own SMs.

use std::collections::{BTreeMap, BTreeSet};

use super::AssumptionId;
use crate::device::{Device, Granularity, Place, PortLevel, PortRates};
use crate::plan::{Partition, Plan, SharedPort};

/// Maximum number of pairs of partitions in a text.
const NAMED: usize = 3;

/// Ports that the partitions of a verdict share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ports {
    /// Each TPC and each GPC belongs to at most one partition.
    Own,
    /// Some partitions have SMs in the same TPC.
    SharedTpcs(Pairs),
    /// Some partitions have SMs in the same GPC, and no two partitions have SMs in the same TPC.
    SharedGpcs(Pairs),
    /// No two partitions have SMs in the same TPC. The device does not state the GPC of each TPC.
    SomeGpcs,
    /// The SMs of the partitions are unknown, or the TPCs and GPCs of the device are unknown.
    Unknown,
}

/// Ports whose delay a verdict counts, with their rates. Ports with unknown rates do not count.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Ports of TPCs.
    pub tpc: Option<PortRates>,
    /// Ports of GPCs.
    pub gpc: Option<PortRates>,
}

impl Counted {
    /// Returns the ports of `device` that verdicts with a shared memory count.
    pub fn of(device: &Device) -> Counted {
        Counted {
            tpc: device.port_rates(PortLevel::Tpc),
            gpc: device.port_rates(PortLevel::Gpc),
        }
    }

    /// Returns the ports that the verdicts of `plan` count.
    pub fn of_plan(plan: &Plan) -> Counted {
        let hardware = plan.hardware.as_ref().filter(|_| plan.memory.is_some());
        let shares = hardware.filter(|hardware| hardware.granularity != Granularity::Mig);
        shares.map_or_else(Counted::default, |hardware| Counted::of(&hardware.device))
    }

    /// Returns the assumption on the rates, or `None` if no port counts.
    pub(super) fn text(self) -> Option<String> {
        let least =
            |level: &str, rates: PortRates| format!("{level} {}/{} (read/write)", rates.read, rates.write);
        let texts = [("TPC", self.tpc), ("GPC", self.gpc)].into_iter();
        let texts: Vec<String> = texts
            .filter_map(|(level, rates)| Some(least(level, rates?)))
            .collect();
        (!texts.is_empty()).then(|| format!("Busy ports move at least: {}.", texts.join(", ")))
    }
}

/// Pairs of partitions, as positions in the plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairs {
    /// The first pairs.
    named: Vec<(usize, usize)>,
    /// Whether there are other pairs.
    others: bool,
}

impl std::fmt::Display for Pairs {
    /// Writes the first pairs, such as `0+1, 2+3 and others`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named: Vec<String> = self.named.iter().map(|(a, b)| format!("{a}+{b}")).collect();
        f.write_str(&named.join(", "))?;
        f.write_str(if self.others { " and others" } else { "" })
    }
}

impl Ports {
    /// Returns the ports that `count` partitions share, if their SMs are unknown.
    pub fn of_partitions(count: usize) -> Ports {
        match count {
            0 | 1 => Ports::Own,
            _ => Ports::Unknown,
        }
    }

    /// Returns the ports that the partitions of `plan` share, by the placement that the plan states.
    pub fn of_plan(plan: &Plan) -> Ports {
        let partitions = &plan.partitions;
        let unplaced = Ports::of_partitions(partitions.len());
        let Some(hardware) = plan.hardware.as_ref().filter(|_| unplaced != Ports::Own) else {
            return unplaced;
        };
        if hardware.granularity == Granularity::Mig {
            return Ports::Own;
        }
        let device = &hardware.device;
        let units = |units: fn(&Partition, &Device) -> Option<Vec<u32>>| {
            let all = partitions.iter().map(|partition| units(partition, device));
            all.collect::<Option<Vec<Vec<u32>>>>()
        };
        let whole = hardware.granularity == Granularity::Gpc;
        if !whole {
            match units(tpcs).map(|tpcs| pairs(&tpcs)) {
                None => return Ports::Unknown,
                Some(Some(pairs)) => return Ports::SharedTpcs(pairs),
                Some(None) => {}
            }
        }
        if device.tpcs_per_gpc().is_empty() {
            return Ports::Unknown;
        }
        if !device.states_gpc_of_tpc() {
            return Ports::SomeGpcs;
        }
        match units(gpcs).map(|gpcs| pairs(&gpcs)) {
            None => Ports::Unknown,
            Some(Some(pairs)) => Ports::SharedGpcs(pairs),
            Some(None) => Ports::Own,
        }
    }

    /// Returns the ports of TPCs and GPCs that several partitions of `plan` share, by level and number. The list is empty
    /// if the placement is unknown. It contains GPCs only if the device states the GPC of each TPC.
    pub fn shared(plan: &Plan) -> Vec<SharedPort> {
        let Some(hardware) = &plan.hardware else {
            return Vec::new();
        };
        let mut list = Vec::new();
        for (level, units) in [
            (
                PortLevel::Tpc,
                tpcs as fn(&Partition, &Device) -> Option<Vec<u32>>,
            ),
            (PortLevel::Gpc, gpcs),
        ] {
            let all = { plan.partitions.iter() }.map(|partition| units(partition, &hardware.device));
            let all: Option<Vec<Vec<u32>>> = all.collect();
            let shared = members(&all.unwrap_or_default()).into_iter();
            let shared = shared.filter(|(_, partitions)| partitions.len() > 1);
            list.extend(shared.map(|(number, partitions)| SharedPort {
                level,
                number,
                partitions: partitions.into_iter().collect(),
            }));
        }
        list
    }

    /// Returns the text of the assumption on the ports, if the verdict counts the delay at the ports `counted`. `whole`
    /// states whether all sizes of partitions are whole TPCs, and `holds` whether the verdict counts the time for which
    /// replies stay first at ports.
    pub(super) fn text(&self, counted: Counted, whole: bool, holds: bool) -> String {
        match (self, counted.tpc.is_some(), counted.gpc.is_some()) {
            (Ports::Own, true, _) if holds => "No two partitions have SMs in one TPC or GPC.".to_owned(),
            (Ports::Unknown, true, false) if whole => {
                "Partitions whose sizes are whole TPCs share no TPC. GPC ports cause no delay. gpusched does not know which ports they share.".to_owned()
            }
            (Ports::Unknown, true, true) if whole => {
                "Partitions whose sizes are whole TPCs share no TPC. Any two partitions may share a GPC port.".to_owned()
            }
            (Ports::SharedTpcs(pairs), true, false) => {
                format!("Partitions {pairs} share TPC ports. Any two may share GPC ports, which cause no delay.")
            }
            (Ports::SharedTpcs(pairs), true, true) => {
                format!("Partitions {pairs} share TPC ports. Any two may share GPC ports.")
            }
            (Ports::SharedGpcs(pairs), _, true) => format!("Partitions {pairs} share GPC ports."),
            (Ports::SomeGpcs, _, true) => "Any two partitions may share GPC ports.".to_owned(),
            (Ports::Unknown, true, false) => {
                "Partitions do not delay each other at ports of GPCs. gpusched does not know which ports they share.".to_owned()
            }
            (Ports::Unknown, _, true) => {
                "gpusched does not know which ports partitions share, so any two partitions may share a GPC port.".to_owned()
            }
            _ => self.to_string(),
        }
    }

    /// Returns the name of the assumption on the ports.
    pub fn id(&self) -> AssumptionId {
        match self {
            Ports::Own => AssumptionId::PortsOwn,
            Ports::SharedTpcs(_) | Ports::SharedGpcs(_) | Ports::SomeGpcs => AssumptionId::PortsShared,
            Ports::Unknown => AssumptionId::PortsUnknown,
        }
    }
}

impl std::fmt::Display for Ports {
    /// Writes the assumption on the ports for a verdict that counts no delay at ports.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ports::Own => f.write_str(
                "No two partitions have SMs in one TPC or GPC, and SMs accept each reply at once.",
            ),
            Ports::SharedTpcs(pairs) => write!(
                f,
                "Partitions {pairs} share TPC ports. Any two may share GPC ports. These ports cause no delay."
            ),
            Ports::SharedGpcs(pairs) => {
                write!(f, "Partitions {pairs} share GPC ports. These ports cause no delay.")
            }
            Ports::SomeGpcs => {
                f.write_str("Any two partitions may share GPC ports. These ports cause no delay.")
            }
            Ports::Unknown => f.write_str(
                "Partitions do not delay each other at ports of TPCs and GPCs. gpusched does not know which ports they share.",
            ),
        }
    }
}

/// Returns whether all partition sizes of `granularity` are whole TPCs of `device`.
pub(super) fn are_whole_tpcs(device: &Device, granularity: Granularity) -> bool {
    let step = match granularity {
        Granularity::Sm => return false,
        Granularity::Tpc | Granularity::Gpc | Granularity::Mig => return true,
        Granularity::GreenContext => device.green_context().map(|rule| rule.step),
        Granularity::Mps => device.mps().map(|rule| rule.chunk),
    };
    let unit = step.zip(device.sms_per_tpc());
    unit.is_some_and(|(step, unit)| step.is_multiple_of(unit))
}

/// Returns the TPCs of `partition`, or `None` if they are unknown. TPCs may occur several times.
fn tpcs(partition: &Partition, device: &Device) -> Option<Vec<u32>> {
    let unit = device.sms_per_tpc()?;
    match partition.place.as_ref()? {
        Place::Sms(sms) => Some(sms.iter().map(|sm| sm / unit).collect()),
        Place::Tpcs(tpcs) => Some(tpcs.clone()),
        Place::Gpcs(_) | Place::Instance(_) => None,
    }
}

/// Returns the GPCs of `partition`, or `None` if they are unknown. GPCs may occur several times.
fn gpcs(partition: &Partition, device: &Device) -> Option<Vec<u32>> {
    match partition.place.as_ref()? {
        Place::Gpcs(gpcs) => Some(gpcs.clone()),
        _ => {
            let tpcs = tpcs(partition, device)?;
            tpcs.iter().map(|&tpc| device.gpc_of_tpc(tpc)).collect()
        }
    }
}

/// Returns the pairs of partitions that have a unit in common; `None` if there is no such pair. `units` contains the
/// units of each partition.
fn pairs(units: &[Vec<u32>]) -> Option<Pairs> {
    let members = members(units);
    // One pair more than the text names shows whether there are other pairs.
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    for members in members.values() {
        let pairs = members
            .iter()
            .flat_map(|&a| members.range(a + 1..).map(move |&b| (a, b)));
        for pair in pairs {
            found.insert(pair);
            if found.len() > NAMED {
                break;
            }
        }
        if found.len() > NAMED {
            break;
        }
    }
    let others = found.len() > NAMED;
    let named: Vec<(usize, usize)> = found.into_iter().take(NAMED).collect();
    (!named.is_empty()).then_some(Pairs { named, others })
}

/// Returns the partitions of each unit. `units` contains the units of each partition.
fn members(units: &[Vec<u32>]) -> BTreeMap<u32, BTreeSet<usize>> {
    let mut members: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (partition, units) in units.iter().enumerate() {
        for &unit in units {
            members.entry(unit).or_default().insert(partition);
        }
    }
    members
}
