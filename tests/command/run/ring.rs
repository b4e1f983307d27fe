//! The file of records: a killed run loses at most the record that it was writing, and a run that ends leaves no file.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gpusched::Time;
use gpusched::model::Factor;
use gpusched::model::reader::{Plans, TaskSets};
use gpusched::runtime::trace::ring::{Recovered, Ring, recover};
use gpusched::runtime::{Control, Prepared, Program, Work, simulated};
use rand::{RngExt, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::Case;
use crate::support::{files, root, rounds, run};

impl Case {
    /// Returns the names of all files beside the plan.
    fn files(&self) -> Vec<std::path::PathBuf> {
        files(self.plan.parent().unwrap())
    }
}

/// Returns the command of `line`, without its output.
pub fn silent(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusched"));
    command.args(line.split_whitespace()).current_dir(root());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Sends `signal` to `child`.
pub fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits until the file contains at least `records` records, and returns its content.
pub fn wait_for(ring: &Path, records: u64) -> Recovered {
    for _ in 0..20_000 {
        let found = recover(ring)
            .ok()
            .filter(|found| found.run.totals().jobs >= records);
        match found {
            Some(found) => return found,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    panic!("no records after 20 s");
}

#[test]
fn a_run_that_ends_leaves_only_its_trace() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let before = case.files();
    let ring = case.plan.with_file_name("ring.bin");
    let plain = run(&case.traced("--backend simulated"));
    let trace = std::fs::read(&case.trace).unwrap();
    let line = format!("--backend simulated --ring {}", ring.display());
    assert_eq!(run(&case.traced(&line)), plain);
    assert_eq!(std::fs::read(&case.trace).unwrap(), trace);
    std::fs::remove_file(&case.trace).unwrap();
    assert_eq!(case.files(), before);
    // The result of a failed run is also complete.
    let late = run(&case.line(&format!("{line} --execution radar#7=3.5ms")));
    assert_eq!((late.code, case.files()), (1, before.clone()));
    // The records of an earlier run are never overwritten.
    std::fs::write(&ring, "records").unwrap();
    let refused = run(&case.line(&line));
    assert_eq!(refused.code, 2);
    let expected =
        "ring.bin: found a file, which may contain the records of an earlier run, expected no file\n\nhint: ";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    assert_eq!(std::fs::read(&ring).unwrap(), b"records");
    let refused = run(&format!("recording recover {}", ring.display()));
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(
        refused
            .stderr
            .contains("found another file, expected a file with the records of a run"),
        "{}",
        refused.stderr
    );
    let trace = case.trace.display();
    let same = run(&case.line(&format!("--backend simulated --ring {trace} -o {trace}")));
    assert_eq!(same.code, 2, "{}", same.stderr);
    assert!(!case.trace.exists());
}

/// `GPUSCHED_TESTS=full cargo test --test command run::ring` kills 200 runs.
#[test]
fn a_killed_run_keeps_all_complete_records() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let ring = case.plan.with_file_name("ring.bin");
    // 252,000 jobs. Equal seeds give equal runs, so a complete run shows what each record contains.
    let line = "--backend simulated --duration 1200s";
    let all = run(&case.line(&format!("{line} --format csv"))).stdout;
    let mut rows: Vec<Vec<&str>> = vec![Vec::new(); 2];
    for row in all.lines().skip(1) {
        rows[usize::from(row.starts_with("1,"))].push(row);
    }
    let jobs = rows.iter().map(|rows| rows.len() as u64).sum::<u64>();
    let mut rng = ChaCha8Rng::seed_from_u64(0x516);
    let (mut ends, mut incomplete) = (Vec::new(), 0);
    // A fast computer may end a run before the kill, which then comes earlier in the next one.
    let (wanted, mut longest, mut round) = (rounds(200), 40_000, 0);
    while (ends.len() as u64) < wanted {
        round += 1;
        assert!(round <= 40 * wanted, "only {} of {round} kills hit", ends.len());
        let mut command = silent(&case.traced(&format!("{line} --ring {}", ring.display())));
        let mut child = command.spawn().unwrap();
        // On a busy computer, a run of low priority does not end before the kill.
        let pid = child.id().to_string();
        let lowered = Command::new("renice").args(["-n", "19", "-p", &pid]).output();
        drop(lowered); // a computer without `renice` is fast enough, or the test fails
        let before = wait_for(&ring, 1);
        std::thread::sleep(Duration::from_micros(rng.random_range(0..longest)));
        let seen = recover(&ring).map_or(before, |found| found);
        child.kill().unwrap();
        child.wait().unwrap();
        let Ok(found) = recover(&ring) else {
            assert!(case.trace.exists() && !ring.exists());
            longest = (longest * 9 / 10).max(100);
            continue;
        };
        assert!(
            found.incomplete <= 1 && found.lost == 0,
            "{} incomplete",
            found.incomplete
        );
        incomplete += found.incomplete;
        for (index, (part, rows)) in found.run.partitions.iter().zip(&rows).enumerate() {
            assert!(part.records.len() >= seen.run.partitions[index].records.len());
            for (record, row) in part.records.iter().zip(rows) {
                let task = found.heading.program.partitions[index].tasks[record.job.task].position;
                let (job, status) = (record.job, record.status);
                let expected = format!(
                    "{index},{task},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                    job.number,
                    job.arrival,
                    record.visible,
                    record.decision,
                    record.enqueued,
                    record.completion,
                    job.deadline,
                    status.missed,
                    status.overrun,
                    status.late_wake,
                    status.failed,
                    job.chunk,
                    record.last
                );
                assert_eq!(*row, expected, "round {round}");
            }
        }
        // The run was complete, and the kill hit only the writing of its trace.
        if found.run.totals().jobs == jobs && !ends.is_empty() {
            longest = (longest * 9 / 10).max(100);
            std::fs::remove_file(&ring).unwrap();
            continue;
        }
        ends.push(found.run.totals().jobs);
        if ends.len() == 1 {
            let recovered = run(&format!(
                "recording recover {} -o {}",
                ring.display(),
                case.trace.display()
            ));
            assert_eq!(recovered.code, 0, "{}", recovered.stderr);
            let trace = case.read();
            let kernels = trace["traceEvents"].as_array().unwrap();
            let kernels = kernels.iter().filter(|event| event["cat"] == "kernel").count() as u64;
            assert_eq!(
                (kernels, &trace["gpusched"]["totals"]["jobs"]),
                (ends[0], &ends[0].into())
            );
            if found.run.partitions.iter().all(|part| part.records.len() > 1000) {
                let audit = case.audit();
                assert!(audit.stdout.contains("the trace ends at "), "{}", audit.stdout);
                assert_eq!(audit.code, 0, "{}", audit.stdout);
            }
            std::fs::remove_file(&case.trace).unwrap();
        }
        std::fs::remove_file(&ring).unwrap();
    }
    ends.sort_unstable();
    ends.dedup();
    // Kills at one place would show little.
    assert!(
        ends.len() as u64 > wanted / 4,
        "{ends:?}, {incomplete} incomplete"
    );
}

/// SIGINT and SIGTERM stop a run after its running jobs, and the result is written.
#[test]
fn a_signal_stops_a_run_orderly() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let ring = case.plan.with_file_name("ring.bin");
    for signal in ["-INT", "-TERM"] {
        let line = format!("--backend simulated --duration 6000s --ring {}", ring.display());
        let mut child = silent(&case.traced(&line)).spawn().unwrap();
        // The file has its length when the run begins.
        while std::fs::metadata(&ring).map_or(0, |ring| ring.len()) < 1_260_000 * 64 {
            std::thread::sleep(Duration::from_millis(1));
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(1), "{signal}");
        assert!(!ring.exists());
        let head = &case.read()["gpusched"];
        assert_eq!(head["kept"], true);
        assert!(head["ends_ns"].as_u64().unwrap() < 6_000_000_000_000, "{head}");
        assert!(head["totals"]["jobs"].as_u64().unwrap() < 1_260_000, "{head}");
        std::fs::remove_file(&case.trace).unwrap();
        assert_eq!(case.files().len(), 2, "{:?}", case.files());
    }
}

/// The file in the documentation is a run of a stored plan. The records of its second half are missing, and one is damaged, as
/// if the run had been killed. `GPUSCHED_UPDATE=1` writes the file.
#[test]
fn the_example_in_the_documentation_is_current() {
    const EXAMPLE: &str = "tasksets/recordings/killed-run.ring";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.bin");
    let [plan, set] = ["plan-np-edf.json", "set.json"]
        .map(|name| root().join("tasksets/measurements/h100/runs").join(name));
    let (plan, set) = (
        Plans::only(plan, "plan").unwrap(),
        TaskSets::only(set, "set").unwrap(),
    );
    let Ok(Prepared::Ready(program)) = Program::prepare(&plan, &set, None) else {
        panic!()
    };
    let work = Work {
        seed: 1,
        shortest: Factor::from_f64(0.5).unwrap(),
        stated: Default::default(),
        faults: Default::default(),
    };
    let ring = Ring::create(&path).unwrap();
    let control = Control {
        stop: &AtomicBool::new(false),
        ring: Some(&ring),
    };
    simulated::run(&program, &work, Time::from_ns(100_000_000), control).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let all = recover(&path).unwrap().run.partitions;
    let records: usize = all.iter().map(|part| part.records.len()).sum();
    // The blocks are at the end of the file, each with 128 bytes before its records.
    let mut start = bytes.len() - 64 * (records + 2 * all.len());
    for part in &all {
        let kept = part.records.len() / 2;
        let end = start + 64 * (2 + part.records.len());
        let from = start + 64 * (2 + kept);
        bytes[from..end].fill(0);
        start = end;
    }
    let damaged = bytes.len() - 64 * (all[3].records.len() - all[3].records.len() / 2);
    bytes[damaged] = 7;
    if std::env::var_os("GPUSCHED_UPDATE").is_some() {
        std::fs::write(root().join(EXAMPLE), &bytes).unwrap();
    }
    assert!(
        std::fs::read(root().join(EXAMPLE)).unwrap() == bytes,
        "run this test with GPUSCHED_UPDATE=1"
    );
    let found = recover(&root().join(EXAMPLE)).unwrap();
    assert_eq!(
        (found.incomplete, found.run.totals().jobs),
        (1, 10 + 11 + 14 + 28)
    );
}
