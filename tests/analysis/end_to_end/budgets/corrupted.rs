//! Guarantee: the verifier refuses corrupted certificates of chosen budgets. `GPUSCHED_TESTS=full` refuses more than 10,000 of them.

use std::collections::BTreeMap;

use gpusched::end_to_end::{BudgetSearch, choose_budgets};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{ChosenBudgets, Grouping};
use gpusched::verification::verify_chosen;
use serde_json::Value;

use super::{Numbers, random};
use crate::support::rounds;

/// Numbers that no field of these small systems has.
const LARGE: [u64; 2] = [i64::MAX as u64, u64::MAX];

/// Returns the paths of all values that the verifier checks.
fn paths(value: &Value, at: String, found: &mut Vec<String>) {
    if matches!(
        at.as_str(),
        "/upper_bound" | "/optimal" | "/tests" | "/verdict/assumptions"
    ) {
        return;
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| paths(value, format!("{at}/{name}"), found)),
        Value::Array(values) => { values.iter().enumerate() }
            .for_each(|(index, value)| paths(value, format!("{at}/{index}"), found)),
        _ => {}
    }
    if !at.is_empty() {
        found.push(at);
    }
}

/// Changes a drawn value of `text`. Returns the kind of the change; `None` if the value permits none.
fn corrupt(text: &mut Value, numbers: &mut Numbers) -> Option<&'static str> {
    let mut found = Vec::new();
    paths(text, String::new(), &mut found);
    let draw =
        |numbers: &mut Numbers| found[usize::try_from(numbers.below(found.len() as u64)).unwrap()].clone();
    let path = draw(numbers);
    let (above, last) = path.rsplit_once('/')?;
    match numbers.below(4) {
        0 => match text.pointer_mut(above)? {
            Value::Object(fields) => fields.remove(last).map(|_| "missing field"),
            Value::Array(values) => {
                values.remove(last.parse().ok()?);
                Some("missing element")
            }
            _ => None,
        },
        1 => {
            let other = draw(numbers);
            if other.starts_with(&path) || path.starts_with(&other) {
                return None;
            }
            let (one, two) = (text.pointer(&path)?.clone(), text.pointer(&other)?.clone());
            if std::mem::discriminant(&one) != std::mem::discriminant(&two) {
                return None;
            }
            *text.pointer_mut(&path)? = two;
            *text.pointer_mut(&other)? = one;
            Some("swapped values")
        }
        _ => {
            let name =
                ["all", "cpu", "copy", "kernel", "t0", "t1"][usize::try_from(numbers.below(6)).unwrap()];
            let value = text.pointer_mut(&path)?;
            let number = value.as_u64();
            let (changed, kind) = match (&*value, number) {
                (Value::Bool(found), _) => (Value::from(!found), "other verdict"),
                (Value::String(_), _) => (name.into(), "other name"),
                (Value::Null, _) => (numbers.below(20).into(), "number for null"),
                (_, Some(number)) => match numbers.below(5) {
                    0 => (0.into(), "0"),
                    1 => (LARGE[usize::from(number % 2 == 0)].into(), "maximum"),
                    2 => (number.checked_sub(1)?.into(), "less by 1"),
                    3 => (number.checked_add(1)?.into(), "more by 1"),
                    _ => (Value::Null, "null"),
                },
                (Value::Array(values), _) => {
                    let twice = values.first()?.clone();
                    (
                        values.iter().cloned().chain([twice]).collect(),
                        "repeated element",
                    )
                }
                _ => return None,
            };
            *value = changed;
            Some(kind)
        }
    }
}

/// The changes are wrong groups and names, swapped values, 0, maxima, numbers that differ by 1, and missing fields. A field that is missing
/// may have its default value, so that the certificate is the same.
#[test]
fn corrupted_choices_are_refused() {
    let mut refused: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for index in 0..rounds(600) {
        let draft = random(index + 1, false);
        let grouping = [Grouping::All, Grouping::Kind, Grouping::Task][usize::try_from(index % 3).unwrap()];
        let search = BudgetSearch {
            grouping,
            tests: 1_000,
        };
        let environment = || Interference::Conflict.into();
        let found = choose_budgets(&draft, environment(), search, &|_| ()).unwrap();
        verify_chosen(&found, &draft, environment()).unwrap();
        let text = serde_json::to_value(&found).unwrap();
        let mut numbers = Numbers::new(index + 9);
        for _ in 0..40 {
            let mut wrong = text.clone();
            let Some(kind) = corrupt(&mut wrong, &mut numbers).filter(|_| wrong != text) else {
                continue;
            };
            let counts = refused.entry(kind).or_default();
            match serde_json::from_value::<ChosenBudgets>(wrong.clone()) {
                Err(_) => counts.0 += 1,
                Ok(wrong) if wrong == found => {}
                Ok(chosen) => {
                    let verified = verify_chosen(&chosen, &draft, environment());
                    assert!(verified.is_err(), "system {index}, {kind}: {wrong}");
                    counts.1 += 1;
                }
            }
        }
    }
    println!("refused as no document, and by the verifier: {refused:?}");
    let all: u64 = refused.values().map(|counts| counts.0 + counts.1).sum();
    assert!(all > rounds(10_000) && refused.len() == 12, "{all}: {refused:?}");
}
