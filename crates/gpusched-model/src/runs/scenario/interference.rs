//! Interference between thread blocks: shared memory bandwidth, and slowdown factors measured on real GPUs.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};

use crate::Factor;

/// Slowdown factors for a memory-bound block by source of interference; each is at least 1 and is 1 by default.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// Factor for memory-bound blocks of other kernels on another SM of its GPC.
    #[serde(default = "one")]
    pub intra_gpc: Factor,
    /// Factor for memory-bound blocks of other kernels on another GPC.
    #[serde(default = "one")]
    pub inter_gpc: Factor,
    /// Factor for a concurrent memcpy.
    #[serde(default = "one")]
    pub memcpy: Factor,
    /// Factor for a concurrent memset.
    #[serde(default = "one")]
    pub memset: Factor,
    /// Factor for CPU cores while they use their memory bandwidth budget.
    #[serde(default = "one")]
    pub cpu: Factor,
}

fn one() -> Factor {
    Factor::ONE
}

impl Factors {
    /// Factors of real GPUs by name. They are the largest that [Sanudo20] §V reports ("up to") and are scaled by
    /// `memory_share`. A factor that the paper does not report is 1.
    pub const PRESETS: [(&'static str, [u64; 4]); 2] = [
        // memcpy almost 3×, memset almost 8× (Fig. 7, left); one GPC.
        ("tx2", [1, 1, 3, 8]),
        // intra-GPC up to 10× (Fig. 9). For inter-GPC, "milder": 2 is an assumption of gpusched. For the copy engine, "similar
        // conclusions" to the TX2 (Fig. 7, right).
        ("xavier", [10, 2, 3, 8]),
    ];

    /// Returns the preset called `name`.
    pub fn named(name: &str) -> Option<Factors> {
        let (_, [intra, inter, memcpy, memset]) =
            Factors::PRESETS.iter().find(|(known, _)| *known == name)?;
        let factor = |&whole: &u64| Factor::from_billionths(whole * 1_000_000_000);
        Some(Factors {
            intra_gpc: factor(intra)?,
            inter_gpc: factor(inter)?,
            memcpy: factor(memcpy)?,
            memset: factor(memset)?,
            cpu: Factor::ONE,
        })
    }

    fn check(&self) -> Result<(), String> {
        let all = [
            ("intra_gpc", self.intra_gpc),
            ("inter_gpc", self.inter_gpc),
            ("memcpy", self.memcpy),
            ("memset", self.memset),
            ("cpu", self.cpu),
        ];
        match all.iter().find(|(_, factor)| *factor < Factor::ONE) {
            Some((name, factor)) => Err(format!("{name}: found {factor}, expected a number from 1 on")),
            None => Ok(()),
        }
    }
}

/// Interference between thread blocks. If absent, there is no interference.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterferenceSetting {
    /// Memory bandwidth [bytes per second]. Kernels, copies and CPU cores share it max-min fairly. If absent, it is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub bandwidth: Option<u64>,
    /// Slowdown factors: an object, or the name of a preset (`tx2`, `xavier`).
    #[serde(
        default,
        deserialize_with = "factors",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<FactorsShape>")]
    pub factors: Option<Factors>,
}

/// JSON forms of the factors.
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "for the schema")]
enum FactorsShape {
    Named(String),
    Given(Factors),
}

fn factors<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Factors>, D::Error> {
    struct FactorsVisitor;

    impl<'de> Visitor<'de> for FactorsVisitor {
        type Value = Factors;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("\"tx2\", \"xavier\", or an object such as {\"memcpy\":3}")
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Factors, E> {
            Factors::named(name).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(name), &self))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Factors, A::Error> {
            Factors::deserialize(MapAccessDeserializer::new(map))
        }
    }

    let factors = deserializer.deserialize_any(FactorsVisitor)?;
    factors.check().map_err(D::Error::custom)?;
    Ok(Some(factors))
}
