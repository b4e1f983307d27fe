//! Sizes and positions in three dimensions.

use std::fmt;

use serde::{Serialize, Serializer};

/// Size of a grid or thread block, or a position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dimension {
    /// The x dimension, which varies fastest.
    pub x: u32,
    /// The y dimension, which varies after x.
    pub y: u32,
    /// The z dimension, which varies slowest.
    pub z: u32,
}

impl Dimension {
    /// Returns the number of positions in a grid or block of this size.
    pub fn count(self) -> u64 {
        // In general, the product can be almost 2^96. `Header` limits grids and blocks to far
        // fewer positions.
        u64::from(self.x)
            .saturating_mul(self.y.into())
            .saturating_mul(self.z.into())
    }

    /// Returns the position with linear number `index`, from 0. The x dimension varies fastest.
    /// The result is meaningless if `index` ≥ [`Dimension::count`].
    pub fn position(self, index: u64) -> Dimension {
        let (x, y) = (u64::from(self.x.max(1)), u64::from(self.y.max(1)));
        let part = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Dimension {
            x: part(index % x),
            y: part(index / x % y),
            z: part(index / x / y),
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.x, self.y, self.z)
    }
}

impl Serialize for Dimension {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.x, self.y, self.z].serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dimension {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <[u32; 3]>::json_schema(generator)
    }
}
