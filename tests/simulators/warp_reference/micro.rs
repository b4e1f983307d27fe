//! `micro.csv`, row by row. `calibration` checks its results: latencies, issue rates, bandwidth.

use crate::warp_reference::reference::{Row, table};

/// Relation between the program in this test and the kernel in the reference data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// The same instructions, from the compiler's PTX; or chasecg.
    Same,
    /// The same instructions, except for 8 cycles at the start or end, independent of the length of the chase.
    Chase,
    /// A program that was written to match the instruction counts.
    Likely,
    /// An older copyl with other instruction counts, whose stride did not include the 96 elements.
    Other,
}

fn program(row: &Row, thread_instructions: u64) -> Program {
    let name = row.text("kernel").split(':').next().unwrap();
    let same = row.number("thread_insn") == thread_instructions;
    match name {
        "fma4" | "iadd" | "saxpyl" => {
            assert!(same, "{name}");
            Program::Likely
        }
        // With 16 rounds, both versions of copyl execute equally many instructions.
        "copyl" if !same || row.text("kernel").ends_with(":16") => Program::Other,
        "chase" => {
            assert!(same, "{name}");
            Program::Chase
        }
        _ => {
            assert!(same, "{name}");
            Program::Same
        }
    }
}

/// Rows of the same program agree to the cycle, including scheduler outcomes. Rows of a likely program agree within 6
/// %.
#[test]
fn rows() {
    let (mut same, mut chases, mut likely, mut other) = (0, 0, 0, 0);
    for row in table("micro") {
        let results = row.run();
        let name = format!(
            "{} on {} SMs, {}, warm {}",
            row.text("kernel"),
            row.text("sms"),
            row.text("scheduler"),
            row.text("l2_warm")
        );
        match program(&row, results.kernels[0].thread_instructions) {
            Program::Same => {
                let stalls = &results.stalls;
                let found = [stalls.idle, stalls.scoreboard, stalls.pipeline];
                assert_eq!(results.cycles, row.number("cycles"), "{name}");
                assert_eq!(found, row.stalls(), "{name}");
                same += 1;
            }
            Program::Chase => {
                assert_eq!(results.cycles, row.number("cycles") + 8, "{name}");
                chases += 1;
            }
            Program::Likely => {
                let error = results.cycles as f64 / row.real("cycles") - 1.0;
                assert!(error.abs() < 0.06, "{name}: {error}");
                likely += 1;
            }
            Program::Other => other += 1,
        }
    }
    assert_eq!((same, chases, likely, other), (41, 4, 37, 34));
}
