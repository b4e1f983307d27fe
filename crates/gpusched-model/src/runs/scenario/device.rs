//! The GPU of a scenario, given by the name of a platform preset or by its parameters.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::at_least_one;
use crate::{Platform, SmOrder};

/// Maximum number of SMs of a GPU in a scenario.
pub const MAX_SMS: u32 = 4096;

/// Parameters of a GPU that the block scheduler uses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a GPU: the name of a platform, or an object with \"sms\" and \"threads_per_sm\""
)]
pub struct DeviceShape {
    /// M: number of SMs.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub sms: u32,
    /// Maximum number of resident threads of one SM; a multiple of 32.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub threads_per_sm: u32,
    /// Maximum number of resident thread blocks of one SM; 32 by default.
    #[serde(default = "blocks_per_sm", deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub blocks_per_sm: u32,
    /// Number of registers of one SM; 65536 by default.
    #[serde(default = "registers_per_sm")]
    pub registers_per_sm: u32,
    /// Shared memory of one SM [KiB]; 96 by default.
    #[serde(default = "shared_memory_per_sm_kib")]
    pub shared_memory_per_sm_kib: u32,
    /// Number of SMs of one GPC. If the field is absent, interference does not depend on GPCs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub sms_per_gpc: Option<u32>,
    /// Order of the SMs. If several SMs are equally good, the block scheduler chooses the first of them in this order.
    #[serde(default)]
    pub sm_order: SmOrder,
    /// Number of copy engines; 1 by default.
    #[serde(default = "copy_engines", deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub copy_engines: u32,
}

fn blocks_per_sm() -> u32 {
    32
}

fn registers_per_sm() -> u32 {
    65_536
}

fn shared_memory_per_sm_kib() -> u32 {
    96
}

fn copy_engines() -> u32 {
    1
}

/// The GPU of a scenario. A file contains either the name of a platform or a [`DeviceShape`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device(DeviceShape);

impl Device {
    /// Creates a GPU with the parameters of `shape`.
    ///
    /// # Errors
    /// Fails at the first invalid parameter. The error states the field and the fault.
    pub fn new(shape: DeviceShape) -> Result<Device, String> {
        if shape.sms > MAX_SMS {
            return Err(format!("sms: found {}, expected at most {MAX_SMS}", shape.sms));
        }
        if !shape.threads_per_sm.is_multiple_of(32) {
            let found = shape.threads_per_sm;
            return Err(format!(
                "threads_per_sm: found {found}, expected a multiple of 32, the number of threads of a warp"
            ));
        }
        if shape.sms_per_gpc == Some(0) {
            return Err("sms_per_gpc: found 0, expected a positive integer".to_owned());
        }
        Ok(Device(shape))
    }

    /// Returns the parameters of the GPU.
    pub fn shape(&self) -> &DeviceShape {
        &self.0
    }
}

impl From<&Platform> for Device {
    fn from(platform: &Platform) -> Device {
        Device(DeviceShape {
            sms: platform.sms,
            threads_per_sm: platform.threads_per_sm,
            blocks_per_sm: platform.blocks_per_sm,
            registers_per_sm: platform.registers_per_sm,
            shared_memory_per_sm_kib: platform.shared_memory_per_sm_kib,
            sms_per_gpc: platform.sms_per_gpc,
            sm_order: platform.sm_order,
            copy_engines: copy_engines(),
        })
    }
}

impl<'de> Deserialize<'de> for Device {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Device, D::Error> {
        struct DeviceVisitor;

        impl<'de> Visitor<'de> for DeviceVisitor {
            type Value = Device;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a GPU: the name of a platform, or an object with \"sms\" and \"threads_per_sm\"")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Device, E> {
                let platform = Platform::named(name).ok_or_else(|| {
                    let known: Vec<String> = Platform::all().map(|platform| platform.name).collect();
                    E::custom(format!("found {name:?}, expected one of {}", known.join(", ")))
                })?;
                Ok(Device::from(&platform))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Device, A::Error> {
                let shape = DeviceShape::deserialize(MapAccessDeserializer::new(map))?;
                Device::new(shape).map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(DeviceVisitor)
    }
}

impl Serialize for Device {
    /// Writes the parameters, even if the file contained a name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Device {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Device".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let shape = generator.subschema_for::<DeviceShape>();
        schemars::json_schema!({"anyOf": [{"type": "string", "description": "the name of a platform"}, shape]})
    }
}
