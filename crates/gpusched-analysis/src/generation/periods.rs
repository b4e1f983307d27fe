//! Random periods, and the work of a task with a given utilization and period.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rand::Rng;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

use gpusched_model::streams::{below, unit};
use gpusched_model::time::Time;

/// Distribution of periods. Text forms: `singh21`, `waters2015`, `uniform:MIN:MAX`, `log-uniform:MIN:MAX`,
/// `harmonic:MIN:MAX` and `list:T1,T2,…`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Periods {
    /// 50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000 or 4000 ms with equal probability
    /// ([Singh21] §3.6.1). The work of a task must be at least 1 ms (step 2: "a reasonable
    /// execution time"). If the drawn period is too short for this work, the task gets the next
    /// period of the list that is long enough. If no period is long enough, the task gets the
    /// longest period.
    #[default]
    Singh21,
    /// 1, 2, 5, 10, 20, 50, 100, 200 or 1000 ms with the shares of an automotive engine control: 3, 2, 2, 25, 25, 3, 20, 1
    /// and 4 of 85. The other 15 % of the original distribution have no period, because the angle of the engine
    /// determines their releases.
    ///
    /// Source: S. Kramer, D. Ziegenbein and A. Hamann, *Real world automotive benchmarks for free*, WATERS 2015, Table III.
    Waters2015,
    /// A uniform distribution from `min` to `max`, rounded to the nearest nanosecond.
    Uniform(Range),
    /// A log-uniform distribution from `min` to `max`, rounded to the nearest nanosecond.
    LogUniform(Range),
    /// `min`, 2·`min`, 4·`min` and so on up to `max`, with equal probability. Each of these periods divides all longer
    /// ones.
    Harmonic(Range),
    /// One of these periods [ns], each > 0. A period that occurs twice has twice the probability.
    List(Arc<[Time]>),
}

/// Shortest and longest period of a distribution.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// Shortest period [ns]; > 0.
    pub min: Time,
    /// Longest period [ns]; ≥ `min`.
    pub max: Time,
}

/// One time unit of [Singh21]: 1 ms.
const UNIT: Time = Time::from_ns(1_000_000);

/// The list of periods of [Singh21] §3.6.1 [units]. The paper gives only the shortest and the longest period. gpusched
/// assumes that the other periods are divisors of 4000.
const SINGH21: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];

/// Periods of an engine control [ms], each with its share of the runnables [%].
const WATERS2015: [(u64, usize); 9] = [
    (1, 3),
    (2, 2),
    (5, 2),
    (10, 25),
    (20, 25),
    (50, 3),
    (100, 20),
    (200, 1),
    (1000, 4),
];

/// Valid text forms of [`Periods`].
const EXPECTED: &str = "\"singh21\", \"waters2015\", \"list:T1,T2,...\" such as \"list:5ms,10ms\", or \"uniform:MIN:MAX\", \
                        \"log-uniform:MIN:MAX\" or \"harmonic:MIN:MAX\" with times 0 < MIN <= MAX such as \"log-uniform:10ms:1s\"";

impl Periods {
    /// Draws the period of a task with utilization `share`. The function reads one word of `rng`.
    pub fn draw(&self, rng: &mut impl Rng, share: f64) -> Time {
        match self {
            Periods::Singh21 => {
                let chosen = below(rng, SINGH21.len());
                let mut longer = SINGH21[chosen..].iter().map(|units| units * UNIT.ns());
                longer
                    .find(|&ns| work(share, Time::from_ns(ns)) >= UNIT)
                    .map_or(self.longest(), Time::from_ns)
            }
            Periods::Waters2015 => {
                let mut chosen = below(rng, WATERS2015.iter().map(|(_, percent)| percent).sum());
                let period = WATERS2015.iter().find(|&&(_, percent)| match chosen < percent {
                    true => true,
                    false => {
                        chosen -= percent;
                        false
                    }
                });
                period.map_or(self.longest(), |&(ms, _)| Time::from_ns(ms * 1_000_000))
            }
            Periods::Uniform(range) => {
                let (low, high) = (range.min.ns() as f64, range.max.ns() as f64);
                range.nearest(low + unit(rng) * (high - low))
            }
            Periods::LogUniform(range) => {
                let (low, high) = (libm::log(range.min.ns() as f64), libm::log(range.max.ns() as f64));
                range.nearest(libm::exp(low + unit(rng) * (high - low)))
            }
            Periods::Harmonic(Range { min, max }) => {
                let doublings = (max.ns() / min.ns().max(1)).max(1).ilog2();
                Time::from_ns(min.ns() << below(rng, doublings as usize + 1))
            }
            Periods::List(periods) => {
                let chosen = periods.get(below(rng, periods.len()));
                chosen.copied().unwrap_or(self.longest())
            }
        }
    }

    /// Returns the longest possible period [ns].
    pub fn longest(&self) -> Time {
        match self {
            Periods::Singh21 => Time::from_ns(4000 * UNIT.ns()),
            Periods::Waters2015 => Time::from_ns(1_000_000_000),
            Periods::Uniform(range) | Periods::LogUniform(range) | Periods::Harmonic(range) => range.max,
            Periods::List(periods) => periods.iter().max().copied().unwrap_or(Time::ZERO),
        }
    }

    /// Whether the periods are valid: 0 < min ≤ max ≤ [`Time::LIMIT`], and at least one period in a list.
    pub fn is_valid(&self) -> bool {
        let valid = |min: Time, max: Time| Time::ZERO < min && min <= max && max <= Time::LIMIT;
        match self {
            Periods::Singh21 | Periods::Waters2015 => true,
            Periods::Uniform(range) | Periods::LogUniform(range) | Periods::Harmonic(range) => {
                valid(range.min, range.max)
            }
            Periods::List(periods) => {
                !periods.is_empty() && periods.iter().all(|&period| valid(period, period))
            }
        }
    }
}

impl Range {
    /// Returns `ns` as a whole number of nanoseconds in the range. Because logarithms are rounded, `ns` may be slightly
    /// out of the range.
    fn nearest(self, ns: f64) -> Time {
        Time::from_ns((ns.round() as u64).max(self.min.ns()).min(self.max.ns()))
    }
}

/// Returns the work a = u·T [ns], rounded to the nearest nanosecond and at least 1 ns.
pub(super) fn work(share: f64, period: Time) -> Time {
    Time::from_ns(((share * period.ns() as f64).round() as u64).max(1))
}

impl fmt::Display for Periods {
    /// Writes the text form of the distribution.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Periods::Singh21 => f.pad("singh21"),
            Periods::Waters2015 => f.pad("waters2015"),
            Periods::Uniform(Range { min, max }) => f.pad(&format!("uniform:{min}:{max}")),
            Periods::LogUniform(Range { min, max }) => f.pad(&format!("log-uniform:{min}:{max}")),
            Periods::Harmonic(Range { min, max }) => f.pad(&format!("harmonic:{min}:{max}")),
            Periods::List(periods) => {
                let periods: Vec<String> = periods.iter().map(Time::to_string).collect();
                f.pad(&format!("list:{}", periods.join(",")))
            }
        }
    }
}

/// Error: a text is not a valid form of [`Periods`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid periods {found:?}, expected {EXPECTED}")]
pub struct ParsePeriodsError {
    found: String,
}

impl FromStr for Periods {
    type Err = ParsePeriodsError;

    fn from_str(text: &str) -> Result<Periods, ParsePeriodsError> {
        parse(text)
            .filter(|periods| periods.is_valid())
            .ok_or_else(|| ParsePeriodsError {
                found: text.chars().take(60).collect(),
            })
    }
}

fn parse(text: &str) -> Option<Periods> {
    let Some((name, parameters)) = text.split_once(':') else {
        return match text {
            "singh21" => Some(Periods::Singh21),
            "waters2015" => Some(Periods::Waters2015),
            _ => None,
        };
    };
    if name == "list" {
        let periods: Result<Arc<[Time]>, _> = parameters.split(',').map(str::parse).collect();
        return periods.ok().map(Periods::List);
    }
    let (min, max) = parameters.split_once(':')?;
    let range = Range {
        min: min.parse().ok()?,
        max: max.parse().ok()?,
    };
    match name {
        "uniform" => Some(Periods::Uniform(range)),
        "log-uniform" => Some(Periods::LogUniform(range)),
        "harmonic" => Some(Periods::Harmonic(range)),
        _ => None,
    }
}

impl Serialize for Periods {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Periods {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Periods, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(<D::Error as de::Error>::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Periods {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Periods".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": format!("Distribution of periods: {EXPECTED}"),
            "type": "string",
            "pattern": "^(singh21|waters2015|list:[^:]+|(uniform|log-uniform|harmonic):[^:]+:[^:]+)$"
        })
    }
}
