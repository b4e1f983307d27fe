//! Sizes of a grid or a thread block.

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// Size along the axes x, y and z, at least 1 along each axis. In the numbering of positions, x
/// changes fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimensions(pub [u32; 3]);

impl Dimensions {
    /// Creates a one-dimensional size with `x` positions along axis x.
    pub fn line(x: u32) -> Dimensions {
        Dimensions([x, 1, 1])
    }

    /// Returns the number of positions.
    pub fn count(self) -> u64 {
        self.0
            .iter()
            .fold(1, |count, &size| count.saturating_mul(u64::from(size)))
    }

    /// Returns the size along `axis` 0, 1 or 2. Returns 1 for any other axis.
    pub fn along(self, axis: u8) -> i64 {
        self.0.get(usize::from(axis)).map_or(1, |&size| i64::from(size))
    }

    /// Returns the position with number `index`, where x changes fastest.
    pub fn position(self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.0.map(|size| u64::from(size.max(1)));
        [index % x, index / x % y, index / x / y].map(|position| u32::try_from(position).unwrap_or(u32::MAX))
    }
}

/// Parses a size such as `480`, `16x8` or `16x8x2`.
impl std::str::FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Dimensions, String> {
        let mut sizes = [1; 3];
        let mut parts = text.split('x');
        let expected = || {
            format!(
                "found {text:?}, expected a size such as 480 or 16x8x2, each number from 1 to {}",
                u32::MAX
            )
        };
        for size in &mut sizes {
            let Some(part) = parts.next() else { break };
            *size = part.parse().ok().filter(|&size| size > 0).ok_or_else(expected)?;
        }
        parts
            .next()
            .is_none()
            .then_some(Dimensions(sizes))
            .ok_or_else(expected)
    }
}

impl std::fmt::Display for Dimensions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, 1] => write!(f, "{x}x{y}"),
            [x, y, z] => write!(f, "{x}x{y}x{z}"),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Shape {
    Line(u32),
    Axes(Vec<u32>),
}

impl Serialize for Dimensions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [x, 1, 1] => Shape::Line(x),
            [x, y, 1] => Shape::Axes(vec![x, y]),
            axes => Shape::Axes(axes.to_vec()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dimensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dimensions, D::Error> {
        struct Sizes;

        impl<'de> Visitor<'de> for Sizes {
            type Value = Dimensions;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(
                    f,
                    "a size: a number from 1 to {}, or a list of up to three numbers",
                    u32::MAX
                )
            }

            fn visit_u64<E: Error>(self, x: u64) -> Result<Dimensions, E> {
                match u32::try_from(x) {
                    Ok(x) if x > 0 => Ok(Dimensions::line(x)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Unsigned(x), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Dimensions, A::Error> {
                let mut axes = Vec::new();
                while let Some(size) = list.next_element::<u32>()? {
                    axes.push(size);
                    if size == 0 || axes.len() > 3 {
                        break;
                    }
                }
                if axes.is_empty() || axes.len() > 3 || axes.contains(&0) {
                    let found = if axes.len() > 3 { " …" } else { "" };
                    let message = format!("found {axes:?}{found}, expected up to three sizes of at least 1");
                    return Err(A::Error::custom(message));
                }
                let along = |axis| axes.get(axis).copied().unwrap_or(1);
                Ok(Dimensions([along(0), along(1), along(2)]))
            }
        }

        deserializer.deserialize_any(Sizes)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dimensions {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dimensions".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Shape::json_schema(generator)
    }
}
