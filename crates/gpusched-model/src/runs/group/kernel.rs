//! A kernel of a group, and the reference to its memory profile.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::MemoryProfile;

/// A kernel of a group, with its number of SMs and its memory profile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupKernel {
    /// Name of the kernel. The default is the name of its memory profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// n: number of SMs that are reserved for this kernel.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::wcet::MAX_SMS)))]
    pub sms: u32,
    /// Memory profile of the kernel, or the name of a memory profile.
    pub profile: ProfileSource,
}

/// A memory profile, or the name of a memory profile.
#[derive(Clone, PartialEq, Debug)]
pub enum ProfileSource {
    /// The memory profile itself.
    Profile(Box<MemoryProfile>),
    /// Name of a published profile such as `VADD`, or path of a `.json` or `.csv` file. The path is relative to the
    /// folder of the group file.
    Named(String),
}

impl ProfileSource {
    /// Returns the memory profile, or `None` if the field contains only the name of a profile.
    pub fn profile(&self) -> Option<&MemoryProfile> {
        match self {
            ProfileSource::Profile(profile) => Some(profile),
            ProfileSource::Named(_) => None,
        }
    }
}

impl Serialize for ProfileSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ProfileSource::Profile(profile) => profile.serialize(serializer),
            ProfileSource::Named(name) => name.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ProfileSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ProfileSource, D::Error> {
        struct SourceVisitor;

        impl<'de> Visitor<'de> for SourceVisitor {
            type Value = ProfileSource;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a profile: an object, the name of a file, or a published one such as \"VADD\"")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<ProfileSource, E> {
                Ok(ProfileSource::Named(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<ProfileSource, A::Error> {
                let profile = MemoryProfile::deserialize(MapAccessDeserializer::new(fields))?;
                Ok(ProfileSource::Profile(Box::new(profile)))
            }
        }

        deserializer.deserialize_any(SourceVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ProfileSource {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ProfileSource".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let profile = generator.subschema_for::<MemoryProfile>();
        schemars::json_schema!({"anyOf": [
            {"type": "string", "description": "a file (.json, .csv) or the name of a published profile"},
            profile
        ]})
    }
}
