//! From the recorded blocks to a bound on the kernel: the bound is at least the length of every simulated run.

use std::path::Path;

use serde_json::Value;

use crate::instrument::kernels::{Run, done, import, simulate};
use crate::instrument::reference::{durations, rows};
use crate::support::root;

/// The instrumented kernel: 24 of its 120 blocks run at a time, on six SMs.
const GRID: u64 = 120;
const ROUNDS: u64 = 2;
const SMS: u64 = 6;
const PLACES: u64 = 24;
/// Runs in isolation, and runs under interference.
const RUNS: u64 = 18;

/// Returns the bound on the kernel at budget `q` [ns], after `wcet verify` has accepted the bound.
fn bound(folder: &Path, kernel: &Path, q: u8) -> u64 {
    let path = folder.join("bound.json");
    let bound = done(&format!("wcet bound {} --q {q} --format json", kernel.display()));
    std::fs::write(&path, &bound).unwrap();
    done(&format!("wcet verify {} {}", path.display(), kernel.display()));
    let bound: Value = serde_json::from_str(&bound).unwrap();
    bound["wcet_ns"].as_u64().unwrap()
}

#[test]
fn a_recorded_trace_bounds_every_simulated_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let traced = import(folder, "vector_add_traced", GRID, ROUNDS);
    let other = import(folder, "vector_add", 240, 2 * ROUNDS);
    // The launches differ, so the clocks of the SMs, of L2 and of DRAM have different phases in each run.
    let isolated: Vec<Run> = { 0..RUNS }
        .map(|run| simulate(folder, &traced, SMS, 37 * run, None))
        .collect();
    let interference: Vec<Run> = { 0..RUNS }
        .map(|run| simulate(folder, &traced, SMS, 1000 + 37 * run, Some(&other)))
        .collect();
    let mut isolated_bounds = Vec::new();
    for tick in [1, 32, 1000] {
        let mut trace = "run,block,start_ns,duration_ns,q\n".to_owned();
        for (q, runs) in [(0, &isolated), (1, &interference)] {
            for (number, run) in runs.iter().enumerate() {
                trace += &rows(number, q, &run.records(tick));
                let lateness = lateness(run, tick);
                for sm in 0..SMS as usize {
                    let late: i64 = { lateness.iter() }
                        .filter(|(on, _)| *on == sm)
                        .map(|(_, late)| late)
                        .sum();
                    assert!(
                        late <= 0,
                        "the blocks on SM {sm} take {late} ns longer than the trace states"
                    );
                }
            }
        }
        let (csv, kernel) = (folder.join("trace.csv"), folder.join("kernel.json"));
        std::fs::write(&csv, trace).unwrap();
        done(&format!(
            "wcet cluster {} -q -o {}",
            csv.display(),
            kernel.display()
        ));
        let profile: Value = serde_json::from_str(&std::fs::read_to_string(&kernel).unwrap()).unwrap();
        let active = profile["active_blocks"].as_u64().unwrap();
        assert!(
            (1..=PLACES).contains(&active),
            "{active} blocks at a time, tick {tick}"
        );
        for (q, runs) in [(0, &isolated), (1, &interference)] {
            let bound = bound(folder, &kernel, q);
            let longest = runs.iter().map(Run::length).max().unwrap();
            println!(
                "tick {tick} ns, q = {q}: {active} blocks at a time, bound {bound} ns, longest run {longest} ns"
            );
            if q == 0 {
                isolated_bounds.push(bound);
            }
            assert!(
                bound >= longest,
                "{bound} ns < {longest} ns, q = {q}, tick {tick} ns"
            );
        }
    }
    let all = isolated
        .iter()
        .chain(&interference)
        .flat_map(|run| lateness(run, 1));
    let all: Vec<i64> = all.map(|(_, late)| late).collect();
    let late = all.iter().filter(|late| **late > 0).count();
    let (count, latest) = (all.len(), all.iter().max().unwrap());
    let readme = std::fs::read_to_string(root().join("tasksets/instrument/README.md")).unwrap();
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    for stated in [
        format!("{late} of {count} blocks took up to {latest} ns longer"),
        format!("from {} ns to {} ns", isolated_bounds[0], isolated_bounds[2]),
    ] {
        assert!(readme.contains(&stated), "expected in the README: {stated}");
    }
}

/// Returns for each block its SM, and by how much the block ends later than the trace states [ns].
fn lateness(run: &Run, tick: u64) -> Vec<(usize, i64)> {
    let records = run.records(tick);
    let durations = durations(&records);
    { records.iter().zip(durations).zip(run.ends(tick)) }
        .map(|((record, duration), end)| (record.sm, end as i64 - (record.start + duration) as i64))
        .collect()
}
