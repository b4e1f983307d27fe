//! A simulated GPU as a part of another file. The file contains the name or the parameters of the
//! GPU.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};

use super::{Machine, MachineShape};

impl<'de> Deserialize<'de> for Machine {
    /// Reads the name of a simulated GPU, or an object with its parameters.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Machine, D::Error> {
        struct MachineVisitor;

        impl<'de> Visitor<'de> for MachineVisitor {
            type Value = Machine;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "a machine: the name of a machine, or an object with \"clusters\", \"sm\", \"memory\" …",
                )
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Machine, E> {
                Machine::named(name).ok_or_else(|| {
                    let found: String = name.chars().take(40).collect();
                    E::custom(format!("found {found:?}, expected one of {}", Machine::names()))
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Machine, A::Error> {
                let shape = MachineShape::deserialize(MapAccessDeserializer::new(map))?;
                Machine::new(shape).map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(MachineVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Machine {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MachineChoice".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let shape = generator.subschema_for::<MachineShape>();
        schemars::json_schema!({"anyOf": [{"type": "string", "description": "the name of a machine"}, shape]})
    }
}
