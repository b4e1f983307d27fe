//! `shared.csv`: kernels with shared memory, barriers and atomics, imported from `tasksets/kernels/ptx/shared.ptx`.

use gpusched::gpu::gpu::{Launch, Results, run};
use gpusched::gpu::import::ptx::{Module, import};
use gpusched::gpu::machine::MachineShape;
use gpusched::gpu::{Machine, Program};

use crate::programs::twins::{arguments, options};
use crate::warp_reference::reference::{Row, file, table};

/// Simulates the row.
fn simulated(row: &Row, module: &Module) -> Results {
    let options = options(
        row.text("grid"),
        row.text("block"),
        arguments(row.text("arguments")),
    );
    let program: Program = import(module, row.text("kernel"), &options).unwrap();
    let shape: MachineShape = Machine::named(&row.text("machine").to_lowercase())
        .unwrap()
        .into_shape();
    let launch = Launch::of_program(&program).unwrap();
    run(&Machine::new(shape).unwrap(), &[launch], &row.settings(&program)).unwrap()
}

/// Compares all rows. Returns the number of exact rows, and the number of rows with a fence.
fn compare() -> [usize; 2] {
    let module = Module::read(&file("tasksets/kernels/ptx/shared.ptx")).unwrap();
    let mut counts = [0; 2];
    for row in table("shared") {
        let results = simulated(&row, &module);
        let found = &results.kernels[0];
        let name = format!("{row:?}");
        assert_eq!(
            [
                found.warp_instructions,
                found.thread_instructions,
                results.traffic.l1_accesses
            ],
            ["warp_insn", "thread_insn", "l1_acc"].map(|column| row.number(column)),
            "{name}"
        );
        let cycles = row.number("cycles");
        let error = results.cycles.abs_diff(cycles) as f64 / cycles as f64;
        if row.text("kernel") == "fences" {
            // A fence invalidates L1 in the same cycle for all warps, but GPGPU-Sim waits until the scheduler looks
            // at the warp.
            assert!(error < 0.015, "{name}: {}", results.cycles);
            counts[1] += 1;
        } else {
            let stalls = &results.stalls;
            assert_eq!(
                [
                    results.cycles,
                    results.traffic.l2_accesses,
                    stalls.idle,
                    stalls.scoreboard,
                    stalls.pipeline
                ],
                [
                    "cycles",
                    "l2_acc_sectors",
                    "sched_idle",
                    "sched_scoreboard",
                    "sched_pipe_stall"
                ]
                .map(|column| row.number(column)),
                "{name}"
            );
            counts[0] += 1;
        }
    }
    counts
}

#[test]
fn shared_memory_barriers_and_atomics_agree() {
    assert_eq!(compare(), [154, 14]);
}
