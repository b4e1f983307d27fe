//! Ports of a device. All packets between the SMs of a TPC or GPC and L2 pass through its port.

use serde::{Deserialize, Serialize};

use crate::{Bandwidth, Factor, Refusal};

/// Maximum number of ports in a device file, one for each level.
const MAX_PORTS: usize = 3;

/// Group of SMs that share a port.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum PortLevel {
    /// One SM.
    Sm,
    /// The SMs of one TPC.
    Tpc,
    /// The SMs of one GPC.
    Gpc,
}

/// A port of each SM, TPC or GPC: either `read` and `write`, or `speedup`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Group of SMs that share the port.
    pub level: PortLevel,
    /// Rate at which the port moves at least the sectors that its SMs read, while requests wait [bytes per second]; > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Bandwidth>,
    /// Rate at which the port moves at least the sectors that its SMs write, while requests wait [bytes per second]; > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Bandwidth>,
    /// Rates of the port divided by the rates of one SM in isolation, as published for the GPU. Without a port of level
    /// `sm` that states these rates, the rates of the port are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
}

/// Rates of a port divided by the rates of one SM in isolation; at least 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Speedup {
    /// Factor on the rate of reads.
    pub read: Factor,
    /// Factor on the rate of writes.
    pub write: Factor,
}

/// Guaranteed rates of a port while requests wait; > 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PortRates {
    /// Rate of the sectors that SMs read.
    pub read: Bandwidth,
    /// Rate of the sectors that SMs write.
    pub write: Bandwidth,
}

impl PortRates {
    /// Returns the lower one of the two rates.
    pub fn lower(&self) -> Bandwidth {
        self.read.min(self.write)
    }
}

impl std::fmt::Display for PortRates {
    /// Writes both rates for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (reads) and {} (writes)", self.read, self.write)
    }
}

impl Port {
    /// Returns the rates that the port states.
    fn stated(&self) -> Option<PortRates> {
        let (read, write) = self.read.zip(self.write)?;
        Some(PortRates { read, write })
    }
}

/// Returns the rates of the port of `level`; `None` if they are unknown. Rounds down.
pub(super) fn rates(ports: &[Port], level: PortLevel) -> Option<PortRates> {
    let port = |level: PortLevel| ports.iter().find(|port| port.level == level);
    let found = port(level)?;
    let Some(speedup) = found.speedup else {
        return found.stated();
    };
    let sm = port(PortLevel::Sm)?.stated()?;
    Some(PortRates {
        read: times(sm.read, speedup.read)?,
        write: times(sm.write, speedup.write)?,
    })
}

/// Returns `rate` times `factor`, rounded down, at most [`Bandwidth::LIMIT`].
fn times(rate: Bandwidth, factor: Factor) -> Option<Bandwidth> {
    let (numerator, denominator) = factor.ratio();
    let product = u128::from(rate.bytes_per_second()) * u128::from(numerator) / u128::from(denominator);
    let limit = Bandwidth::LIMIT.bytes_per_second();
    Bandwidth::new(u64::try_from(product).map_or(limit, |product| product.min(limit)))
}

/// Refuses ports that contradict each other or the device. `sms_of` returns the largest number of SMs of a group, or
/// `None` if the device does not state its groups.
pub(super) fn check(ports: &[Port], sms_of: impl Fn(PortLevel) -> Option<u32>) -> Result<(), Refusal> {
    if ports.len() > MAX_PORTS {
        let found = format!("{} ports", ports.len());
        Refusal::refuse("ports", found, format!("at most {MAX_PORTS}, one for each level"))?;
    }
    for (index, port) in ports.iter().enumerate() {
        let field = |name: &str| format!("ports[{index}].{name}");
        if ports.iter().take(index).any(|other| other.level == port.level) {
            Refusal::refuse(field("level"), port.level, "each level at most once")?;
        }
        let Some(sms) = sms_of(port.level) else {
            let needs = match port.level {
                PortLevel::Gpc => "a device with `tpcs_per_gpc`",
                _ => "a device with `sms_per_tpc`",
            };
            return Refusal::refuse(field("level"), port.level, needs);
        };
        for (name, rate) in [("read", port.read), ("write", port.write)] {
            match (rate, port.speedup) {
                (Some(rate), Some(_)) => {
                    Refusal::refuse(field(name), rate, "either `read` and `write`, or `speedup`")?;
                }
                (None, None) => {
                    let expected = "a rate such as \"50GB/s\", because the port states no `speedup`";
                    Refusal::refuse(field(name), "none", expected)?;
                }
                (Some(rate), None) if rate.bytes_per_second() == 0 => {
                    Refusal::refuse(field(name), rate, "a positive rate")?;
                }
                _ => {}
            }
        }
        let Some(speedup) = port.speedup else { continue };
        if port.level == PortLevel::Sm {
            Refusal::refuse(field("speedup"), "a speedup", "`read` and `write` of one SM")?;
        }
        for (name, factor) in [("read", speedup.read), ("write", speedup.write)] {
            let most = Factor::from_billionths(u64::from(sms) * 1_000_000_000);
            if factor < Factor::ONE || most.is_some_and(|most| factor > most) {
                let expected = format!("1 to {sms}, the number of SMs at the port");
                Refusal::refuse(field(&format!("speedup.{name}")), factor, expected)?;
            }
        }
    }
    check_order(ports)
}

/// Refuses a port that moves less than a port inside of it. The inner port alone could not move its rate.
fn check_order(ports: &[Port]) -> Result<(), Refusal> {
    for (index, outer) in ports.iter().enumerate() {
        for inner in ports.iter().filter(|inner| inner.level < outer.level) {
            let levels = (rates(ports, outer.level), rates(ports, inner.level));
            if let (Some(outside), Some(inside)) = levels {
                for (name, outside, inside) in [
                    ("read", outside.read, inside.read),
                    ("write", outside.write, inside.write),
                ] {
                    if outside < inside {
                        let expected = format!("at least {inside}, the rate of the `{}` port", inner.level);
                        Refusal::refuse(format!("ports[{index}].{name}"), outside, expected)?;
                    }
                }
            }
            if let (Some(outside), Some(inside)) = (outer.speedup, inner.speedup) {
                for (name, outside, inside) in [
                    ("read", outside.read, inside.read),
                    ("write", outside.write, inside.write),
                ] {
                    if outside < inside {
                        let expected = format!("at least {inside}, as for the `{}` port", inner.level);
                        Refusal::refuse(format!("ports[{index}].speedup.{name}"), outside, expected)?;
                    }
                }
            }
        }
    }
    Ok(())
}
