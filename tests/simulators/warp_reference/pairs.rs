//! `pairs.csv`: two kernels released together, on shared or separate SMs.
//!
//! In these runs, GPGPU-Sim gives its first block to the second cluster instead of the first cluster, as after a kernel
//! of a single block. With such a kernel before them, all rows agree to the cycle. Without it, blocks use other ports
//! of the crossbar, and kernel times differ by up to a third (`a_short_kernel_before_shifts_what_follows`).

use gpusched::gpu::Program;
use gpusched::gpu::gpu::{KernelResult, Launch, Settings, run};
use gpusched::gpu::program::FIRST_ADDRESS;

use crate::warp_reference::reference::{LIMIT, Row, extents, machine, program, table};

/// Release of the kernels of a pair [core cycles]. 2730 cycles at 1365 MHz equal 7001 cycles at 3500.5 MHz, so all
/// clocks have the same phase as in cycle 0.
const RELEASE: u64 = 2730;

/// A warp that does not change the state of its SM: after 8 cycles, the same scheduler is first again.
const BEFORE: &str = r#"{"name":"before","grid":1,"block":32,"body":[{"op":"other"},{"op":"exit"}]}"#;

/// Returns the kernels of a pair; the buffers of the second kernel follow the buffers of the first.
fn programs(row: &Row) -> [Program; 2] {
    let first = program(row.text("k1"), FIRST_ADDRESS);
    let last = extents(&first).pop().unwrap();
    let second = program(row.text("k2"), (last.address + last.bytes).next_multiple_of(256));
    [first, second]
}

/// Runs the kernels of `present` on a machine with the buffers of both kernels. The second kernel is released one cycle
/// after the first.
fn simulate(row: &Row, present: &[usize], after_another: bool) -> Vec<KernelResult> {
    let programs = programs(row);
    let mut launches: Vec<Launch> = Vec::new();
    for (place, &index) in present.iter().enumerate() {
        let mut launch = Launch::of_program(&programs[index]).unwrap();
        launch.at = RELEASE + place as u64;
        launches.push(launch);
    }
    if after_another {
        let before: Program = serde_json::from_str(BEFORE).unwrap();
        launches.push(Launch::of_program(&before).unwrap());
    }
    let warm = row.number("perf_sim_memcpy") == 1;
    let settings = Settings {
        scheduler: row.scheduler("sched"),
        warm: if warm {
            programs.iter().flat_map(extents).collect()
        } else {
            Vec::new()
        },
        limit: LIMIT,
        ..Settings::default()
    };
    let machine = machine(row.number("concurrent_kernel_sm") == 1);
    run(&machine, &launches, &settings).unwrap().kernels
}

/// Returns the cycles since the release. In the reference data, the first blocks start in cycle 0.
fn since(cycle: u64) -> u64 {
    cycle - RELEASE - 1
}

/// Runs both kernels and returns the end of the first kernel, and the start and end of the second.
fn together(row: &Row) -> [u64; 3] {
    let kernels = simulate(row, &[0, 1], true);
    [
        since(kernels[0].finish),
        since(kernels[1].first_block.unwrap()),
        since(kernels[1].finish),
    ]
}

/// Returns the rows whose id starts with `family`.
fn family(family: &str, count: usize) -> Vec<Row> {
    let rows = table("pairs").into_iter();
    let rows: Vec<Row> = rows.filter(|row| row.text("id").starts_with(family)).collect();
    assert_eq!(rows.len(), count, "{family}");
    rows
}

fn check(rows: &[Row]) {
    for row in rows {
        let expected = ["k1_finish", "k2_first_block", "k2_finish"].map(|column| row.number(column));
        assert_eq!(together(row), expected, "{}", row.text("id"));
    }
}

/// The second kernel gets the remaining places of the first kernel, block by block.
#[test]
fn one_after_another_on_shared_sms() {
    check(&family("full_pair_", 8));
}

#[test]
fn side_by_side_on_shared_sms() {
    check(&family("smshare_pair_", 12));
}

#[test]
fn on_sms_of_their_own() {
    check(&family("spatial_pair_", 16));
}

#[test]
fn alone() {
    let mut seen = Vec::new();
    for row in table("pairs") {
        for (kernel, column) in ["k1_alone", "k2_alone"].into_iter().enumerate() {
            let run = (
                row.text(["k1", "k2"][kernel]).to_owned(),
                row.scheduler("sched"),
                row.number("perf_sim_memcpy"),
                (row.number("perf_sim_memcpy") == 0).then_some((kernel, row.text("k1").to_owned())),
            );
            if seen.contains(&run) {
                continue; // Buffer addresses affect the time in DRAM, but not in L2 if the buffers fit.
            }
            let found = since(simulate(&row, &[kernel], true)[0].finish);
            assert_eq!(found, row.number(column), "{}: {column}", row.text("id"));
            seen.push(run);
        }
    }
    assert!(seen.len() > 20, "{}", seen.len());
}

#[test]
fn a_short_kernel_before_shifts_what_follows() {
    let rows = family("smshare_pair_copyl+copyl_gto", 1);
    let alone = |after_another| since(simulate(&rows[0], &[0], after_another)[0].finish);
    assert_eq!([alone(true), alone(false)], [6782, 5585]);
}
