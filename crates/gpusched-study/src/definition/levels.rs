//! Values on an axis that may be numbers or texts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};

use super::axis::Values;

/// One value on an axis, as the study states it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Level(toml::Value);

impl Level {
    /// Returns the value for a field of the study.
    pub fn value(&self) -> &toml::Value {
        &self.0
    }
}

impl fmt::Display for Level {
    /// Writes a text without quotation marks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            toml::Value::String(text) => f.write_str(text),
            other => other.fmt(f),
        }
    }
}

/// Values on one axis: a range `{ from = 2, to = 68, step = 2 }`, a list of numbers and texts such as `[0.5, "uniform:0.5:1"]`,
/// or one value. An axis has at least one value, and all values differ. The values keep the order of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Levels(Vec<Level>);

const EXPECTED: &str = "a list of numbers or texts, or a range such as { from = 2, to = 68, step = 2 }";

impl Levels {
    /// Returns the values; at least one.
    pub(crate) fn as_slice(&self) -> &[Level] {
        &self.0
    }

    fn new(value: toml::Value) -> Result<Levels, String> {
        let levels: Vec<Level> = match value {
            toml::Value::Array(values) => values.into_iter().map(Level).collect(),
            range @ toml::Value::Table(_) => {
                let values: Values = range
                    .try_into()
                    .map_err(|error: toml::de::Error| error.message().to_owned())?;
                let number = |factor: &gpusched_model::Factor| match factor.ratio() {
                    (whole, 1) => {
                        i64::try_from(whole).map_or(toml::Value::Float(factor.as_f64()), toml::Value::Integer)
                    }
                    _ => toml::Value::Float(factor.as_f64()),
                };
                values.as_slice().iter().map(number).map(Level).collect()
            }
            value => vec![Level(value)],
        };
        // Equal numbers have equal texts.
        let whole = |value: toml::Value| match value {
            toml::Value::Float(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                toml::Value::Integer(float as i64)
            }
            value => value,
        };
        let levels: Vec<Level> = levels
            .into_iter()
            .map(|Level(value)| Level(whole(value)))
            .collect();
        if levels.is_empty() {
            return Err(format!("found an empty list, expected {EXPECTED}"));
        }
        let plain = |value: &toml::Value| value.is_str() || value.is_integer() || value.is_float();
        if let Some(Level(other)) = levels.iter().find(|Level(value)| !plain(value)) {
            return Err(format!("found {other}, expected {EXPECTED}"));
        }
        let mut texts: Vec<String> = levels.iter().map(Level::to_string).collect();
        texts.sort_unstable();
        match texts.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("found {} twice, expected different values", pair[0])),
            None => Ok(Levels(levels)),
        }
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        Levels::new(value).map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for Levels {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Levels".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let values = generator.subschema_for::<Values>();
        let level = serde_json::json!({ "type": ["number", "string"] });
        schemars::json_schema!({
            "description": EXPECTED,
            "anyOf": [values, level, { "type": "array", "items": level, "minItems": 1, "uniqueItems": true }]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Axis {
        x: Levels,
    }

    fn levels(text: &str) -> Result<Vec<String>, String> {
        toml::from_str::<Axis>(&format!("x = {text}"))
            .map(|axis| axis.x.as_slice().iter().map(Level::to_string).collect())
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn lists_ranges_and_single_values() {
        assert_eq!(
            levels("[0.5, 'uniform:0.5:1']").unwrap(),
            ["0.5", "uniform:0.5:1"]
        );
        assert_eq!(
            levels("{ from = 0.5, to = 1.5, step = 0.5 }").unwrap(),
            ["0.5", "1", "1.5"]
        );
        assert_eq!(levels("'edf'").unwrap(), ["edf"]);
        assert_eq!(levels("7").unwrap(), ["7"]);
        for (text, part) in [
            ("[]", "empty list"),
            ("['a', 'b', 'a']", "a twice"),
            ("[1, 1.0]", "1 twice"),
            ("[true]", "found true"),
            ("[[1]]", "expected a list of numbers or texts"),
            ("{ from = 2, to = 1, step = 1 }", "from ≤ to"),
        ] {
            let message = levels(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
