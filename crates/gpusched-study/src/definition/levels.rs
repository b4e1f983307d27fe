//! Values on an axis that may be numbers or texts.

use std::fmt;

use super::axis::Values;

/// One value on an axis, as the study states it.
#[derive(Clone, PartialEq, Debug)]
pub struct Level(toml::Value);

impl Level {
    /// Returns the TOML value, for a field of the study.
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
    pub fn as_slice(&self) -> &[Level] {
        &self.0
    }

    /// Reads the values that a study states.
    ///
    /// # Errors
    /// Fails with a message about the first invalid value.
    pub fn new(value: &toml::Value) -> Result<Levels, String> {
        let values = match value {
            toml::Value::Array(values) => values.clone(),
            toml::Value::Table(_) => {
                let values: Result<Values, toml::de::Error> = value.clone().try_into();
                let values = values.map_err(|error| error.message().to_owned())?;
                let numbers = values.as_slice().iter();
                numbers
                    .map(|number| toml::Value::Float(number.as_f64()))
                    .collect()
            }
            value => vec![value.clone()],
        };
        // Equal numbers have equal texts.
        let whole = |value| match value {
            toml::Value::Float(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                toml::Value::Integer(float as i64)
            }
            value => value,
        };
        let levels: Vec<Level> = values.into_iter().map(whole).map(Level).collect();
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

#[cfg(feature = "schema")]
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
