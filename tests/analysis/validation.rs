//! Guarantee: accepted task sets meet their deadlines in simulation. A broken analysis is detected, and the
//! counterexample is reduced to a few tasks for `simulate tasks`.
#![cfg(feature = "cli")]

use crate::support::rounds;
use crate::support::run;
use crate::support::transcript::Transcript;
use gpusched::interference::model_of;
use gpusched::interference::{CoLocated, InflatedWcet, Interference};
use gpusched::model::policy::{Priorities, Strength};
use gpusched::model::{Kind, Policy, Task};
use gpusched::simulator::campaign::{Campaign as _, Header};
use gpusched::simulator::validation::check::Breach;
use gpusched::simulator::validation::{Campaign, Report};
use gpusched::time::Time;
use gpusched_cli::reproducer;
use insta::assert_snapshot;
use serde_json::Value;

fn campaign(systems: u64, seed: u64, analysis: fn(Interference) -> &'static dyn InflatedWcet) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().build().unwrap();
    let campaign = Campaign {
        systems,
        seed,
        policy: None,
        analysis,
    };
    pool.install(|| campaign.run(None, |_| {})).unwrap()
}

#[test]
fn accepted_partitions_keep_their_promises() {
    let report = campaign(rounds(16_000), 3, model_of);
    assert_eq!(report.breaches(), 0, "{:?}", report.reproducer);
    assert!(report.reproducer.is_none());
    assert_eq!(report.policies.len(), 20);
    for (policy, tally) in &report.policies {
        assert_eq!(tally.systems, rounds(800), "{policy}");
        assert!(tally.schedulable > rounds(200), "{policy}: {tally:?}");
        assert!(
            tally.partitions > rounds(800) && tally.runs >= 5 * tally.partitions,
            "{policy}: {tally:?}"
        );
        assert!(tally.jobs > rounds(50_000), "{policy}: {tally:?}");
        let bounds = matches!(
            policy,
            Policy::Edf | Policy::NpFifo | Policy::Concurrent | Policy::FixedPriority(..)
        );
        assert_eq!(tally.bounded() > 0, bounds, "{policy}: {tally:?}");
        let audsley = matches!(policy, Policy::FixedPriority(_, Priorities::Audsley));
        assert_eq!(tally.rejected == 0, audsley, "{policy}");
        // Sets that an exact test rejects can miss deadlines, and critical releases show the miss.
        if policy.strength() == Strength::Exact && !audsley {
            assert!(tally.rejected > rounds(300), "{policy}: {tally:?}");
            let explained = tally.rejected_missed + tally.rejected_overloaded;
            // Under FIFO, the worst case of a task has a release of its own, and `exactness::fifo` simulates it.
            match policy {
                Policy::NpFifo => assert!(explained > tally.rejected / 2, "{policy}: {tally:?}"),
                _ => assert_eq!(explained, tally.rejected, "{policy}"),
            }
            assert!(tally.rejected_overloaded < 10, "{policy}: {tally:?}");
        }
    }
    let sufficient = report
        .policies
        .iter()
        .filter(|(policy, _)| policy.strength() == Strength::Sufficient);
    assert!(
        sufficient
            .clone()
            .any(|(_, tally)| tally.rejected_missed < tally.rejected)
    );
    let total = report.total();
    assert!(total.preemptions > rounds(100_000), "{total:?}");
}

/// A broken analysis that uses half of each WCET.
struct Halved(Interference);

impl InflatedWcet for Halved {
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time> {
        let wcet = model_of(self.0).wcet(task, sms, co_located)?;
        Some(Time::from_ns(wcet.ns().div_ceil(2)))
    }

    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128 {
        model_of(self.0).least_work(task, co_located) / 2
    }

    fn classes(&self) -> u8 {
        model_of(self.0).classes()
    }

    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8 {
        model_of(self.0).class(kind, co_located)
    }
}

fn halved(interference: Interference) -> &'static dyn InflatedWcet {
    match interference.counts_conflicts() {
        true => &Halved(Interference::Conflict),
        false => &Halved(Interference::None),
    }
}

#[test]
fn a_broken_analysis_is_caught_and_cut_down() {
    let folder = tempfile::tempdir().unwrap();
    let mut single = 0;
    for seed in 1..=12 {
        let report = campaign(320, seed, halved);
        for (policy, tally) in &report.policies {
            assert!(tally.breaches() > 0, "{policy}, seed {seed}: {tally:?}");
        }
        let found = report.reproducer.unwrap();
        let (arguments, set) = (reproducer::arguments(&found), reproducer::set(&found));
        assert!(set.tasks().len() <= 3, "{found:?}");
        single += usize::from(set.tasks().len() == 1);
        let file = folder.path().join(format!("{seed}.json"));
        std::fs::write(&file, serde_json::to_string(&set).unwrap()).unwrap();
        let line = arguments.replace("FILE", &file.display().to_string());
        assert_eq!(set.name(), Some(format!("gpusched {arguments}").as_str()));
        let answer = run(&format!("{line} --format json"));
        let summary: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let missed = summary["misses"].as_u64().unwrap() > 0;
        assert_eq!(answer.code, i32::from(missed));
        assert_eq!(missed, found.breach == Breach::Miss, "{line}: {answer:?}");
        assert!(summary["jobs"].as_u64().unwrap() < 100, "{line}: {answer:?}");
    }
    assert!(single > 0);
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_sittings() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let validate = |options: &str| run(&format!("validate --systems 2000 --seed 5 --quiet {options}"));
    let whole = validate(&format!(
        "--format csv --threads 1 --pessimism {}",
        path("whole.csv")
    ));
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""), "{whole:?}");
    assert_eq!(whole.stdout.lines().count(), 21);
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    for threads in ["2", "3"] {
        let options = format!(
            "--format csv --threads {threads} --pessimism {} --checkpoint {}",
            path("p.csv"),
            path(threads)
        );
        assert_eq!(validate(&options), whole);
        assert_eq!(read("p.csv"), read("whole.csv"));
        // The process was killed while writing a line, and then continued.
        let lines: Vec<String> = read(threads).lines().map(|line| format!("{line}\n")).collect();
        assert_eq!(lines.len(), 5);
        for kept in [0, 1, 3, 5] {
            let cut = lines.get(kept).map_or("", |line| &line[..line.len() / 2]);
            std::fs::write(path(threads), lines[..kept].concat() + cut).unwrap();
            assert_eq!(validate(&options), whole, "{kept} lines");
            assert_eq!(read(threads).lines().count(), 5);
        }
    }
    let columns = |text: &str, column: usize| -> f64 {
        let last = text
            .lines()
            .last()
            .unwrap()
            .split(',')
            .nth(column)
            .unwrap()
            .to_owned();
        last.parse().unwrap()
    };
    assert_eq!(
        (columns(&read("whole.csv"), 1), columns(&read("whole.csv"), 3)),
        (1.0, 1.0)
    );
}

#[test]
fn every_validation_continues_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let program = format!(
        "{}/tasksets/kernels/programs/fma4.json",
        env!("CARGO_MANIFEST_DIR")
    );
    for (options, lines) in [
        ("--systems 300 --shared-memory".to_owned(), 4),
        ("--systems 130 --end-to-end".to_owned(), 4),
        (format!("--systems 3 --warps --climb 1 {program}"), 4),
    ] {
        let seeded = |seed: u64, more: &str| run(&format!("validate --quiet --seed {seed} {options} {more}"));
        let validate = |more: &str| seeded(6, more);
        let whole = validate("--threads 1");
        assert_eq!((whole.code, whole.stderr.as_str()), (0, ""), "{options}");
        let continued = format!("--threads 2 --checkpoint {}", path.display());
        assert_eq!(validate(&continued), whole, "{options}");
        let text = std::fs::read_to_string(&path).unwrap();
        let written: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(written.len(), lines, "{options}");
        // The process was killed while it wrote a line.
        std::fs::write(&path, written[..3].concat() + &written[3][..10]).unwrap();
        assert_eq!(validate(&continued), whole, "{options}");
        let other = seeded(7, &continued);
        let told = "at seed: found a checkpoint with 6, expected 7";
        assert!(
            other.code == 2 && other.stderr.contains(told),
            "{options}: {}",
            other.stderr
        );
        std::fs::remove_file(&path).unwrap();
    }
}

/// Two campaigns with different parameters have different hashes, which are equal on every machine: 64-bit FNV-1a of the
/// parameters as JSON.
#[test]
fn a_checkpoint_names_its_parameters() {
    let hash = |parameters: &str| {
        let header = Header::new(1, 2).of("end-to-end", &parameters).unwrap();
        serde_json::to_value(&header).unwrap()["parameters"].as_u64()
    };
    assert_eq!(hash("foobar"), Some(0x6477_f76a_9c2f_ba7e));
    assert_ne!(hash("foobaz"), hash("foobar"));
}

#[test]
fn bad_usage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let checkpoint = path.display().to_string();
    assert_eq!(
        run(&format!(
            "validate --systems 10 --quiet --checkpoint {checkpoint}"
        ))
        .code,
        0
    );
    let other = folder.path().join("other");
    std::fs::write(&other, "period,wcet\n").unwrap();
    let torn = folder.path().join("torn");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&torn, text.replacen("\"chunk\"", "\"junk\"", 1)).unwrap();
    let before = std::fs::read(&other).unwrap();
    let mut told = Transcript::in_folder(folder.path());
    for options in [
        "--systems 0".to_owned(),
        "--systems -1".to_owned(),
        "--systems 10 --seed x".to_owned(),
        "--systems 10 --pessimism missing/p.csv".to_owned(),
        "--systems 10 -o missing/v.json".to_owned(),
        "--systems 10 --checkpoint missing/c".to_owned(),
        format!("--systems 11 --checkpoint {checkpoint}"),
        format!("--systems 10 --seed 2 --checkpoint {checkpoint}"),
        format!("--systems 10 --checkpoint {}", other.display()),
        format!("--systems 10 --checkpoint {}", torn.display()),
        "SET".to_owned(),
    ] {
        told.refusal(&options, &run(&format!("validate {options}")));
    }
    assert_snapshot!(told);
    assert_eq!(std::fs::read(&other).unwrap(), before);
}
