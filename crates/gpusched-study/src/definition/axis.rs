//! Values on one axis of a study. A study states a range or a list of exact decimal numbers.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use gpusched_model::Factor;

/// Maximum number of values on one axis.
pub const MAX_VALUES: usize = 100_000;

/// Values on one axis: a range `{ from = 2, to = 68, step = 2 }`, a list `[2, 4, 8]`, or one number. A range includes `to`
/// if `to` is a whole number of steps above `from`. An axis has at least one value, and all values differ. The values keep
/// the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Values(Vec<Factor>);

#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Range {
    /// First value of the range.
    from: Factor,
    /// Upper limit of the values in the range.
    to: Factor,
    /// Distance between two neighbouring values; > 0.
    step: Factor,
}

const EXPECTED: &str = "a list of numbers, or a range such as { from = 2, to = 68, step = 2 }";

impl Values {
    /// Returns the values of the axis; at least one.
    pub fn as_slice(&self) -> &[Factor] {
        &self.0
    }

    fn from_list(list: Vec<Factor>) -> Result<Values, String> {
        if list.is_empty() {
            return Err(format!("found an empty list, expected {EXPECTED}"));
        }
        let mut sorted = list.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("found {} twice, expected different values", pair[0]));
        }
        Ok(Values(list))
    }

    fn from_range(Range { from, to, step }: Range) -> Result<Values, String> {
        if step == Factor::ZERO {
            return Err("found step 0, expected a positive step".to_owned());
        }
        if from > to {
            return Err(format!("found from = {from} above to = {to}, expected from ≤ to"));
        }
        let (from, to, step) = (billionths(from), billionths(to), billionths(step));
        let count = (to - from) / step + 1;
        if count > MAX_VALUES as u64 {
            return Err(format!("found {count} values, expected at most {MAX_VALUES}"));
        }
        let values = (0..count).filter_map(|index| Factor::from_billionths(from + index * step));
        Ok(Values(values.collect()))
    }
}

fn billionths(factor: Factor) -> u64 {
    let (numerator, denominator) = factor.ratio();
    numerator * (1_000_000_000 / denominator)
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        struct ValuesVisitor;
        impl<'de> Visitor<'de> for ValuesVisitor {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Values, E> {
                Factor::deserialize(de::value::I64Deserializer::new(value)).map(|value| Values(vec![value]))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Values, E> {
                Factor::deserialize(de::value::U64Deserializer::new(value)).map(|value| Values(vec![value]))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Values, E> {
                Factor::deserialize(de::value::F64Deserializer::new(value)).map(|value| Values(vec![value]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Values, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = seq.next_element()? {
                    list.push(value);
                }
                Values::from_list(list).map_err(de::Error::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Values, A::Error> {
                let range = Range::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Values::from_range(range).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(ValuesVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Values {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (number, range) = (
            generator.subschema_for::<Factor>(),
            generator.subschema_for::<Range>(),
        );
        schemars::json_schema!({
            "description": EXPECTED,
            "anyOf": [number, range, { "type": "array", "items": number, "minItems": 1, "uniqueItems": true }]
        })
    }
}
