//! Sets of numbers of SMs, DRAM channels or L2 ways, written as `[0, 1, 5]` or `"0-14,20"` for example.

use std::str::FromStr;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A set of numbers of SMs, DRAM channels or L2 ways, counted from 0. The set has at least one number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexSet(Vec<u32>);

const EXPECTED: &str = "numbers such as [0, 1, 5] or \"0-14,20\", counted from 0 and without repetition";

/// Largest number of SMs, channels or ways that a set can contain.
const MOST: u32 = 4096;

impl IndexSet {
    /// Creates the set of the numbers `indices`. Returns `None` if the list is empty, repeats a number,
    /// or contains a number of 4096 or more.
    pub fn new(mut indices: Vec<u32>) -> Option<IndexSet> {
        indices.sort_unstable();
        let right = indices.iter().all(|&index| index < MOST)
            && indices.windows(2).all(|pair| pair.first() != pair.last());
        (right && !indices.is_empty()).then_some(IndexSet(indices))
    }

    /// Returns the numbers in ascending order.
    pub fn indices(&self) -> &[u32] {
        &self.0
    }

    /// Returns whether both sets contain a common number.
    pub fn overlaps(&self, other: &IndexSet) -> bool {
        self.0.iter().any(|index| other.0.binary_search(index).is_ok())
    }
}

impl FromStr for IndexSet {
    type Err = String;

    fn from_str(text: &str) -> Result<IndexSet, String> {
        let expected = || {
            let found: String = text.chars().take(40).collect();
            format!("found {found:?}, expected {EXPECTED}")
        };
        let mut indices = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<u32>().map_err(|_| expected());
            let (first, last) = (number(first)?, number(last)?);
            if last >= MOST || first > last {
                return Err(expected());
            }
            indices.extend(first..=last);
        }
        IndexSet::new(indices).ok_or_else(expected)
    }
}

impl Serialize for IndexSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for IndexSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IndexSet, D::Error> {
        struct Numbers;

        impl<'de> Visitor<'de> for Numbers {
            type Value = IndexSet;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<IndexSet, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<IndexSet, A::Error> {
                let mut indices = Vec::new();
                while let Some(index) = list.next_element::<u32>()? {
                    indices.push(index);
                }
                let found = format!("found {indices:?}, expected {EXPECTED}");
                IndexSet::new(indices).ok_or_else(|| A::Error::custom(found))
            }
        }

        deserializer.deserialize_any(Numbers)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for IndexSet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IndexSet".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let list = generator.subschema_for::<Vec<u32>>();
        schemars::json_schema!({"anyOf": [{"type": "string"}, list]})
    }
}
