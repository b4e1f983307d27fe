//! Parameters and buffers of a program. In a file, the list of parameters and the list of buffers are JSON objects with
//! ordered fields.

use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Contents, Values};

/// A buffer: a named area of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Size of the buffer [bytes].
    pub bytes: u64,
    /// Start address [bytes]. If the field is absent, the buffer starts after the previous buffer.
    pub address: Option<u64>,
    /// Contents of the buffer. If the field is absent, no expression can read the contents.
    pub contents: Option<Contents>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Shape {
    Bytes(u64),
    Placed(Placed),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Placed {
    /// Size of the buffer [bytes].
    bytes: u64,
    /// Start address [bytes]. By default, the buffer starts after the previous buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    /// Contents of the buffer, which `value(buffer, index)` reads: a list of whole numbers, or the name of a JSON file
    /// with such a list. The name is relative to the folder of the program file. Stores do not change the contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Values>,
    /// Size of a value [bytes]: 1, 2, 4 or 8; 4 by default. Allowed only if `values` is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element: Option<u8>,
}

impl Buffer {
    /// Creates a buffer of `bytes` bytes without address and contents.
    pub fn new(bytes: u64) -> Buffer {
        Buffer {
            bytes,
            address: None,
            contents: None,
        }
    }
}

impl Serialize for Buffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Buffer {
            bytes,
            address,
            contents,
        } = self.clone();
        match (address, contents) {
            (None, None) => Shape::Bytes(bytes),
            (address, contents) => Shape::Placed(Placed {
                bytes,
                address,
                element: contents
                    .as_ref()
                    .map(|contents| contents.element)
                    .filter(|element| *element != Contents::ELEMENT),
                values: contents.map(|contents| contents.values),
            }),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Buffer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Buffer, D::Error> {
        struct BufferVisitor;

        impl<'de> Visitor<'de> for BufferVisitor {
            type Value = Buffer;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the size of a buffer in bytes, or {\"bytes\":…,\"address\":…,\"values\":…}")
            }

            fn visit_u64<E>(self, bytes: u64) -> Result<Buffer, E> {
                Ok(Buffer::new(bytes))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Buffer, A::Error> {
                let Placed {
                    bytes,
                    address,
                    values,
                    element,
                } = Placed::deserialize(MapAccessDeserializer::new(fields))?;
                if values.is_none() && element.is_some() {
                    return Err(A::Error::custom(
                        "found the field `element` without `values`, expected both fields",
                    ));
                }
                let contents = values.map(|values| Contents {
                    values,
                    element: element.unwrap_or(Contents::ELEMENT),
                });
                Ok(Buffer {
                    bytes,
                    address,
                    contents,
                })
            }
        }

        deserializer.deserialize_any(BufferVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Buffer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Buffer".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Shape::json_schema(generator)
    }
}

/// A JSON object that keeps the order of its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Ordered<T> {
        Ordered(Vec::new())
    }
}

impl<T> Ordered<T> {
    /// Returns whether the object is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<T>, D::Error> {
        struct OrderedVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedVisitor<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object with one field per name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Ordered<T>, A::Error> {
                let mut found: Vec<(String, T)> = Vec::new();
                while let Some(name) = fields.next_key::<String>()? {
                    if found.iter().any(|(known, _)| *known == name) {
                        return Err(A::Error::custom(format!("duplicate field `{name}`")));
                    }
                    found.push((name, fields.next_value()?));
                }
                Ok(Ordered(found))
            }
        }

        deserializer.deserialize_map(OrderedVisitor(PhantomData))
    }
}

#[cfg(feature = "schema")]
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Ordered<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Ordered{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<String, T>::json_schema(generator)
    }
}
