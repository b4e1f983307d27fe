//! Devices: descriptions of real GPUs. A device states how its SMs form TPCs and GPCs, and the
//! partition sizes that it supports.

mod granularity;
mod masks;
mod mig;
mod ports;
mod presets;

pub use granularity::Runs;
pub use granularity::{Granularity, Hardware, Instance, Place};
pub use mig::{Mig, MigProfile};
pub use ports::{Port, PortLevel, PortRates, Speedup};

use serde::{Deserialize, Serialize};

use super::Refusal;
use super::reader::{Document, Fault, from_json};
use super::wcet::MAX_SMS;

/// Maximum number of GPCs of a device.
pub const MAX_GPCS: usize = 16;

/// Maximum number of different GPC sizes of one device.
const MAX_GPC_SIZES: usize = 4;

/// A device: a real GPU with its partition rules.
///
/// TPC number t consists of `sms_per_tpc` SMs, starting with SM number t·`sms_per_tpc`. By
/// default, the TPCs of the first GPC have the lowest numbers, followed by the TPCs of the second
/// GPC, and so on. The field `gpc_of_tpc` can state another assignment of TPCs to GPCs. If the
/// TPCs or GPCs of a device are unknown, its partitions cannot consist of TPCs or GPCs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "DeviceShape")]
pub struct Device {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    compute_capability: Option<String>,
    sms: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    sms_per_tpc: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tpcs_per_gpc: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpc_of_tpc: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    green_context: Option<GreenContextRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mps: Option<MpsRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mig: Option<Mig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<Port>,
    #[serde(skip_serializing_if = "String::is_empty")]
    source: String,
}

/// Supported sizes of CUDA green contexts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GreenContextRule {
    /// Minimum number of SMs of a green context.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub min: u32,
    /// Step: the number of SMs of a green context is a multiple of this number.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub step: u32,
    /// Largest total number of SMs of all green contexts. A split can leave a remainder that no green context of a
    /// supported size can use. If the field is absent, green contexts can use all SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub total: Option<u32>,
}

impl GreenContextRule {
    /// Returns the largest total number of SMs of all green contexts on a GPU with `sms` SMs.
    pub fn total(&self, sms: u32) -> u32 {
        self.total.map_or(sms, |total| total.min(sms))
    }
}

/// Supported sizes of static SM partitions of MPS.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MpsRule {
    /// Number of SMs of one chunk. A static SM partition consists of whole chunks.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub chunk: u32,
}

/// A device as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "GpuDevice"))]
struct DeviceShape {
    /// Name of the device: 1 to 40 characters. Letters, digits, `.`, `+`, `-` and `_` are allowed.
    name: String,
    /// Product name of the device, for display.
    #[serde(default)]
    title: String,
    /// Compute capability of an NVIDIA GPU, such as `"8.0"`. The compute capability determines the meaning of the bits of
    /// a TPC mask. If the field is absent, gpusched exports no TPC masks for the device.
    #[serde(default)]
    compute_capability: Option<String>,
    /// M: number of SMs.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    sms: u32,
    /// Number of SMs of each TPC. If the field is absent, the TPCs are unknown, and partitions cannot consist of TPCs
    /// or GPCs.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    sms_per_tpc: Option<u32>,
    /// Number of TPCs of each GPC. If the field is absent, the GPCs are unknown, and partitions cannot consist of GPCs.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_GPCS)))]
    tpcs_per_gpc: Option<Vec<u32>>,
    /// GPC number of each TPC, as read from your card, for example with `libsmctrl_get_gpc_info`. Two GPUs of the same
    /// product may have different assignments. If the field is absent, gpusched places partitions as if the TPCs of the
    /// first GPC had the lowest numbers, and assumes that any two partitions share the ports of a GPC. Exported masks of
    /// GPCs are then read from the card when the program starts.
    #[serde(default)]
    gpc_of_tpc: Option<Vec<u32>>,
    /// The other form of `gpc_of_tpc`: one hexadecimal mask per GPC, as `libsmctrl_get_gpc_info` prints them, such as
    /// `"0x41"`. A set bit t means that TPC t is in this GPC. The masks also state `tpcs_per_gpc`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_GPCS)))]
    tpc_masks: Option<Vec<String>>,
    /// Supported sizes of CUDA green contexts. If the field is absent, the device does not support green contexts.
    #[serde(default)]
    green_context: Option<GreenContextRule>,
    /// Supported sizes of static SM partitions of MPS. If the field is absent, the device does not support static SM
    /// partitions.
    #[serde(default)]
    mps: Option<MpsRule>,
    /// MIG rules. If the field is absent, the device does not support MIG.
    #[serde(default)]
    mig: Option<Mig>,
    /// Ports of SMs, TPCs and GPCs with their rates; at most one for each level. With a rate for the ports of TPCs, memory
    /// models count the delay at these ports. If the field is absent, verdicts assume that ports cause no delay.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 3)))]
    ports: Vec<Port>,
    /// Source of the values in this file, as text for display.
    #[serde(default)]
    source: String,
}

impl TryFrom<DeviceShape> for Device {
    type Error = Refusal;

    fn try_from(mut shape: DeviceShape) -> Result<Device, Refusal> {
        shape.read_masks()?;
        if shape.tpcs_per_gpc.as_ref().is_some_and(Vec::is_empty) {
            Refusal::refuse("tpcs_per_gpc", "0 GPCs", format!("1 to {MAX_GPCS} GPCs"))?;
        }
        let device = Device {
            name: shape.name,
            title: shape.title,
            compute_capability: shape.compute_capability,
            sms: shape.sms,
            sms_per_tpc: shape.sms_per_tpc,
            tpcs_per_gpc: shape.tpcs_per_gpc.unwrap_or_default(),
            gpc_of_tpc: shape.gpc_of_tpc,
            green_context: shape.green_context,
            mps: shape.mps,
            mig: shape.mig,
            ports: shape.ports,
            source: shape.source,
        };
        device.check()?;
        Ok(device)
    }
}

impl DeviceShape {
    /// Replaces `tpc_masks` by `gpc_of_tpc` and, if absent, `tpcs_per_gpc`.
    fn read_masks(&mut self) -> Result<(), Refusal> {
        let Some(masks) = self.tpc_masks.take() else {
            return Ok(());
        };
        if self.gpc_of_tpc.is_some() {
            let found = "both `tpc_masks` and `gpc_of_tpc`";
            Refusal::refuse("tpc_masks", found, "one of the two fields")?;
        }
        let Some(tpcs) = self.sms_per_tpc.and_then(|unit| self.sms.checked_div(unit)) else {
            let expected = "the number of SMs of one TPC, because `tpc_masks` requires it";
            return Err(Refusal::new("sms_per_tpc", "no positive value", expected));
        };
        let map = masks::map(&masks, tpcs)?;
        if let Some(stated) = self
            .tpcs_per_gpc
            .as_ref()
            .filter(|stated| **stated != map.tpcs_per_gpc)
        {
            let found = format!("masks of GPCs with {:?} TPCs", map.tpcs_per_gpc);
            Refusal::refuse("tpc_masks", found, format!("{stated:?}, as in `tpcs_per_gpc`"))?;
        }
        (self.gpc_of_tpc, self.tpcs_per_gpc) = (Some(map.gpc_of_tpc), Some(map.tpcs_per_gpc));
        Ok(())
    }
}

/// Returns whether a command line and a comment can contain `name` without quotes.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
    !name.is_empty() && name.len() <= 40 && name.chars().all(plain)
}

const PLAIN: &str = "1 to 40 letters, digits, '.', '+', '-' and '_'";

impl Device {
    fn check(&self) -> Result<(), Refusal> {
        if !is_plain(&self.name) {
            Refusal::refuse("name", format!("{:?}", self.name), PLAIN)?;
        }
        let number = |part: &str| part.len() <= 4 && part.parse::<u32>().is_ok();
        let capability = self.compute_capability.as_deref();
        if let Some(found) = capability
            && !found.split_once('.').is_some_and(|(a, b)| number(a) && number(b))
        {
            let expected = "two numbers separated by a point, such as \"8.0\"";
            Refusal::refuse("compute_capability", format!("{found:?}"), expected)?;
        }
        for (field, value) in [("sms", self.sms), ("sms_per_tpc", self.sms_per_tpc.unwrap_or(1))] {
            if !(1..=MAX_SMS).contains(&value) {
                Refusal::refuse(field, value, format!("1 to {MAX_SMS}"))?;
            }
        }
        match self.sms_per_tpc {
            Some(unit) if !self.tpcs_per_gpc.is_empty() => self.check_gpcs(unit)?,
            unit => self.check_without_gpcs(unit)?,
        }
        if let Some(rule) = self.green_context {
            for (field, value) in [
                ("min", rule.min),
                ("step", rule.step),
                ("total", rule.total(self.sms)),
            ] {
                if !(1..=self.sms).contains(&value) {
                    let expected = format!("1 to {}, the number of SMs of the device", self.sms);
                    Refusal::refuse(format!("green_context.{field}"), value, expected)?;
                }
            }
        }
        if let Some(rule) = self.mps
            && !(1..=self.sms).contains(&rule.chunk)
        {
            let expected = format!("1 to {}, the number of SMs of the device", self.sms);
            Refusal::refuse("mps.chunk", rule.chunk, expected)?;
        }
        if let Some(mig) = &self.mig {
            mig.check(self.sms)?;
        }
        ports::check(&self.ports, |level| match level {
            PortLevel::Sm => Some(1),
            PortLevel::Tpc => self.sms_per_tpc,
            PortLevel::Gpc => self.sms_per_gpc().max(),
        })
    }

    /// Checks a device whose GPCs are unknown. Refuses fields that require GPCs. Also refuses a number of SMs that is
    /// not a multiple of `sms_per_tpc`.
    fn check_without_gpcs(&self, sms_per_tpc: Option<u32>) -> Result<(), Refusal> {
        match sms_per_tpc {
            None if !self.tpcs_per_gpc.is_empty() => Refusal::refuse(
                "sms_per_tpc",
                "no value",
                "the number of SMs of one TPC, because `tpcs_per_gpc` requires it",
            ),
            _ if self.gpc_of_tpc.is_some() => Refusal::refuse(
                "gpc_of_tpc",
                "`gpc_of_tpc` without `tpcs_per_gpc`",
                "both fields or neither field",
            ),
            Some(unit) if !self.sms.is_multiple_of(unit) => Refusal::refuse(
                "sms_per_tpc",
                unit,
                format!("a divisor of {}, the number of SMs", self.sms),
            ),
            _ => Ok(()),
        }
    }

    fn check_gpcs(&self, sms_per_tpc: u32) -> Result<(), Refusal> {
        let gpcs = self.tpcs_per_gpc.len();
        if gpcs > MAX_GPCS {
            let found = format!("{gpcs} GPCs");
            Refusal::refuse("tpcs_per_gpc", found, format!("1 to {MAX_GPCS} GPCs"))?;
        }
        if let Some(empty) = self.tpcs_per_gpc.iter().position(|&tpcs| tpcs == 0) {
            Refusal::refuse(format!("tpcs_per_gpc[{empty}]"), 0, "at least 1")?;
        }
        let mut sizes = self.tpcs_per_gpc.clone();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() > MAX_GPC_SIZES {
            let found = format!("{} different numbers of TPCs", sizes.len());
            let expected = format!("at most {MAX_GPC_SIZES} different numbers of TPCs");
            Refusal::refuse("tpcs_per_gpc", found, expected)?;
        }
        let tpcs: u64 = self.tpcs_per_gpc.iter().map(|&tpcs| u64::from(tpcs)).sum();
        if tpcs.checked_mul(sms_per_tpc.into()) != Some(self.sms.into()) {
            let found = format!("{tpcs} TPCs of {sms_per_tpc} SMs");
            let expected = format!(
                "TPCs with {} SMs in total, the number of SMs of the device",
                self.sms
            );
            Refusal::refuse("tpcs_per_gpc", found, expected)?;
        }
        let Some(of_tpc) = &self.gpc_of_tpc else {
            return Ok(());
        };
        for (gpc, &expected) in (0u32..).zip(&self.tpcs_per_gpc) {
            let found = of_tpc.iter().filter(|&&of| of == gpc).count();
            if u32::try_from(found) != Ok(expected) {
                let expected = format!("{expected} TPCs, as `tpcs_per_gpc` states");
                Refusal::refuse("gpc_of_tpc", format!("{found} TPCs in GPC {gpc}"), expected)?;
            }
        }
        if of_tpc.len() as u64 != tpcs {
            let expected = format!("{tpcs} numbers, one for each TPC");
            Refusal::refuse("gpc_of_tpc", format!("{} numbers", of_tpc.len()), expected)?;
        }
        Ok(())
    }

    /// Returns the name of the device on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the product name of the device, which may be empty.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the source of the values, as text that may be empty.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the compute capability, or `None` if it is unknown.
    pub fn compute_capability(&self) -> Option<&str> {
        self.compute_capability.as_deref()
    }

    /// Returns the major and the minor number of the compute capability, or `None` if it is unknown.
    pub fn compute_numbers(&self) -> Option<(u32, u32)> {
        let (major, minor) = self.compute_capability.as_deref()?.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }

    /// M: number of SMs.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// Returns the number of SMs of each TPC, or `None` if it is unknown.
    pub fn sms_per_tpc(&self) -> Option<u32> {
        self.sms_per_tpc
    }

    /// Returns the number of TPCs of each GPC. The list is empty if the GPCs are unknown.
    pub fn tpcs_per_gpc(&self) -> &[u32] {
        &self.tpcs_per_gpc
    }

    /// Returns the number of SMs of each GPC. The list is empty if the GPCs are unknown.
    pub fn sms_per_gpc(&self) -> impl Iterator<Item = u32> {
        let unit = self.sms_per_tpc.unwrap_or(0);
        self.tpcs_per_gpc.iter().map(move |tpcs| tpcs * unit)
    }

    /// Returns the number of TPCs, or `None` if it is unknown.
    pub fn tpcs(&self) -> Option<u32> {
        self.sms_per_tpc.map(|unit| self.sms / unit)
    }

    /// Returns the TPC numbers of GPC number `gpc`, ascending.
    pub fn tpcs_of_gpc(&self, gpc: u32) -> Vec<u32> {
        if let Some(of_tpc) = &self.gpc_of_tpc {
            let numbered = (0u32..).zip(of_tpc);
            return numbered
                .filter(|&(_, &of)| of == gpc)
                .map(|(tpc, _)| tpc)
                .collect();
        }
        let index = gpc as usize;
        let before: u32 = self.tpcs_per_gpc.iter().take(index).sum();
        let tpcs = self.tpcs_per_gpc.get(index).copied().unwrap_or(0);
        (before..before + tpcs).collect()
    }

    /// Returns whether the device states the GPC of each TPC. Without this statement, the TPC numbers of a GPC are only
    /// an assumption: real GPUs number their TPCs in many ways.
    pub fn states_gpc_of_tpc(&self) -> bool {
        self.gpc_of_tpc.is_some()
    }

    /// Returns the GPC number of TPC number `tpc`. Returns `None` if the device does not state it.
    pub fn gpc_of_tpc(&self, tpc: u32) -> Option<u32> {
        self.gpc_of_tpc.as_ref()?.get(tpc as usize).copied()
    }

    /// Returns the SM numbers of TPC number `tpc`. The range is empty if the TPCs are unknown.
    pub fn sms_of_tpc(&self, tpc: u32) -> std::ops::Range<u32> {
        let unit = self.sms_per_tpc.unwrap_or(0);
        let first = tpc.saturating_mul(unit);
        first..first.saturating_add(unit)
    }

    /// Returns the supported sizes of green contexts, or `None` if the device does not support green contexts.
    pub fn green_context(&self) -> Option<GreenContextRule> {
        self.green_context
    }

    /// Returns the supported sizes of static SM partitions of MPS, or `None` if the device does
    /// not support static SM partitions.
    pub fn mps(&self) -> Option<MpsRule> {
        self.mps
    }

    /// Returns the MIG rules, or `None` if the device does not support MIG.
    pub fn mig(&self) -> Option<&Mig> {
        self.mig.as_ref()
    }

    /// Returns the ports that the device states.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Returns the rates of the port of each group of `level`; `None` if they are unknown.
    pub fn port_rates(&self, level: PortLevel) -> Option<PortRates> {
        ports::rates(&self.ports, level)
    }

    /// Returns the granularities that this device supports.
    pub fn granularities(&self) -> Vec<Granularity> {
        let mut all = vec![Granularity::Sm];
        all.extend(self.sms_per_tpc.map(|_| Granularity::Tpc));
        all.extend((!self.tpcs_per_gpc.is_empty()).then_some(Granularity::Gpc));
        all.extend(self.green_context.map(|_| Granularity::GreenContext));
        all.extend(self.mps.map(|_| Granularity::Mps));
        all.extend(self.mig.as_ref().map(|_| Granularity::Mig));
        all
    }

    /// Returns a copy of the device for a plan. The copy omits the title and the source. It also omits the partition
    /// rules of all granularities except `granularity`.
    pub fn reduced_to(&self, granularity: Granularity) -> Device {
        let kept = |way| granularity == way;
        Device {
            title: String::new(),
            source: String::new(),
            green_context: self.green_context.filter(|_| kept(Granularity::GreenContext)),
            mps: self.mps.filter(|_| kept(Granularity::Mps)),
            mig: self.mig.clone().filter(|_| kept(Granularity::Mig)),
            ..self.clone()
        }
    }

    /// Returns a copy of the device without ports, for a plan that counts no delay at ports.
    #[must_use]
    pub fn without_ports(&self) -> Device {
        Device {
            ports: Vec::new(),
            ..self.clone()
        }
    }
}

impl Document for Device {
    const EXPECTED: &str =
        "a device: an object such as {\"name\":…,\"sms\":8,\"sms_per_tpc\":2,\"tpcs_per_gpc\":[4]}";

    fn from_json(text: &str) -> Result<Device, Fault> {
        from_json::<DeviceShape, _>(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Device {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        DeviceShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DeviceShape::json_schema(generator)
    }
}
