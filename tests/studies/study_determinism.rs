//! Equal studies give equal bytes for every number of threads and shards. The numbers equal the results of a simple
//! loop.

use gpusched::interference::model_of;
use std::path::{Path, PathBuf};

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::{SMALL, parse, run, small};
use gpusched::generation::{Recipe, Source, WcetModel};
use gpusched::interference::Interference;
use gpusched::model::{Arbitration, Policy, SharedMemory};
use gpusched::partitioning::{HeuristicKind, Problem, Traffic, partition, partition_by};
use gpusched::study::{self, Observer, Overrides, Spec, Table};

#[test]
fn threads_leave_no_trace() {
    let folder = temporary();
    run(&small(), folder.path(), "1/1", 1).unwrap();
    let expected = stable_files(folder.path());
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "small.claims.json",
            "small.csv",
            "small.provenance.json",
            "small.toml"
        ]
    );
    for threads in [2, 5] {
        let folder = temporary();
        run(&small(), folder.path(), "1/1", threads).unwrap();
        assert_eq!(stable_files(folder.path()), expected, "{threads} threads");
    }
}

#[test]
fn shards_leave_no_trace() {
    let spec = small();
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 2).unwrap();
    let expected = stable_files(whole.path());
    // 60 shards exceed the number of chunks.
    for (count, own_folders) in [(1, true), (3, true), (7, true), (3, false), (60, false)] {
        let root = temporary();
        let mut folders: Vec<PathBuf> = Vec::new();
        for index in (1..=count).rev() {
            let folder = root.path().join(if own_folders {
                format!("part{index}")
            } else {
                "parts".to_owned()
            });
            run(&spec, &folder, &format!("{index}/{count}"), 2).unwrap();
            assert!(
                count == 1 || !folder.join("small.csv").exists(),
                "no results of a part"
            );
            folders.push(folder);
        }
        folders.dedup();
        let output = root.path().join("whole");
        study::merge(&folders, &output).unwrap();
        assert_eq!(stable_files(&output), expected, "{count} shards");

        // The same shard twice is not a conflict.
        folders.push(folders[0].clone());
        study::merge(&folders, &output).unwrap();
        assert_eq!(stable_files(&output), expected, "{count} shards, one twice");
    }
}

/// The block count of an analysis variant replaces the block count of the generator. Both take precedence over sets
/// without blocks.
#[test]
fn blocks_of_a_reading_replace_those_of_the_generator() {
    let text = SMALL
        .replace("memory-share = 0.5", "blocks = 20\njitter = 0.05")
        .replace("tasks = [5, 8]", "tasks = 8")
        .replace("policy = \"edf\"", "policy = \"lp-edf\"")
        .replace("interference = \"conflict\"", "blocks = 2000")
        .replace("wcet = \"amdahl\"", "wcet = \"proportional\"");
    let spec = parse(&text);
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("small.csv")).unwrap();
    let rates = |blocks: u32| -> Vec<String> {
        let recipe = Recipe {
            blocks: Some(blocks),
            jitter: "0.05".parse().ok(),
            wcet: WcetModel::Proportional,
            ..Recipe::default()
        };
        let points = [2.0, 4.0, 6.0, 8.0, 10.0].into_iter().enumerate();
        let accepted = points.map(|(point, utilization)| {
            let source = Source::new(&recipe, 8, utilization, 7).unwrap();
            let sets = (0..9).filter(|&set| {
                let set = source.draw(point as u64, set).unwrap();
                let policy = "lp-edf".parse().unwrap();
                let problem = Problem::new(
                    &set,
                    12,
                    policy,
                    model_of(spec.partitioning().unwrap().variants()[0].interference),
                )
                .unwrap();
                problem.accepts(&(0..8).collect::<Vec<_>>(), 12)
            });
            sets.count().to_string()
        });
        accepted.collect()
    };
    let (few, many) = (rates(20), rates(2000));
    assert_ne!(few, many);
    for (variant, expected) in [("literal", few), ("proportional", many)] {
        let text = |row: usize, column: &str| table.column(column).unwrap().text(row);
        let rows =
            (0..table.len()).filter(|&row| text(row, "variant") == variant && text(row, "algorithm") == "1G");
        let found: Vec<&str> = rows.map(|row| text(row, "schedulable")).collect();
        assert_eq!(found, expected, "{variant}");
    }
}

/// An analysis variant that counts traffic gives the same plans as partitioning with tasks and memory as input.
#[test]
fn readings_count_the_traffic_of_other_partitions() {
    let text = SMALL
        .replace("memory-share = 0.5", "saturation = 5")
        .replace("tasks = [5, 8]", "tasks = 8")
        .replace(
            "wcet = \"amdahl\"\npolicy = \"edf\"",
            "wcet = \"proportional\"\npolicy = \"edf\"",
        )
        .replace(
            "interference = \"conflict\"",
            "interference = \"conflict+bandwidth\"\narbitration = \"max-min\"",
        )
        .replace(
            "heuristic = \"one-per-partition\"",
            "heuristic = \"sms\"\ntraffic = \"ignore\"",
        );
    let spec = parse(&text);
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("small.csv")).unwrap();
    let found = |variant: &str, algorithm: &str| -> Vec<u64> {
        let is = |row: usize, column: &str, text: &str| table.column(column).unwrap().text(row) == text;
        let rows =
            (0..table.len()).filter(|&row| is(row, "variant", variant) && is(row, "algorithm", algorithm));
        rows.map(|row| table.column("schedulable").unwrap().text(row).parse().unwrap())
            .collect()
    };
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        saturation: Some(5),
        ..Recipe::default()
    };
    let memory = SharedMemory::new("100GB/s".parse().unwrap(), Arbitration::MaxMin);
    for (name, traffic) in [("SMS-INA", Traffic::All), ("one, each", Traffic::Ignore)] {
        let points = [2.0, 4.0, 6.0, 8.0, 10.0].into_iter().enumerate();
        let accepted = points.map(|(point, utilization)| {
            let source = Source::new(&recipe, 8, utilization, 7).unwrap();
            let sets = (0..9).filter(|&set| {
                let set = source.draw(point as u64, set).unwrap();
                let problem = Problem::new(&set, 12, Policy::Edf, model_of(Interference::Conflict)).unwrap();
                partition_by(
                    &problem.sharing(memory).unwrap(),
                    &HeuristicKind::Sms.into(),
                    traffic,
                )
                .schedulable
            });
            sets.count() as u64
        });
        assert_eq!(
            found("proportional", name),
            accepted.collect::<Vec<u64>>(),
            "{name}"
        );
    }
    let (blind, aware) = (found("literal", "SMS-INA"), found("proportional", "SMS-INA"));
    assert!(aware.iter().sum::<u64>() > 0);
    assert!(
        aware.iter().sum::<u64>() < blind.iter().sum::<u64>(),
        "{aware:?} {blind:?}"
    );
}

/// Compares the results with a loop without chunks, threads and tallies.
#[test]
fn results_are_those_of_a_plain_loop() {
    let spec = small();
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("small.csv")).unwrap();
    assert_eq!(table.columns(), study::COLUMNS);
    assert_eq!(table.len(), 10 * 2 * 4);
    let text = |row: usize, column: &str| table.column(column).unwrap().text(row).to_owned();

    let mut row = 0;
    let mut partly = 0;
    for (point, (tasks, utilization)) in [5, 8]
        .into_iter()
        .flat_map(|tasks| [2.0, 4.0, 6.0, 8.0, 10.0].map(|utilization| (tasks, utilization)))
        .enumerate()
    {
        let of = spec.partitioning().unwrap();
        for variant in of.variants() {
            let recipe = Recipe {
                wcet: variant.wcet.as_ref().unwrap().model(),
                ..Recipe::default()
            };
            let source = Source::new(&recipe, tasks, utilization, 7).unwrap();
            for (algorithm, heuristic) in of.algorithms().iter().zip(of.heuristics()) {
                let (mut schedulable, mut sms, mut merges, mut prefill) = (0, 0, 0, 0);
                for set in 0..9 {
                    let set = source.draw(point as u64, set).unwrap();
                    let problem =
                        Problem::new(&set, 12, variant.policy, model_of(variant.interference)).unwrap();
                    let plan = partition(&problem, heuristic.unwrap());
                    schedulable += u64::from(plan.schedulable);
                    sms += if plan.schedulable { plan.sms_used } else { 0 };
                    merges += plan.stats.merges_tested;
                    prefill += plan.stats.prefill_merges;
                }
                partly += usize::from(schedulable > 0 && schedulable < 9);
                let mean = |sum: f64, count: f64| format!("{:.3}", sum / count);
                for (column, expected) in [
                    ("study", "small".to_owned()),
                    ("point", point.to_string()),
                    ("utilization", utilization.to_string()),
                    ("tasks", tasks.to_string()),
                    ("variant", variant.name.clone()),
                    ("algorithm", algorithm.name.clone()),
                    ("policy", "edf".to_owned()),
                    ("interference", "conflict".to_owned()),
                    ("sms", "12".to_owned()),
                    ("sets", "9".to_owned()),
                    ("schedulable", schedulable.to_string()),
                    ("rate", format!("{:.6}", schedulable as f64 / 9.0)),
                    (
                        "mean_sms",
                        match schedulable {
                            0 => String::new(),
                            count => mean(f64::from(sms), count as f64),
                        },
                    ),
                    ("mean_merges", mean(merges as f64, 9.0)),
                    ("mean_prefill_merges", mean(prefill as f64, 9.0)),
                ] {
                    assert_eq!(text(row, column), expected, "row {row}, {column}");
                }
                row += 1;
            }
        }
    }
    assert!(
        partly > 10,
        "the study must show more than 0 and 1: {partly} rows do"
    );
}

/// Weighted schedulability does not change the experiment, and it equals the weighted sum of the results.
#[test]
fn weighted_schedulability_is_that_of_a_plain_loop() {
    let spec = parse(&SMALL.replacen("sets = 9", "sets = 9\nweighted = true", 1));
    assert_eq!(spec.experiment().unwrap(), small().experiment().unwrap());
    let (folder, other, plain) = (temporary(), temporary(), temporary());
    run(&spec, folder.path(), "1/1", 1).unwrap();
    run(&spec, other.path(), "1/1", 3).unwrap();
    run(&small(), plain.path(), "1/1", 1).unwrap();
    let files = stable_files(folder.path());
    assert_eq!(files, stable_files(other.path()));
    assert_eq!(files["small.csv"], stable_files(plain.path())["small.csv"]);
    assert!(!plain.path().join("small.weighted.csv").exists());
    let results = Table::read(folder.path().join("small.csv")).unwrap();
    let weighted = Table::read(folder.path().join("small.weighted.csv")).unwrap();
    assert_eq!(weighted.columns(), study::WEIGHTED_COLUMNS);
    assert_eq!(weighted.len(), 2 * 2 * 4);
    let text = |table: &Table, row: usize, column: &str| table.column(column).unwrap().text(row).to_owned();
    let mut between = 0;
    for row in 0..weighted.len() {
        let same = |other: &usize| {
            ["tasks", "variant", "algorithm", "policy", "interference", "sms"]
                .iter()
                .all(|column| text(&weighted, row, column) == text(&results, *other, column))
        };
        let (mut part, mut whole) = (0.0, 0.0);
        for other in (0..results.len()).filter(same) {
            let number = |column: &str| -> f64 { text(&results, other, column).parse().unwrap() };
            part += number("utilization") * number("schedulable");
            whole += number("utilization") * number("sets");
        }
        let found: f64 = text(&weighted, row, "weighted").parse().unwrap();
        assert!(
            (found - part / whole).abs() < 1e-6,
            "row {row}: {found} {part} {whole}"
        );
        assert_eq!(text(&weighted, row, "utilizations"), "5");
        assert_eq!(text(&weighted, row, "sets"), "45");
        between += usize::from(found > 0.0 && found < 1.0);
    }
    assert!(between > 5, "{between}");
    // Shards also give the weighted schedulability.
    let (first, second, whole) = (temporary(), temporary(), temporary());
    run(&spec, first.path(), "1/2", 1).unwrap();
    run(&spec, second.path(), "2/2", 1).unwrap();
    study::merge(&[first.path(), second.path()], whole.path()).unwrap();
    assert_eq!(stable_files(whole.path()), files);
}

#[test]
fn every_input_counts_in_the_identity() {
    let base = small().experiment().unwrap();
    for (from, to) in [
        ("seed = 7", "seed = 8"),
        ("sets = 9", "sets = 10"),
        ("sms = 12", "sms = 13"),
        ("to = 10", "to = 12"),
        ("tasks = [5, 8]", "tasks = [8, 5]"),
        ("memory-share = 0.5", "memory-share = 0.4"),
        ("name = \"small\"", "name = \"other\""),
        ("interference = \"conflict\"", "interference = \"none\""),
        ("forbidden = \"act\"", "forbidden = \"ina\""),
    ] {
        let changed = SMALL.replacen(from, to, 1);
        assert_ne!(changed, SMALL, "{from}");
        assert_ne!(parse(&changed).experiment().unwrap(), base, "{from} → {to}");
    }
    for (from, to) in [
        ("title = \"A small", "title = \"Another"),
        ("must_hold = true", "must_hold = false"),
        ("[axis]", "# about the axis\n[axis]"),
        ("{ from = 2, to = 10, step = 2 }", "[2, 4, 6, 8, 10]"),
        ("interference = \"conflict\"", ""),
    ] {
        let changed = SMALL.replacen(from, to, 1);
        assert_ne!(changed, SMALL, "{from}");
        assert_eq!(parse(&changed).experiment().unwrap(), base, "{from} → {to}");
    }
}

#[test]
fn another_seed_gives_other_results() {
    let csv = |text: &str| {
        let folder = temporary();
        run(&parse(text), folder.path(), "1/1", 2).unwrap();
        std::fs::read(folder.path().join("small.csv")).unwrap()
    };
    assert_ne!(csv(SMALL), csv(&SMALL.replace("seed = 7", "seed = 8")));
}

/// A study copy from a run with other numbers equals the study with these numbers.
#[test]
fn overrides_are_part_of_the_study() {
    let overrides = Overrides {
        sets: Some(3),
        seed: Some(u64::from(u32::MAX)),
    };
    let spec = Spec::parse("small.toml", SMALL, overrides).unwrap();
    assert_eq!(
        (spec.partitioning().unwrap().sets(), spec.seed()),
        (3, u64::from(u32::MAX))
    );
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let copy = Spec::read(folder.path().join("small.toml"), Overrides::default()).unwrap();
    assert_eq!(copy.experiment().unwrap(), spec.experiment().unwrap());
    assert_ne!(copy.experiment().unwrap(), small().experiment().unwrap());
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let root = temporary();
    let path = |name: &str| root.path().join(name);
    let merge = |names: &[&str]| {
        let folders: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
        study::merge(&folders, path("whole"))
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let other = parse(&SMALL.replace("seed = 7", "seed = 8"));
    run(&small(), &path("one"), "1/2", 2).unwrap();
    run(&small(), &path("two"), "2/2", 2).unwrap();
    run(&other, &path("alien"), "2/2", 2).unwrap();

    let message = merge(&["one"]);
    assert!(message.contains("without 25 of 50 chunks"), "{message}");
    let message = merge(&["one", "alien"]);
    assert!(
        message.contains("all shards must run the same study"),
        "{message}"
    );
    let hashes = [small().experiment().unwrap(), other.experiment().unwrap()];
    assert!(
        hashes.iter().all(|hash| message.contains(hash.as_str())),
        "{message}"
    );
    let message = merge(&["one", "missing"]);
    assert!(message.contains("missing: cannot read"), "{message}");
    std::fs::create_dir(path("empty")).unwrap();
    let message = merge(&["one", "empty"]);
    assert!(message.contains("no journal"), "{message}");

    // The content of a journal contradicts its header.
    let journal = "small.shard-2-of-2.checkpoint.jsonl";
    std::fs::copy(path("two").join("small.toml"), path("alien").join("small.toml")).unwrap();
    let message = merge(&["one", "alien"]);
    assert!(
        message.contains("found a journal of seed 8, expected 7"),
        "{message}"
    );
    let lines = |path: &Path| std::fs::read_to_string(path).unwrap();
    let (own, alien) = (
        lines(&path("two").join(journal)),
        lines(&path("alien").join(journal)),
    );
    let forged = format!(
        "{}\n{}",
        own.lines().next().unwrap(),
        alien.split_once('\n').unwrap().1
    );
    std::fs::write(path("alien").join(journal), forged).unwrap();
    let message = merge(&["one", "two", "alien"]);
    assert!(
        message.contains("with results that differ from the results in an earlier line"),
        "{message}"
    );

    assert!(!path("whole").exists(), "nothing is written");
}

#[test]
fn the_observer_hears_of_every_set() {
    #[derive(Default)]
    struct Count {
        total: u64,
        resumed: u64,
        advanced: u64,
    }
    impl Observer for Count {
        fn started(&mut self, total: u64, resumed: u64) {
            (self.total, self.resumed) = (total, resumed);
        }

        fn advanced(&mut self, sets: u64) {
            self.advanced += sets;
        }
    }
    let folder = temporary();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for resumed in [0, 90] {
        let mut count = Count::default();
        let shard = "1/1".parse().unwrap();
        study::run(&small(), folder.path(), shard, &pool, &mut count).unwrap();
        assert_eq!(
            (count.total, count.resumed, count.advanced),
            (90, resumed, 90 - resumed)
        );
    }
}
