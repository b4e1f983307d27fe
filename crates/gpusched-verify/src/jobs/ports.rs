//! Time for which jobs occupy ports of TPCs and GPCs, from the printed formulas.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use gpusched_model::device::{Granularity, Hardware, Place, PortLevel, PortRates};
use gpusched_model::plan::{Plan, SharedPort};
use gpusched_model::{Sectors, Task, TaskSet};

/// The ports of the device of a plan.
#[derive(Copy, Clone)]
pub(crate) struct Ports<'p> {
    plan: &'p Plan,
    hardware: &'p Hardware,
}

impl<'p> Ports<'p> {
    /// Returns the ports of `plan`. `None` if the plan states no device, no shared memory, or MIG instances, which share
    /// no port.
    pub fn of(plan: &'p Plan) -> Option<Ports<'p>> {
        let hardware = plan.hardware.as_ref()?;
        let counts = plan.memory.is_some() && hardware.granularity != Granularity::Mig;
        counts.then_some(Ports { plan, hardware })
    }

    /// Returns the ports of `hardware`, the device of `plan`.
    pub fn with(plan: &'p Plan, hardware: &'p Hardware) -> Ports<'p> {
        Ports { plan, hardware }
    }

    /// Returns the ports with SMs of at least two partitions, by level and number.
    pub fn all_shared(self) -> Vec<SharedPort> {
        let mut list = Vec::new();
        for level in [PortLevel::Tpc, PortLevel::Gpc] {
            let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for partition in 0..self.plan.partitions.len() {
                for group in self.groups(level, partition).unwrap_or_default() {
                    at.entry(group).or_default().push(partition);
                }
            }
            let shared = at.into_iter().filter(|(_, partitions)| partitions.len() > 1);
            list.extend(shared.map(|(number, partitions)| SharedPort {
                level,
                number,
                partitions,
            }));
        }
        list
    }

    /// Returns whether memory times count the time for which replies of a job stay first at ports.
    pub fn count_hold(self) -> bool {
        self.rates(PortLevel::Tpc).is_some()
    }

    /// Returns H/f of a job of `task` in `set` [ns], rounded up. `verify` refuses tasks without H before it examines partitions.
    pub fn hold(self, set: &TaskSet, task: &Task) -> BigUint {
        let Some(rates) = self.rates(PortLevel::Tpc) else {
            return BigUint::ZERO;
        };
        match task.sectors().and_then(|sectors| held(&sectors)) {
            Some(cycles) => packets(cycles, per_cycle(set, task, rates)),
            None => u128::MAX.into(),
        }
    }

    /// Returns the time for which a job of `task` in partition `other` occupies the ports that the partitions `own` and
    /// `other` share [ns]. Without the number of packets, or of blocks at the port of a TPC, the time is not bounded.
    pub fn shared(self, set: &TaskSet, task: &Task, own: usize, other: usize) -> BigUint {
        let levels = [PortLevel::Tpc, PortLevel::Gpc].into_iter();
        let rates: Vec<(PortLevel, PortRates)> = levels
            .filter(|&level| self.meet(level, own, other))
            .filter_map(|level| Some((level, self.rates(level)?)))
            .collect();
        if rates.is_empty() {
            return BigUint::ZERO;
        }
        let Some(sectors) = task.sectors() else {
            return u128::MAX.into();
        };
        let mut time = BigUint::ZERO;
        for (level, rates) in rates {
            let (read, write) = (bytes(rates.read), bytes(rates.write));
            let numerator = BigUint::from(sectors.reads) * &write + BigUint::from(sectors.writes) * &read;
            time += ratio(numerator * NANO_BYTES, read * write);
            if level == PortLevel::Tpc {
                match sectors.blocks {
                    Some(blocks) => time += packets(blocks, per_cycle(set, task, rates)),
                    None => return u128::MAX.into(),
                }
            }
        }
        time
    }

    fn rates(self, level: PortLevel) -> Option<PortRates> {
        self.hardware.device.port_rates(level)
    }

    /// Returns whether partitions `a` and `b` have SMs at one port of `level`, or may have such SMs.
    fn meet(self, level: PortLevel, a: usize, b: usize) -> bool {
        let device = &self.hardware.device;
        let is_multiple = |size: Option<u32>| match (size, device.sms_per_tpc()) {
            (Some(size), Some(unit)) => size % unit == 0,
            _ => false,
        };
        match (level, self.hardware.granularity) {
            (PortLevel::Sm, _) | (_, Granularity::Mig) => false,
            (PortLevel::Tpc, Granularity::Tpc | Granularity::Gpc) => false,
            (PortLevel::Tpc, Granularity::GreenContext) => {
                !is_multiple(device.green_context().map(|rule| rule.step))
            }
            (PortLevel::Tpc, Granularity::Mps) => !is_multiple(device.mps().map(|rule| rule.chunk)),
            (PortLevel::Gpc, Granularity::GreenContext | Granularity::Mps) => true,
            (PortLevel::Gpc, _) if !device.states_gpc_of_tpc() => true,
            (PortLevel::Gpc, Granularity::Gpc) => false,
            (PortLevel::Tpc | PortLevel::Gpc, Granularity::Sm | Granularity::Tpc) => {
                let (of_a, of_b) = (self.groups(level, a), self.groups(level, b));
                // Without places, the plan does not fit, and the search has counted no shared port.
                let pairs = of_a.zip(of_b);
                pairs.is_some_and(|(of_a, of_b)| of_a.iter().any(|group| of_b.contains(group)))
            }
        }
    }

    /// Returns the TPCs or GPCs with SMs of a partition.
    fn groups(self, level: PortLevel, partition: usize) -> Option<BTreeSet<u32>> {
        let device = &self.hardware.device;
        let tpcs: Vec<u32> = match self.plan.partitions.get(partition)?.place.as_ref()? {
            Place::Sms(sms) => {
                let unit = device.sms_per_tpc()?;
                sms.iter().map(|sm| sm / unit).collect()
            }
            Place::Tpcs(tpcs) => tpcs.clone(),
            _ => return None,
        };
        match level {
            PortLevel::Gpc => tpcs.into_iter().map(|tpc| device.gpc_of_tpc(tpc)).collect(),
            _ => Some(tpcs.into_iter().collect()),
        }
    }
}

/// Returns H, which is at least R + W. `None` if it is unknown.
pub(crate) fn held(sectors: &Sectors) -> Option<u64> {
    let packets = sectors.reads + sectors.writes;
    match (sectors.hold, sectors.accepting) {
        (Some(hold), _) => Some(hold.max(packets)),
        (None, true) => Some(packets),
        (None, false) => None,
    }
}

/// Nano-bytes of a sector.
const NANO_BYTES: u64 = 32_000_000_000;

fn packets(packets: u64, rate: BigUint) -> BigUint {
    ratio(BigUint::from(packets) * NANO_BYTES, rate)
}

/// Returns 32·f: the rate of one sector per cycle of the slower one of the port and the SMs. H and g are cycles of the SMs
/// of the GPU where `task` was measured, if the set states its clock.
fn per_cycle(set: &TaskSet, task: &Task, rates: PortRates) -> BigUint {
    let port = bytes(rates.read).min(bytes(rates.write));
    let clocks = set.measured_on(task).and_then(|on| on.fields().clocks);
    match clocks.and_then(|clocks| clocks.core_khz) {
        None | Some(0) => port,
        Some(khz) => port.min(BigUint::from(khz) * 32_000u32),
    }
}

fn bytes(rate: gpusched_model::Bandwidth) -> BigUint {
    rate.bytes_per_second().into()
}

/// Returns the fraction, rounded up. Rates of ports are positive.
fn ratio(numerator: BigUint, denominator: BigUint) -> BigUint {
    (numerator + &denominator - 1u32) / denominator
}
