//! Premises about the GPU and the analysis. If the user states a premise, the plan must match it.
//! The verifier takes all other premises from the plan.

use gpusched_model::counted;
use gpusched_model::device::{Device, Granularity, Hardware};
use gpusched_model::plan::Plan;
use gpusched_model::policy::Policy;
use gpusched_model::traffic::{Arbitration, Bandwidth, MemoryRates, MemoryTime, RateForm};
use gpusched_model::{Interference, Overheads};
use serde::Serialize;

use crate::fault::Fault;

/// Premises that the user states, and that a plan must match. If a premise is `None`, the
/// verifier takes it from the plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stated {
    /// Number of SMs of the GPU.
    pub sms: Option<u32>,
    /// GPU with its partition rules.
    pub device: Option<Device>,
    /// Granularity of the partitions.
    pub granularity: Option<Granularity>,
    /// Guaranteed memory bandwidth [bytes per second].
    pub memory_bandwidth: Option<Bandwidth>,
    /// Arbitration of the memory bandwidth.
    pub arbitration: Option<Arbitration>,
    /// Measured rates of the memory, which determine the rates of memory times.
    pub memory_rates: Option<MemoryRates>,
    /// Form of the rates of memory times.
    pub memory_time: Option<RateForm>,
    /// For memory times and for kernels that run together: variation of execution times [%].
    pub variation: Option<u32>,
    /// For memory times: whether each partition has its own ways of L2.
    pub own_l2: bool,
    /// Interference model of the analysis.
    pub interference: Option<Interference>,
    /// Bounds on the overheads of the dispatchers.
    pub overheads: Option<Overheads>,
    /// Scheduling policy and schedulability test of every partition.
    pub policy: Option<Policy>,
}

/// Premises that the verifier takes from a plan without a check, because the user does not state
/// them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Taken {
    /// Number of SMs of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sms: Option<u32>,
    /// Name of the device. `None` for a plan without a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Granularity of the partitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
    /// Guaranteed memory bandwidth [bytes per second].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bandwidth: Option<Bandwidth>,
    /// Arbitration of the memory bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<Arbitration>,
    /// Parameters of memory times, unless the user states all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_time: Option<MemoryTime>,
    /// Variation of kernels that run together [%].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variation_percent: Option<u32>,
    /// Interference model of the analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interference: Option<Interference>,
    /// Bounds on the overheads of the dispatchers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overheads: Option<Overheads>,
    /// Policies of the partitions, without duplicates. The list is empty if the user states the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Policy>,
}

impl Stated {
    /// Compares `plan` with the stated premises. If the user states no device, and the device of the plan has the name
    /// of a built-in device, the two devices must be equal.
    ///
    /// # Errors
    /// Returns the first [`Fault`] of the plan.
    pub fn check(&self, plan: &Plan) -> Result<Taken, Fault> {
        let mut policies: Vec<Policy> = Vec::new();
        for (index, partition) in plan.partitions.iter().enumerate() {
            let found = partition.verdict.policy;
            same(
                &format!("partitions[{index}].verdict.policy"),
                Some(found),
                self.policy,
            )?;
            if self.policy.is_none() && !policies.contains(&found) {
                policies.push(found);
            }
        }
        let hardware = plan.hardware.as_ref();
        let memory = plan.memory.filter(|memory| memory.time.is_none());
        let bandwidth = memory.map(|memory| memory.bandwidth);
        let arbitration = memory.map(|memory| memory.arbitration);
        let granularity = hardware.map(|hardware| hardware.granularity);
        let together = plan.variation_percent.is_some();
        self.device(plan)?;
        Ok(Taken {
            sms: same("gpu_sms", Some(plan.gpu_sms), self.sms)?,
            device: hardware
                .filter(|_| self.device.is_none())
                .map(|hardware| hardware.device.name().to_owned()),
            granularity: same("hardware.granularity", granularity, self.granularity)?,
            memory_bandwidth: same("memory.bandwidth", bandwidth, self.memory_bandwidth)?,
            arbitration: same("memory.arbitration", arbitration, self.arbitration)?,
            memory_time: self.memory_time(plan.memory.and_then(|memory| memory.time), together)?,
            variation_percent: match together {
                true => same("variation_percent", plan.variation_percent, self.variation)?,
                false => None,
            },
            interference: same("interference", plan.interference, self.interference)?,
            overheads: same("overheads", plan.overheads, self.overheads)?,
            policies,
        })
    }

    /// Returns the parameters of memory times in the plan, or `None` if the user states all of them. Fails if a stated
    /// value differs. If kernels run `together`, the stated variation is not of memory times.
    fn memory_time(&self, found: Option<MemoryTime>, together: bool) -> Result<Option<MemoryTime>, Fault> {
        let field = |name: &str| format!("memory.memory_time.{name}");
        same(&field("form"), found.map(|time| time.form), self.memory_time)?;
        let variation = found.map(|time| time.variation_percent);
        let stated = self.variation.filter(|_| !together);
        same(&field("variation_percent"), variation, stated)?;
        if let (Some(rates), Some(found)) = (&self.memory_rates, found) {
            let expected = rates.of(found.form, found.variation_percent);
            for (name, found, expected) in [
                (
                    "l2_bytes_per_second",
                    found.l2_bytes_per_second,
                    expected.l2_bytes_per_second,
                ),
                (
                    "dram_bytes_per_second",
                    found.dram_bytes_per_second,
                    expected.dram_bytes_per_second,
                ),
            ] {
                same(&field(name), Some(found), Some(expected))?;
            }
        } else if self.memory_rates.is_some() {
            let message = "found none, expected memory times with the stated rates";
            return Err(Fault::new("memory.memory_time", message));
        }
        let own_l2 = found.map(|time| time.own_l2);
        same(&field("own_l2"), own_l2, self.own_l2.then_some(true))?;
        let all = self.memory_rates.is_some() && self.memory_time.is_some() && self.variation.is_some();
        Ok(found.filter(|found| !all || (found.own_l2 && !self.own_l2)))
    }

    /// Checks that the device of the plan equals the stated device. If the user states no device, checks the device of
    /// the plan against the built-in device with the same name.
    fn device(&self, plan: &Plan) -> Result<(), Fault> {
        let (found, expected) = match (&plan.hardware, &self.device) {
            (None, None) => return Ok(()),
            (None, Some(device)) => {
                let message = format!("found none, expected {}", described(device));
                return Err(Fault::new("hardware", message));
            }
            (Some(found), Some(device)) => (found, device.clone()),
            (Some(found), None) => match Device::named(found.device.name()) {
                Some(device) => (found, device),
                None => return Ok(()),
            },
        };
        let counts_ports = plan.memory.is_some();
        if Hardware::new(&expected, found.granularity).with_ports(counts_ports) == *found {
            return Ok(());
        }
        let whose = match self.device {
            Some(_) => "the stated device",
            None => "the built-in device with this name",
        };
        let (found, expected) = (described(&found.device), described(&expected));
        let differs = if found == expected {
            ", but other fields of the device differ"
        } else {
            ""
        };
        let message = format!("found {found}, expected {expected}, {whose}{differs}");
        Err(Fault::new("hardware.device", message))
    }
}

fn described(device: &Device) -> String {
    format!("GPU {} with {}", device.name(), counted(device.sms(), "SM"))
}

/// Returns `found` if the user states no value. Otherwise, returns `None`, but fails if `found` differs from the stated
/// value.
fn same<T: Copy + PartialEq + std::fmt::Display>(
    field: &str,
    found: Option<T>,
    stated: Option<T>,
) -> Result<Option<T>, Fault> {
    match stated {
        None => Ok(found),
        Some(_) if found == stated => Ok(None),
        Some(stated) => {
            let found = found.map_or("none".to_owned(), |found| found.to_string());
            Err(Fault::new(
                field,
                format!("found {found}, expected {stated}, the stated value"),
            ))
        }
    }
}

impl Taken {
    /// Describes the premises in one line for display. Returns `None` if the user states every
    /// premise.
    pub fn line(&self) -> Option<String> {
        let gpu = match (&self.device, self.sms) {
            (Some(device), Some(sms)) => Some(format!("GPU {device} with {}", counted(sms, "SM"))),
            (Some(device), None) => Some(format!("GPU {device}")),
            (None, Some(sms)) => Some(counted(sms, "SM")),
            (None, None) => None,
        };
        let mut parts: Vec<String> = gpu.into_iter().collect();
        let named = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
        parts.extend(named("granularity", self.granularity.map(|one| one.to_string())));
        parts.extend(named(
            "memory bandwidth",
            self.memory_bandwidth.map(|one| one.to_string()),
        ));
        parts.extend(named("arbitration", self.arbitration.map(|one| one.to_string())));
        parts.extend(named("memory time", self.memory_time.map(|one| one.to_string())));
        parts.extend(named(
            "variation",
            self.variation_percent.map(|one| format!("{one} %")),
        ));
        parts.extend(named(
            "interference",
            self.interference.map(|one| one.to_string()),
        ));
        parts.extend(named("overheads of", self.overheads.map(|one| one.to_string())));
        parts.extend(self.policies.iter().map(|policy| format!("policy {policy}")));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
