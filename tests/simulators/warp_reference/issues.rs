//! Every issue of one SM: cycle, scheduler, slot, age and instruction.

use std::path::Path;

use gpusched::gpu::gpu::{Launch, Settings, run};
use gpusched::gpu::program::FIRST_ADDRESS;

use crate::warp_reference::reference::{LIMIT, extents, file, machine, program};

/// Cycle, scheduler, slot, age, address of the instruction.
type Issue = (u64, u8, u16, u64, u32);

/// Reads the trace `name`. Traces with texts of instructions belong to the tests of the PTX reader.
fn traced(name: &str) -> Vec<Issue> {
    let with_text = format!("tests/simulators/programs/data/{name}.csv");
    let path = if Path::new(env!("CARGO_MANIFEST_DIR")).join(&with_text).exists() {
        with_text
    } else {
        format!("tasksets/reference/gpgpusim/issue/{name}.csv")
    };
    let issue = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        (
            columns[0].parse().unwrap(),
            columns[1].parse().unwrap(),
            columns[2].parse().unwrap(),
            columns[3].parse().unwrap(),
            u32::from_str_radix(columns[4], 16).unwrap(),
        )
    };
    let mut issues: Vec<Issue> = file(&path).lines().skip(1).map(issue).collect();
    issues.sort_unstable();
    issues
}

fn check(kernel: &str, scheduler: &str, trace: &str, issues: usize) {
    let program = program(kernel, FIRST_ADDRESS);
    let settings = Settings {
        scheduler: scheduler.parse().unwrap(),
        sms: Some(1),
        warm: extents(&program),
        record_issues: Some(usize::MAX),
        limit: LIMIT,
        ..Settings::default()
    };
    let results = run(
        &machine(false),
        &[Launch::of_program(&program).unwrap()],
        &settings,
    )
    .unwrap();
    let mut found: Vec<Issue> = results
        .issues
        .iter()
        .map(|issue| (issue.cycle, issue.scheduler, issue.slot, issue.age, issue.pc))
        .collect();
    found.sort_unstable();
    let expected = traced(trace);
    assert_eq!(expected.len(), issues, "{trace}");
    assert_eq!(found.len(), issues, "{trace}");
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{trace}: issue {index}");
    }
}

#[test]
fn fma4_lrr() {
    check("fma4:1:2:32", "lrr", "fma4_1_2_32_lrr", 73);
}

#[test]
fn pc_lrr() {
    check("pc:8:2", "lrr", "pc_8_2_lrr", 3264);
}

#[test]
fn pc_gto() {
    check("pc:8:2", "gto", "pc_8_2_gto", 3264);
}

#[test]
fn pc_oldest() {
    check("pc:8:2", "oldest", "pc_8_2_old", 3264);
}

#[test]
fn vadd_lrr() {
    check("vadd:8", "lrr", "vadd_8_lrr", 1216);
}

#[test]
fn vadd_gto() {
    check("vadd:8", "gto", "vadd_8_gto", 1216);
}

#[test]
fn vadd_oldest() {
    check("vadd:8", "oldest", "vadd_8_old", 1216);
}
