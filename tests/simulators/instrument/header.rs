//! The host code of the header computes the same trace as the reference implementation. The tests require a C++
//! compiler `c++`. Without such a compiler, they check nothing.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::process::Command;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::instrument::Record;
use crate::instrument::reference::rows;
use crate::support::root;

/// Returns the output of the header for `runs`, or `None` without a C++ compiler.
fn header(runs: &[Vec<Record>]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("trace");
    let compiler = Command::new("c++")
        .args(["-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("tasksets/instrument"))
        .arg(root().join("tests/simulators/instrument/trace.cpp"))
        .arg("-o")
        .arg(&program)
        .output();
    let compiler = match compiler {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        compiler => compiler.unwrap(),
    };
    assert!(
        compiler.status.success(),
        "{}",
        String::from_utf8_lossy(&compiler.stderr)
    );
    let mut input = String::new();
    for (run, records) in runs.iter().enumerate() {
        writeln!(input, "{run} {} {}", run % 2, records.len()).unwrap();
        for Record { start, end, sm } in records {
            writeln!(input, "{start} {end} {sm}").unwrap();
        }
    }
    let output = assert_cmd::Command::new(program).write_stdin(input).unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns the records of `blocks` blocks on random places of up to four SMs, on a clock with a random tick.
fn random(random: &mut ChaCha8Rng, blocks: usize) -> Vec<Record> {
    let (sms, places) = (random.random_range(1..=4), random.random_range(1..=4));
    let tick = [1, 32, 1000][random.random_range(0..3)];
    let mut free: Vec<(u64, usize)> = (0..sms * places)
        .map(|place| (random.random_range(1_000_000..1_000_100), place % sms))
        .collect();
    { 0..blocks }
        .map(|_| {
            free.sort_unstable();
            let (time, sm) = free[0];
            let start = time + random.random_range(0..50);
            let end = start + random.random_range(0..3000);
            free[0].0 = end + random.random_range(0..20);
            Record {
                start: start / tick * tick,
                end: end / tick * tick,
                sm,
            }
        })
        .collect()
}

#[test]
fn the_header_follows_its_definition() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let runs: Vec<Vec<Record>> = { 0..400 }
        .map(|run| random(&mut generator, 2 + run % 60))
        .filter(|records| records.iter().any(|record| record.end != records[0].start))
        .collect();
    let Some(found) = header(&runs) else { return };
    let mut expected = "run,block,start_ns,duration_ns,q\n".to_owned();
    for (run, records) in runs.iter().enumerate() {
        expected += &rows(run, (run % 2) as u8, records);
    }
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn the_header_rejects_incomplete_records() {
    let record = |start, end| Record { start, end, sm: 0 };
    let runs = [
        vec![record(5, 9), record(0, 0)],
        vec![record(5, 9), record(9, 0)],
        vec![record(5, 9), record(9, 8)],
        vec![record(1024, 1024), record(1024, 1024)],
        vec![record(1, 1 << 41), record(2, 5)],
    ];
    let Some(found) = header(&runs) else { return };
    let expected = [
        "run,block,start_ns,duration_ns,q",
        "gpusched_trace: block 1 has no start: is the grid smaller than the buffer?",
        "gpusched_trace: block 1 has no end: does every thread call end()?",
        "gpusched_trace: block 1 ends before its start: the timer of the GPU was set back",
        "gpusched_trace: all recorded times are equal: the blocks are shorter than the tick of the timer",
        "gpusched_trace: block 0 takes longer than 2^40 ns",
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}
