//! The pages under docs/reference describe all fields, values, columns and platforms.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gpusched::model::Platform;
use gpusched::study::measures;
use gpusched::study::{CASE_COLUMNS, COLUMNS, TIMING_COLUMNS, WEIGHTED_COLUMNS};
use serde_json::Value;

use crate::docs::markdown::{code_spans, pages};
use crate::support::{ADAS, root, run};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// All pages of the reference.
fn formats() -> String {
    let pages = pages().into_iter().map(|page| page.path.display().to_string());
    let reference = pages.filter(|path| path.starts_with("docs/reference/"));
    reference.map(|path| read(&path)).collect::<Vec<_>>().join("\n")
}

/// Asserts that every name is in backticks, alone or as a word of a longer span.
fn documents<'a>(names: impl IntoIterator<Item = &'a str>) {
    let text = formats();
    let spans = code_spans(&text).flat_map(|span| {
        span.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c)))
            .chain([span, span.trim_matches('"')])
    });
    let spans: BTreeSet<&str> = spans.collect();
    let names: BTreeSet<&str> = names.into_iter().collect();
    let missing: Vec<_> = names.difference(&spans).collect();
    assert!(missing.is_empty(), "not in docs/reference: {missing:?}");
}

/// Collects the names of fields, and the values of fields with few values.
fn names(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(fields)) = object.get("properties") {
                found.extend(fields.keys().cloned());
            }
            if let Some(Value::Array(values)) = object.get("enum") {
                found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            found.extend(object.get("const").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| names(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

#[test]
fn every_field_and_value_is_documented() {
    let list = run("schema").stdout;
    let mut found = BTreeSet::new();
    for line in list.lines().skip(1) {
        let name = line.split_whitespace().next().unwrap();
        found.insert(name.to_owned());
        names(
            &serde_json::from_str(&run(&format!("schema {name}")).stdout).unwrap(),
            &mut found,
        );
    }
    for sure in [
        "serial",
        "bf_direction",
        "memory-share",
        "wcet-exceeds-deadline",
        "must_hold",
    ] {
        assert!(found.contains(sure), "{sure}: {found:?}");
    }
    documents(found.iter().map(String::as_str));
}

#[test]
fn every_column_is_documented() {
    documents(
        COLUMNS
            .into_iter()
            .chain(TIMING_COLUMNS)
            .chain(WEIGHTED_COLUMNS)
            .chain(CASE_COLUMNS),
    );
    gpusched::register_parts();
    for measure in measures::all() {
        documents(measure.keys.iter().copied().chain([measure.name]));
    }
    let fit = "wcet fit tasksets/measurements/stencil.csv".to_owned();
    let sets = ["test", "partition"].map(|command| format!("{command} {ADAS} --gpu xavier"));
    let jobs = format!("simulate tasks {ADAS} --gpu orin");
    let validation = "validate --systems 1 --quiet".to_owned();
    let gpus = "gpus".to_owned();
    let group = "predict tasksets/groups/masola23-experiment-4.json";
    let group = [group.to_owned(), format!("{group} --windows")];
    for command in sets.into_iter().chain([fit, jobs, validation, gpus]).chain(group) {
        let csv = run(&format!("{command} --format csv")).stdout;
        documents(csv.lines().next().unwrap().split(','));
    }
}

/// The lines of the table with this header.
fn table(text: &str, header: &str) -> String {
    let start = text.find(header).unwrap_or_else(|| panic!("no table {header:?}"));
    let lines = text[start..].lines().take_while(|line| line.starts_with('|'));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn platforms_are_those_of_the_files() {
    let header = "| platform | GPU | SMs | per GPC | cores per SM | threads per SM | blocks per SM | registers per SM | shared memory per SM [KiB] | registers per block | shared memory per block [KiB] | L2 [KiB] |\n";
    let mut figures = format!("{header}|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for p in Platform::all() {
        writeln!(
            figures,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            p.name,
            p.title,
            p.sms,
            p.sms_per_gpc.map_or("?".to_owned(), |sms| sms.to_string()),
            p.cores_per_sm,
            p.threads_per_sm,
            p.blocks_per_sm,
            p.registers_per_sm,
            p.shared_memory_per_sm_kib,
            p.registers_per_block,
            p.shared_memory_per_block_kib,
            p.l2_cache_kib
        )
        .unwrap();
    }
    let files = std::fs::read_dir(root().join("tasksets/platforms"))
        .unwrap()
        .count();
    assert_eq!(Platform::all().count(), files);
    assert_eq!(
        table(&formats(), header),
        figures,
        "expected in docs/reference:\n{figures}"
    );
    let readme = read("tasksets/README.md");
    let missing = Platform::all().find(|p| p.source.is_empty() || !readme.contains(&format!("`{}`", p.name)));
    assert!(missing.is_none(), "{missing:?}");
}
