//! Studies of cases keep the promises of all studies: the same bytes for any number of threads, shards and interruptions,
//! a damaged journal changes nothing, bad files are named with their line; and their numbers are those of a plain loop.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[path = "study_support/files.rs"]
mod files;
#[allow(dead_code, reason = "the other tests of studies need more of it")]
mod study_support;

use std::fs;
use std::path::{Path, PathBuf};

use files::{stable_files, temporary};
use gpusched::bandwidth::nominal;
use gpusched::kernel_wcet::synthesis::Synthesizer;
use gpusched::kernel_wcet::trace::Level;
use gpusched::kernel_wcet::{Estimator, list_scheduling};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::study::measures::MEASURES;
use gpusched::study::{self, CASE_COLUMNS, Overrides, Spec, State, Table};
use study_support::run;

const CASES: &str = include_str!("study_support/cases.toml");
const DRAWN: &str = include_str!("study_support/drawn.toml");
const JOURNAL: &str = "cases.checkpoint.jsonl";

fn parse(text: &str) -> gpusched::error::Result<Spec> {
    Spec::parse("cases.toml", text, Overrides::default())
}

fn cases() -> Spec {
    parse(CASES).unwrap()
}

fn kernel(name: &str) -> Kernel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tasksets/kernels")
        .join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn threads_and_shards_leave_no_trace() {
    let whole = temporary();
    let summary = run(&cases(), whole.path(), "1/1", 1).unwrap();
    assert_eq!((summary.units, summary.resumed), (5, 0));
    let expected = stable_files(whole.path());
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "cases.claims.json",
            "cases.csv",
            "cases.inputs.json",
            "cases.provenance.json",
            "cases.toml"
        ]
    );
    assert!(!whole.path().join("cases.timing.csv").exists());
    for (count, threads) in [(1, 3), (2, 1), (3, 2), (9, 2)] {
        let root = temporary();
        let mut folders: Vec<PathBuf> = Vec::new();
        for index in (1..=count).rev() {
            let folder = root.path().join(format!("part{index}"));
            run(&cases(), &folder, &format!("{index}/{count}"), threads).unwrap();
            folders.push(folder);
        }
        let output = root.path().join("whole");
        study::merge(&folders, &output).unwrap();
        assert_eq!(stable_files(&output), expected, "{count} shards");
        if count > 1 {
            let message = study::merge(&folders[..folders.len() - 1], &output)
                .map(drop)
                .unwrap_err();
            assert!(message.to_string().contains("chunks are missing"), "{message}");
        }
    }
}

/// A study of two cases: a journal of a few hundred bytes.
fn tiny() -> Spec {
    let case = |name: &str, q: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\nmeasure = \"curve\"\nkernel = \"tasksets/kernels/histo-m4.json\"\nbudgets = {q}\n"
        )
    };
    parse(&format!(
        "kind = \"cases\"\nname = \"cases\"\n{}{}",
        case("a", "0"),
        case("b", "1")
    ))
    .unwrap()
}

/// Runs with `journal` in place; the results, or the message.
fn run_with(journal: &[u8]) -> Result<Vec<u8>, String> {
    let folder = temporary();
    fs::write(folder.path().join(JOURNAL), journal).unwrap();
    run(&tiny(), folder.path(), "1/1", 1).map_err(|error| error.to_string())?;
    Ok(fs::read(folder.path().join("cases.csv")).unwrap())
}

#[test]
fn a_journal_cut_or_damaged_anywhere_never_changes_the_results() {
    let folder = temporary();
    run(&tiny(), folder.path(), "1/1", 1).unwrap();
    let expected = fs::read(folder.path().join("cases.csv")).unwrap();
    let journal = fs::read(folder.path().join(JOURNAL)).unwrap();
    for length in 0..=journal.len() {
        assert_eq!(run_with(&journal[..length]).as_ref(), Ok(&expected), "{length}");
    }
    let mut refused = 0;
    for position in 0..journal.len() {
        let mut damaged = journal.clone();
        damaged[position] ^= 1;
        match run_with(&damaged) {
            Ok(results) => assert_eq!(results, expected, "byte {position}"),
            Err(message) => {
                assert!(
                    message.contains(JOURNAL) && message.contains("delete this file"),
                    "{message}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > journal.len() * 9 / 10, "{refused} of {}", journal.len());
}

#[test]
fn finished_cases_are_not_repeated() {
    let folder = temporary();
    run(&cases(), folder.path(), "1/1", 2).unwrap();
    let expected = stable_files(folder.path());
    let path = folder.path().join(JOURNAL);
    let journal = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    assert_eq!(lines.len(), 1 + 5);
    let half = format!("{}\n{}", lines[..3].join("\n"), &lines[3][..10]);
    fs::write(&path, &half).unwrap();
    let summary = run(&cases(), folder.path(), "1/1", 2).unwrap();
    assert_eq!((summary.units, summary.resumed), (5, 2));
    assert_eq!(stable_files(folder.path()), expected);

    // Tallies, which a study of partitioning records, are no rows.
    let tallies = format!(
        "{}\n{{\"chunk\":0,\"cells\":[],\"check\":\"af5570f5\"}}\n",
        lines[0]
    );
    fs::write(&path, tallies).unwrap();
    let message = run(&cases(), folder.path(), "1/1", 2).unwrap_err().to_string();
    assert!(message.contains("damaged"), "{message}");
}

/// The results against loops that know nothing of studies.
#[test]
fn results_are_those_of_plain_loops() {
    let folder = temporary();
    run(&cases(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("cases.csv")).unwrap();
    let keys = "kernel active_blocks split slowdown sync straddling q cluster bound";
    let (before, after) = CASE_COLUMNS.split_at(3);
    assert_eq!(
        table.columns(),
        [before, &keys.split(' ').collect::<Vec<_>>(), after].concat()
    );
    let mut expected: Vec<String> = Vec::new();

    let histo = kernel("histo-m4.json");
    let tenth = Factor::from_f64(0.1).unwrap();
    for active in [4, 8] {
        for (a, b, c) in (0..=4u64).flat_map(|a| (0..=4 - a).map(move |b| (a, b, 4 - a - b))) {
            // 37,627 blocks in quarters: three remain, of three quarters each in what a remainder is.
            let mut blocks = [a, b, c].map(|share| share * 37_627 / 4);
            let missing = [a, b, c].map(|share| share * 37_627 % 4);
            for _ in 0..37_627 - blocks.iter().sum::<u64>() {
                let most = (0..3).rev().max_by_key(|&i| {
                    let given = blocks[i] > [a, b, c][i] * 37_627 / 4;
                    if given { 0 } else { missing[i] }
                });
                blocks[most.unwrap()] += 1;
            }
            let clusters = histo.clusters().iter().zip(blocks);
            let clusters = clusters.filter(|(_, blocks)| *blocks > 0);
            let clusters = clusters.map(|(cluster, blocks)| {
                Cluster::new(blocks, cluster.isolated(), cluster.contended()).unwrap()
            });
            let variant = Kernel::new(active, histo.regulation_period(), clusters.collect()).unwrap();
            let q = nominal(&variant, tenth, false, Straddling::End)
                .unwrap()
                .nominal_q;
            let deviation = format!("{:.6}", q.as_f64() - 0.13);
            let deviation = deviation.replace("-0.000000", "0.000000");
            expected.push(format!(
                "cases,budget,nominal,histo,{active},{a}:{b}:{c},0.1,false,end,,,,nominal_q,{q},share,0.13,{deviation}"
            ));
        }
    }
    let curve = |case: &str, budgets: &[f64], sync: bool, rows: &mut Vec<String>| {
        let estimator = Estimator::new(&histo);
        let alone = estimator.bound(Factor::ZERO, sync).unwrap().wcet_ns.ns() as f64;
        for &q in budgets {
            let wcet = estimator.bound(Factor::from_f64(q).unwrap(), sync).unwrap();
            let ns = wcet.wcet_ns.ns();
            let key = format!("cases,{case},curve,histo,4,12543:12542:12542,,{sync},end,{q},,");
            rows.push(format!("{key},wcet,{:.6},ms,,", ns as f64 / 1e6));
            rows.push(format!("{key},slowdown,{:.6},share,,", ns as f64 / alone - 1.0));
        }
    };
    curve("curve", &[0.0, 0.13, 1.0], false, &mut expected);
    let shares = |value: &str| value.parse::<f64>().unwrap();
    let percentiles = ["0.995", "0.999", "0.99", "0.997", "0.994", "0.997"];
    expected.extend(percentiles.map(|_| String::new()));
    let rows: Vec<Vec<&str>> = (0..table.len())
        .map(|row| {
            let cells = table.columns().iter();
            cells.map(|name| table.column(name).unwrap().text(row)).collect()
        })
        .collect();
    let of_table = rows.iter().filter(|row| row[1] == "table").count();
    assert_eq!(of_table, 11 * 8);
    expected.extend(vec![String::new(); of_table]);
    curve("\"curve, sync\"", &[0.0, 0.5, 1.0], true, &mut expected);

    assert_eq!(rows.len(), expected.len());
    let csv = fs::read_to_string(folder.path().join("cases.csv")).unwrap();
    let mut percentile = percentiles.iter();
    for ((line, row), expected) in csv.lines().skip(1).zip(&rows).zip(&expected) {
        match row[1] {
            "percentiles" => {
                let published = *percentile.next().unwrap();
                assert_eq!((row[12], row[14], row[15]), ("percentile", "share", published));
                assert!((shares(row[13]) - shares(published)).abs() <= 0.001, "{line}");
            }
            "table" => assert_eq!(row[15], "", "{line}"),
            _ => assert_eq!(line, expected),
        }
    }
    assert_eq!(percentile.next(), None);
    let cell = |kernel: &str, quantity: &str| {
        let row = rows
            .iter()
            .find(|row| row[1] == "table" && row[3] == kernel && row[12] == quantity);
        let row = row.unwrap();
        (row[11], row[13], row[14])
    };
    assert_eq!(cell("lbm", "adjusted_nominal_q"), ("memory", "0.2022", "share"));
    assert_eq!(cell("tpacf", "intervals"), ("compute", "22", "intervals"));
}

/// What a measure declares is what it gives: a column that is not declared would be lost.
#[test]
fn measures_declare_their_columns() {
    let declared: Vec<&str> = MEASURES
        .iter()
        .flat_map(|measure| measure.keys.iter().copied())
        .collect();
    let folder = temporary();
    let tables = [("cases.csv", cases()), ("drawn.csv", parse(DRAWN).unwrap())].map(|(file, spec)| {
        for column in spec.cases().unwrap().columns() {
            assert!(
                declared.contains(column) || CASE_COLUMNS.contains(column),
                "{column}"
            );
        }
        run(&spec, folder.path(), "1/1", 1).unwrap();
        Table::read(folder.path().join(file)).unwrap()
    });
    for measure in MEASURES {
        let of = |table: &Table| -> Vec<usize> {
            let kind = table.column("measure").unwrap();
            (0..table.len())
                .filter(|&row| kind.text(row) == measure.name)
                .collect()
        };
        let found = tables
            .iter()
            .map(|table| (table, of(table)))
            .find(|found| !found.1.is_empty());
        let (table, rows) =
            found.unwrap_or_else(|| panic!("{}: add it to cases.toml or drawn.toml", measure.name));
        for key in measure.keys {
            let column = table.column(key).unwrap();
            assert!(
                rows.iter().all(|&row| !column.text(row).is_empty()),
                "{}: {key}",
                measure.name
            );
        }
    }
}

/// Synthetic runs: the same bytes on any number of threads, and the numbers of a plain loop.
#[test]
fn drawn_measures_are_those_of_plain_loops() {
    let (one, three) = (temporary(), temporary());
    let spec = parse(DRAWN).unwrap();
    run(&spec, one.path(), "1/1", 1).unwrap();
    run(&spec, three.path(), "1/1", 3).unwrap();
    assert_eq!(stable_files(one.path()), stable_files(three.path()));
    let table = Table::read(one.path().join("drawn.csv")).unwrap();
    let values = |quantity: &str| -> Vec<String> {
        let (quantities, values) = (table.column("quantity").unwrap(), table.column("value").unwrap());
        let rows = (0..table.len()).filter(|&row| quantities.text(row) == quantity);
        rows.map(|row| values.text(row).to_owned()).collect()
    };
    assert_eq!(values("clusters found"), ["2"; 3]);
    assert_eq!(values("intervals found"), ["4"; 3]);
    assert_eq!(values("blocks right"), ["1.000000"; 3]);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/traces/two-paths.json");
    let kernel: Kernel = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let synthesizer = Synthesizer::new(&kernel, 7).unwrap();
    let bounds = [
        list_scheduling::isolated(&kernel),
        list_scheduling::contended(&kernel),
    ];
    for (index, level) in Level::ALL.into_iter().enumerate() {
        let mut longest = 0;
        for run in 0..20 {
            for row in synthesizer.draw(level, run) {
                longest = longest.max(row.start.unwrap() + row.duration);
            }
        }
        assert!(longest <= bounds[index].ns());
        assert_eq!(
            values("longest execution")[index],
            format!("{:.6}", longest as f64 / 1e6)
        );
        let share = bounds[index].ns() as f64 / longest as f64 - 1.0;
        assert_eq!(values("overestimation")[index], format!("{share:.6}"));
    }

    for (from, to, expected) in [
        ("runs = 40", "runs = 0", "case[0].runs: found 0, expected 1 to"),
        (
            "traces = 3",
            "traces = 1001",
            "case[0].traces: found 1001, expected 1 to 1000",
        ),
        (
            "intervals = 4",
            "intervals = 1",
            "case[0].intervals: intervals: found 1",
        ),
        ("runs = 20", "runs = 0", "case[1].runs: found 0, expected 1 to"),
        (
            "[0.05, 0.3]",
            "[0.05, inf]",
            "case[1].published: found no finite number",
        ),
        ("[0.05, 0.3]", "[0.05]", "case[1]"),
        (
            "traces/two-paths.json\"\nruns",
            "kernels/histo-m4.json\"\nruns",
            "case[1].kernel: tasksets/kernels/histo-m4.json: clusters[0].isolated: found none",
        ),
    ] {
        let text = DRAWN.replacen(from, to, 1);
        assert_ne!(text, DRAWN, "{from}");
        let message = parse(&text).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn every_input_counts_in_the_identity() {
    let experiment = |from: &str, to: &str| {
        let changed = CASES.replacen(from, to, 1);
        assert_eq!(changed == CASES, from == to, "{from}");
        parse(&changed).unwrap().experiment().unwrap()
    };
    let base = experiment("", "");
    for (from, to) in [
        ("seed = 7", "seed = 8"),
        ("name = \"cases\"", "name = \"other\""),
        ("name = \"budget\"", "name = \"other\""),
        ("[4, 8]", "[8, 4]"),
        ("parts = 4", "parts = 4, least = 1"),
        ("slowdown = 0.1", "slowdown = 0.2"),
        ("published = 0.13", "published = 0.14"),
        ("published = 0.13", "sync = true"),
        ("[0, 0.13, 1]", "[0, 1]"),
        ("histo-m4", "histo-table1"),
    ] {
        assert_ne!(experiment(from, to), base, "{from} → {to}");
    }
    for (from, to) in [
        ("title = \"A small", "title = \"Another"),
        ("must_hold = true", "must_hold = false"),
        ("slowdown = 0.1\n", ""),
        ("[0, 0.13, 1]", "[0, 0.130, 1.0]"),
        ("series = \"sync\"", "series = \"case\""),
        ("# ", ""),
    ] {
        if CASES.contains(from) {
            assert_eq!(experiment(from, to), base, "{from} → {to}");
        }
    }
}

/// The content of a file that a case names is part of the experiment; the file is sought above the study.
#[test]
fn files_count_with_their_content() {
    let root = temporary();
    let (studies, results) = (root.path().join("studies"), root.path().join("studies/results"));
    fs::create_dir(&studies).unwrap();
    let text = tiny()
        .text()
        .replace("tasksets/kernels/histo-m4.json", "kernel.json");
    let file = studies.join("cases.toml");
    fs::write(&file, &text).unwrap();
    let read = || Spec::read(&file, Overrides::default());
    let message = read().unwrap_err().to_string();
    assert!(
        message.contains("cases.toml:6: at case[0].kernel: found \"kernel.json\", expected a file"),
        "{message}"
    );

    let histo = serde_json::to_string(&kernel("histo-m4.json")).unwrap();
    let path = root.path().join("kernel.json");
    fs::write(&path, &histo).unwrap();
    let spec = read().unwrap();
    run(&spec, &results, "1/1", 1).unwrap();
    let states = || -> Vec<State> {
        let found = study::studies(&results).unwrap();
        found.iter().map(|study| study.state).collect()
    };
    assert_eq!(states(), [State::Current]);
    let copy = Spec::read(results.join("cases.toml"), Overrides::default()).unwrap();
    assert_eq!(copy.experiment().unwrap(), spec.experiment().unwrap());

    fs::write(&path, histo.replace("1700", "1701")).unwrap();
    assert_ne!(read().unwrap().experiment().unwrap(), spec.experiment().unwrap());
    assert_eq!(states(), [State::Outdated]);
    let message = run(&read().unwrap(), &results, "1/1", 1).unwrap_err().to_string();
    assert!(message.contains("this journal has experiment"), "{message}");

    // The nearest file counts.
    fs::write(&path, &histo).unwrap();
    fs::write(studies.join("kernel.json"), histo.replace("1700", "1702")).unwrap();
    assert_ne!(read().unwrap().experiment().unwrap(), spec.experiment().unwrap());
    fs::remove_file(studies.join("kernel.json")).unwrap();
    assert_eq!(states(), [State::Current]);

    for (content, part) in [
        ("", "kernel.json: found nothing, expected a kernel"),
        ("[]", "kernel.json:1: found \"[]\", expected a kernel"),
        (
            &histo.replace("1700", "9700")[..],
            "kernel.json:1: at clusters[0]",
        ),
        (
            &format!("{histo}\n{histo}\n")[..],
            "kernel.json: found several documents",
        ),
    ] {
        fs::write(&path, content).unwrap();
        let message = read().unwrap_err().to_string();
        assert!(
            message.contains("cases.toml:6: at case[0].kernel: ") && message.contains(part),
            "{message}"
        );
    }
}

/// Text to replace, its replacement, and what the message must contain.
const BAD: &[(&str, &str, &[&str])] = &[
    (
        "kind = \"cases\"",
        "kind = \"case\"",
        &[":1: at kind", "`case`", "`partitioning` or `cases`"],
    ),
    ("kind = \"cases\"", "", &["unknown field `case`"]),
    ("seed = 7", "sets = 7", &[":4", "unknown field `sets`"]),
    (
        "name = \"cases\"",
        "name = \"/cases\"",
        &[":2: at name", "letters"],
    ),
    (
        "name = \"curve\"",
        "name = \"budget\"",
        &["case[1].name", "\"budget\" twice"],
    ),
    (
        "name = \"curve\"",
        "name = \"\"",
        &["case[1].name", "visible characters"],
    ),
    (
        "name = \"curve\"\n",
        "",
        &[":15: at case[1]", "missing field `name`"],
    ),
    (
        "name = \"curve\"",
        "name = 7",
        &[":16: at case[1].name", "found 7, expected text"],
    ),
    (
        "measure = \"curve\"\n",
        "",
        &[":15: at case[1]", "missing field `measure`"],
    ),
    (
        "measure = \"nominal\"",
        "measure = \"normal\"",
        &[
            ":8: at case[0].measure",
            "\"normal\"",
            "expected one of nominal, curve, percentile, published, planted, execution",
        ],
    ),
    (
        "slowdown = 0.1",
        "slow = 0.1",
        &["at case[0]", "unknown field `slow`", "`slowdown`"],
    ),
    (
        "slowdown = 0.1",
        "slowdown = -1",
        &[":12: at case[0].slowdown", "`-1`", "number from 0"],
    ),
    (
        "[4, 8]",
        "[4, 0]",
        &[":10: at case[0].active_blocks", "found 0, expected 1 to"],
    ),
    ("[4, 8]", "[]", &[":10: at case[0].active_blocks", "empty list"]),
    (
        "[4, 8]",
        "4",
        &[":10: at case[0].active_blocks", "expected a sequence"],
    ),
    (
        "{ parts = 4 }",
        "{ parts = 4, least = 2 }",
        &[":11: at case[0].splits", "expected more parts"],
    ),
    (
        "{ parts = 4 }",
        "[[1, 1]]",
        &[":11: at case[0].splits", "found 2 shares, expected 3"],
    ),
    (
        "{ parts = 4 }",
        "7",
        &[":11: at case[0].splits", "expected a list of splits"],
    ),
    (
        "kernel = \"tasksets/kernels/histo-m4.json\"\n",
        "",
        &["at case[0]", "missing field `kernel`"],
    ),
    (
        "tasksets/kernels/histo-m4.json",
        "tasksets/kernels/none.json",
        &[":9: at case[0].kernel", "none.json\", expected a file"],
    ),
    (
        "tasksets/kernels/histo-m4.json",
        "tasksets/tasksets/adas.json",
        &[
            ":9: at case[0].kernel",
            "tasksets/tasksets/adas.json:",
            "unknown field `tasks`",
        ],
    ),
    (
        "tasksets/kernels/histo-table1.json",
        "tasksets/kernels/histo-m4.json",
        &["at case[2].kernel", "no cluster with `isolated`"],
    ),
    (
        "aghilinasab20-table2",
        "histo-m4",
        &[
            "at case[3].benchmarks",
            "histo-m4.json",
            "unknown field `active_blocks`",
        ],
    ),
    (
        "[0, 0.13, 1]",
        "[0, 1.13]",
        &[
            ":19: at case[1].budgets",
            "found 1.13, expected budgets from 0 to 1",
        ],
    ),
    ("[0, 0.13, 1]", "[0, 0]", &[":19: at case[1].budgets", "0 twice"]),
    (
        "{ from = 0, to = 1, step = 0.5 }",
        "{ from = 0, to = 1, step = 0.00002 }",
        &["at case[4]", "expected at most 100000 rows"],
    ),
    (
        "x = \"q\"",
        "x = \"budget\"",
        &["at figure.x", "\"budget\"", "active_blocks"],
    ),
    (
        "series = \"sync\"",
        "series = \"reading\"",
        &["at figure.series", "\"reading\""],
    ),
    (
        "quantity = \"wcet\"",
        "quantity = \"time\"",
        &["at figure.where.quantity", "\"time\"", "\"wcet\""],
    ),
    (
        "quantity = \"wcet\"",
        "unity = \"ms\"",
        &["at figure.where", "\"unity\""],
    ),
    ("first(value", "first(volume", &["at claim", "grows", "volume"]),
    (
        "must_hold = true",
        "table = \"timing\"",
        &["at claim", "no table `timing`"],
    ),
];

/// A folder of results says all by itself, wherever it is; a file that is there again, with another content, counts.
#[test]
fn results_are_at_home_anywhere() {
    let (root, elsewhere) = (temporary(), temporary());
    let histo =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/histo-m4.json"))
            .unwrap();
    fs::write(root.path().join("kernel.json"), &histo).unwrap();
    let text = tiny()
        .text()
        .replace("tasksets/kernels/histo-m4.json", "kernel.json");
    fs::write(root.path().join("cases.toml"), text).unwrap();
    let spec = Spec::read(root.path().join("cases.toml"), Overrides::default()).unwrap();
    let shards = ["1/2", "2/2"].map(|shard| {
        let folder = elsewhere.path().join(shard.replace('/', "of"));
        run(&spec, &folder, shard, 1).unwrap();
        folder
    });
    let whole = elsewhere.path().join("whole");
    fs::remove_file(root.path().join("kernel.json")).unwrap();
    study::merge(&shards, &whole).unwrap();

    let found = || study::studies(&whole).map(|mut found| found.remove(0));
    let study = found().unwrap();
    assert_eq!(study.state, State::Current);
    assert_eq!(study.spec.experiment().unwrap(), spec.experiment().unwrap());
    study.findings().unwrap();
    let copies = fs::read_to_string(whole.join("cases.inputs.json")).unwrap();
    let read: std::collections::BTreeMap<String, String> = serde_json::from_str(&copies).unwrap();
    assert_eq!(read, [("kernel.json".to_owned(), histo.clone())].into());
    // The study in the folder can be run again, to the same bytes.
    let again = elsewhere.path().join("again");
    run(&study.spec, &again, "1/1", 1).unwrap();
    assert_eq!(stable_files(&again), stable_files(&whole));

    fs::write(whole.join("kernel.json"), histo.replace("1.70us", "1.71us")).unwrap();
    assert_eq!(found().unwrap().state, State::Outdated);
    fs::remove_file(whole.join("kernel.json")).unwrap();
    fs::write(
        whole.join("cases.inputs.json"),
        copies.replace("1.70us", "1.71us"),
    )
    .unwrap();
    assert_eq!(found().unwrap().state, State::Outdated);
    for (content, part) in [
        ("{}", "expected a file"),
        ("{\n\"kernel.json\": 1}", "cases.inputs.json:2: invalid type"),
    ] {
        fs::write(whole.join("cases.inputs.json"), content).unwrap();
        let message = found().unwrap_err().to_string();
        assert!(
            message.contains("cases.toml:6: at case[0].kernel: ") && message.contains(part),
            "{message}"
        );
    }
}

#[test]
fn bad_studies_are_refused_where_they_are_bad() {
    let mut wrong = Vec::new();
    for (from, to, parts) in BAD {
        let text = CASES.replacen(from, to, 1);
        assert_ne!(text, CASES, "{from}");
        let message = parse(&text).unwrap_err().to_string();
        assert!(
            message.starts_with("cases.toml") && message.lines().count() == 1,
            "{to}: {message}"
        );
        for part in *parts {
            if !message.contains(part) {
                wrong.push(format!("{to}: no {part:?} in: {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let none = CASES.split("[[case]]").next().unwrap();
    let message = parse(&format!("{none}case = []\n")).unwrap_err().to_string();
    assert!(message.contains("at case: found none"), "{message}");
}

/// What only the command can show.
#[cfg(feature = "cli")]
mod command {
    use super::*;
    use std::process::Command;

    /// Exit code, standard output, standard error.
    fn gpusched(arguments: &[&str], folder: &Path) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_gpusched"))
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }

    /// A folder with the study, and what it reads.
    fn checkout() -> tempfile::TempDir {
        let root = temporary();
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels");
        let copies = root.path().join("tasksets/kernels");
        fs::create_dir_all(&copies).unwrap();
        for file in fs::read_dir(kernels).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), copies.join(file.file_name())).unwrap();
        }
        fs::create_dir(root.path().join("studies")).unwrap();
        fs::write(root.path().join("studies/cases.toml"), CASES).unwrap();
        root
    }

    #[test]
    fn a_study_of_cases_is_run_listed_checked_and_shown() {
        let root = checkout();
        let run = ["study", "run", "studies/cases.toml", "-o", "studies/cases"];
        let (code, report, notes) = gpusched(&run, root.path());
        assert_eq!(
            (code, notes.as_str()),
            (0, "cases: 5 cases done in studies/cases\n")
        );
        assert!(report.contains("1 of 1 findings reproduced"), "{report}");
        let (code, _, notes) = gpusched(&run, root.path());
        let again = "cases: 5 cases done (5 were done before) in studies/cases\n";
        assert_eq!((code, notes.as_str()), (0, again));
        let svg = fs::read_to_string(root.path().join("studies/cases/cases.svg")).unwrap();
        assert!(
            svg.contains("A small study of cases") && svg.contains("true"),
            "{svg}"
        );

        // From anywhere: the kernels are above the study.
        for folder in [root.path().join("studies"), root.path().join("studies/cases")] {
            assert_eq!(gpusched(&["study", "check", "."], &folder).0, 0);
        }
        let (_, list, _) = gpusched(&["study", "list", "studies"], root.path());
        assert!(
            list.contains("5 cases") && list.contains("nominal") && list.contains("current"),
            "{list}"
        );
        let (_, json, _) = gpusched(&["study", "list", "studies", "--format", "json"], root.path());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json[0]["cases"], json[0].get("sets")), (&5.into(), None));
        assert_eq!(json[0]["measures"][3], "published");
        let (code, page, _) = gpusched(&["study", "reproduction", "studies"], root.path());
        assert_eq!(code, 0);
        assert!(
            page.contains("A small study of cases: 5 cases, seed 7, gpusched"),
            "{page}"
        );
        assert!(
            page.contains("| grows (must hold) |  | `last(value, ")
                && page.contains("` | all | reproduced |"),
            "{page}"
        );
    }

    #[test]
    fn bad_cases_leave_nothing() {
        let root = checkout();
        let file = root.path().join("studies/cases.toml");
        fs::write(&file, CASES.replace("0.13, 1]", "1.13]")).unwrap();
        let run = ["study", "run", "studies/cases.toml", "-o", "out"];
        let (code, _, message) = gpusched(&run, root.path());
        assert_eq!(code, 2);
        assert!(
            message.contains("studies/cases.toml:19: at case[1].budgets"),
            "{message}"
        );
        fs::write(&file, CASES).unwrap();
        let (code, _, message) = gpusched(&[&run[..], &["--sets", "3"]].concat(), root.path());
        assert_eq!(code, 2);
        assert!(
            message.contains("--sets") && message.contains("no sets"),
            "{message}"
        );
        assert!(!root.path().join("out").exists());
        let (code, ..) = gpusched(&[&run[..], &["--seed", "9"]].concat(), root.path());
        let copy = fs::read_to_string(root.path().join("out/cases.toml")).unwrap();
        assert_eq!((code, copy), (0, CASES.replace("seed = 7", "seed = 9")));
    }
}
