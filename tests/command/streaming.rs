//! Streams of task sets are written and read in bounded memory.
//!
//! The test runs `generate | test` as a pipe of two processes and reads the results. The last
//! results stay unread. They are larger than the buffer of a pipe, so `gpusched test` cannot end.
//! At that point, after almost the whole stream, the test reads the peak memory of
//! `gpusched test` (VmHWM of /proc/PID/status). During the run, the test reads the peak memory of
//! `gpusched generate`.
#![cfg(target_os = "linux")]
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const SETS: usize = 20_000;
const TASKS: &str = "10";

/// Memory limit of each process [KiB].
const LIMIT: u64 = 100 * 1024;

/// Minimum size of the whole stream as text [KiB]. Memory may grow by a fraction of it only.
const STREAM: u64 = 20 * 1024;

/// Largest resident memory of `child` so far [KiB]; `None` after its end.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let gpusched = || Command::new(env!("CARGO_BIN_EXE_gpusched"));
    let count = SETS.to_string();
    let mut generate = gpusched()
        .args([
            "generate",
            "--tasks",
            TASKS,
            "--utilization",
            "2",
            "--count",
            &count,
            "--quiet",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut test = gpusched()
        .args(["test", "-", "--sms", "16", "--format", "json"])
        .stdin(generate.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();

    let mut answers = BufReader::new(test.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut peaks_of_generate = Vec::new();
    let mut peaks_of_test = Vec::new();
    // Results are longer than 70 bytes, so 2,000 of them fill the pipe of 64 KiB and the other buffers.
    for position in 0..SETS - 2_000 {
        let answer = answers.next().unwrap();
        assert!(answer.len() > 70, "{answer}");
        if position % 500 == 499 {
            peaks_of_generate.extend(peak(&generate));
            peaks_of_test.push(peak(&test).expect("test has not ended"));
        }
    }
    assert_eq!(answers.count(), 2_000);
    assert!(generate.wait().unwrap().success());
    test.wait().unwrap();

    assert!(peaks_of_generate.len() > 20, "{peaks_of_generate:?}");
    for peaks in [&peaks_of_generate, &peaks_of_test] {
        let (early, last) = (peaks[3], peaks[peaks.len() - 1]);
        assert!(last < LIMIT, "{peaks:?} KiB");
        // The count of the kernel is approximate, so a later value may be slightly lower.
        assert!(last.saturating_sub(early) < STREAM / 2, "{peaks:?} KiB");
    }
    println!(
        "peak of generate {:?} KiB, of test {:?} KiB",
        peaks_of_generate.last(),
        peaks_of_test.last()
    );
}
