//! Differences between two study files that define different experiments.

use std::collections::BTreeMap;

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

/// Returns the refusal of results whose study names a file with another content. The keys of `before` and `now` are the paths of
/// the files, and the values are their texts. Returns `None` if no file differs.
pub(super) fn of_files(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Option<Refusal> {
    let mut changed = now.iter().filter_map(|(path, now)| {
        let before = before.get(path).filter(|before| *before != now)?;
        Some((path, before, now))
    });
    let (path, before, now) = changed.next()?;
    let same = before.lines().zip(now.lines());
    let line = 1 + same.take_while(|(before, now)| before == now).count();
    let mut expected = "results with its present content".to_owned();
    let further: Vec<&str> = changed.map(|(path, ..)| path.as_str()).collect();
    if !further.is_empty() {
        expected += &format!("; further files that differ: {}", further.join(", "));
    }
    let found = format!("results with another content of the file {path:?}, from line {line}");
    Some(Refusal::new("experiment", found, expected))
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
