//! Invalid scenarios and options: exit code 2, one line with file, field and value, and no output.

use std::num::NonZeroU32;
use std::path::Path;

use gpusched::model::WarpScenario;
use gpusched::model::warp_scenario::WarpScenarioShape;

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals};
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
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &[]),
        ("[]".into(), &[]),
        ("{".into(), &[]),
        (r#"{"kernels":[]}"#.into(), &[]),
        (r#"{"scheduler":"gto"}"#.into(), &[]),
        (r#"{"scheduler":"gto","kernels":[]}"#.into(), &[]),
        (r#"{"scheduler":"rr","kernels":[]}"#.into(), &[]),
        (r#"{"scheduler":"gto","gpu":"rtx2060","kernels":[]}"#.into(), &[]),
        // A scenario with a machine is of another kind.
        (r#"{"scheduler":"gto","machine":"rtx2060","kernels":[{"name":"A","warps":1,"program":[{"latency":1}]}]}"#.into(), &[]),
        (format!("{} {}", kernel(""), 1).replace("{,", "{"), &[]),
        (kernel(r#""color":1"#), &[]),
        (kernel(r#""name":"A""#), &[]),
        (kernel(r#""name":7"#), &[]),
        (kernel(r#""warps":0"#), &[]),
        (kernel(r#""warps":-1"#), &[]),
        (kernel(r#""warps":1.5"#), &[]),
        (kernel(r#""warps":64"#), &[]),
        (kernel(r#""warps":4294967295"#), &[]),
        (kernel(r#""launch":-1"#), &[]),
        (kernel(r#""launch":"1us""#), &[]),
        (kernel(r#""launch":1000000000001"#), &[]),
        (kernel(r#""budget":3"#), &[]),
        (kernel(r#""budget":-3"#), &[]),
        (under("qaws", ""), &[]),
        (under("rt-paws", ""), &[]),
        (under("lrr", r#""budget":0,"#), &[]),
        (under("oldest", r#""budget":0,"#), &[]),
        (program("[]"), &[]),
        (program("[1]"), &[]),
        (program("[{}]"), &[]),
        (program(r#"[{"latency":1},{"latency":0}]"#), &[]),
        (program(r#"[{"latency":4294967296}]"#), &[]),
        (program(r#"[{"latency":1,"op":"add"}]"#), &[]),
        (program(&far), &[]),
        (program(&far), &["--format", "json"]),
        (program(&far), &["--format", "csv"]),
        (program(&long).replace(r#""warps":1"#, r#""warps":32"#), &["--trace", "t.json"]),
        (under("gto", ""), &["--scheduler", "qaws"]),
        (under("gto", ""), &["--budget", "A=1"]),
        (under("qaws", r#""budget":0,"#), &["--scheduler", "lrr", "--budget", "A=1"]),
        (under("qaws", r#""budget":0,"#), &["--budget", "B=1"]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    let mut told = Transcript::in_folder(folder.path());
    for (text, options) in &cases {
        std::fs::write(&bad, text).unwrap();
        let command = || {
            let mut command = gpusched(["simulate", "warps"]);
            command.arg(&bad).args(*options).current_dir(folder.path());
            command
        };
        let shown = &text[..text.len().min(300)];
        // CSV rows are written during the simulation, but in these cases no row is written.
        told.refusal(format!("{shown} {options:?}"), &answer(&mut command()));
        assert_eq!(answer(command().args(["-o", "out.csv"])).code, 2, "{shown}");
        assert_eq!(files(folder.path()), [Path::new("bad.json")], "{shown}");
    }
    assert_snapshot!(told);
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
    assert_snapshot!(refusal);
}

#[test]
fn bad_options_are_refused() {
    let told = refusals([
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --budget K2",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --budget K2=-1",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --budget K2=4294967296",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --scheduler rr",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --trace -",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --from 1ns",
        "simulate warps tasksets/warps/singh22-fig3-qaws-1-4.json --gantt c.svg --from 9ns --to 3ns",
    ]);
    assert_snapshot!(told);
    assert!(!root().join("c.svg").exists());
}
