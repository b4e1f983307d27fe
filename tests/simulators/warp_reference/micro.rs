//! `micro.csv`, row by row; `calibration` has what it shows: latencies, issue rates, bandwidth.

use crate::warp_reference::reference::{Row, table};

/// Where the program that we run is the kernel that the reference ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// From the compiler's PTX; or chasecg.
    Same,
    /// The same but for 8 cycles at its start or end, however long it chases.
    Chase,
    /// Written after its instruction counts.
    Likely,
    /// An older copyl, of which other instructions were counted; its stride was without the 96 elements.
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
        // With 16 rounds both copyls execute as many instructions.
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

/// Rows of the same program to the cycle, in how schedulers spent them, too; of a likely one within 6 %.
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
