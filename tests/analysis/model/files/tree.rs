//! Trees of values: values and errors, compared with the parser of `serde_json`.

use std::collections::BTreeMap;
use std::fmt;

use gpusched_model::reader::Tree;
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, Visitor};

use crate::support::rounds;

/// A type that contains every kind of value that file formats use.
#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Everything {
    a: Option<u8>,
    #[serde(default)]
    b: Vec<f64>,
    c: Option<Form>,
    #[serde(default)]
    d: BTreeMap<String, i32>,
    e: Option<(u32, String)>,
    f: Option<Either>,
    g: Option<Tagged>,
    h: Option<Box<Everything>>,
    i: Option<Wrapped>,
    j: Option<bool>,
    k: Option<FormByHand>,
}

/// Reads one field of an object and leaves the other fields unread, as the handwritten reader of WCET functions does.
#[derive(PartialEq, Debug)]
struct FormByHand(Form);

impl<'de> Deserialize<'de> for FormByHand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormByHand, D::Error> {
        struct ByHand;

        impl<'de> Visitor<'de> for ByHand {
            type Value = FormByHand;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<FormByHand, A::Error> {
                Form::deserialize(MapAccessDeserializer::new(map)).map(FormByHand)
            }
        }

        deserializer.deserialize_any(ByHand)
    }
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
enum Form {
    A,
    B { a: u8 },
    C(Vec<u8>),
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    List(Vec<bool>),
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(tag = "a", rename_all = "lowercase")]
enum Tagged {
    A { b: f64 },
    B,
}

#[derive(Deserialize, PartialEq, Debug)]
struct Wrapped(u64);

fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("\"a\"".to_owned()),
        Just("\"b\"".to_owned()),
        Just("true".to_owned()),
        any::<u8>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f32>().prop_filter_map("finite", |value| value.is_finite().then(|| format!("{value:?}"))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let field = ("[a-l]", inner.clone()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(field, 0..4).prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(40_000)))]

    /// The parser of `serde_json` is the reference. It also accepts lists for structs. The tree refuses such lists.
    #[test]
    fn values_are_read_as_by_serde_json(text in values()) {
        let tree: Tree<'_> = serde_json::from_str(&text).unwrap();
        let (found, expected) = (tree.read::<Everything>(), serde_json::from_str::<Everything>(&text));
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => prop_assert_eq!(found, expected),
            (Err(_), Err(_)) => {}
            _ => prop_assert!(found.is_err() && text.contains('['), "{}: {:?}, {:?}", text, found, expected),
        }
    }
}

#[test]
fn faults_name_the_path() {
    for (text, expected) in [
        (
            r#"{"a":300}"#,
            "a: invalid value: integer `300`, expected a whole number from 0 to 255",
        ),
        (
            r#"{"a":"x"}"#,
            "a: invalid type: string \"x\", expected a whole number from 0 to 255",
        ),
        (r#"{"b":[1,null]}"#, "b[1]: invalid type: null, expected a number"),
        (
            r#"{"c":{"b":{"a":1.5}}}"#,
            "c.b.a: invalid type: floating point `1.5`, expected a whole number from 0 to 255",
        ),
        (r#"{"c":{"b":{}}}"#, "c.b: missing field `a`"),
        (
            r#"{"c":{"c":[1,[]]}}"#,
            "c.c[1]: invalid type: sequence, expected a whole number from 0 to 255",
        ),
        (
            r#"{"c":"d"}"#,
            "c: unknown variant `d`, expected one of `a`, `b`, `c`",
        ),
        (
            r#"{"c":4}"#,
            "c: found a value of another type, expected a name in quotes, or an object with one field",
        ),
        (
            r#"{"d":{"x":1,"y":{}}}"#,
            "d.y: invalid type: map, expected a whole number from -2147483648 to 2147483647",
        ),
        (r#"{"e":[1,"x",2]}"#, "e: invalid length 3, expected 2 values"),
        (
            r#"{"h":{"h":{"l":1}}}"#,
            "h.h.l: unknown field `l`, expected one of `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h`, `i`, `j`, `k`",
        ),
        (r#"{"h":{"a":1,"a":2}}"#, "h: duplicate field `a`"),
        (
            r#"{"h":[1]}"#,
            "h: invalid type: sequence, expected struct Everything",
        ),
        ("7", "invalid type: integer `7`, expected struct Everything"),
    ] {
        let tree: Tree<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(
            tree.read::<Everything>().unwrap_err().to_string(),
            expected,
            "{text}"
        );
    }
}
