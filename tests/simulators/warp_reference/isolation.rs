//! `isolation.csv`: one kernel on 1 to 30 SMs.

use crate::warp_reference::reference::{Row, table};

/// Compares all common columns, to the cycle.
fn check(row: &Row) {
    let results = row.run();
    let found = &results.kernels[0];
    let name = format!(
        "{} on {} SMs, {}, warm {}",
        row.text("kernel"),
        row.text("sms"),
        row.text("scheduler"),
        row.text("l2_warm")
    );
    assert_eq!(results.cycles, row.number("cycles"), "{name}: cycles");
    assert_eq!(
        found.warp_instructions,
        row.number("warp_insn"),
        "{name}: warp instructions"
    );
    assert_eq!(
        found.thread_instructions,
        row.number("thread_insn"),
        "{name}: thread instructions"
    );
    // Among requests to a missing sector in L1, GPGPU-Sim counts only the first request.
    let traffic = &results.traffic;
    assert_eq!(
        [traffic.l1_accesses, traffic.l2_accesses],
        ["l1_acc", "l2_acc_sectors"].map(|column| row.number(column)),
        "{name}: sectors at L1 and L2"
    );
    assert_eq!(
        [traffic.dram_reads, traffic.dram_writes],
        ["dram_reads", "dram_writes"].map(|column| row.number(column)),
        "{name}: sectors at DRAM"
    );
    let stalls = &results.stalls;
    assert_eq!(
        [stalls.idle, stalls.scoreboard, stalls.pipeline],
        row.stalls(),
        "{name}: idle, scoreboard, pipeline"
    );
}

/// Checks the rows of `kernel` with `sms` SMs.
fn rows(kernel: &str, sms: &[u64]) {
    let mut checked = 0;
    for row in table("isolation") {
        let of_kernel = row.text("kernel").split(':').next() == Some(kernel);
        if of_kernel && sms.contains(&row.number("sms")) {
            check(&row);
            checked += 1;
        }
    }
    assert!(checked >= 2 * sms.len(), "{kernel}: {checked} rows");
}

/// Runs take about the same time on one SM and on thirty SMs; `benches/warps.rs` runs all rows.
const SMS: [u64; 4] = [15, 20, 25, 30];

#[test]
fn vadd() {
    rows("vadd", &[1, 2, 5, 10, 15, 20, 25, 30]);
}

#[test]
fn pc() {
    rows("pc", &[1, 2, 5, 10, 15, 20, 25, 30]);
}

#[test]
fn conv2d() {
    rows("conv2d", &SMS);
}

#[test]
fn matmul() {
    rows("matmul", &SMS);
}
