//! Random periods, and the work of a task with a given utilization and period.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

use gpusched_model::streams::{below, unit};
use gpusched_model::time::Time;

/// Distribution of periods. Text form: `singh21` or `log-uniform:MIN:MAX`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Periods {
    /// 50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000 or 4000 ms with equal probability
    /// ([Singh21] §3.6.1). The work of a task must be at least 1 ms (step 2: "a reasonable
    /// execution time"). If the drawn period is too short for this work, the task gets the next
    /// period of the list that is long enough. If no period is long enough, the task gets the
    /// longest period.
    #[default]
    Singh21,
    /// A log-uniform distribution from `min` to `max`, rounded to the nearest nanosecond.
    LogUniform {
        /// Shortest period [ns]; > 0.
        min: Time,
        /// Longest period [ns]; ≥ `min`.
        max: Time,
    },
}

/// One time unit of [Singh21]: 1 ms.
const UNIT: Time = Time::from_ns(1_000_000);

/// The list of periods of [Singh21] §3.6.1 [units]. The paper gives only the shortest and the longest period. The
/// periods between these two are an assumption: they divide 4000.
const SINGH21: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];

/// Valid text forms of [`Periods`].
const EXPECTED: &str =
    "\"singh21\", or \"log-uniform:MIN:MAX\" with times 0 < MIN <= MAX such as \"log-uniform:10ms:1s\"";

impl Periods {
    /// Draws the period of a task with utilization `share`. The function reads one word of `rng`.
    pub fn draw(self, rng: &mut impl Rng, share: f64) -> Time {
        match self {
            Periods::Singh21 => {
                let chosen = below(rng, SINGH21.len());
                let mut longer = SINGH21[chosen..].iter().map(|units| units * UNIT.ns());
                longer
                    .find(|&ns| work(share, Time::from_ns(ns)) >= UNIT)
                    .map_or(self.longest(), Time::from_ns)
            }
            Periods::LogUniform { min, max } => {
                let (low, high) = (libm::log(min.ns() as f64), libm::log(max.ns() as f64));
                let ns = libm::exp(low + unit(rng) * (high - low)).round() as u64;
                // The computed logarithms are rounded, so the result may be slightly out of range without these limits.
                Time::from_ns(ns.max(min.ns()).min(max.ns()))
            }
        }
    }

    /// Returns the longest possible period [ns].
    pub fn longest(self) -> Time {
        match self {
            Periods::Singh21 => Time::from_ns(4000 * UNIT.ns()),
            Periods::LogUniform { max, .. } => max,
        }
    }

    /// Whether the range of periods is valid: 0 < min ≤ max ≤ [`Time::LIMIT`].
    pub fn is_valid(self) -> bool {
        match self {
            Periods::Singh21 => true,
            Periods::LogUniform { min, max } => Time::ZERO < min && min <= max && max <= Time::LIMIT,
        }
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
            Periods::LogUniform { min, max } => f.pad(&format!("log-uniform:{min}:{max}")),
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
    if text == "singh21" {
        return Some(Periods::Singh21);
    }
    let (min, max) = text.strip_prefix("log-uniform:")?.split_once(':')?;
    Some(Periods::LogUniform {
        min: min.parse().ok()?,
        max: max.parse().ok()?,
    })
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

impl schemars::JsonSchema for Periods {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Periods".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": format!("Distribution of periods: {EXPECTED}"),
            "type": "string",
            "pattern": "^(singh21|log-uniform:[^:]+:[^:]+)$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::streams::{Purpose, stream};

    const MS: u64 = 1_000_000;

    /// Returns the periods of many tasks with the utilization `share`, in units.
    fn singh21(share: f64) -> Vec<u64> {
        let mut rng = stream(3, Purpose::Periods, 0, 0);
        (0..11_000)
            .map(|_| Periods::Singh21.draw(&mut rng, share).ns() / MS)
            .collect()
    }

    fn count(periods: &[u64], period: u64) -> usize {
        periods.iter().filter(|&&p| p == period).count()
    }

    #[test]
    fn singh21_chooses_uniformly_from_the_list() {
        let periods = singh21(1.0);
        for period in SINGH21 {
            let found = count(&periods, period);
            assert!((870..=1130).contains(&found), "{found} of 11000 are {period}"); // 1000 ± 4.3σ
        }
    }

    #[test]
    fn singh21_lengthens_periods_until_the_work_is_one_unit() {
        // With u = 0.005, the period 200 gives exactly one unit of work. The period 200 replaces the periods 50, 80 and
        // 100.
        let periods = singh21(0.005);
        assert_eq!(periods.iter().min(), Some(&200));
        assert!((3800..=4200).contains(&count(&periods, 200)));
        assert!((870..=1130).contains(&count(&periods, 250)));
        // With a slightly smaller utilization, the period 200 gives too little work.
        assert_eq!(singh21(0.004_999_9).iter().min(), Some(&250));
        // If the work is less than half a nanosecond below one unit, it rounds to one unit.
        assert_eq!(singh21(0.005 * (1.0 - 0.4e-6)).iter().min(), Some(&200));
        assert_eq!(singh21(0.005 * (1.0 - 0.6e-6)).iter().min(), Some(&250));
        // No period of the list gives one unit of work. The longest period applies, although the work is below one unit.
        for share in [0.000_249, 1e-12, 0.0] {
            assert!(singh21(share).iter().all(|&period| period == 4000), "{share}");
        }
    }

    #[test]
    fn log_uniform_stays_in_its_range() {
        let mut rng = stream(3, Purpose::Periods, 0, 0);
        for (min, max) in [
            (1, 2),
            (10, 10),
            (7, Time::LIMIT.ns()),
            (Time::LIMIT.ns(), Time::LIMIT.ns()),
        ] {
            let (min, max) = (Time::from_ns(min), Time::from_ns(max));
            for _ in 0..1000 {
                let period = Periods::LogUniform { min, max }.draw(&mut rng, 0.1);
                assert!((min..=max).contains(&period), "{period}");
            }
        }
    }

    #[test]
    fn every_rule_reads_one_word_whatever_the_share() {
        let range = Periods::LogUniform {
            min: Time::from_ns(5),
            max: UNIT,
        };
        for periods in [Periods::Singh21, range] {
            for share in [1e-9, 2.0] {
                let mut rng = stream(3, Purpose::Periods, 0, 0);
                periods.draw(&mut rng, share);
                assert_eq!(rng.get_word_pos(), 2); // counted in words of 32 bits
            }
        }
    }

    #[test]
    fn work_is_rounded_to_the_nearest_nanosecond() {
        let ns = |share, period| work(share, Time::from_ns(period)).ns();
        assert_eq!(ns(0.5, 1001), 501);
        assert_eq!(ns(0.25, 1001), 250);
        assert_eq!(ns(1.5, 4_000_000_000), 6_000_000_000);
        assert_eq!(ns(1e-20, 50), 1);
        assert_eq!(ns(0.0, 50), 1);
    }

    #[test]
    fn text_form_round_trips_and_the_rest_is_refused() {
        for text in ["singh21", "log-uniform:10ms:1s", "log-uniform:1ns:1ns"] {
            let periods: Periods = text.parse().unwrap();
            assert_eq!(periods.to_string(), text);
            let json = serde_json::to_string(&periods).unwrap();
            assert_eq!(serde_json::from_str::<Periods>(&json).unwrap(), periods);
        }
        for bad in [
            "",
            "singh",
            "Singh21",
            "log-uniform",
            "log-uniform:10ms",
            "log-uniform:1s:10ms",
            "log-uniform:0:1s",
            "log-uniform:1ms:2ms:3ms",
            "log-uniform:-1ms:1s",
            "log-uniform:NaN:1s",
            "uniform:10ms:1s",
        ] {
            let message = bad.parse::<Periods>().unwrap_err().to_string();
            assert!(message.contains(&format!("{bad:?}")), "{message}");
            assert!(message.contains("log-uniform:10ms:1s"), "{message}");
        }
    }
}
