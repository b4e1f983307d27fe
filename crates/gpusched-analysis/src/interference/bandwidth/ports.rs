//! Time for which the packets of a job occupy ports of TPCs and GPCs. `docs/explanation/shared-memory.md` has the argument.
//!
//! A port moves one reply at a time, and a reply that its SM refuses blocks the replies behind it. So a job delays every
//! other partition by the time for which its replies stay first at ports ([`PortModel::hold_time`]). Partitions with SMs
//! at the same port also share its requests and the dispatch of blocks ([`PortModel::shared_time`]).

use gpusched_model::device::{Device, PortLevel, PortRates};
use gpusched_model::{Bandwidth, MeasuredOn, Sectors, Task};

use super::memory_time::at;

/// Levels at which two partitions share ports.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Shared {
    /// Whether both partitions have SMs in one TPC.
    pub tpc: bool,
    /// Whether both partitions have SMs in one GPC.
    pub gpc: bool,
}

impl Shared {
    /// Returns whether the partitions share no port.
    pub fn is_none(self) -> bool {
        !self.tpc && !self.gpc
    }
}

/// Rates of the ports of a device. Ports with unknown rates cause no delay.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct PortModel {
    tpc: Option<PortRates>,
    gpc: Option<PortRates>,
    /// Rate of a port that moves one sector in each cycle of the SMs. `None` if the clock is unknown.
    cycles: Option<Bandwidth>,
}

impl PortModel {
    /// Returns the rates that `device` states.
    pub fn of(device: &Device) -> PortModel {
        PortModel {
            tpc: device.port_rates(PortLevel::Tpc),
            gpc: device.port_rates(PortLevel::Gpc),
            cycles: None,
        }
    }

    /// Returns the ports for cycles of the clock at which `on` states measurements. H and g are numbers of such cycles.
    pub(crate) fn measured(self, on: Option<&MeasuredOn>) -> PortModel {
        PortModel {
            cycles: on.and_then(cycles),
            ..self
        }
    }

    /// Returns the ports for cycles of `task`. The `measured_on` of a task replaces the `measured_on` of its task set.
    pub(super) fn of_task(self, task: &Task) -> PortModel {
        match task.measured_on() {
            None => self,
            on => self.measured(on),
        }
    }

    /// Returns the rate of one packet per cycle at a port with `rates`. A cycle takes at least the time of a packet.
    fn per_cycle(&self, rates: PortRates) -> Bandwidth {
        let lower = rates.lower();
        self.cycles.map_or(lower, |cycles| cycles.min(lower))
    }

    /// Returns whether a time for which replies stay at ports is known, so that H counts.
    pub fn counts_hold(&self) -> bool {
        self.tpc.is_some()
    }

    /// Returns the part of `shared` at ports with known rates.
    pub fn counted(&self, shared: Shared) -> Shared {
        Shared {
            tpc: shared.tpc && self.tpc.is_some(),
            gpc: shared.gpc && self.gpc.is_some(),
        }
    }

    /// Returns H/f [ns], rounded up: the time for which replies of a job with `sectors` stay first at ports. H is at least
    /// R + W. Without a value, the result is the largest number, unless the rates are unknown.
    pub fn hold_time(&self, sectors: Sectors) -> u128 {
        let Some(rates) = self.tpc else { return 0 };
        let packets = sectors.reads + sectors.writes;
        let hold = match sectors.hold {
            Some(hold) => hold.max(packets),
            None if sectors.accepting => packets,
            None => return u128::MAX,
        };
        packets_at(hold, self.per_cycle(rates))
    }

    /// Returns the time for which a job with `sectors` occupies the ports in `shared` with its packets and its blocks [ns].
    /// The time at each level is rounded up. Without `sectors`, the result is the largest number. The same holds without
    /// their `blocks` if the partitions share a TPC.
    pub fn shared_time(&self, sectors: Option<Sectors>, shared: Shared) -> u128 {
        let shared = self.counted(shared);
        if shared.is_none() {
            return 0;
        }
        let Some(sectors) = sectors else { return u128::MAX };
        let tpc = self.tpc.filter(|_| shared.tpc);
        let gpc = self.gpc.filter(|_| shared.gpc);
        let packets = tpc.into_iter().chain(gpc);
        let packets: u128 = packets
            .map(|rates| at(sectors.reads, sectors.writes, rates.read, rates.write))
            .sum();
        let starts = match (tpc, sectors.blocks) {
            (None, _) => 0,
            (Some(_), None) => return u128::MAX,
            (Some(rates), Some(blocks)) => packets_at(blocks, self.per_cycle(rates)),
        };
        packets + starts
    }
}

/// Returns the rate of one sector per cycle of the clock that `on` states.
fn cycles(on: &MeasuredOn) -> Option<Bandwidth> {
    let khz = on.fields().clocks?.core_khz.filter(|&khz| khz > 0)?;
    Bandwidth::new(u64::from(khz) * 1_000 * 32)
}

/// Returns the time of `packets` of one sector each at `rate` [ns], rounded up.
fn packets_at(packets: u64, rate: Bandwidth) -> u128 {
    at(packets, 0, rate, rate)
}
