//! Differences between two study files that define different experiments.

use gpusched_model::error::Refusal;
use toml::{Table, Value};

/// Top-level fields that do not change the experiment.
const WITHOUT_EFFECT: [&str; 5] = ["title", "source", "figure", "claim", "weighted"];

/// Maximum number of characters of a value in a message.
const CLIP: usize = 60;

/// A field with its values in both files. A value is `None` if a file lacks the field.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    field: String,
    before: Option<String>,
    now: Option<String>,
}

/// Returns the refusal of results that belong to the study file `before`, and not to the study file `now`. The refusal
/// states the fields that differ. Returns `None` if no field differs, or if a file is not TOML.
pub(super) fn refusal(before: &str, now: &str) -> Option<Refusal> {
    let (mut before, mut now): (Table, Table) = (before.parse().ok()?, now.parse().ok()?);
    for table in [&mut before, &mut now] {
        table.retain(|field, _| !WITHOUT_EFFECT.contains(&field));
    }
    let mut all = Vec::new();
    tables("", &before, &now, &mut all);
    let (first, further) = all.split_first()?;
    let text = |value: &Option<String>| value.clone().unwrap_or("no such field".to_owned());
    let mut expected = format!("results of this study, with {}", text(&first.now));
    if !further.is_empty() {
        let fields: Vec<&str> = further.iter().map(|one| one.field.as_str()).take(3).collect();
        let more = match further.len() - fields.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        expected += &format!("; further differences: {}{more}", fields.join(", "));
    }
    let found = format!("results of a study with {}", text(&first.before));
    Some(Refusal::new(first.field.clone(), found, expected))
}

fn tables(path: &str, before: &Table, now: &Table, all: &mut Vec<Difference>) {
    let added = now.keys().filter(|field| !before.contains_key(*field));
    for field in before.keys().chain(added) {
        let path = match path {
            "" => field.clone(),
            path => format!("{path}.{field}"),
        };
        values(path, before.get(field), now.get(field), all);
    }
}

fn values(field: String, before: Option<&Value>, now: Option<&Value>, all: &mut Vec<Difference>) {
    match (before, now) {
        (Some(Value::Table(before)), Some(Value::Table(now))) => tables(&field, before, now, all),
        (Some(Value::Array(before)), Some(Value::Array(now)))
            if before.iter().chain(now).all(Value::is_table) =>
        {
            for index in 0..before.len().max(now.len()) {
                values(
                    format!("{field}[{index}]"),
                    before.get(index),
                    now.get(index),
                    all,
                );
            }
        }
        (before, now) if before == now => {}
        (before, now) => all.push(Difference {
            field,
            before: before.map(clipped),
            now: now.map(clipped),
        }),
    }
}

fn clipped(value: &Value) -> String {
    let text = value.to_string().replace('\n', " ");
    match text.char_indices().nth(CLIP) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = \"a\"\nsets = 20\n[axis]\ntasks = [5]\nutilization = { from = 2, to = 4, step = 1 }\n\
                         [[variant]]\npolicy = \"edf\"\n[[claim]]\nid = \"x\"\n";

    fn told(from: &str, to: &str) -> Option<String> {
        refusal(STUDY, &STUDY.replace(from, to)).map(|refusal| refusal.to_string())
    }

    #[test]
    fn the_fields_that_differ() {
        for (from, to, expected) in [
            (
                "sets = 20",
                "sets = 12",
                "sets: found results of a study with 20, expected results of this study, with 12",
            ),
            (
                "to = 4",
                "to = 5",
                "axis.utilization.to: found results of a study with 4, expected results of this study, with 5",
            ),
            (
                "\"edf\"",
                "\"np-edf\"\nblocks = 3",
                "variant[0].policy: found results of a study with \"edf\", expected results of this study, with \"np-edf\"; further differences: \
                 variant[0].blocks",
            ),
            (
                "sets = 20\n",
                "",
                "sets: found results of a study with 20, expected results of this study, with no such field",
            ),
        ] {
            assert_eq!(told(from, to).as_deref(), Some(expected));
        }
        let long = format!("[{}]", vec!["5"; 60].join(", "));
        assert!(told("[5]", &long).unwrap().ends_with('…'));
    }

    #[test]
    fn fields_without_effect_do_not_differ() {
        assert_eq!(told("id = \"x\"", "id = \"y\""), None);
        assert_eq!(told("sets = 20", "sets = 20 # a comment"), None);
        assert_eq!(told("sets = 20", "sets = "), None);
    }
}
