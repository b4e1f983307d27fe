//! Further axes, task sets from files, measured WCET functions and paired tests of a study of partitioning.

use std::collections::BTreeMap;
use std::fs;

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::run;
use gpusched::generation::{Kernels, Recipe, Source};
use gpusched::interference::model_of;
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::study::{Overrides, Spec, Table};

const HEAD: &str = "name = 'x'\nsets = 6\nseed = 3\nweighted = true\n";
const ALGORITHMS: &str = "[[algorithm]]\nname = '1G'\nheuristic = '1g'\n[[algorithm]]\nname = 'SMS'\nheuristic = 'sms'\n\
                          [[algorithm]]\nname = 'auto'\nheuristic = 'auto'\n";
const POINTS: &str = "utilization = [1, 3]\ntasks = [4, 6]\n";

fn parse(text: &str) -> Spec {
    Spec::parse("x.toml", text, Overrides::default()).unwrap()
}

fn refusal(text: &str) -> String {
    Spec::parse("x.toml", text, Overrides::default())
        .unwrap_err()
        .to_string()
}

/// Runs a study, and returns one of its tables, by the ending of its file name.
fn table(spec: &Spec, ending: &str) -> Table {
    let folder = temporary();
    run(spec, folder.path(), "1/1", 2).unwrap();
    Table::read(folder.path().join(format!("x{ending}"))).unwrap()
}

/// Returns the rows of `table` as texts of `columns`.
fn rows(table: &Table, columns: &[&str]) -> Vec<Vec<String>> {
    let cells = |row| {
        columns
            .iter()
            .map(move |name| table.column(name).unwrap().text(row).to_owned())
    };
    (0..table.len()).map(|row| cells(row).collect()).collect()
}

const VALUES: [&str; 9] = [
    "utilization",
    "tasks",
    "algorithm",
    "policy",
    "sms",
    "schedulable",
    "mean_sms",
    "mean_merges",
    "sets",
];

/// The reference of a grid of axes is one study per combination, which states the values in their usual places.
#[test]
fn a_grid_equals_one_study_per_combination() {
    let text = format!(
        "{HEAD}[axis]\n{POINTS}sms = [4, 7]\ndeadline = [0.5, 'uniform:0.5:1']\npolicy = ['edf', 'np-edf']\n\
         [[variant]]\nname = 'r'\nwcet = 'amdahl'\n{ALGORITHMS}"
    );
    let results = table(&parse(&text), ".csv");
    let names: Vec<&str> = results.columns().iter().map(String::as_str).collect();
    assert_eq!(
        names[..7],
        [
            "study",
            "point",
            "utilization",
            "tasks",
            "deadline",
            "variant",
            "algorithm"
        ]
    );
    let mut expected = Vec::new();
    let mut weighted = Vec::new();
    for sms in [4, 7] {
        for deadline in ["0.5", "'uniform:0.5:1'"] {
            for policy in ["edf", "np-edf"] {
                let text = format!(
                    "{HEAD}sms = {sms}\n[axis]\n{POINTS}[generator]\ndeadline = {deadline}\n\
                     [[variant]]\nname = 'r'\nwcet = 'amdahl'\npolicy = '{policy}'\n{ALGORITHMS}"
                );
                let spec = parse(&text);
                expected.extend(rows(&table(&spec, ".csv"), &VALUES));
                weighted.extend(rows(
                    &table(&spec, ".weighted.csv"),
                    &["tasks", "algorithm", "weighted"],
                ));
            }
        }
    }
    let found = rows(&results, &VALUES);
    assert_eq!(found, expected);
    let schedulable: Vec<&str> = found.iter().map(|row| row[5].as_str()).collect();
    assert!(
        schedulable.iter().any(|&count| !["0", "6"].contains(&count)),
        "{schedulable:?}"
    );
    let found = table(&parse(&text), ".weighted.csv");
    assert_eq!(rows(&found, &["tasks", "algorithm", "weighted"]), weighted);
    // The outputs are equal for every division.
    let (whole, parts) = (temporary(), temporary());
    run(&parse(&text), whole.path(), "1/1", 1).unwrap();
    for shard in ["2/3", "3/3", "1/3"] {
        run(&parse(&text), parts.path(), shard, 2).unwrap();
    }
    let merged = temporary();
    gpusched::study::merge(&[parts.path()], merged.path()).unwrap();
    assert_eq!(stable_files(whole.path()), stable_files(merged.path()));
}

/// Task sets from a file that `generate` would write give the results of generated task sets.
#[test]
fn task_sets_from_a_file_equal_generated_task_sets() {
    let folder = temporary();
    let mut lines = BTreeMap::new();
    for seed in [3, 8] {
        let source = Source::new(&Recipe::default(), 6, 3.0, seed).unwrap();
        let sets = (0..7).map(|set| serde_json::to_string(&source.draw(0, set).unwrap()).unwrap() + "\n");
        lines.insert(seed, sets.collect::<String>());
        fs::write(folder.path().join(format!("{seed}.jsonl")), &lines[&seed]).unwrap();
    }
    let path = folder.path().join("x.toml");
    let text = format!(
        "name = 'x'\nsets = 6\nsms = 5\n[axis]\npopulation = ['3.jsonl', '8.jsonl']\n\
         [[variant]]\nname = 'r'\npolicy = 'edf'\n{ALGORITHMS}"
    );
    fs::write(&path, &text).unwrap();
    let spec = Spec::read(&path, Overrides::default()).unwrap();
    let results = table(&spec, ".csv");
    let mut expected = Vec::new();
    for seed in [3, 8] {
        let text = format!(
            "name = 'x'\nsets = 6\nseed = {seed}\nsms = 5\n[axis]\nutilization = 3\ntasks = 6\n\
             [[variant]]\nname = 'r'\nwcet = 'amdahl'\npolicy = 'edf'\n{ALGORITHMS}"
        );
        let of_seed = rows(
            &table(&parse(&text), ".csv"),
            &["algorithm", "schedulable", "mean_sms"],
        );
        expected.extend(
            of_seed
                .into_iter()
                .map(|row| [vec![format!("{seed}.jsonl")], row].concat()),
        );
    }
    assert_eq!(
        rows(&results, &["population", "algorithm", "schedulable", "mean_sms"]),
        expected
    );
    assert!(
        rows(&results, &["utilization", "tasks"])
            .iter()
            .flatten()
            .all(String::is_empty)
    );
    // The folder of the results contains the task sets, so that the study runs without the files.
    let output = temporary();
    run(&spec, output.path(), "1/1", 1).unwrap();
    let copies = fs::read_to_string(output.path().join("x.inputs.json")).unwrap();
    let copies: BTreeMap<String, String> = serde_json::from_str(&copies).unwrap();
    assert_eq!(copies["8.jsonl"], lines[&8]);
    assert_eq!(spec.inputs().texts, copies);
    // A changed file makes a different experiment.
    fs::write(folder.path().join("8.jsonl"), &lines[&3]).unwrap();
    let changed = Spec::read(&path, Overrides::default()).unwrap();
    assert_ne!(changed.experiment().unwrap(), spec.experiment().unwrap());

    let with = |from: &str, to: &str| {
        fs::write(&path, text.replace(from, to)).unwrap();
        Spec::read(&path, Overrides::default()).unwrap_err().to_string()
    };
    for (from, to, parts) in [
        (
            "sets = 6",
            "sets = 8",
            ["7 task sets in 3.jsonl", "at least `sets` = 8"],
        ),
        (
            "'3.jsonl'",
            "'4.jsonl'",
            ["4.jsonl", "relative to the folder of this study"],
        ),
        (
            "[axis]",
            "[axis]\ntasks = 3",
            ["`utilization` or `tasks` with `population`", "other axes"],
        ),
        (
            "[axis]",
            "[generator]\ncap = 1\n[axis]",
            ["a generator with `population`", "no `generator`"],
        ),
        (
            "policy = 'edf'",
            "policy = 'edf'\nwcet = 'amdahl'",
            ["variant[0].wcet", "no `wcet`"],
        ),
        (
            "policy = 'edf'",
            "policy = 'lp-edf'\nblocks = 5",
            ["variant[0].blocks", "no `blocks`"],
        ),
        (
            "sets = 6",
            "sets = 6\nweighted = true",
            ["weighted", "no utilization on an axis"],
        ),
    ] {
        let message = with(from, to);
        assert!(parts.iter().all(|part| message.contains(part)), "{to}: {message}");
    }
}

/// A simple loop over the generated task sets is the reference.
#[test]
fn measured_functions_and_pairs_equal_a_simple_loop() {
    let folder = temporary();
    let kernels = r#"{"tasks": [
        {"name": "a", "period": "1s", "kind": "memory", "wcet": {"table": {"isolated": [[1, 30], [4, 10]], "conflict": [[1, 50], [4, 20]]}}},
        {"name": "b", "period": "1s", "kind": "compute", "wcet": {"table": [[1, 80], [8, 11]]}}
    ]}"#;
    fs::write(folder.path().join("k.json"), kernels).unwrap();
    let path = folder.path().join("x.toml");
    let text = format!(
        "name = 'x'\nsets = 30\nsms = 8\npaired = true\n[axis]\nutilization = [1, 2, 3]\ntasks = [5]\n\
         [[variant]]\nname = 'r'\nwcet = {{ from = 'k.json' }}\npolicy = 'edf'\n{ALGORITHMS}\
         [[claim]]\nid = 'c'\ntext = 'pairs'\ntable = 'paired'\nholds = 'max(p_value, algorithm = \"1G\") < 0.001'\n"
    );
    fs::write(&path, text).unwrap();
    let spec = Spec::read(&path, Overrides::default()).unwrap();
    let output = temporary();
    run(&spec, output.path(), "1/1", 2).unwrap();
    let kernels = Kernels::new(&serde_json::from_str(kernels).unwrap()).unwrap();
    let kinds = [HeuristicKind::OneGpu, HeuristicKind::Sms, HeuristicKind::Auto];
    let mut counts = Vec::new();
    let mut only = [[0; 2]; 3];
    for (point, utilization) in [1.0, 2.0, 3.0].into_iter().enumerate() {
        let source = Source::new(&Recipe::default(), 5, utilization, 1).unwrap();
        let source = source.with_kernels(kernels.clone()).unwrap();
        let mut schedulable = [0; 3];
        for set in 0..30 {
            let set = source.draw(point as u64, set).unwrap();
            let problem =
                Problem::new(&set, 8, "edf".parse().unwrap(), model_of(Default::default())).unwrap();
            let verdicts = kinds.map(|kind| partition(&problem, &kind.into()).schedulable);
            schedulable
                .iter_mut()
                .zip(verdicts)
                .for_each(|(count, verdict)| *count += u32::from(verdict));
            for ([one, other], only) in [[0, 1], [0, 2], [1, 2]].into_iter().zip(&mut only) {
                only[0] += u32::from(verdicts[one] && !verdicts[other]);
                only[1] += u32::from(verdicts[other] && !verdicts[one]);
            }
        }
        counts.extend(schedulable.map(|count| vec![count.to_string()]));
    }
    let read = |name: &str| Table::read(output.path().join(name)).unwrap();
    assert_eq!(rows(&read("x.csv"), &["schedulable"]), counts);
    let pairs = rows(
        &read("x.paired.csv"),
        &["algorithm", "other", "sets", "only_algorithm", "only_other"],
    );
    let names = [["1G", "SMS"], ["1G", "auto"], ["SMS", "auto"]];
    let expected = names.into_iter().zip(only).map(|(names, only)| {
        let [one, other] = only.map(|count| count.to_string());
        vec![
            names[0].to_owned(),
            names[1].to_owned(),
            "90".to_owned(),
            one,
            other,
        ]
    });
    assert_eq!(pairs, expected.collect::<Vec<_>>());
    assert!(only[0][1] > 10, "{only:?}");
    let claims = fs::read_to_string(output.path().join("x.claims.json")).unwrap();
    assert!(
        claims.contains("\"reproduced\"") && !claims.contains("\"not reproduced\""),
        "{claims}"
    );
}

#[test]
fn impossible_axes_are_refused() {
    let text = |axis: &str, other: &str, variant: &str| {
        format!(
            "name = 'x'\nsets = 2\n{other}\n[axis]\nutilization = 1\ntasks = 4\n{axis}\n\
             [[variant]]\nname = 'r'\nwcet = 'amdahl'\n{variant}\n{ALGORITHMS}"
        )
    };
    let edf = "policy = 'edf'";
    for (axis, other, variant, parts) in [
        (
            "speed = 1",
            "sms = 4",
            edf,
            ["axis.speed", "one of population, platform"],
        ),
        (
            "sms = [4, 8]",
            "sms = 4",
            edf,
            ["`sms` also in [axis]", "only in [axis]"],
        ),
        (
            "sms = [4, 0]",
            "",
            edf,
            ["with sms = 0: sms: found 0", "expected 1 to"],
        ),
        (
            "policy = ['edf', 'fifo']",
            "sms = 4",
            "",
            ["with policy = fifo", "unknown variant"],
        ),
        (
            "policy = ['edf']",
            "sms = 4",
            edf,
            ["variant[0].policy", "`policy` also in [axis]"],
        ),
        (
            "deadline = []",
            "sms = 4",
            edf,
            ["at axis.deadline: found an empty list", "a range such as"],
        ),
        (
            "deadline = [0, 1]",
            "sms = 4",
            edf,
            ["with deadline = 0", "factors above 0"],
        ),
        (
            "deadline = [1, 'often']",
            "sms = 4",
            edf,
            ["with deadline = often", "uniform:MIN:MAX"],
        ),
        (
            "policy = ['lp-edf']",
            "sms = 4",
            "",
            ["at variant[0].policy", "blocks"],
        ),
        (
            "granularity = ['mig']",
            "device = 'rtx2060'",
            edf,
            ["at variant[0].granularity", "expected one of"],
        ),
    ] {
        let message = refusal(&text(axis, other, variant));
        assert!(
            parts.iter().all(|part| message.contains(part)),
            "{axis}: {message}"
        );
    }
    let message = refusal(&text("", "sms = 4", edf).replace("utilization = 1\n", ""));
    assert!(message.contains("missing field `utilization`"), "{message}");
}

/// A figure that would have two values at one place is refused before the study runs.
#[test]
fn figures_without_room_for_an_axis_are_refused_at_once() {
    let study = |figure: &str| {
        format!(
            "{HEAD}sms = 4\n[axis]\n{POINTS}deadline = [0.5, 1]\n[figure]\n{figure}\n\
             [[variant]]\nname = 'r'\nwcet = 'amdahl'\npolicy = 'edf'\n{ALGORITHMS}"
        )
    };
    for figure in [
        "",
        "x = 'deadline'\npanel = ['variant', 'utilization', 'tasks']",
        "kind = 'box'\nx = 'deadline'",
        "y = 'weighted'",
        "kind = 'heat'\nx = 'deadline'\nseries = 'utilization'\npanel = ['algorithm', 'tasks']",
    ] {
        let spec = Spec::parse("x.toml", &study(figure), Overrides::default());
        assert!(spec.is_ok(), "{figure}: {}", spec.unwrap_err());
    }
    for figure in [
        "panel = 'variant'\nx = 'deadline'",
        "kind = 'heat'\nx = 'deadline'\nseries = 'tasks'\npanel = 'algorithm'",
    ] {
        let message = refusal(&study(figure));
        assert!(
            message.starts_with("x.toml:10: at figure.") && message.contains("two values"),
            "{figure}: {message}"
        );
    }
}
