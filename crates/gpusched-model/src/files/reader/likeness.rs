//! Recognition of documents of an unexpected kind, for error messages.

use super::tree::Tree;

/// Pairs of a field and a kind of document. The field occurs only in documents of this kind.
const KINDS: [(&str, &str); 8] = [
    ("active_blocks", "a kernel"),
    ("benchmarks", "benchmarks"),
    ("body", "a program"),
    ("certificate", "a bound"),
    ("gpu_sms", "a plan"),
    ("points", "a profile"),
    ("sms_per_tpc", "a device"),
    ("tasks", "a task set"),
];

/// Returns the probable kind of the document `tree`. Returns `None` if the kind is unknown or
/// is the expected kind. `expected` starts with the name of the expected kind.
pub(super) fn likeness(tree: &Tree<'_>, expected: &str) -> Option<&'static str> {
    let Tree::Object(fields) = tree else { return None };
    let wanted = expected.split(':').next().unwrap_or(expected);
    let alike = KINDS
        .iter()
        .find(|(field, _)| fields.iter().any(|(name, _)| name == field));
    alike.map(|(_, kind)| *kind).filter(|kind| *kind != wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{Document, RawDocument};
    use crate::{Benchmarks, Bound, Device, Kernel, MemoryProfile, Plan, TaskSet, WarpScenario};

    #[test]
    fn kinds_are_called_as_where_they_are_expected() {
        let heads = [
            Kernel::EXPECTED,
            Benchmarks::EXPECTED,
            "a program: an object with \"body\"", // of the cycle-level GPU
            Bound::EXPECTED,
            Plan::EXPECTED,
            MemoryProfile::EXPECTED,
            Device::EXPECTED,
            TaskSet::EXPECTED,
        ];
        for ((field, kind), expected) in KINDS.iter().zip(heads) {
            assert!(expected.starts_with(&format!("{kind}: ")), "{kind}: {expected}");
            let tree = Tree::Object(vec![((*field).into(), Tree::Null)]);
            assert_eq!(likeness(&tree, expected), None);
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
        assert!(told.ends_with("; the document looks like a kernel"), "{told}");
        assert!(message(r#"{"name":"x","tasks":[]}"#).contains("looks like a task set"));
        // The message about a faulty scenario suggests no other kind of document.
        for text in [
            r#"{"scheduler":"gto","kernels":[{"tasks":1}]}"#,
            r#"{"scheduler":"gto","colour":1}"#,
        ] {
            assert!(!message(text).contains("looks like"), "{text}");
        }
    }
}
