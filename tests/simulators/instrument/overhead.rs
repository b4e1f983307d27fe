//! The overhead of the instrumentation in the simulation, as `tasksets/instrument/README.md` states it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::instrument::kernels::{MACHINE, done, import};
use crate::support::root;

/// Returns the execution time of the kernel, and the mean time from the start to the end of a block [core cycles].
fn times(kernel: &str, rounds: u64) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let program = import(folder.path(), kernel, 240, rounds);
    let line = format!(
        "simulate warps {} --machine {MACHINE} --sms 10 --cold --format json",
        program.display()
    );
    let result: Value = serde_json::from_str(&done(&line)).unwrap();
    let blocks = result["blocks"].as_array().unwrap();
    let time = |block: &Value| block["end"].as_u64().unwrap() - block["start"].as_u64().unwrap();
    let sum: u64 = blocks.iter().map(time).sum();
    let count = blocks.len() as u64;
    (result["cycles"].as_u64().unwrap(), (sum + count / 2) / count)
}

#[test]
fn the_readme_states_the_overhead() {
    let mut table = String::new();
    for rounds in [1, 4, 16, 64] {
        let (plain, traced) = (times("vector_add", rounds), times("vector_add_traced", rounds));
        let percent = (traced.0 as f64 / plain.0 as f64 - 1.0) * 100.0;
        let per_block = traced.1 as i64 - plain.1 as i64;
        writeln!(
            table,
            "| {rounds} | {} | {} | {percent:+.1} % | {} | {} | {per_block:+} |",
            plain.0, traced.0, plain.1, traced.1
        )
        .unwrap();
    }
    let readme = std::fs::read_to_string(root().join("tasksets/instrument/README.md")).unwrap();
    assert!(readme.contains(&table), "expected in the README:\n{table}");
}
