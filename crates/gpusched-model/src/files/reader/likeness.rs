//! Recognition of documents of an unexpected kind, for error messages.

use super::tree::Tree;

/// Pairs of a field and a kind of document. The field occurs only in documents of this kind.
const KINDS: [(&str, &str); 12] = [
    ("regulation_period_ns", BUDGETS),
    ("system", PLAN_OF_SYSTEM),
    ("cores", SYSTEM),
    ("active_blocks", "a kernel"),
    ("benchmarks", "benchmarks"),
    ("body", "a program"),
    ("certificate", "a bound"),
    ("gpu_sms", "a plan"),
    ("points", "a profile"),
    ("sms_per_tpc", "a device"),
    ("strength", "a verdict of one partition"),
    ("tasks", "a task set"),
];

/// A plan of an end-to-end system. It has fields of a plan, so a reader of plans may fail inside one of them.
const PLAN_OF_SYSTEM: &str = "an end-to-end plan";

/// Result of `budget nominal --deadlines`. It has fields of a plan.
const BUDGETS: &str = "budgets of a system";

/// An end-to-end system. It has fields of a task set.
const SYSTEM: &str = "an end-to-end system";

/// Returns the probable kind of the document `tree`. Returns `None` if the kind is unknown or
/// is the expected kind. `expected` starts with the name of the expected kind.
///
/// If the fault is `inside` a field, the result is only a kind that has all fields of the expected kind.
pub(super) fn likeness(tree: &Tree<'_>, expected: &str, inside: bool) -> Option<&'static str> {
    let Tree::Object(fields) = tree else { return None };
    let wanted = expected.split(':').next().unwrap_or(expected);
    let alike = KINDS
        .iter()
        .find(|(field, _)| fields.iter().any(|(name, _)| name == field));
    let kind = alike.map(|(_, kind)| *kind).filter(|kind| *kind != wanted)?;
    (!inside || [PLAN_OF_SYSTEM, BUDGETS, SYSTEM].contains(&kind)).then_some(kind)
}
