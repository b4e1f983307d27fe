//! `micro.csv`: latencies, issue rates, bandwidth.

use crate::reference::{Row, table};

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

/// The cycles of a row of `micro.csv` as we simulate it.
fn cycles(kernel: &str, warm: u64) -> u64 {
    let rows = table("micro");
    let row = rows
        .iter()
        .find(|row| row.text("kernel") == kernel && row.number("l2_warm") == warm);
    row.unwrap().run().cycles
}

/// From a load to the first use of what it loads: a step of a chase less its multiplication and addition, 9 cycles each.
#[test]
fn latencies() {
    let step = |short: &str, long: &str, warm, steps: u64| {
        (cycles(long, warm) - cycles(short, warm)) as f64 / steps as f64 - 18.0
    };
    // Sixteen lines stay in L1.
    let l1 = step("chase:16:256", "chase:16:512", 1, 256);
    assert!((l1 - 36.0).abs() < 0.5, "{l1}");
    let l2 = step("chasecg:16:256", "chasecg:16:512", 1, 256);
    assert!((l2 - 206.0).abs() < 0.5, "{l2}");
    // Each line once, 128 bytes apart.
    let dram = step("chasecg:1024:512", "chasecg:1024:1024", 0, 512);
    assert!((dram - 315.4).abs() < 0.5, "{dram}");
}

/// GB/s at L2 with sectors of 32 bytes, the acknowledged writes among them, as the reference counts them.
#[test]
fn bandwidth() {
    let rate = |row: &Row| {
        let results = row.run();
        let seconds = results.cycles as f64 / 1.365e9;
        results.traffic.l2_accesses as f64 * 32.0 / seconds / 1e9
    };
    let rows = table("micro");
    let row = |kernel: &str| rows.iter().find(|row| row.text("kernel") == kernel).unwrap();
    let copy = rate(row("copyl:120:10"));
    assert!((copy - 489.655).abs() < 0.01, "{copy}");
    let saxpy = rate(row("saxpyl:120:10")) / 578.383;
    assert!((saxpy - 1.0).abs() < 0.05, "{saxpy}");
}
