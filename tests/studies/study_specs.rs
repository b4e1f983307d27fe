//! Bad studies: one message that names file, line, field, value and expectation, exit code 2, no folder.
use gpusched::study::{Overrides, Spec};

const SMALL: &str = include_str!("../study_support/small.toml");

/// Text to replace, its replacement, and what the message must contain.
const BAD: &[(&str, &str, &[&str])] = &[
    (
        "sets = 9",
        "sets = 9\nspeed = 3",
        &["small.toml:6", "unknown field `speed`"],
    ),
    (
        "wcet = \"amdahl\"",
        "wcet = \"linear\"",
        &[":17", "reading[0].wcet", "`linear`", "`amdahl`"],
    ),
    (
        "step = 2",
        "step = 0",
        &[":9", "axis.utilization", "positive step"],
    ),
    (
        "from = 2",
        "from = 11",
        &[":9", "axis.utilization", "from 11 above to 10"],
    ),
    (
        "from = 2",
        "from = 0",
        &[":9", "axis.utilization", "found 0, expected positive"],
    ),
    (
        "to = 10",
        "to = nan",
        &[":9", "axis.utilization.to", "NaN", "number from 0"],
    ),
    (
        "to = 10",
        "to = 1e308",
        &[":9", "axis.utilization.to", "number from 0"],
    ),
    (
        "to = 10",
        "to = -1",
        &[":9", "axis.utilization.to", "`-1`", "number from 0"],
    ),
    (
        "step = 2",
        "step = 0.0000001",
        &[":9", "axis.utilization", "at most 100000"],
    ),
    (
        "{ from = 2, to = 10, step = 2 }",
        "[]",
        &[":9", "axis.utilization", "empty list"],
    ),
    (
        "{ from = 2, to = 10, step = 2 }",
        "[2, 2]",
        &[":9", "axis.utilization", "2 twice"],
    ),
    (
        "{ from = 2, to = 10, step = 2 }",
        "\"2..10\"",
        &[":9", "axis.utilization", "a list of numbers"],
    ),
    (
        "tasks = [5, 8]",
        "tasks = [0]",
        &[":10", "axis.tasks", "found 0, expected whole numbers"],
    ),
    (
        "tasks = [5, 8]",
        "tasks = [5.5]",
        &[":10", "axis.tasks", "found 5.5, expected whole numbers"],
    ),
    (
        "tasks = [5, 8]",
        "tasks = [1000000]",
        &[":10", "axis.tasks", "from 1 to 10000"],
    ),
    ("tasks = [5, 8]", "", &["axis", "missing field `tasks`"]),
    (
        "name = \"SMS-INA\"",
        "name = \"1G\"",
        &["algorithm[1].name", "\"1G\" twice"],
    ),
    (
        "name = \"proportional\"",
        "name = \"literal\"",
        &["reading[1].name", "\"literal\" twice"],
    ),
    (
        "name = \"SMS-INA\"",
        "name = \" \"",
        &["algorithm[1].name", "visible characters"],
    ),
    (
        "name = \"small\"",
        "name = \"../small\"",
        &[":1", "at name", "\"../small\"", "letters"],
    ),
    ("name = \"small\"", "name = \"\"", &[":1", "at name", "letters"]),
    (
        "sets = 9",
        "sets = 0",
        &[":5", "at sets", "found 0, expected at least 1"],
    ),
    ("sets = 9", "sets = -5", &[":5", "at sets", "`-5`"]),
    ("sets = 9", "sets = 2.5", &[":5", "at sets", "`2.5`"]),
    (
        "sets = 9",
        "sets = 9223372036854775807",
        &[":5", "at sets", "expected fewer"],
    ),
    ("sets = 9", "sets = 9\nsets = 9", &[":6", "duplicate key"]),
    ("sets = 9\n", "", &["missing field `sets`"]),
    ("seed = 7", "seed = -7", &[":4", "at seed", "`-7`"]),
    (
        "sms = 12",
        "sms = 0",
        &[":6", "at sms", "found 0, expected 1 to 65536"],
    ),
    ("sms = 12", "", &["missing field `sms`"]),
    (
        "sms = 12",
        "platform = \"gtx1\"",
        &[":6", "at platform", "\"gtx1\"", "rtx2080ti"],
    ),
    (
        "sms = 12",
        "sms = 12\nplatform = \"orin\"",
        &["at platform", "both"],
    ),
    (
        "heuristic = \"bf\"",
        "heuristic = \"best\"",
        &["algorithm[2].heuristic", "`best`", "`bf`"],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"1g\"\ncolor = 1",
        &["algorithm[0]", "unknown field `color`"],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"1g\"\nbudget = 5",
        &[
            "algorithm[0].budget",
            "found 5 with heuristic 1g, expected it with auto or optimal",
        ],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"auto\"\nbudget = 0",
        &["algorithm[0].budget", "found 0, expected at least 1"],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"auto\"\nimprove = true",
        &[
            "algorithm[0].improve",
            "found true with heuristic auto, expected it with sms or bf",
        ],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"sms\"\nsplit = 2",
        &[
            "algorithm[0].split",
            "found 2 with heuristic sms, expected it with ffd or wfd",
        ],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"ffd\"\nsplit = 13",
        &[
            "algorithm[0].split",
            "found 13, expected 1 to the 12 SMs of the GPU",
        ],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"sms\"\ntraffic = \"heed\"",
        &[
            "algorithm[0].traffic",
            "found heed, expected a reading with interference",
        ],
    ),
    (
        "heuristic = \"1g\"",
        "heuristic = \"sms\"\nbf_measure = \"demand\"",
        &[
            "algorithm[0].bf_measure",
            "with heuristic sms, expected it with bf",
        ],
    ),
    (
        "memory-share = 0.5",
        "memory-share = 1.5",
        &["at generator", "memory-share: found 1.5"],
    ),
    (
        "memory-share = 0.5",
        "cap = 0.9",
        &["at generator", "5 tasks of utilization 6", "at most tasks x cap"],
    ),
    (
        "memory-share = 0.5",
        "wcet = \"amdahl\"",
        &[":13", "generator.wcet", "[[reading]]"],
    ),
    (
        "memory-share = 0.5",
        "periods = \"weekly\"",
        &[":13", "generator.periods", "weekly"],
    ),
    (
        "memory-share = 0.5",
        "blocks = 0",
        &["at generator", "blocks: found 0, expected from 1 to 2147483647"],
    ),
    (
        "memory-share = 0.5",
        "blocks = 0.5",
        &[":13", "generator.blocks", "`0.5`"],
    ),
    (
        "memory-share = 0.5",
        "jitter = 0.75",
        &["at generator", "jitter: found 0.75, expected a factor below"],
    ),
    (
        "interference = \"conflict\"",
        "blocks = 0",
        &[
            ":24",
            "reading[1].blocks",
            "found 0, expected from 1 to 2147483647",
        ],
    ),
    (
        "interference = \"conflict\"",
        "blocks = 3000000000",
        &[":24", "reading[1].blocks", "found 3000000000, expected from 1 to"],
    ),
    (
        "interference = \"conflict\"",
        "blocks = -68",
        &[":24", "reading[1].blocks", "`-68`"],
    ),
    (
        "policy = \"edf\"",
        "policy = \"fifo\"",
        &["reading[0].policy", "`fifo`", "`edf`"],
    ),
    (
        "[axis]",
        "[figure]\ny = \"height\"\n[axis]",
        &["figure.y", "\"height\"", "rate"],
    ),
    (
        "[axis]",
        "[figure]\npanel = \"policy\"\n[axis]",
        &["figure.panel", "`policy`", "`algorithm`"],
    ),
    (
        "algorithm = \"SMS-INA\"",
        "algorithm = \"SMS\"",
        &["at claim", "pays", "\"SMS\"", "SMS-INA"],
    ),
    ("min_gap(rate", "min_gap(share", &["at claim", "pays", "share"]),
    (">= 0'", ">= '", &["claim[0].holds", "of the expression"]),
    (
        "[[claim]]",
        "[[claim]]\nreadings = [\"figurative\"]",
        &["at claim", "pays", "figurative"],
    ),
    (
        "[[claim]]",
        "[[claim]]\nacross_readings = true\nreadings = [\"literal\"]",
        &["at claim", "pays", "both `readings` and `across_readings`"],
    ),
    (
        "[[claim]]",
        "[[claim]]\nacross_readings = true",
        &["at claim", "pays", "are the same point"],
    ),
    ("[[claim]]", "[claim]", &["at claim", "sequence"]),
    ("title = ", "title = = ", &["small.toml:2"]),
    (
        "policy = \"edf\"",
        "policy = \"lp-edf\"",
        &[
            ":18",
            "reading[0].policy",
            "found \"lp-edf\" without `blocks`",
            "[generator]",
        ],
    ),
    (
        "policy = \"edf\"\ninterference",
        "policy = \"lp-fp-given\"\ninterference",
        &[
            ":23",
            "reading[1].policy",
            "found \"lp-fp-given\" without `blocks`",
        ],
    ),
    (
        "policy = \"edf\"\ninterference",
        "policy = \"np-edf\"\nblocks = 68\ninterference",
        &[
            ":24",
            "reading[1].blocks",
            "found 68 under policy \"np-edf\"",
            "`lp-`",
        ],
    ),
    (
        "interference = \"conflict\"",
        "interference = \"conflict+bandwidth\"",
        &[
            ":24",
            "reading[1].interference",
            "found conflict+bandwidth without `saturation` in [generator]",
        ],
    ),
    (
        "interference = \"conflict\"",
        "interference = \"conflict\"\narbitration = \"max-min\"",
        &[":25", "reading[1].arbitration", "found max-min", "expected none"],
    ),
    (
        "memory-share = 0.5\n\n[[reading]]\nname = \"literal\"\nwcet = \"amdahl\"\npolicy = \"edf\"",
        "saturation = 4\n\n[[reading]]\nname = \"literal\"\nwcet = \"amdahl\"\npolicy = \"density\"\ninterference = \"bandwidth\"",
        &[":18", "reading[0].policy", "found density", "one with a proof"],
    ),
    (
        "heuristic = \"sms\"",
        "heuristic = \"sms\"\ngap = 1",
        &[
            "algorithm[1].gap",
            "found 1 with heuristic sms, expected it with auto or optimal, where it has an effect",
        ],
    ),
    (
        "heuristic = \"sms\"",
        "heuristic = \"auto\"\ngap = 1\nobjective = \"feasible\"",
        &[
            "algorithm[1].gap",
            "found 1 with objective feasible, expected objective sms",
        ],
    ),
    (
        "[axis]",
        "[figure]\ntable = \"weighted\"\ny = \"weighted\"\n\n[axis]",
        &["figure.table", "found weighted, expected `weighted = true`"],
    ),
    (
        "sets = 9",
        "sets = 9\nweighted = 1",
        &["small.toml:6", "weighted", "boolean"],
    ),
    (
        "memory-share = 0.5",
        "saturation = 1001",
        &["generator", "saturation: found 1001, expected from 1 to 1000 SMs"],
    ),
];

fn message(text: &str) -> String {
    Spec::parse("small.toml", text, Overrides::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn bad_studies_are_refused_where_they_are_bad() {
    let mut wrong = Vec::new();
    for (from, to, parts) in BAD {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL, "{from}");
        let message = message(&text);
        assert!(
            message.starts_with("small.toml") && message.lines().count() == 1,
            "{to}: {message}"
        );
        for part in *parts {
            if !message.contains(part) {
                wrong.push(format!("{to}: no {part:?} in: {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Blocks of the generator serve the readings that look at them, whatever the others are.
#[test]
fn readings_of_all_policies_share_the_blocks_of_the_generator() {
    let mixed = SMALL.replacen("memory-share = 0.5", "blocks = 68", 1).replacen(
        "policy = \"edf\"",
        "policy = \"lp-fp\"",
        1,
    );
    assert!(mixed.contains("policy = \"edf\""));
    Spec::parse("small.toml", &mixed, Overrides::default()).unwrap();
}

/// Blocks and jitter are part of the experiment; a study without is the experiment that it was before there were any.
#[test]
fn blocks_and_jitter_make_another_experiment() {
    let experiment = |from: &str, to: &str| {
        let spec = Spec::parse("small.toml", &SMALL.replacen(from, to, 1), Overrides::default());
        spec.unwrap().experiment().unwrap()
    };
    let other = [
        experiment("policy", "policy"),
        experiment("memory-share = 0.5", "blocks = 68"),
        experiment("memory-share = 0.5", "jitter = 0.1"),
        experiment("policy = \"edf\"", "blocks = 68\npolicy = \"lp-edf\""),
        experiment("policy = \"edf\"", "blocks = 680\npolicy = \"lp-edf\""),
    ];
    for (index, hash) in other.iter().enumerate() {
        assert!(!other[..index].contains(hash), "{index}");
    }
    assert_eq!(
        experiment("[axis]", "[figure]\npanel = \"algorithm\"\n[axis]"),
        other[0]
    );
    assert_eq!(
        other[0],
        "dfa5c764467bdb386dc020b550d43586dadbc08f649082da5a2ba148e657b743"
    );
}

#[test]
fn readings_and_algorithms_are_needed() {
    for list in ["reading", "algorithm"] {
        let header = format!("[[{list}]]");
        let without: String = SMALL
            .split("\n\n")
            .filter(|block| !block.starts_with(&header))
            .map(|block| format!("{block}\n\n"))
            .collect();
        assert!(message(&without).contains(&format!("missing field `{list}`")));
        let message = message(&format!("{list} = []\n{without}"));
        assert!(
            message.contains(&format!("small.toml:1: at {list}: found none")),
            "{message}"
        );
    }
}

#[test]
fn empty_and_binary_files_are_refused() {
    assert!(message("").contains("missing field `name`"));
    assert!(message("\0\u{1}").starts_with("small.toml:1: "));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("binary.toml");
    std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    for path in [path, folder.path().join("missing.toml"), folder.path().to_owned()] {
        let message = Spec::read(&path, Overrides::default()).unwrap_err().to_string();
        assert!(message.contains("cannot read"), "{message}");
    }
}

#[test]
fn the_command_writes_nothing_for_bad_input() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("good.toml"), SMALL).unwrap();
    std::fs::write(root.path().join("twin.toml"), SMALL).unwrap();
    std::fs::write(
        root.path().join("bad.toml"),
        SMALL.replace("step = 2", "step = 0"),
    )
    .unwrap();
    for (arguments, part) in [
        (
            vec!["good.toml", "bad.toml", "-o", "out"],
            "bad.toml:9: at axis.utilization",
        ),
        (
            vec!["good.toml", "twin.toml", "-o", "out"],
            "found the name `small` a second time",
        ),
        (vec!["good.toml"], "--output: found none, expected -o DIR"),
        (
            vec!["good.toml", "-o", "-"],
            "--output: found none, expected -o DIR",
        ),
        (vec!["-o", "out"], "SPEC"),
        (vec!["good.toml", "-o", "out", "--shard", "3/2"], "1 ≤ i ≤ n"),
        (vec!["good.toml", "-o", "out", "--sets", "0"], "--sets"),
        (vec!["good.toml", "-o", "out", "--sets", "many"], "--sets"),
        (vec!["good.toml", "-o", "out", "--seed=-1"], "--seed"),
        (
            vec!["good.toml", "-o", "out", "--seed", "18446744073709551615"],
            "good.toml",
        ),
        (vec!["good.toml", "-o", "out", "--threads", "0"], "--threads"),
        (
            vec!["good.toml", "-o", "missing/out"],
            "missing/out: cannot create folder",
        ),
        (
            vec!["good.toml", "-o", "good.toml"],
            "--output, SPEC: found the same file, expected two: good.toml",
        ),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"))
            .args(["study", "run"])
            .args(&arguments)
            .current_dir(root.path())
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert!(message.lines().count() <= 12, "{message}");
        assert_eq!(
            std::fs::read_dir(root.path()).unwrap().count(),
            3,
            "{arguments:?}"
        );
    }
}
