//! What a document that is not what was expected looks like instead.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;

/// A field that only documents of one kind have, what these are called, and what takes them.
const KINDS: [(&str, &str, &str); 8] = [
    ("active_blocks", "a kernel", "`wcet` and `budget` take"),
    ("benchmarks", "benchmarks", "`wcet profile` takes"),
    (
        "body",
        "a program",
        "`simulate warps` and `simulate profile` take",
    ),
    ("certificate", "a bound", "`wcet verify` takes"),
    ("gpu_sms", "a plan", "`verify` and `export` take"),
    ("points", "a profile", "`predict` takes"),
    ("sms_per_tpc", "a device", "--device takes"),
    ("tasks", "a task set", "`test` and `partition` take"),
];

/// `; it looks like …`, after a message about a field of `text` that should be what `expected` begins with; nothing if it does not.
pub(super) fn likeness(text: &str, expected: &str) -> String {
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text) else {
        return String::new();
    };
    let wanted = expected.split(':').next().unwrap_or(expected);
    let alike = KINDS.iter().find(|(field, ..)| fields.contains_key(*field));
    match alike.filter(|(_, kind, _)| *kind != wanted) {
        Some((_, kind, takes)) => format!("; it looks like {kind}, which {takes}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{Document, RawDocument};
    use crate::{Benchmarks, Bound, Device, Kernel, MemoryProfile, Plan, Program, TaskSet, WarpScenario};

    #[test]
    fn kinds_are_called_as_where_they_are_expected() {
        let heads = [
            Kernel::EXPECTED,
            Benchmarks::EXPECTED,
            Program::EXPECTED,
            Bound::EXPECTED,
            Plan::EXPECTED,
            MemoryProfile::EXPECTED,
            Device::EXPECTED,
            TaskSet::EXPECTED,
        ];
        for ((field, kind, _), expected) in KINDS.iter().zip(heads) {
            assert!(expected.starts_with(&format!("{kind}: ")), "{kind}: {expected}");
            assert_eq!(likeness(&format!("{{\"{field}\":1}}"), expected), "");
        }
    }

    #[test]
    fn documents_of_another_kind_are_told() {
        let message = |text: &str| {
            let raw = RawDocument {
                line: 1,
                text: text.as_bytes().to_vec(),
            };
            raw.parse::<WarpScenario>("x").unwrap_err().to_string()
        };
        let told = message(r#"{"name":"k","active_blocks":4,"clusters":[]}"#);
        assert!(
            told.ends_with("; it looks like a kernel, which `wcet` and `budget` take"),
            "{told}"
        );
        assert!(message(r#"{"name":"x","tasks":[]}"#).contains("looks like a task set"));
        // A scenario with a mistake in it is one all the same.
        for text in [
            r#"{"scheduler":"gto","kernels":[{"tasks":1}]}"#,
            r#"{"scheduler":"gto","colour":1}"#,
        ] {
            assert!(!message(text).contains("looks like"), "{text}");
        }
    }
}
