//! `gpusched simulate warps`.

use serde_json::{Value, json};

use crate::support::{answer, gpusched, root, run, run_with};

const FIG3: &str = "tasksets/warps/singh22-fig3-qaws-1-4.json";

fn json(line: &str) -> Value {
    let answer = run(line);
    assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Returns the finishing times under `options`.
fn finish(options: &str) -> Vec<u64> {
    let answer = json(&format!("simulate warps {FIG3} --format json {options}"));
    let kernels = answer["kernels"].as_array().unwrap().iter();
    kernels.map(|kernel| kernel["finish"].as_u64().unwrap()).collect()
}

#[test]
fn the_contract() {
    let answer = json(&format!("simulate warps {FIG3} --format json"));
    assert_eq!(answer["scheduler"], "qaws");
    assert_eq!(
        answer["kernels"][1],
        json!({"name": "K2", "budget": 4, "launch": 1, "start": 2, "finish": 28, "response": 27, "instructions": 18})
    );
    assert_eq!(answer["issue_order"].as_array().unwrap().len(), 38);
}

#[test]
fn options_change_the_scenario() {
    assert_eq!(finish(""), [38, 28]);
    assert_eq!(finish("--budget K2=6"), [38, 24]);
    // The results equal the samples for these schedulers.
    assert_eq!(finish("--scheduler gto"), [20, 38]);
    assert_eq!(finish("--scheduler lrr"), [35, 37]);
    assert_eq!(
        finish("--scheduler qaws --budget K1=1 --budget K2=3 --budget K2=4"),
        [38, 28]
    );
    let paws = "tasksets/warps/singh21-fig4.1-gto.json";
    let answer = json(&format!(
        "simulate warps {paws} --format json --scheduler rt-paws --budget K1=0 --budget K2=8"
    ));
    assert_eq!(
        (&answer["kernels"][0]["finish"], &answer["kernels"][1]["finish"]),
        (&json!(26), &json!(18))
    );
    // A name may contain `=`. Options do not repair an incomplete file.
    let odd = r#"{"scheduler":"qaws","kernels":[{"name":"a=b","warps":1,"program":[{"latency":1}]}]}"#;
    let line = "simulate warps - --format json --budget a=b=7";
    assert_eq!(run_with(line, odd).code, 2);
    let whole = run_with(line, odd.replace("\"warps\"", "\"budget\":1,\"warps\""));
    assert!(whole.stdout.contains("\"budget\":7"), "{whole:?}");
}

#[test]
fn csv_has_the_issues_of_json() {
    for scheduler in ["lrr", "gto", "oldest", "qaws", "rt-paws"] {
        let line = format!("simulate warps {FIG3} --scheduler {scheduler}");
        let order = json(&format!("{line} --format json"))["issue_order"].clone();
        let csv = run(&format!("{line} --format csv")).stdout;
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("cycle,scheduler,warp,kernel,instruction"));
        let mut next = [0; 4];
        let mut found = vec![Value::Null; order.as_array().unwrap().len()];
        for line in lines {
            let row: Vec<usize> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let [cycle, scheduler, warp, kernel, instruction] = row[..] else {
                panic!("{line}")
            };
            assert_eq!((scheduler, kernel, instruction), (0, warp / 2, next[warp]));
            next[warp] += 1;
            found[cycle] = json!(warp);
        }
        assert_eq!(next, [9; 4]);
        assert_eq!(Value::Array(found), order, "{scheduler}");
    }
}

#[test]
fn text_says_who_finished_when() {
    let text = run(&format!("simulate warps {FIG3}")).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "[Singh22] Fig. 3, QAWS with 1 and 4: 2 kernels under qaws, 36 of 38 cycles used"
    );
    let row: Vec<&str> = lines[3].split_whitespace().collect();
    assert_eq!(row, ["K2", "2", "4", "1", "2", "28", "27", "18"]);
    assert!(lines[4].starts_with("issued by warp: 0 1 2 3 2 2 3 3") && lines[4].ends_with("- - 1 1"));
    // Content that does not fit on a line ends with an ellipsis, including idle cycles.
    let late =
        r#"{"scheduler":"lrr","kernels":[{"name":"A","warps":1,"program":[{"latency":70},{"latency":1}]}]}"#;
    let text = run_with("simulate warps -", late).stdout;
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("issued by warp: 0 - - ") && last.ends_with("- …"),
        "{last}"
    );
    assert_eq!(last.split_whitespace().count(), 3 + 64 + 1);
}

#[test]
fn traces_have_the_issues_and_pictures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, svg, part) = ("trace.json", "fig.svg", "part.svg");
    let sample = root().join(FIG3);
    let draw = |gantt: &str, more: &[&str]| {
        let mut command = gpusched(["simulate", "warps", "--gantt", gantt]);
        let command = command.arg(&sample).args(more).current_dir(folder.path());
        let answer = answer(command);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        std::fs::read_to_string(folder.path().join(gantt)).unwrap()
    };
    assert!(draw(svg, &["--trace", trace]).contains("warp 3 (K2)"));
    let chart = draw(part, &["--from", "10ns", "--to", "20ns"]);
    assert!(
        chart.contains("warp 0 (K1)") && chart.contains("kernels"),
        "{chart}"
    );
    let trace: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join(trace)).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let slices = |track: &str| -> Vec<&Value> {
        let name = events
            .iter()
            .find(|event| event["ph"] == "M" && event["args"]["name"] == track);
        let tid = &name.unwrap()["tid"];
        events
            .iter()
            .filter(|event| event["ph"] == "X" && &event["tid"] == tid)
            .collect()
    };
    let order = json(&format!("simulate warps {FIG3} --format json"))["issue_order"].clone();
    let mut drawn = vec![Value::Null; 38];
    for slice in slices("issue") {
        assert_eq!(slice["dur"], json!(0.001));
        let cycle = (slice["ts"].as_f64().unwrap() * 1000.0).round() as usize;
        let name = slice["name"].as_str().unwrap();
        drawn[cycle] = json!(name.strip_prefix("warp ").unwrap().parse::<u64>().unwrap());
    }
    assert_eq!(Value::Array(drawn), order);
    assert_eq!(slices("warp 3 (K2)").len(), 9);
    let kernel = slices("K2")[0];
    assert_eq!((&kernel["ts"], &kernel["dur"]), (&json!(0.001), &json!(0.027)));
}

#[test]
fn idle_cycles_cost_nothing() {
    // A run of 10¹¹ cycles with four issues.
    let late = r#"{"scheduler":"qaws","kernels":[
        {"name":"A","warps":1,"budget":0,"launch":100000000000,"program":[{"latency":4000000000},{"latency":1}]},
        {"name":"B","warps":1,"budget":1,"program":[{"latency":4000000000},{"latency":1}]}]}"#;
    let csv = run_with("simulate warps - --format csv", late).stdout;
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "0,0,1,1,0",
            "4000000000,0,1,1,1",
            "100000000000,0,0,0,0",
            "104000000000,0,0,0,1"
        ]
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_simulation() {
    let program = vec![r#"{"latency":1}"#; 300_000].join(",");
    let endless =
        format!(r#"{{"scheduler":"lrr","kernels":[{{"name":"A","warps":64,"program":[{program}]}}]}}"#);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.json");
    std::fs::write(&file, endless).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(["simulate", "warps", "--format", "csv"])
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
    assert_eq!(line, "cycle,scheduler,warp,kernel,instruction\n");
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn scenarios_and_answers_follow_their_schemas() {
    let validator = |name: &str| crate::support::schema::validator_for(&json(&format!("schema {name}")));
    let (scenario, simulation) = (validator("warp-scenario"), validator("warp-simulation"));
    let mut samples = 0;
    for entry in std::fs::read_dir(root().join("tasksets/warps")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(scenario.is_valid(&value), "{}", path.display());
        let answer = json(&format!("simulate warps {} --format json", path.display()));
        assert!(simulation.is_valid(&answer), "{}", path.display());
        // A scenario that is read, written and read again stays the same.
        let read: gpusched::model::WarpScenario = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(
            serde_json::from_str::<gpusched::model::WarpScenario>(&written).unwrap(),
            read
        );
        let mut zero = value;
        zero["kernels"][0]["warps"] = json!(0);
        assert!(!scenario.is_valid(&zero));
        samples += 1;
    }
    assert_eq!(samples, 8);
}

/// Returns the value `name` of each kernel.
fn of_kernels(answer: &Value, name: &str) -> Vec<u64> {
    let kernels = answer["kernels"].as_array().unwrap().iter();
    kernels.map(|kernel| kernel[name].as_u64().unwrap()).collect()
}

/// Two warps of one program: w = 2, n = 9, ℓ = 15, and runs of 4, 2, 2 and 1 instructions (docs/explanation/warp-bounds.md).
#[test]
fn bounds_and_deadlines() {
    let bounded = json(&format!("simulate warps {FIG3} --format json --bound"));
    assert_eq!(of_kernels(&bounded, "bound"), [15 + 9 + 18, 15 + 9 + 18]);
    assert_eq!(bounded["deadlines_met"], Value::Null);
    // Smallest budgets: 2 for K2, so K1 has at most three runs of 4, 4 and 2 instructions before K2 ends.
    let line = format!("simulate warps {FIG3} --deadline K2=35");
    let met = json(&format!("{line} --format json"));
    assert_eq!(of_kernels(&met, "budget"), [0, 2]);
    assert_eq!(of_kernels(&met, "bound"), [42, 15 + 9 + 4 + 4 + 2]);
    assert_eq!(
        (&met["kernels"][1]["deadline"], &met["deadlines_met"]),
        (&json!(35), &json!(true))
    );
    let text = run(&line).stdout;
    let row: Vec<&str> = text.lines().nth(3).unwrap().split_whitespace().collect();
    assert_eq!((row[0], &row[row.len() - 2..]), ("K2", &["34", "35"][..]));
    assert!(
        text.ends_with("the bounds meet all deadlines with these smallest issue budgets\n"),
        "{text}"
    );
    let missed = run(&format!("simulate warps {FIG3} --deadline K2=27 --format json"));
    assert_eq!(missed.code, 1);
    let missed: Value = serde_json::from_str(&missed.stdout).unwrap();
    assert_eq!(
        (of_kernels(&missed, "bound")[1], of_kernels(&missed, "budget")[1]),
        (28, 7)
    );
    let others = run(&format!("simulate warps {FIG3} --scheduler gto --deadline K1=42"));
    assert!(
        others.code == 0 && others.stdout.ends_with("the bounds meet all deadlines\n"),
        "{others:?}"
    );

    for (options, message) in [
        ("--deadline K3=1", "the kernel \"K3\""),
        ("--deadline K1=1 --deadline K1=2", "a second time"),
        ("--deadline K1", "KERNEL=N"),
        ("--deadline K1=9 --budget K1=2", "cannot be used with"),
        ("--bound --format csv", "--format csv"),
    ] {
        let answer = run(&format!("simulate warps {FIG3} {options}"));
        assert!(
            answer.code == 2 && answer.stderr.contains(message),
            "{options}: {answer:?}"
        );
    }
    for input in [
        "tasksets/runs/pc-copyl-spatial.json",
        "tasksets/kernels/programs/pc.json",
    ] {
        let answer = run(&format!("simulate warps {input} --bound"));
        assert!(
            answer.code == 2 && answer.stderr.contains("`machine`"),
            "{answer:?}"
        );
    }
}
