//! Splits of the blocks of a kernel among its clusters. A study states a list of splits, or a grid that contains many
//! splits.

use std::fmt;

use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use gpusched_model::Factor;

/// Maximum number of splits in one grid.
pub const MAX_SPLITS: usize = 10_000;

/// Splits of all blocks among the clusters of a kernel. A list such as `[[1, 1, 1], [8, 1, 1]]` states one share per
/// cluster for each split. The shares have any common unit. A grid such as `{ parts = 10, least = 2 }` contains every
/// split whose shares are whole tenths of the blocks, with at least two tenths for each cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Splits {
    /// A list of splits. Each split has one share per cluster.
    List(Vec<Vec<Factor>>),
    /// A grid of all splits that assign a whole number of parts to each cluster.
    Grid(Grid),
}

/// A grid of all splits that give each cluster a whole number of parts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Number of parts of each split. A split assigns its parts to clusters.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub parts: u32,
    /// Minimum number of parts for each cluster.
    #[serde(default)]
    pub least: u32,
}

const EXPECTED: &str =
    "a list of splits, such as [[1, 1, 1], [2, 1, 1]], or a grid, such as { parts = 10, least = 2 }";

impl Splits {
    /// Returns the splits for a kernel with `clusters` clusters. Each split has one share per cluster, and at least one
    /// share is positive.
    ///
    /// # Errors
    /// Fails if the list or the grid does not match the number `clusters`. The message states the value found and the value
    /// expected.
    pub fn of(&self, clusters: usize) -> Result<Vec<Vec<Factor>>, String> {
        match self {
            Splits::List(list) => {
                for split in list {
                    if split.len() != clusters {
                        let found = split.len();
                        return Err(format!(
                            "found {found} shares, expected {clusters} shares, one per cluster"
                        ));
                    }
                    if split.iter().all(|&share| share == Factor::ZERO) {
                        return Err("found only shares of 0, expected a positive share".to_owned());
                    }
                }
                Ok(list.clone())
            }
            Splits::Grid(grid) => grid.splits(clusters),
        }
    }
}

impl Grid {
    /// Returns all splits of the grid in lexicographic order.
    fn splits(self, clusters: usize) -> Result<Vec<Vec<Factor>>, String> {
        let Grid { parts, least } = self;
        let least_of_all = u64::from(least).saturating_mul(clusters as u64);
        if parts == 0 || u64::from(parts) < least_of_all {
            return Err(format!(
                "found {parts} parts in total, expected at least {least} for each of {clusters} clusters \
                 and at least 1 in total"
            ));
        }
        // Incomplete splits for the first clusters, each with the number of parts that remain for
        // the other clusters.
        let mut prefixes: Vec<(Vec<u32>, u32)> = vec![(Vec::new(), parts)];
        for later in (0..clusters as u64).rev() {
            let mut longer = Vec::new();
            for (prefix, left) in prefixes {
                let reserved = u32::try_from(u64::from(least) * later).unwrap_or(u32::MAX);
                let most = left.saturating_sub(reserved);
                for share in if later == 0 { left..=left } else { least..=most } {
                    if longer.len() == MAX_SPLITS {
                        return Err(format!(
                            "found a grid of more than {MAX_SPLITS} splits, expected at most this number"
                        ));
                    }
                    let mut split = prefix.clone();
                    split.push(share);
                    longer.push((split, left - share));
                }
            }
            prefixes = longer;
        }
        let factor = |share: u32| Factor::from_billionths(u64::from(share) * 1_000_000_000);
        let splits = prefixes.into_iter().map(|(split, _)| {
            let shares: Option<Vec<Factor>> = split.into_iter().map(factor).collect();
            shares.ok_or_else(|| "found too many parts, expected at most 1000000".to_owned())
        });
        splits.collect()
    }
}

impl<'de> Deserialize<'de> for Splits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Splits, D::Error> {
        struct SplitsVisitor;
        impl<'de> Visitor<'de> for SplitsVisitor {
            type Value = Splits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Splits, A::Error> {
                let mut list = Vec::new();
                while let Some(split) = seq.next_element()? {
                    list.push(split);
                }
                match list.is_empty() {
                    true => Err(de::Error::custom(format!(
                        "found an empty list, expected {EXPECTED}"
                    ))),
                    false => Ok(Splits::List(list)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Splits, A::Error> {
                Grid::deserialize(de::value::MapAccessDeserializer::new(map)).map(Splits::Grid)
            }
        }
        deserializer.deserialize_any(SplitsVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Splits {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Splits".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (list, grid) = (
            generator.subschema_for::<Vec<Vec<Factor>>>(),
            generator.subschema_for::<Grid>(),
        );
        schemars::json_schema!({ "description": EXPECTED, "anyOf": [list, grid] })
    }
}
