//! Interference between thread blocks: shared memory bandwidth, and slowdown factors that were measured on real GPUs.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};

use super::{Launch, SameSm};
use crate::{Factor, Refusal};

/// Slowdown factors for a block, one for each source of interference. Each factor is at least 1; 1 by default. The
/// factor `intra_sm` applies to the whole block. The other factors apply to the `memory_share` of the block.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// Factor while blocks of other kernels run on the same SM. Blocks on one SM share its warp schedulers, execution
    /// units and L1. With factor 1, gpusched assumes that these blocks do not delay each other.
    #[serde(default = "one")]
    pub intra_sm: Factor,
    /// Factor while memory-bound blocks of other kernels run on another SM of the same GPC.
    #[serde(default = "one")]
    pub intra_gpc: Factor,
    /// Factor while memory-bound blocks of other kernels run on another GPC.
    #[serde(default = "one")]
    pub inter_gpc: Factor,
    /// Factor during a memcpy.
    #[serde(default = "one")]
    pub memcpy: Factor,
    /// Factor during a memset.
    #[serde(default = "one")]
    pub memset: Factor,
    /// Factor while CPU cores use their memory bandwidth budget.
    #[serde(default = "one")]
    pub cpu: Factor,
}

fn one() -> Factor {
    Factor::ONE
}

impl Factors {
    /// Slowdown factors of real GPUs, by name of the preset. The presets contain the largest factors that [Sanudo20] §V
    /// reports ("up to"). If the paper does not report a factor, its value is 1. So `intra_sm` is 1 in all presets.
    pub const PRESETS: [(&'static str, [u64; 4]); 2] = [
        // For the TX2, the paper reports almost 3× for memcpy and almost 8× for memset (Fig. 7,
        // left). The TX2 has one GPC.
        ("tx2", [1, 1, 3, 8]),
        // For Xavier, the paper reports up to 10× within a GPC (Fig. 9). Between GPCs, the paper
        // only says "milder", so gpusched assumes 2. For copy engines, the paper reports "similar
        // conclusions" to the TX2 (Fig. 7, right).
        ("xavier", [10, 2, 3, 8]),
    ];

    /// Returns the preset called `name`.
    pub fn named(name: &str) -> Option<Factors> {
        let (_, [intra, inter, memcpy, memset]) =
            Factors::PRESETS.iter().find(|(known, _)| *known == name)?;
        let factor = |&whole: &u64| Factor::from_billionths(whole * 1_000_000_000);
        Some(Factors {
            intra_sm: Factor::ONE,
            intra_gpc: factor(intra)?,
            inter_gpc: factor(inter)?,
            memcpy: factor(memcpy)?,
            memset: factor(memset)?,
            cpu: Factor::ONE,
        })
    }

    fn check(&self) -> Result<(), String> {
        let all = [
            ("intra_sm", self.intra_sm),
            ("intra_gpc", self.intra_gpc),
            ("inter_gpc", self.inter_gpc),
            ("memcpy", self.memcpy),
            ("memset", self.memset),
            ("cpu", self.cpu),
        ];
        match all.iter().find(|(_, factor)| *factor < Factor::ONE) {
            Some((name, factor)) => Err(format!("{name}: found {factor}, expected a number of at least 1")),
            None => Ok(()),
        }
    }
}

/// Settings of the interference between thread blocks. With the default settings, there is no interference.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InterferenceSetting {
    /// Memory bandwidth [bytes per second], which kernels, copies and CPU cores share max-min fairly. If the field is
    /// absent, the bandwidth is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub bandwidth: Option<u64>,
    /// Slowdown factors: an object, or the name of a preset (`tx2`, `xavier`).
    #[serde(
        default,
        deserialize_with = "factors",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<FactorsShape>"))]
    pub factors: Option<Factors>,
    /// Slowdown of blocks by other kernels on the same SM, instead of the factor `intra_sm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_sm: Option<SameSm>,
}

impl InterferenceSetting {
    /// Returns whether blocks of different kernels on one SM delay each other.
    pub fn within_sms(&self) -> bool {
        let factor = self.factors.map_or(Factor::ONE, |factors| factors.intra_sm);
        factor > Factor::ONE || self.same_sm.is_some()
    }

    /// Checks `same_sm`.
    pub(super) fn check(&self, kernels: &[Launch]) -> Result<(), Refusal> {
        let Some(same_sm) = &self.same_sm else {
            return Ok(());
        };
        if let Some(factor) = self
            .factors
            .map(|factors| factors.intra_sm)
            .filter(|factor| *factor > Factor::ONE)
        {
            let found = format!("{factor} beside `same_sm`");
            Refusal::refuse("interference.factors.intra_sm", found, "one of the two fields")?;
        }
        same_sm.check(kernels)
    }
}

/// The forms of slowdown factors in JSON.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
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
