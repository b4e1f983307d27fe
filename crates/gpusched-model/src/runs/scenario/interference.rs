//! What slows down thread blocks beside others: shared bandwidth, and factors measured on real GPUs.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};

use crate::Factor;

/// By how many times a block that does nothing but access memory takes longer beside others.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// Beside memory-bound blocks of other kernels on another SM of its GPC.
    #[serde(default = "one")]
    pub intra_gpc: Factor,
    /// Beside memory-bound blocks of other kernels on another GPC.
    #[serde(default = "one")]
    pub inter_gpc: Factor,
    /// Beside a memcpy.
    #[serde(default = "one")]
    pub memcpy: Factor,
    /// Beside a memset.
    #[serde(default = "one")]
    pub memset: Factor,
    /// Beside CPU cores while they spend their budget.
    #[serde(default = "one")]
    pub cpu: Factor,
}

fn one() -> Factor {
    Factor::ONE
}

impl Factors {
    /// Names and factors of real GPUs: the largest that [Sanudo20] §V reports ("up to"), to be scaled by `memory_share`. A
    /// figure that the text does not give is 1.
    pub const PRESETS: [(&'static str, [u64; 4]); 2] = [
        // memcpy almost 3×, memset almost 8× (Fig. 7, left); one GPC.
        ("tx2", [1, 1, 3, 8]),
        // intra-GPC up to 10× (Fig. 9), inter-GPC "milder": 2 is our assumption; for the copy engine "similar conclusions" to
        // the TX2 (Fig. 7, right).
        ("xavier", [10, 2, 3, 8]),
    ];

    /// The preset called `name`.
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

/// What slows down thread blocks beside others; nothing, if absent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterferenceSetting {
    /// The bandwidth of the memory, which is shared max-min fairly among kernels, copies and CPU cores [bytes per second];
    /// absent: enough for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub bandwidth: Option<u64>,
    /// The factors, or the name of some (`tx2`, `xavier`).
    #[serde(
        default,
        deserialize_with = "factors",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<FactorsShape>")]
    pub factors: Option<Factors>,
}

/// How factors are written.
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
