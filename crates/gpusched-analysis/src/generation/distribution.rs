//! Random parameters of generated tasks, such as deadlines and conflict factors.

use std::fmt;
use std::str::FromStr;

use gpusched_model::Factor;
use rand::Rng;
use rand_distr::Distribution as _;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A constant, or the distribution of a random decimal number. Text forms: `0.75`, `uniform:MIN:MAX`,
/// `triangular:MIN:MODE:MAX`, `normal:MEAN:STD:MIN:MAX` and `beta:ALPHA:BETA:MIN:MAX`. Each generated number has at
/// most nine decimals.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    /// Always the same value.
    Constant(Factor),
    /// Uniform from the minimum to the maximum.
    Uniform(Range),
    /// Triangular, with this mode.
    Triangular(Range, Factor),
    /// Normal with this mean and this standard deviation, truncated to the range.
    Normal(Range, [Factor; 2]),
    /// Beta with the shapes α and β, stretched from 0…1 to the range.
    Beta(Range, [Factor; 2]),
}

/// Smallest and largest value of a distribution.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    min: Factor,
    max: Factor,
}

const EXPECTED: &str = "a number from 0 to 1000000 with at most nine decimals, uniform:MIN:MAX, triangular:MIN:MODE:MAX, \
                        normal:MEAN:STD:MIN:MAX or beta:ALPHA:BETA:MIN:MAX (MIN < MAX, MIN <= MODE, MEAN <= MAX, \
                        0 < STD <= MAX - MIN, ALPHA and BETA from 0.01 to 100)";

impl Distribution {
    /// Draws one value. A constant reads no word of `rng`.
    pub fn draw(&self, rng: &mut impl Rng) -> Factor {
        let (range, value) = match *self {
            Distribution::Constant(value) => return value,
            Distribution::Uniform(range) => {
                let uniform = rand_distr::Uniform::new_inclusive(range.min.as_f64(), range.max.as_f64());
                (range, uniform.map(|uniform| uniform.sample(rng)).ok())
            }
            Distribution::Triangular(range, mode) => {
                let [min, max, mode] = [range.min, range.max, mode].map(Factor::as_f64);
                let triangular = rand_distr::Triangular::new(min, max, mode);
                (range, triangular.map(|triangular| triangular.sample(rng)).ok())
            }
            Distribution::Normal(range, [mean, std]) => {
                let normal = rand_distr::Normal::new(mean.as_f64(), std.as_f64());
                // At least 34 % of the draws are in the range, because the range contains the mean and is at least as
                // wide as the standard deviation.
                let within = |value: &f64| (range.min.as_f64()..=range.max.as_f64()).contains(value);
                (
                    range,
                    normal
                        .ok()
                        .and_then(|normal| normal.sample_iter(rng).find(within)),
                )
            }
            Distribution::Beta(range, [alpha, beta]) => {
                let width = range.max.as_f64() - range.min.as_f64();
                let beta = rand_distr::Beta::new(alpha.as_f64(), beta.as_f64());
                let value = beta.map(|beta| range.min.as_f64() + width * beta.sample(rng));
                (range, value.ok())
            }
        };
        // Constructors of valid distributions never fail.
        let billionths = (value.unwrap_or(range.max.as_f64()) * 1e9).round() as u64;
        let drawn = Factor::from_billionths(billionths).unwrap_or(range.max);
        drawn.clamp(range.min, range.max)
    }

    /// Returns the smallest possible value.
    pub fn min(&self) -> Factor {
        self.range().min
    }

    /// Returns the largest possible value.
    pub fn max(&self) -> Factor {
        self.range().max
    }

    fn range(&self) -> Range {
        match *self {
            Distribution::Constant(value) => Range {
                min: value,
                max: value,
            },
            Distribution::Uniform(range)
            | Distribution::Triangular(range, _)
            | Distribution::Normal(range, _)
            | Distribution::Beta(range, _) => range,
        }
    }

    fn parse(text: &str) -> Option<Distribution> {
        let mut parts = text.split(':');
        let name = parts.next()?;
        let numbers = parts.map(|part| part.parse().ok());
        let numbers: Vec<Factor> = numbers.collect::<Option<_>>()?;
        let between = |min: Factor, max: Factor| (min < max).then_some(Range { min, max });
        match (name, numbers.as_slice()) {
            ("uniform", &[min, max]) => between(min, max).map(Distribution::Uniform),
            ("triangular", &[min, mode, max]) if (min..=max).contains(&mode) => {
                between(min, max).map(|range| Distribution::Triangular(range, mode))
            }
            ("normal", &[mean, std, min, max]) if (min..=max).contains(&mean) => {
                let range = between(min, max)?;
                let narrow = Factor::ZERO < std && std.as_f64() <= max.as_f64() - min.as_f64();
                narrow.then_some(Distribution::Normal(range, [mean, std]))
            }
            ("beta", &[alpha, beta, min, max]) => {
                let valid = |shape: Factor| (0.01..=100.0).contains(&shape.as_f64());
                let range = between(min, max).filter(|_| valid(alpha) && valid(beta));
                range.map(|range| Distribution::Beta(range, [alpha, beta]))
            }
            (constant, []) => constant.parse().ok().map(Distribution::Constant),
            _ => None,
        }
    }
}

impl From<Factor> for Distribution {
    fn from(value: Factor) -> Distribution {
        Distribution::Constant(value)
    }
}

impl fmt::Display for Distribution {
    /// Writes the text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { min, max } = self.range();
        match self {
            Distribution::Constant(value) => value.fmt(f),
            Distribution::Uniform(_) => write!(f, "uniform:{min}:{max}"),
            Distribution::Triangular(_, mode) => write!(f, "triangular:{min}:{mode}:{max}"),
            Distribution::Normal(_, [mean, std]) => write!(f, "normal:{mean}:{std}:{min}:{max}"),
            Distribution::Beta(_, [alpha, beta]) => write!(f, "beta:{alpha}:{beta}:{min}:{max}"),
        }
    }
}

/// Error: a text is not a valid form of [`Distribution`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?}, expected {EXPECTED}")]
pub struct ParseDistributionError {
    found: String,
}

impl FromStr for Distribution {
    type Err = ParseDistributionError;

    fn from_str(text: &str) -> Result<Distribution, ParseDistributionError> {
        Distribution::parse(text).ok_or_else(|| ParseDistributionError {
            found: text.chars().take(60).collect(),
        })
    }
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Distribution::Constant(value) => value.serialize(serializer),
            other => serializer.collect_str(other),
        }
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Distribution, D::Error> {
        struct DistributionVisitor;
        impl Visitor<'_> for DistributionVisitor {
            type Value = Distribution;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Distribution, E> {
                Factor::deserialize(de::value::I64Deserializer::new(value)).map(Distribution::Constant)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Distribution, E> {
                Factor::deserialize(de::value::U64Deserializer::new(value)).map(Distribution::Constant)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Distribution, E> {
                Factor::deserialize(de::value::F64Deserializer::new(value)).map(Distribution::Constant)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Distribution, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(DistributionVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Distribution {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Distribution".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let number = generator.subschema_for::<Factor>();
        schemars::json_schema!({
            "description": "A constant, or the distribution of a random number: `uniform:MIN:MAX`, `triangular:MIN:MODE:MAX`, \
                            `normal:MEAN:STD:MIN:MAX` (truncated) or `beta:ALPHA:BETA:MIN:MAX`.",
            "anyOf": [
                number,
                { "type": "string", "pattern": "^((uniform|triangular|normal|beta):[0-9.:]+|[0-9.]+)$" }
            ]
        })
    }
}
