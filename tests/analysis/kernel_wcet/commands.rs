//! The commands: results, and errors for invalid kernels, bounds and usage.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::{Transcript, refusals, variants};
use crate::support::{Answer, answer, files, gpusched, run, run_with};

const HISTO: &str = "tasksets/kernels/histo-m4.json";
const KERNEL: &str =
    r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":10,"e0":"2us","e1":"3us"}]}"#;

fn json(answer: &Answer) -> Value {
    assert_eq!(answer.code, 0, "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn answers_follow_the_contract() {
    let bound = json(&run(&format!("wcet bound {HISTO} --q 0.13 --format json")));
    for field in ["q", "sync", "wcet_ns", "iterations", "certificate"] {
        assert!(!bound[field].is_null(), "{bound}");
    }
    assert_eq!(
        (bound["q"].as_f64(), bound["sync"].as_bool()),
        (Some(0.13), Some(false))
    );
    let nominal = json(&run(&format!(
        "budget nominal {HISTO} --slowdown 0.10 --format json"
    )));
    let found = nominal["nominal_q"].as_f64().unwrap();
    assert!((found - 0.13).abs() < 0.001, "{nominal}");
    let exact = json(&run(&format!("wcet bound {HISTO} --q {found} --format json")));
    assert_eq!(exact["wcet_ns"], nominal["wcet_nominal_ns"]);
    assert_eq!(
        json(&run(&format!("wcet bound {HISTO} --q 0 --format json")))["wcet_ns"],
        nominal["wcet_isolated_ns"]
    );
}

#[test]
fn solvers_agree() {
    for options in ["", "--sync", "--straddling both"] {
        let ask = |solver| {
            json(&run(&format!(
                "wcet bound {HISTO} --q 0.37 {options} --solver {solver} --format json"
            )))
        };
        let (mut exact, lp, mut both) = (ask("exact"), ask("lp"), ask("both"));
        for bound in [&mut exact, &mut both] {
            bound["identity"]["options"]["solver"].take();
        }
        assert_eq!(exact, both);
        assert!(lp["certificate"].is_null());
        let [exact, lp] = [exact, lp].map(|bound| bound["wcet_ns"].as_f64().unwrap());
        assert!(exact <= lp && lp <= exact * (1.0 + 1e-8) + 1.0, "{exact} {lp}");
    }
}

#[test]
fn streams_are_answered_in_order() {
    let kernels: String = (1..=3)
        .map(|n| KERNEL.replace("{\"active", &format!("{{\"name\":\"k{n}\",\"active")) + "\n")
        .collect();
    let bounds = run_with("wcet bound - --q 0.5 --format json", kernels.as_str());
    let names: Vec<String> = bounds
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kernel"].to_string())
        .collect();
    assert_eq!(names, ["\"k1\"", "\"k2\"", "\"k3\""]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.jsonl");
    std::fs::write(&file, &kernels).unwrap();
    let verify = |bounds: &str| {
        let mut command = gpusched(["wcet", "verify", "-"]);
        answer(command.arg(&file).write_stdin(bounds))
    };
    assert_eq!(verify(&bounds.stdout).code, 0);
    let swapped: Vec<&str> = bounds.stdout.lines().rev().collect();
    let swapped = verify(&swapped.join("\n"));
    assert_eq!(swapped.code, 1);
    assert!(
        swapped
            .stdout
            .contains("0: REFUSED at identity: found `k1`, expected `k3`"),
        "{swapped:?}"
    );
    let fewer: Vec<&str> = bounds.stdout.lines().take(2).collect();
    let fewer = verify(&fewer.join("\n"));
    assert_eq!(fewer.code, 2);
    assert!(fewer.stderr.contains("found 2 entries"), "{fewer:?}");
}

#[test]
fn curves_are_tables_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, svg) = (folder.path().join("c.csv"), folder.path().join("c.svg"));
    let mut outputs = Vec::new();
    for threads in ["1", "3"] {
        let mut command = gpusched(["wcet", "curve", HISTO, "--steps", "7", "--threads", threads]);
        assert_eq!(answer(command.arg("-o").arg(&csv).arg("--svg").arg(&svg)).code, 0);
        outputs.push((std::fs::read(&csv).unwrap(), std::fs::read(&svg).unwrap()));
    }
    assert_eq!(outputs[0], outputs[1]);
    let text = String::from_utf8(outputs[0].0.clone()).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(rows.len(), 8);
    assert_eq!((rows[0][3], rows[7][3]), ("0", "1"));
    for row in rows {
        let one = json(&run(&format!("wcet bound {HISTO} --q {} --format json", row[3])));
        assert_eq!(one["wcet_ns"].to_string(), row[4]);
    }
}

/// The text output contains all important qualifications of a result.
#[test]
fn text_says_what_it_rests_on() {
    let both = run(&format!(
        "wcet bound {HISTO} --q 0.1 --straddling both --solver both"
    ))
    .stdout;
    assert!(
        both.contains("start at any time, straddling both") && both.contains("linear program agrees"),
        "{both}"
    );
    let short = KERNEL.replace("\"active_blocks\":4", "\"active_blocks\":16");
    let none = run_with("budget nominal -", short.as_str());
    assert_eq!(none.code, 0);
    assert!(
        none.stdout.contains("no budget: even the smallest budget adds +"),
        "{none:?}"
    );
    // If a kernel ends within its regulation period, a note suggests a shorter period and states its budget.
    let within = KERNEL.replace("\"blocks\":10", "\"blocks\":268");
    let note = run_with("budget nominal -", within.as_str()).stderr;
    assert!(
        note.contains("takes 135.5us in isolation, less than its regulation period of 1ms"),
        "{note}"
    );
    assert!(
        note.contains("a regulation period of 50us allows Q = 0.132 instead of 0.0162"),
        "{note}"
    );
    assert_eq!(run_with("budget nominal - -q", within.as_str()).stderr, "");
    assert_eq!(run(&format!("budget nominal {HISTO}")).stderr, "");
    let large = run(&format!("budget nominal {HISTO} --slowdown 5"));
    assert!(
        large.stderr.contains("note: a slowdown of 5 is 500 %"),
        "{large:?}"
    );
    let tail = r#","isolated":{"mean_ns":1,"std_ns":1,"tail":{"family":"gpd","location_ns":1,"scale_ns":1,"shape":0,"executions":10,"exceedance":1e-9,"fit_p":0.001,"trustworthy":false}}}"#;
    let doubtful = KERNEL.replace("\"e1\":\"3us\"}", &format!("\"e1\":\"3us\"{tail}"));
    for command in [
        "wcet bound - --q 0.1 -q",
        "wcet curve - -q",
        "budget nominal - -q",
    ] {
        let answer = run_with(command, doubtful.as_str());
        assert_eq!(answer.code, 0, "{command}: {answer:?}");
        assert!(
            answer
                .stderr
                .contains("warning: kernel: e0 of cluster 0 comes from a fit that failed"),
            "{answer:?}"
        );
    }
}

#[test]
fn bad_kernels_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    let changes = r#"
4, → 0,
4, → -4,
4, → 4.5,
4, → NaN,
"1ms" → 0
"1ms" → "-1ms"
"1ms" → "1"
[{"blocks":10,"e0":"2us","e1":"3us"}] → []
10 → 0
10 → 4294967297
10 → 1e3
"2us" → 0
"2us" → "4us"
"3us" → "1100s"
"3us" → null
"e0" → "wcet"
"active_blocks" → "intervals":[{"first":0,"last":8,"cluster":0}],"active_blocks"
"active_blocks" → "m":1,"active_blocks"
"#;
    let whole = ["", "[]", "{}"].map(|text| (text.to_owned(), text.to_owned()));
    let mut told = Transcript::in_folder(folder.path());
    for (given, text) in whole.into_iter().chain(variants(KERNEL, changes)) {
        std::fs::write(&path, text).unwrap();
        let answers = [
            "wcet bound FILE --q 0.1",
            "wcet curve FILE",
            "budget nominal FILE",
        ]
        .map(|command| {
            let line = command.replace("FILE", path.to_str().unwrap());
            let refused = run(&line);
            let out = folder.path().join("out.json");
            assert_eq!(run(&format!("{line} -o {}", out.display())), refused, "{given}");
            assert_eq!(files(folder.path()), [Path::new("bad.json")], "{given}");
            refused
        });
        told.refusal(&given, &answers[0]);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    assert_snapshot!(told);
}

#[test]
fn bad_bounds_are_refused() {
    let good = run(&format!("wcet bound {HISTO} --q 0.13 --format json")).stdout;
    let changes = r#"
"553/883" → "-1"
"553/883" → "1/0"
"553/883" → 0.6
"end" → "start"
0.13 → -0.13
25870830 → -1
"iterations" → "steps"
"wcet_ns":25870830, →
"#;
    let mut told = Transcript::default();
    for (given, text) in variants(&good, changes) {
        told.refusal(given, &run_with(&format!("wcet verify - {HISTO}"), text));
    }
    assert_snapshot!(told);
}

#[test]
fn bad_usage_is_refused() {
    let told = refusals([
        "wcet bound tasksets/kernels/histo-m4.json",
        "wcet bound tasksets/kernels/histo-m4.json --q 1.01",
        "wcet bound tasksets/kernels/histo-m4.json --q=-0.1",
        "wcet bound tasksets/kernels/histo-m4.json --q NaN",
        "wcet bound tasksets/kernels/histo-m4.json --q 0.1234567891",
        "wcet bound tasksets/kernels/histo-m4.json --q 0.1 --solver simplex",
        "wcet bound tasksets/kernels/histo-m4.json --q 0.1 --straddling none",
        "wcet bound missing.json --q 0.1",
        "wcet bound tasksets/kernels/histo-m4.json --q 0.1 -o missing/b.json",
        "wcet curve tasksets/kernels/histo-m4.json --steps 0",
        "wcet curve tasksets/kernels/histo-m4.json -o curve.svg",
        "wcet curve tasksets/kernels/histo-m4.json --from 0.5 --to 0.5",
        "wcet curve tasksets/kernels/histo-m4.json --from 2",
        "wcet curve tasksets/kernels/histo-m4.json --steps 2 --svg missing/c.svg",
        "budget nominal tasksets/kernels/histo-m4.json --slowdown=-1",
        "budget nominal tasksets/kernels/histo-m4.json --slowdown inf",
        "wcet verify tasksets/kernels/histo-m4.json tasksets/kernels/histo-m4.json",
    ]);
    assert_snapshot!(told);
    let answer = run("wcet");
    assert!(answer.code == 2 && answer.stderr.contains("Usage"), "{answer:?}");
}
