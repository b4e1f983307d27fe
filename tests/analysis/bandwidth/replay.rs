//! Simulations with block times from a trace. A trace of constant times gives the result of a
//! profile. Times that the profile does not cover are rejected.

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::support::{Answer, answer, gpusched, run};

/// Six blocks in three intervals; the WCETs exceed the means.
const KERNEL: &str = r#"{"name":"six","active_blocks":2,"regulation_period":"2us","clusters":[
    {"blocks":4,"e0":"900ns","e1":2000,"isolated":{"mean_ns":700,"std_ns":0},"interference":{"mean_ns":1500,"std_ns":0}},
    {"blocks":2,"e0":1200,"e1":1300,"isolated":{"mean_ns":1000,"std_ns":0},"interference":{"mean_ns":1250,"std_ns":0}}],
    "intervals":[{"first":0,"last":1,"cluster":0},{"first":2,"last":3,"cluster":1},{"first":4,"last":5,"cluster":0}]}"#;

const CLUSTERS: [usize; 6] = [0, 0, 1, 1, 0, 0];

/// A folder with the kernel file.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("kernel.json", KERNEL);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Runs `budget simulate` with the kernel.
    fn simulate(&self, options: &str) -> Answer {
        let mut command = gpusched(["budget", "simulate", "kernel.json"]);
        answer(
            command
                .args(options.split_whitespace())
                .current_dir(self.0.path()),
        )
    }
}

/// Returns a trace with `runs[0]` runs in isolation and `runs[1]` runs under interference. `time`
/// returns the time for run, block and level.
fn trace(runs: [usize; 2], time: impl Fn(usize, usize, usize) -> u64) -> String {
    let mut text = "run,block,duration_ns,q\n".to_owned();
    for (q, runs) in runs.into_iter().enumerate() {
        for run in 0..runs {
            for block in (0..CLUSTERS.len()).rev() {
                writeln!(text, "{run},{block},{},{q}", time(run, block, q)).unwrap();
            }
        }
    }
    text
}

const MEANS: [[u64; 2]; 2] = [[700, 1500], [1000, 1250]];
const WCETS: [[u64; 2]; 2] = [[900, 2000], [1200, 1300]];

/// A trace of constant times gives the same result as the profile with these times, to the byte.
#[test]
fn constant_traces_are_profiles() {
    let folder = Folder::new();
    for (name, times) in [("mean", MEANS), ("wcet", WCETS)] {
        folder.write(
            "trace.csv",
            &trace([3, 2], |_, block, q| times[CLUSTERS[block]][q]),
        );
        for options in [
            "",
            "--pattern random --offset random",
            "--pattern back --demand 0.4",
        ] {
            let options = format!("{options} --q 0.3 --lead 0ns --runs 7");
            for format in ["csv", "json"] {
                let options = format!("{options} --format {format}");
                let expected = folder.simulate(&format!("{options} --blocks {name}"));
                let found = folder.simulate(&format!("{options} --blocks trace --trace trace.csv"));
                assert!(found.code == expected.code && found.code != 2, "{}", found.stderr);
                if format == "json" {
                    let mut summary: Value = serde_json::from_str(&found.stdout).unwrap();
                    assert_eq!(
                        summary["recorded"],
                        serde_json::json!({"isolated": 3, "interference": 2})
                    );
                    summary.as_object_mut().unwrap().remove("recorded");
                    summary["setting"]["blocks"] = name.into();
                    let expected: Value = serde_json::from_str(&expected.stdout).unwrap();
                    assert_eq!(summary.to_string(), expected.to_string());
                } else {
                    assert_eq!(found.stdout, expected.stdout);
                }
            }
        }
    }
}

/// Run r uses run r of the trace at each level. After the last run, the first run follows, for every number of
/// requested runs.
#[test]
fn runs_come_again() {
    let folder = Folder::new();
    // Without memory time, the length of a run depends only on its times in isolation, which grow with the run.
    folder.write(
        "trace.csv",
        &trace([3, 2], |run, _, q| (100 + 10 * run + 200 * q) as u64),
    );
    let ends = |runs: usize| -> Vec<String> {
        let options = format!("--q 0 --process 0 --policy nominal --lead 0ns --format json --runs {runs}");
        let answer = folder.simulate(&format!("{options} --blocks trace --trace trace.csv"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let summary: Value = serde_json::from_str(&answer.stdout).unwrap();
        let finish = &summary["policies"][0]["finish_ns"];
        ["mean", "first", "last"].map(|of| finish[of].to_string()).into()
    };
    // Each of two places executes three blocks one after the other.
    assert_eq!(ends(1), ["300.0", "300.0", "300.0"]);
    assert_eq!(ends(2), ["315.0", "300.0", "330.0"]);
    assert_eq!(ends(3), ["330.0", "300.0", "360.0"]);
    assert_eq!(ends(6), ["330.0", "300.0", "360.0"]);
    assert_eq!(ends(5), ["324.0", "300.0", "360.0"]);
    // At q = 1, the trace repeats after two runs.
    let options =
        "--q 1 --process 0 --policy nominal --lead 0ns --format json --blocks trace --trace trace.csv";
    for (runs, last) in [(1, 900.0), (2, 930.0), (3, 930.0), (4, 930.0)] {
        let stdout = folder.simulate(&format!("{options} --runs {runs}")).stdout;
        let summary: Value = serde_json::from_str(&stdout).unwrap();
        let found = summary["policies"][0]["finish_ns"]["last"].as_f64().unwrap();
        assert!((found - last).abs() < 1e-6, "{runs} {found}");
    }
}

/// A trace that `wcet synth` generates from the profile has the block times of `--blocks drawn`.
#[test]
fn synthesized_traces_are_drawn_times() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.jsonl").display().to_string();
    let synth = run(&format!(
        "wcet synth tasksets/traces/two-paths.json --runs 4 --seed 5 -o {file}"
    ));
    assert_eq!(synth.code, 0, "{synth:?}");
    let simulate = |blocks: &str| {
        let options = "--q 0.1 --runs 4 --seed 5 --offset random --optimum --format csv";
        run(&format!(
            "budget simulate tasksets/traces/two-paths.json --blocks {blocks} {options}"
        ))
    };
    let (drawn, replayed) = (simulate("drawn"), simulate(&format!("trace --trace {file}")));
    assert!(drawn.stdout.lines().count() > 20, "{drawn:?}");
    assert_eq!(drawn, replayed);
}

/// JSONL format, and several files.
#[test]
fn formats_are_those_of_traces() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let synth = "wcet synth tasksets/traces/two-paths.json --runs 3 --seed";
    for (seed, name) in [(1, "a.jsonl"), (2, "b.csv")] {
        let output = run(&format!("{synth} {seed} -o {}", path(name)));
        assert_eq!(output.code, 0, "{output:?}");
    }
    let kernel =
        "budget simulate tasksets/traces/two-paths.json --blocks trace --q 0.1 --runs 6 --format json";
    let both = run(&format!(
        "{kernel} --trace {} --trace {}",
        path("a.jsonl"),
        path("b.csv")
    ));
    let summary: Value = serde_json::from_str(&both.stdout).unwrap();
    assert_eq!(
        summary["recorded"],
        serde_json::json!({"isolated": 6, "interference": 6})
    );
    assert_eq!(summary["setting"]["blocks"], "trace");
}

#[test]
fn other_kernels_are_refused() {
    let folder = Folder::new();
    let fits = trace([1, 1], |_, block, q| MEANS[CLUSTERS[block]][q]);
    let beyond = |far: u64, level| {
        trace([2, 2], move |run, block, q| {
            let wcet = WCETS[CLUSTERS[block]][q];
            if run == 1 && block == 3 && q == level {
                wcet + far
            } else {
                wcet
            }
        })
    };
    folder.write("fits.csv", &fits);
    folder.write(
        "few.csv",
        &fits
            .lines()
            .filter(|line| !line.contains(",5,"))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    folder.write("gap.csv", &fits.replace("0,2,1000,0\n", ""));
    folder.write(
        "alone.csv",
        &trace([1, 0], |_, block, q| MEANS[CLUSTERS[block]][q]),
    );
    folder.write("slow0.csv", &beyond(1, 0));
    folder.write("slow1.csv", &beyond(1, 1));
    folder.write("just.csv", &beyond(0, 1));
    let mut told = Transcript::default();
    for options in [
        "--blocks trace",
        "--trace fits.csv",
        "--trace-format csv",
        "--blocks trace --trace none.csv",
        "--blocks trace --trace kernel.json",
        "--blocks trace --trace few.csv",
        "--blocks trace --trace gap.csv",
        "--blocks trace --trace alone.csv",
        "--blocks trace --trace slow0.csv",
        "--blocks trace --trace slow1.csv --runs 1",
        "--blocks trace --trace fits.csv --trace fits.csv",
    ] {
        told.refusal(options, &folder.simulate(options));
    }
    assert_snapshot!(told);
    let answer = folder.simulate("--blocks trace --trace just.csv --q 0.3 --process 0 --lead 0ns --runs 2");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}
