//! Bad scenarios and options: exit code 2, one line that names file, field and value, no output.

use std::num::NonZeroU32;
use std::path::Path;

use gpusched::model::WarpScenario;
use gpusched::model::warp_scenario::WarpScenarioShape;

use crate::support::{answer, files, gpusched, root};

/// A scenario whose second kernel has `member`.
fn kernel(member: &str) -> String {
    let mut members = vec![member.to_owned()];
    for valid in [r#""name":"B""#, r#""warps":1"#, r#""program":[{"latency":1}]"#] {
        if !member.starts_with(valid.split(':').next().unwrap()) {
            members.push(valid.to_owned());
        }
    }
    let first = r#"{"name":"A","warps":1,"program":[{"latency":1}]}"#;
    format!(
        "{{\"scheduler\":\"gto\",\"kernels\":[\n{first},\n{{{}}}]}}",
        members.join(",")
    )
}

fn program(instructions: &str) -> String {
    kernel(&format!("\"program\":{instructions}"))
}

/// A scenario of one kernel with `budget` (or none) under `scheduler`.
fn under(scheduler: &str, budget: &str) -> String {
    format!(
        r#"{{"scheduler":"{scheduler}","kernels":[{{"name":"A","warps":1,{budget}"program":[{{"latency":1}}]}}]}}"#
    )
}

#[test]
#[rustfmt::skip] // a table
fn bad_scenarios_are_refused() {
    let long = format!("[{}]", vec![r#"{"latency":1}"#; 70_000].join(","));
    let far = format!("[{}]", vec![r#"{"latency":4294967295}"#; 300].join(","));
    let cases: Vec<(String, &[&str], &[&str])> = vec![
        (String::new(), &[], &["bad.json: found nothing, expected a scenario"]),
        ("[]".into(), &[], &["bad.json:1:", "expected a scenario: an object such as"]),
        ("{".into(), &[], &["bad.json:1:", "EOF"]),
        (r#"{"kernels":[]}"#.into(), &[], &["missing field `scheduler`"]),
        (r#"{"scheduler":"gto"}"#.into(), &[], &["missing field `kernels`"]),
        (r#"{"scheduler":"gto","kernels":[]}"#.into(), &[], &["kernels: found none, expected at least one kernel"]),
        (r#"{"scheduler":"rr","kernels":[]}"#.into(), &[], &["at scheduler", "unknown variant `rr`", "`rt-paws`"]),
        (r#"{"scheduler":"gto","gpu":"rtx2060","kernels":[]}"#.into(), &[], &["unknown field `gpu`"]),
        // With a machine it is another kind of scenario.
        (r#"{"scheduler":"gto","machine":"rtx2060","kernels":[{"name":"A","warps":1,"program":[{"latency":1}]}]}"#.into(), &[], &["unknown field `warps`"]),
        (format!("{} {}", kernel(""), 1).replace("{,", "{"), &[], &["trailing characters"]),
        (kernel(r#""color":1"#), &[], &["bad.json:3: at kernels[1].color", "unknown field `color`"]),
        (kernel(r#""name":"A""#), &[], &["kernels[1].name: found \"A\" again, expected a name of its own"]),
        (kernel(r#""name":7"#), &[], &["kernels[1].name", "integer `7`"]),
        (kernel(r#""warps":0"#), &[], &["bad.json:3: at kernels[1].warps", "`0`, expected a nonzero"]),
        (kernel(r#""warps":-1"#), &[], &["kernels[1].warps", "`-1`"]),
        (kernel(r#""warps":1.5"#), &[], &["kernels[1].warps", "`1.5`"]),
        (kernel(r#""warps":64"#), &[], &["kernels: found 65 warps, expected at most 64 in all"]),
        (kernel(r#""warps":4294967295"#), &[], &["found 4294967296 warps"]),
        (kernel(r#""launch":-1"#), &[], &["kernels[1].launch", "`-1`"]),
        (kernel(r#""launch":"1us""#), &[], &["kernels[1].launch", "string \"1us\""]),
        (kernel(r#""launch":1000000000001"#), &[], &["kernels[1].launch: found 1000000000001, expected at most cycle 1000000000000"]),
        (kernel(r#""budget":3"#), &[], &["kernels[1].budget: found 3, expected none: gto has no budgets"]),
        (kernel(r#""budget":-3"#), &[], &["kernels[1].budget", "`-3`"]),
        (under("qaws", ""), &[], &["kernels[0].budget: found none, expected one, as every kernel has under qaws"]),
        (under("rt-paws", ""), &[], &["kernels[0].budget: found none", "under rt-paws"]),
        (under("lrr", r#""budget":0,"#), &[], &["kernels[0].budget: found 0, expected none: lrr has no budgets"]),
        (under("oldest", r#""budget":0,"#), &[], &["oldest has no budgets"]),
        (program("[]"), &[], &["kernels[1].program: found none, expected at least one instruction"]),
        (program("[1]"), &[], &["kernels[1].program[0]", "expected an instruction: an object such as {\"latency\":1}"]),
        (program("[{}]"), &[], &["kernels[1].program[0]", "missing field `latency`"]),
        (program(r#"[{"latency":1},{"latency":0}]"#), &[], &["bad.json:3: at kernels[1].program[1].latency", "`0`, expected a nonzero"]),
        (program(r#"[{"latency":4294967296}]"#), &[], &["program[0].latency", "`4294967296`"]),
        (program(r#"[{"latency":1,"op":"add"}]"#), &[], &["unknown field `op`"]),
        (program(&far), &[], &["bad.json: found a run of more than 1000000000000 cycles, expected a shorter one"]),
        (program(&far), &["--format", "json"], &["found a run of more than 20000000 cycles", "--format csv has no limit"]),
        (program(&far), &["--format", "csv"], &["found a run of more than 1000000000000 cycles"]),
        (program(&long).replace(r#""warps":1"#, r#""warps":32"#), &["--trace", "t.json"], &["--trace", "more than 4000000 events"]),
        (under("gto", ""), &["--scheduler", "qaws"], &["bad.json: at kernels[0].budget: found none, expected one, as every kernel has under qaws"]),
        (under("gto", ""), &["--budget", "A=1"], &["kernels[0].budget: found 1, expected none: gto has no budgets"]),
        (under("qaws", r#""budget":0,"#), &["--scheduler", "lrr", "--budget", "A=1"], &["found 1, expected none: lrr has no budgets"]),
        (under("qaws", r#""budget":0,"#), &["--budget", "B=1"], &["--budget: found the kernel \"B\", expected one of A"]),
    ];
    for (text, options, expected) in &cases {
        let folder = tempfile::tempdir().unwrap();
        let bad = folder.path().join("bad.json");
        std::fs::write(&bad, text).unwrap();
        let command = || {
            let mut command = gpusched(["simulate", "warps"]);
            command.arg(&bad).args(*options).current_dir(folder.path());
            command
        };
        let shown = &text[..text.len().min(300)];
        let refusal = answer(&mut command());
        assert_eq!(refusal.code, 2, "{shown}: {refusal:?}");
        // Rows of CSV are written while the simulation goes on, here not even the first of them.
        assert_eq!(refusal.stdout, "", "{shown}");
        assert!(refusal.stderr.starts_with("error: ") && crate::support::is_one_complaint(&refusal.stderr), "{}", refusal.stderr);
        for part in *expected {
            assert!(refusal.stderr.contains(part), "{shown} {options:?}: no {part:?} in\n{}", refusal.stderr);
        }
        assert_eq!(answer(command().args(["-o", "out.csv"])).code, 2, "{shown}");
        assert_eq!(files(folder.path()), [Path::new("bad.json")], "{shown}");
    }
}

#[test]
fn more_instructions_than_anyone_waits_for() {
    let mut shape = serde_json::from_str::<WarpScenarioShape>(&under("gto", "")).unwrap();
    let kernel = &mut shape.kernels[0];
    kernel.warps = NonZeroU32::new(50).unwrap();
    kernel.program = vec![kernel.program[0]; 2_000_000];
    assert!(WarpScenario::new(shape.clone()).is_ok());
    let one = shape.kernels[0].program[0];
    shape.kernels[0].program.push(one);
    let refusal = WarpScenario::new(shape).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "kernels: found 100000050 instructions of all warps, expected at most 100000000"
    );
}

#[test]
fn bad_options_are_refused() {
    let sample = "tasksets/warps/singh22-fig3-qaws-1-4.json";
    for (options, expected) in [
        ("--budget K2", "expected KERNEL=N"),
        ("--budget K2=-1", "expected KERNEL=N"),
        (
            "--budget K2=4294967296",
            "expected KERNEL=N with N from 0 to 4294967295",
        ),
        ("--scheduler rr", "lrr, gto, oldest, rt-paws, qaws"),
        ("--trace -", "--trace: found -, expected a file"),
        ("--from 1ns", "--gantt"),
        ("--gantt c.svg --from 9ns --to 3ns", "--from: found 9ns"),
    ] {
        let line = format!("simulate warps {sample} {options}");
        let refusal = answer(gpusched(line.split_whitespace()).current_dir(root()));
        assert_eq!((refusal.code, refusal.stdout.as_str()), (2, ""), "{options}");
        assert!(refusal.stderr.contains(expected), "{options}: {}", refusal.stderr);
    }
    assert!(!root().join("c.svg").exists());
}
