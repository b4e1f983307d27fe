//! The committed results of studies are what this version computes. The test repeats a short case of several studies, so that
//! a change of a simulator or an analysis does not leave old results behind.

use std::path::Path;

use gpusched::study::{Overrides, Spec};
use serde_json::Value;

use crate::study_support::{files::temporary, run};
use crate::support::root;

/// Studies, each with one of its short cases.
const CASES: [(&str, &str); 14] = [
    ("aghilinasab20-table1-table2", "percentiles"),
    ("aghilinasab20-table3-table4", "histo"),
    ("gcaps", "np-fifo, busy"),
    ("jin24-fig10", "reads, GPC"),
    ("memory-clients", "memset, footprints"),
    ("operator-graphs", "application 2"),
    ("sanudo20-cycles", "Fig. 5, same SMs"),
    ("sanudo20-eq2", "Table II"),
    ("sanudo20-eq3", "64 warps"),
    ("sanudo20-eq4", "Table IV"),
    ("sanudo20-fig5", "left"),
    ("sanudo20-fig7-fig9", "tx2, memcpy"),
    ("singh21-fig4.2", "pc"),
    ("warp-budgets", "2 x pc"),
];

/// Returns the rows of the case `name` in the table at `path`. Each row is a list of cells.
fn committed(path: &Path, name: &str) -> Vec<Vec<String>> {
    let mut table = csv::Reader::from_path(path).unwrap();
    let rows = table
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect());
    rows.filter(|row: &Vec<String>| row[1] == name).collect()
}

/// Runs the shard of `study` that consists of the case `name`. Returns its rows.
fn computed(study: &str, name: &str) -> Vec<Vec<String>> {
    gpusched::register_parts();
    let spec = Spec::read(
        root().join(format!("analysis/{study}.toml")),
        Overrides::default(),
    )
    .unwrap();
    let cases = spec.cases().unwrap().cases();
    let position = cases.iter().position(|case| case.name() == name).unwrap();
    let shard = format!("{}-of-{}", position + 1, cases.len());
    let folder = temporary();
    run(&spec, folder.path(), &shard.replace("-of-", "/"), 2).unwrap();
    let journal = folder
        .path()
        .join(format!("{study}.shard-{shard}.checkpoint.jsonl"));
    let journal = std::fs::read_to_string(journal).unwrap();
    let [_, line] = journal.lines().collect::<Vec<_>>()[..] else {
        panic!("{study}: {journal}")
    };
    let record: Value = serde_json::from_str(line).unwrap();
    serde_json::from_value(record["rows"].clone()).unwrap()
}

#[test]
fn short_cases_give_the_committed_rows() {
    for (study, case) in CASES {
        let rows = committed(&root().join(format!("analysis/{study}/{study}.csv")), case);
        assert!(!rows.is_empty(), "{study}, {case}");
        assert!(
            computed(study, case) == rows,
            "{study}, {case}: run the study again"
        );
    }
}

/// A whole study of partitioning, which takes about a second.
#[test]
fn the_study_of_policies_gives_the_committed_table() {
    let file = root().join("analysis/policies.toml");
    let spec = Spec::read(file, Overrides::default()).unwrap();
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = |folder: &Path| std::fs::read_to_string(folder.join("policies.csv")).unwrap();
    assert!(table(folder.path()) == table(&root().join("analysis/policies")));
}
