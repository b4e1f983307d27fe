//! Case studies have the guarantees of all studies. They give the same bytes for every number of threads, shards and
//! interruptions. A damaged journal has no effect on the results, and errors in files name the line. The numbers equal
//! the results of simple loops.

mod budgets;
mod command;
mod end_to_end;
mod identity;
mod numbers;
mod optimality;
mod placements;
mod refusals;
mod side_by_side;

use std::fs;
use std::path::{Path, PathBuf};

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::run;
use crate::support::transcript::{Transcript, variants};
use gpusched::bandwidth::nominal;
use gpusched::kernel_wcet::synthesis::Synthesizer;
use gpusched::kernel_wcet::trace::Level;
use gpusched::kernel_wcet::{Estimator, list_scheduling};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::study::measures;
use gpusched::study::{self, CASE_COLUMNS, Overrides, Spec, State, Table};

const CASES: &str = include_str!("../../study_support/cases.toml");
const DRAWN: &str = include_str!("../../study_support/drawn.toml");
const JOURNAL: &str = "cases.checkpoint.jsonl";

fn parse(text: &str) -> gpusched::error::Result<Spec> {
    gpusched::register_parts();
    Spec::parse("cases.toml", text, Overrides::default())
}

/// Returns the messages for `study` with each of `changes`, one line each.
fn refused(study: &str, changes: &str) -> Transcript {
    let mut told = Transcript::default();
    for (given, text) in variants(study, changes) {
        let message = parse(&text).unwrap_err().to_string();
        assert!(message.starts_with("cases.toml"), "{given}: {message}");
        assert_eq!(message.lines().count(), 1, "{given}: {message}");
        told.case(given, message);
    }
    told
}

fn cases() -> Spec {
    parse(CASES).unwrap()
}

fn kernel(name: &str) -> Kernel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tasksets/kernels")
        .join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn threads_and_shards_leave_no_trace() {
    let whole = temporary();
    let summary = run(&cases(), whole.path(), "1/1", 1).unwrap();
    assert_eq!((summary.units, summary.resumed), (5, 0));
    let expected = stable_files(whole.path());
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "cases.claims.json",
            "cases.csv",
            "cases.inputs.json",
            "cases.provenance.json",
            "cases.toml"
        ]
    );
    assert!(!whole.path().join("cases.timing.csv").exists());
    for (count, threads) in [(1, 3), (2, 1), (3, 2), (9, 2)] {
        let root = temporary();
        let mut folders: Vec<PathBuf> = Vec::new();
        for index in (1..=count).rev() {
            let folder = root.path().join(format!("part{index}"));
            run(&cases(), &folder, &format!("{index}/{count}"), threads).unwrap();
            folders.push(folder);
        }
        let output = root.path().join("whole");
        study::merge(&folders, &output).unwrap();
        assert_eq!(stable_files(&output), expected, "{count} shards");
        if count > 1 {
            let message = study::merge(&folders[..folders.len() - 1], &output)
                .map(drop)
                .unwrap_err();
            assert!(
                message.to_string().contains("chunks; the first missing chunk is"),
                "{message}"
            );
        }
    }
}

/// Returns a study of two cases, so the journal has a few hundred bytes.
fn tiny() -> Spec {
    let case = |name: &str, q: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\nmeasure = \"curve\"\nkernel = \"tasksets/kernels/histo-m4.json\"\nbudgets = {q}\n"
        )
    };
    parse(&format!(
        "kind = \"cases\"\nname = \"cases\"\n{}{}",
        case("a", "0"),
        case("b", "1")
    ))
    .unwrap()
}

/// Runs the study with an existing `journal`; returns the results or the message.
fn run_with(journal: &[u8]) -> Result<Vec<u8>, String> {
    let folder = temporary();
    fs::write(folder.path().join(JOURNAL), journal).unwrap();
    run(&tiny(), folder.path(), "1/1", 1).map_err(|error| error.to_string())?;
    Ok(fs::read(folder.path().join("cases.csv")).unwrap())
}

#[test]
fn a_journal_cut_or_damaged_anywhere_never_changes_the_results() {
    let folder = temporary();
    run(&tiny(), folder.path(), "1/1", 1).unwrap();
    let expected = fs::read(folder.path().join("cases.csv")).unwrap();
    let journal = fs::read(folder.path().join(JOURNAL)).unwrap();
    for length in 0..=journal.len() {
        assert_eq!(run_with(&journal[..length]).as_ref(), Ok(&expected), "{length}");
    }
    let mut refused = 0;
    for position in 0..journal.len() {
        let mut damaged = journal.clone();
        damaged[position] ^= 1;
        match run_with(&damaged) {
            Ok(results) => assert_eq!(results, expected, "byte {position}"),
            Err(message) => {
                assert!(
                    message.contains(JOURNAL) && message.contains("delete this file"),
                    "{message}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > journal.len() * 9 / 10, "{refused} of {}", journal.len());
}

#[test]
fn finished_cases_are_not_repeated() {
    let folder = temporary();
    run(&cases(), folder.path(), "1/1", 2).unwrap();
    let expected = stable_files(folder.path());
    let path = folder.path().join(JOURNAL);
    let journal = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    assert_eq!(lines.len(), 1 + 5);
    let half = format!("{}\n{}", lines[..3].join("\n"), &lines[3][..10]);
    fs::write(&path, &half).unwrap();
    let summary = run(&cases(), folder.path(), "1/1", 2).unwrap();
    assert_eq!((summary.units, summary.resumed), (5, 2));
    assert_eq!(stable_files(folder.path()), expected);

    // The tallies of a partitioning study are not rows.
    let tallies = format!(
        "{}\n{{\"chunk\":0,\"cells\":[],\"check\":\"af5570f5\"}}\n",
        lines[0]
    );
    fs::write(&path, tallies).unwrap();
    let message = run(&cases(), folder.path(), "1/1", 2).unwrap_err().to_string();
    assert!(message.contains("damaged"), "{message}");
}
