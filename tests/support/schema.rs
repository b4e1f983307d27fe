//! A validator for the keywords of JSON schemas that occur in the schemas of gpusched. A library for all keywords would
//! take a tenth of the build of the tests.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::Value;

/// A JSON schema.
pub struct Validator {
    schema: Value,
    patterns: BTreeMap<String, Regex>,
}

/// Returns a validator for `schema`.
pub fn validator_for(schema: &Value) -> Validator {
    let mut patterns = BTreeMap::new();
    collect(schema, &mut patterns);
    Validator {
        schema: schema.clone(),
        patterns,
    }
}

fn collect(schema: &Value, patterns: &mut BTreeMap<String, Regex>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, patterns)),
        Value::Object(fields) => {
            if let Some(Value::String(pattern)) = fields.get("pattern") {
                patterns.insert(pattern.clone(), Regex::new(pattern).unwrap());
            }
            fields.values().for_each(|field| collect(field, patterns));
        }
        _ => {}
    }
}

impl Validator {
    pub fn is_valid(&self, value: &Value) -> bool {
        self.errors(value).is_empty()
    }

    /// Returns one line for each part of `value` that breaks a rule of the schema.
    ///
    /// # Panics
    /// Panics for a keyword that the validator does not know.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(&self.schema, value, "", &mut errors);
        errors
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, path: &str, errors: &mut Vec<String>) {
        let Value::Object(rules) = schema else {
            assert!(schema.is_boolean(), "{path}: {schema} is no schema");
            if schema == false {
                errors.push(format!("{path}: found {value}, expected no value"));
            }
            return;
        };
        for (keyword, rule) in rules {
            let holds = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check(self.schema.pointer(pointer).unwrap(), value, path, errors);
                    true
                }
                "type" => list(rule).any(|name| is_of(value, name.as_str().unwrap())),
                "const" => value == rule,
                "enum" => list(rule).any(|one| one == value),
                "anyOf" => list(rule).any(|one| self.fits(one, value)),
                "oneOf" => list(rule).filter(|one| self.fits(one, value)).count() == 1,
                "minimum" => compared(value, rule).is_none_or(Ordering::is_ge),
                "exclusiveMinimum" => compared(value, rule).is_none_or(Ordering::is_gt),
                "maximum" => compared(value, rule).is_none_or(Ordering::is_le),
                "pattern" => {
                    let pattern = &self.patterns[rule.as_str().unwrap()];
                    value.as_str().is_none_or(|text| pattern.is_match(text))
                }
                "minItems" | "maxItems" | "uniqueItems" | "items" | "prefixItems" => {
                    self.array(rules, keyword, value, path, errors)
                }
                _ => self.object(rules, keyword, value, path, errors),
            };
            if !holds {
                errors.push(format!("{path}: found {value}, expected {keyword} {rule}"));
            }
        }
    }

    fn array(
        &self,
        rules: &serde_json::Map<String, Value>,
        keyword: &str,
        value: &Value,
        path: &str,
        errors: &mut Vec<String>,
    ) -> bool {
        let (Value::Array(items), rule) = (value, &rules[keyword]) else {
            return true;
        };
        let first = rules.get("prefixItems").and_then(Value::as_array);
        let skipped = first.map_or(0, Vec::len);
        let mut each = |schema: &Value, index: usize| {
            self.check(schema, &items[index], &format!("{path}/{index}"), errors);
        };
        match keyword {
            "minItems" => return items.len() as u64 >= rule.as_u64().unwrap(),
            "maxItems" => return items.len() as u64 <= rule.as_u64().unwrap(),
            "uniqueItems" => {
                return rule == false || (1..items.len()).all(|at| !items[..at].contains(&items[at]));
            }
            "items" => (skipped..items.len()).for_each(|index| each(rule, index)),
            _ => {
                let schemas = first.unwrap().iter().take(items.len());
                schemas
                    .enumerate()
                    .for_each(|(index, schema)| each(schema, index));
            }
        }
        true
    }

    fn object(
        &self,
        rules: &serde_json::Map<String, Value>,
        keyword: &str,
        value: &Value,
        path: &str,
        errors: &mut Vec<String>,
    ) -> bool {
        let known = [
            "required",
            "properties",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ];
        assert!(
            known.contains(&keyword),
            "{path}: the keyword {keyword} is unknown"
        );
        let (Value::Object(fields), rule) = (value, &rules[keyword]) else {
            return true;
        };
        let properties = rules.get("properties").and_then(Value::as_object);
        match keyword {
            "required" => return list(rule).all(|name| fields.contains_key(name.as_str().unwrap())),
            "minProperties" => return fields.len() as u64 >= rule.as_u64().unwrap(),
            "maxProperties" => return fields.len() as u64 <= rule.as_u64().unwrap(),
            _ => {}
        }
        for (name, field) in fields {
            let own = properties.and_then(|properties| properties.get(name));
            let schema = match keyword {
                "properties" => own,
                _ => Some(rule).filter(|_| own.is_none()),
            };
            if let Some(schema) = schema {
                self.check(schema, field, &format!("{path}/{name}"), errors);
            }
        }
        true
    }
}

/// Returns the items of `rule`, or `rule` itself if it is no list.
fn list(rule: &Value) -> impl Iterator<Item = &Value> {
    match rule {
        Value::Array(items) => items.iter(),
        one => std::slice::from_ref(one).iter(),
    }
}

/// Compares two numbers: exactly if both are integers. Returns `None` if `value` is no number.
fn compared(value: &Value, rule: &Value) -> Option<Ordering> {
    match (integer(value), integer(rule)) {
        (Some(value), Some(rule)) => Some(value.cmp(&rule)),
        _ => value.as_f64()?.partial_cmp(&rule.as_f64()?),
    }
}

fn integer(value: &Value) -> Option<i128> {
    let small = value.as_i64().map(i128::from);
    small.or(value.as_u64().map(i128::from))
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("{name} is no type"),
    }
}

#[test]
fn each_keyword_counts() {
    for (schema, good, bad) in [
        (
            r#"{"type": ["integer", "null"], "minimum": 1, "maximum": 3}"#,
            "3",
            "4",
        ),
        (r#"{"type": "integer", "exclusiveMinimum": 1}"#, "2.0", "1"),
        (
            r##"{"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}"##,
            r#""x""#,
            "1",
        ),
        (r#"{"pattern": "^[0-9]+(ms|s)$"}"#, r#""12ms""#, r#""12m""#),
        (r#"{"anyOf": [{"const": 1}, {"enum": [2, 3]}]}"#, "3", "4"),
        (r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#, "1", "2"),
        (
            r#"{"items": {"type": "number"}, "minItems": 1, "uniqueItems": true}"#,
            "[1, 2]",
            "[1, 1]",
        ),
        (
            r#"{"prefixItems": [true], "items": false, "maxItems": 2}"#,
            "[1]",
            "[1, 2]",
        ),
        (
            r#"{"properties": {"a": true}, "additionalProperties": false}"#,
            r#"{"a": 1}"#,
            r#"{"b": 1}"#,
        ),
        (
            r#"{"required": ["a"], "minProperties": 1, "maxProperties": 1}"#,
            r#"{"a": 1}"#,
            r#"{"b": 1}"#,
        ),
    ] {
        let validator = validator_for(&serde_json::from_str(schema).unwrap());
        assert_eq!(
            validator.errors(&serde_json::from_str(good).unwrap()),
            [""; 0],
            "{schema}"
        );
        assert!(
            !validator.is_valid(&serde_json::from_str(bad).unwrap()),
            "{schema}"
        );
    }
}
