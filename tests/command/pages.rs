//! Promise: the page of `report` shows the numbers of its input, and nothing on the page acts or loads.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, Answer, files, root, run, run_with};

const ROBOT: &str = r#"{"name": "robot",
 "cores": [{"name": "cpu0", "policy": "fp"}],
 "copy_engines": [{"name": "copy", "policy": "fifo", "bandwidth": "10GB/s"}],
 "partitions": [{"name": "gpu", "policy": "np-fp"}],
 "tasks": [
  {"name": "camera", "period": "33ms", "wait": "suspend", "segments": [
   {"on": "cpu0", "wcet": "2ms"}, {"on": "copy", "bytes": "8MB"},
   {"on": "gpu", "wcet": {"amdahl": {"work": "30ms", "serial": 0.05}}, "traffic": "50MB"}, {"on": "cpu0", "wcet": "1ms"}]},
  {"name": "control", "period": "10ms", "segments": [{"on": "cpu0", "wcet": "1ms"}]}],
 "chains": [{"tasks": ["camera", "control"], "limit": "100ms"}]}"#;

/// Tasks that need several MIG instances.
const SLICES: &str = r#"{"tasks": [
 {"name": "camera", "period": "20ms", "wcet": {"amdahl": {"work": "160ms", "serial": 0.02}}, "traffic": "6GB", "bandwidth": "900GB/s"},
 {"name": "lidar", "period": "25ms", "wcet": {"amdahl": {"work": "180ms", "serial": 0.02}}, "traffic": "4GB", "bandwidth": "700GB/s"},
 {"name": "detector", "period": "30ms", "wcet": {"amdahl": {"work": "420ms", "serial": 0.02}}, "traffic": "1GB"},
 {"name": "planner", "period": "50ms", "wcet": {"amdahl": {"work": "500ms", "serial": 0.01}}, "traffic": "500MB"}]}"#;

/// A plan of `set` by `partition OPTIONS`.
fn plan_of(set: &str, options: &str) -> String {
    run(&format!("partition {set} {options} --format json")).stdout
}

fn page_of(plan: &str, set: &str) -> Answer {
    run_with(&format!("report - {set}"), plan)
}

/// The text of the element with `id`, without escapes.
fn text_of(page: &str, id: &str) -> String {
    let start = page.find(&format!("<pre id=\"{id}\"")).unwrap();
    let text = &page[start..];
    let text = &text[text.find('>').unwrap() + 1..text.find("</pre>").unwrap()];
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&#x27;", "'")
        .replace("&#x2f;", "/")
        .replace("&amp;", "&")
}

/// Adds the numbers below `value`, except wall-clock times.
fn numbers(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Number(number) => found.push(format!("{name} {number}")),
        Value::Array(list) => list.iter().for_each(|value| numbers(name, value, found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| numbers(name, value, found)),
        _ => {}
    }
}

#[test]
fn a_page_shows_the_numbers_of_its_plan() {
    let set: Value = serde_json::from_str(&std::fs::read_to_string(root().join(ADAS)).unwrap()).unwrap();
    for options in [
        "--gpu orin",
        "--gpu h100 --granularity tpc --policy dm",
        "--sms 8 --policy np-edf",
    ] {
        let json = plan_of(ADAS, options);
        let answer = page_of(&json, ADAS);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{options}");
        let page = answer.stdout;
        let plan: Value = serde_json::from_str(&json).unwrap();
        let mut count = 0;
        let mut shown = |text: &str| {
            count += 1;
            assert!(page.contains(text), "{options}: {text}");
        };
        shown(&format!("{} of {}", plan["sms_used"], plan["gpu_sms"]));
        shown(&format!("no plan has fewer than {} SM", plan["bound"]["sms"]));
        for price in plan["bound"]["prices"].as_array().unwrap() {
            let price = price.as_u64().unwrap();
            shown(&format!(
                "data-value=\"{}.{:06}\"",
                price / 1_000_000,
                price % 1_000_000
            ));
        }
        for (index, partition) in plan["partitions"].as_array().unwrap().iter().enumerate() {
            let tasks = partition["tasks"].as_array().unwrap();
            let names = tasks
                .iter()
                .map(|task| set["tasks"][task.as_u64().unwrap() as usize]["name"].as_str());
            let names: Vec<&str> = names.map(Option::unwrap).collect();
            shown(&format!(">{}</td>", names.join(", ")));
            let row = format!(">{index}</th><td class=\"number\">{}</td>", partition["sms"]);
            shown(&row);
            let evidence = &partition["verdict"]["evidence"];
            let mut stated = Vec::new();
            numbers("", &evidence["checked"], &mut stated);
            numbers("", &evidence["response_times_ns"], &mut stated);
            for number in stated {
                shown(&format!("data-value=\"{}\"", number.trim()));
            }
        }
        assert!(count > 15, "{options}: {count}");
        for (id, expected) in [("file-plan", &plan), ("file-set", &set)] {
            let found: Value = serde_json::from_str(&text_of(&page, id)).unwrap();
            let mut names: Vec<String> = Vec::new();
            let mut expected_names: Vec<String> = Vec::new();
            if id == "file-plan" {
                numbers("", &found, &mut names);
                numbers("", expected, &mut expected_names);
                assert_eq!(names, expected_names, "{options}");
            }
            assert_eq!(
                found["tasks"].as_array().map(Vec::len),
                expected["tasks"].as_array().map(Vec::len)
            );
        }
    }
}

/// The two files on a page are what `verify` needs.
#[test]
fn the_files_of_a_page_verify() {
    let page = page_of(&plan_of(ADAS, "--gpu orin"), ADAS).stdout;
    let folder = tempfile::tempdir().unwrap();
    for (id, name) in [("file-plan", "plan.json"), ("file-set", "set.json")] {
        std::fs::write(folder.path().join(name), text_of(&page, id)).unwrap();
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let verified = run(&format!("verify {} {}", path("plan.json"), path("set.json")));
    assert!(
        verified.code == 0 && verified.stdout.contains("VERIFIED"),
        "{verified:?}"
    );
}

#[test]
fn a_set_without_a_name_has_the_name_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("lamps&locks.json").display().to_string();
    let task = r#"{"tasks": [{"period": "10ms", "wcet": {"table": [[1, "1ms"]]}}]}"#;
    std::fs::write(&set, task).unwrap();
    let plan = run_with("partition - --sms 1 --format json", task).stdout;
    let page = page_of(&plan, &set).stdout;
    assert!(page.contains("<h1>Plan: lamps&amp;locks on 1 SM</h1>"), "{page}");
}

const TINY: &str = r#"name = "tiny"
seed = 7
sets = 2
sms = 4
paired = true
[axis]
utilization = [1]
tasks = [3]
[[variant]]
name = "literal"
wcet = "amdahl"
policy = "edf"
[[algorithm]]
name = "SMS"
heuristic = "sms"
[[algorithm]]
name = "BF"
heuristic = "bf"
"#;

/// A study without claims has no sign of alarm.
#[test]
fn a_study_without_claims_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("tiny.toml").display().to_string();
    std::fs::write(&study, TINY).unwrap();
    let out = folder.path().join("results").display().to_string();
    assert_eq!(run(&format!("study run {study} -o {out} --quiet")).code, 0);
    let answer = run(&format!("report {out}"));
    assert_eq!(answer.code, 0);
    assert!(
        answer
            .stdout
            .contains("<section id=\"verdict\" class=\"verdict plain\">")
    );
    assert!(!answer.stdout.contains("0 of 0"));
    assert!(answer.stdout.contains("<table id=\"paired\""));
    // A share of 2 sets has one digit after the point.
    assert!(answer.stdout.contains("data-value=\"1.000000\">1.0</td>"));
}

/// Planned windows are outlines on one lane, and the recorded kernels are filled.
#[test]
fn planned_windows_are_outlines() {
    let robot = "tasksets/recordings/robot/alone-8.sqlite@8";
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("robot.json").display().to_string();
    run(&format!("recording tasks {robot} -o {set} --quiet"));
    let page = run(&format!("report {robot} --set {set}")).stdout;
    let outlines: Vec<&str> = page
        .lines()
        .filter(|line| line.contains("fill-opacity=\"0\""))
        .collect();
    let windows = outlines
        .iter()
        .filter(|line| line.contains("release to deadline"));
    let places: Vec<&str> = windows
        .map(|line| line.split("y=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(places.len(), 31 + 10 + 20);
    assert_eq!(outlines.len(), places.len() + 1, "the legend");
    assert_eq!(
        places
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        3,
        "one lane per task"
    );
}

/// The digest of `text` by the command that the page names.
fn sha256sum(text: &str) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let output = Command::new("sha256sum").arg(file.path()).output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .chars()
        .take(64)
        .collect()
}

/// A page contains what an assessor keeps, and nothing that weighs on paper: Chromium prints each use of a pattern or a gradient as an
/// image.
#[test]
fn a_page_is_a_dossier() {
    for (options, code) in [
        ("--gpu h100 --policy dm", 0),
        ("--sms 8", 0),
        ("--sms 6 --heuristic sms", 1),
    ] {
        let plan = plan_of(ADAS, options);
        let answer = page_of(&plan, ADAS);
        assert_eq!(answer.code, code, "{options}");
        let page = answer.stdout;
        for part in ["assumptions", "origin", "evidence", "verify", "uncovered"] {
            assert!(
                page.contains(&format!("<section id=\"{part}\">")),
                "{options}: {part}"
            );
        }
        let stated: Value = serde_json::from_str(&plan).unwrap();
        let assumptions = stated["assumptions"].as_array().unwrap().len();
        assert!(assumptions > 0);
        assert_eq!(
            page.matches("<td class=\"paper\"></td><td class=\"paper\"></td>")
                .count(),
            assumptions
        );
        let identity = stated["identity"]["set_sha256"].as_str().unwrap();
        assert!(
            page.contains(&format!(">{identity}</td>")),
            "{options}: the digest of the set"
        );
        for id in ["file-plan", "file-set"] {
            let digest = sha256sum(&text_of(&page, id));
            assert!(
                page.contains(&format!("<code class=\"digest\">{digest}</code>")),
                "{options}: {id}"
            );
        }
        assert!(
            !page.contains("gradient(") && !page.contains("<pattern"),
            "{options}"
        );
    }
}

/// A claim that no plan exists falls if an assumption counts too much delay, so its page and its texts have no harmless assumption.
#[test]
fn assumptions_have_the_sense_of_their_claim() {
    let pessimistic = "<span class=\"tag\">pessimistic</span>";
    let page = |options: &str| page_of(&plan_of(ADAS, options), ADAS).stdout;
    let positive = page("--gpu orin");
    assert_eq!(positive.matches(pessimistic).count(), 1);
    assert!(
        positive.contains("tasks still meet their deadlines")
            && positive.contains("The lower bound needs more")
    );
    assert!(
        positive.contains("Their sum is 8.000006, rounded up to 10,") && positive.contains("rounded up)")
    );
    let negative = page("--sms 6");
    assert!(!negative.contains(pessimistic) && !negative.contains("tasks may miss deadlines"));
    for text in [
        "a plan may exist",
        "The claim needs that jobs can take their WCETs. Smaller WCETs may permit a plan.",
        "fits on 6 SMs, under np-edf (",
        "Their sum is 7.000004, rounded up to 8,",
        "Evidence that no plan fits",
        "A plan that is confirmed but not schedulable gives exit code 1",
        "This GPU cannot execute the run",
    ] {
        assert!(negative.contains(text), "{text}");
    }
    let (_, run_table) = negative.split_once("<table id=\"run\"").unwrap();
    let (run_table, _) = run_table.split_once("</table>").unwrap();
    assert!(!run_table.contains('✓') && run_table.contains(">Deadline misses<"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json").display().to_string();
    std::fs::write(&path, plan_of(ADAS, "--sms 6")).unwrap();
    for command in [
        format!("partition {ADAS} --sms 6"),
        format!("test {ADAS} --sms 8"),
        format!("verify {path} {ADAS}"),
        format!("show {path}"),
    ] {
        let text = run(&command).stdout;
        assert!(
            text.contains("less delay than they state") && !text.contains("if violated"),
            "{command}: {text}"
        );
    }
    for options in ["--sms 8", "--sms 6 --heuristic sms"] {
        assert!(
            run(&format!("partition {ADAS} {options}"))
                .stdout
                .contains("pessimistic if violated"),
            "{options}"
        );
    }
}

/// A page claims nothing about limits that no chain has.
#[test]
fn a_system_without_limits_claims_nothing_about_chains() {
    let none = ROBOT.replace(r#", "limit": "100ms""#, "");
    for (system, text, other) in [
        (ROBOT, "All chains meet their limits.", "no chain has a limit"),
        (
            none.as_str(),
            "The bounds of chains are verified, but no chain has a limit",
            "All chains meet",
        ),
    ] {
        let file = tempfile::NamedTempFile::with_suffix(".json").unwrap();
        std::fs::write(file.path(), system).unwrap();
        let path = file.path().display().to_string();
        let page = page_of(&plan_of(&path, "--gpu orin"), &path).stdout;
        assert!(page.contains(text) && !page.contains(other), "{text}");
        assert!(
            page.contains("It is R of the last task, plus T + R of each earlier task.")
                && page.contains("stated bandwidths")
        );
    }
}

/// A page of EDF without preemption states which job blocks, and why a partition with one task needs no interval.
#[test]
fn a_page_states_the_blocking_of_its_test() {
    let page = |options: &str| page_of(&plan_of(ADAS, options), ADAS).stdout;
    let text = "with a deadline later than t, minus 1 ns (George";
    assert!(page("--sms 8 --policy np-edf").contains(text) && !page("--sms 8 --policy edf").contains(text));
    let set = r#"{"tasks": [{"period": "10ms", "wcet": {"table": [[1, "1ms"]]}}, {"period": "20ms", "wcet": {"table": [[1, "1ms"]]}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json").display().to_string();
    for (tasks, reason) in [
        (
            set.replacen(r#", {"period": "20ms", "wcet": {"table": [[1, "1ms"]]}}"#, "", 1),
            "the partition has only one task",
        ),
        (
            set.replace("20ms", "10ms"),
            "no task with jobs longer than 1 ns has a later deadline",
        ),
    ] {
        std::fs::write(&path, tasks).unwrap();
        let page = page_of(&plan_of(&path, "--sms 1 --policy np-edf"), &path).stdout;
        assert!(
            page.contains(&format!(
                "before the end of the period, and no job blocks, because {reason}"
            )),
            "{reason}: {page}"
        );
    }
}

/// The second command of a page states all values that `verify` otherwise takes from the plan.
#[test]
fn the_strict_command_of_a_page_verifies() {
    let folder = tempfile::tempdir().unwrap();
    for options in [
        "--gpu h100 --granularity tpc --policy dm",
        "--sms 8",
        "--gpu orin --interference conflict+bandwidth --memory-bandwidth 100GB/s",
    ] {
        let page = page_of(&plan_of(ADAS, options), ADAS).stdout;
        for (id, name) in [("file-plan", "plan.json"), ("file-set", "set.json")] {
            std::fs::write(folder.path().join(name), text_of(&page, id)).unwrap();
        }
        let commands = page.match_indices("gpusched verify plan.json set.json");
        let command = commands
            .map(|(at, _)| page[at..].split('<').next().unwrap())
            .max_by_key(|text| text.len());
        let path = |name: &str| folder.path().join(name).display().to_string();
        let line = command
            .unwrap()
            .trim_start_matches("gpusched ")
            .replace("&#x2f;", "/")
            .replace("plan.json", &path("plan.json"));
        let verified = run(&line.replace("set.json", &path("set.json")));
        assert!(
            verified.stdout.contains("VERIFIED") && !verified.stdout.contains("taken from the plan"),
            "{options}: {verified:?}"
        );
    }
}

/// The page of a failed plan states the command that prints changes with which a plan exists, with the options of the plan.
#[test]
fn the_page_of_a_failed_plan_leads_to_changes() {
    let page = page_of(&plan_of(ADAS, "--sms 6 --policy dm"), ADAS).stdout;
    let at = page.find("gpusched partition set.json").unwrap();
    let line = page[at..].split('<').next().unwrap();
    assert_eq!(
        line,
        "gpusched partition set.json --sms 6 --interference conflict --policy dm"
    );
    let line = line.trim_start_matches("gpusched ").replace("set.json", ADAS);
    assert!(run(&line).stdout.contains("Each of these changes makes"));
    let page = page_of(&plan_of(ADAS, "--gpu orin"), ADAS).stdout;
    assert!(!page.contains("gpusched partition set.json"));
}

/// `show` prints the digest of the canonical form that the page of a kernel states.
#[test]
fn show_prints_the_digest_of_a_page() {
    let kernel = "tasksets/kernels/histo-table1.json";
    let shown = run(&format!("show {kernel}")).stdout;
    let digest = shown.split_whitespace().find(|word| word.len() == 64).unwrap();
    let bound = run(&format!("wcet bound {kernel} --q 0.13 --format json")).stdout;
    let page = page_of(&bound, kernel).stdout;
    assert!(page.contains(&format!("<td class=\"digest\">{digest}</td>")));
}

/// Times of a column have one unit, and margins below zero keep their sign.
#[test]
fn a_column_of_times_has_one_unit() {
    let set = r#"{"tasks": [{"period": "1s", "deadline": "1500us", "wcet": {"table": [[1, "999us"]]}},
        {"period": "1s", "deadline": "30us", "wcet": {"table": [[1, "7ns"]]}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json").display().to_string();
    std::fs::write(&path, set).unwrap();
    let plan = run(&format!("partition {path} --sms 2 --policy dm --format json")).stdout;
    let page = page_of(&plan, &path).stdout;
    for cell in [
        "1500000\">1.5ms<",
        "30000\">0.03ms<",
        "999000\">999us<",
        "7\">0.007us<",
        "1000000000\">1s<",
    ] {
        assert!(page.contains(cell), "{cell}: {page}");
    }
}

/// The title of a page at the top of each printed page is no code of the style sheet.
#[test]
fn running_titles_are_text() {
    let set =
        r#"{"name": "a\"; } </style> \\ b", "tasks": [{"period": "1s", "wcet": {"table": [[1, "1ms"]]}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json").display().to_string();
    std::fs::write(&path, set).unwrap();
    let plan = run(&format!("partition {path} --sms 1 --format json")).stdout;
    let page = page_of(&plan, &path).stdout;
    assert!(page.contains("content: \"Plan: a  style  b on 1 SM\";"), "{page}");
}

#[test]
fn names_are_text() {
    let name = r#"</script><script>alert(1)</script><img src=x onerror=alert(2)> "quoted" 'single' & `code`"#;
    let task = |period: &str| serde_json::json!({"name": name, "period": period, "wcet": {"table": [[1, "1ms"]]}, "traffic": "1MB"});
    let set = serde_json::json!({"name": name, "tasks": [task("10ms"), task("20ms")],
        "other_traffic": [{"name": name, "traffic": "1MB", "period": "1ms"}]});
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json");
    std::fs::write(&path, set.to_string()).unwrap();
    let path = path.display().to_string();
    for options in [
        "--gpu orin",
        "--sms 1 --policy dm",
        "--sms 4 --interference conflict+bandwidth --memory-bandwidth 1GB/s",
    ] {
        let answer = page_of(&plan_of(&path, options), &path);
        let page = &answer.stdout;
        assert_eq!(page.matches("<script").count(), 1, "{options}: {answer:?}");
        assert!(
            !page.contains("<img") && page.contains("&lt;script&gt;alert(1)"),
            "{options}"
        );
        assert!(!page.contains("\"quoted\""), "{options}");
    }
}

#[test]
fn a_page_loads_nothing_and_has_the_same_bytes() {
    let plan = plan_of(ADAS, "--gpu h100 --granularity mig");
    let page = page_of(&plan, ADAS).stdout;
    assert_eq!(page, page_of(&plan, ADAS).stdout);
    let namespace = "http://www.w3.org/2000/svg";
    assert!(
        !page
            .replace(namespace, "")
            .replace("http-equiv", "")
            .contains("http"),
        "an address"
    );
    assert!(page.contains("default-src &#x27;none&#x27;") || page.contains("default-src 'none'"));
    for word in ["@import", "url(http", "src=", "<iframe", "<object"] {
        assert!(!page.contains(word), "{word}");
    }
}

/// The page of a verdict on a system shows all bounds, and its files give the same verdict.
#[test]
fn a_page_of_a_system_shows_its_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let robot = folder.path().join("robot.json").display().to_string();
    std::fs::write(&robot, ROBOT).unwrap();
    let memory = " --interference conflict+bandwidth --memory-bandwidth 100GB/s";
    let split = "tasksets/end_to_end/waters2019-iv-split-2x.json";
    for (command, system, options, word) in [
        ("partition --gpu orin", robot.as_str(), "", "Schedulable"),
        ("partition --gpu orin", robot.as_str(), memory, "Schedulable"),
        ("test --sensitivity", split, "", "Not proven schedulable"),
    ] {
        let json = run(&format!("{command} {system}{options} --format json")).stdout;
        let answer = run_with(&format!("report - {system}{options}"), json.clone());
        let expected = i32::from(word != "Schedulable");
        assert_eq!((answer.code, answer.stderr.as_str()), (expected, ""), "{command}");
        let page = answer.stdout;
        assert!(page.contains(&format!("</span> {word}</h2>")), "{command}");
        let result: Value = serde_json::from_str(&json).unwrap();
        let verdict = result.get("verdict").unwrap_or(&result);
        let shown = |time: &Value| {
            let cell = time.as_u64().map(|ns| format!("data-value=\"{ns}\""));
            let cell = cell.unwrap_or_else(|| "no bound".to_owned());
            assert!(page.contains(&cell), "{command}: {cell}");
        };
        for task in verdict["tasks"].as_array().unwrap() {
            shown(&task["bound_ns"]);
            if let (Some(bound), Some(deadline)) = (task["bound_ns"].as_i64(), task["deadline_ns"].as_i64()) {
                let margin = format!("data-value=\"{}\"", deadline - bound);
                assert!(page.contains(&margin), "{command}: {margin}");
            }
        }
        for chain in verdict["chains"].as_array().unwrap() {
            shown(&chain["reaction_ns"]);
        }
        let assumptions = verdict["assumptions"].as_array().unwrap();
        assert_eq!(page.matches("<tr id=\"assumption-").count(), assumptions.len());
        let files = [("file-plan", "plan.json"), ("file-system", "system.json")];
        let paths = files.map(|(id, name)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text_of(&page, id)).unwrap();
            path.display().to_string()
        });
        let verified = run(&format!("verify {} {}{options}", paths[0], paths[1]));
        assert_eq!(verified.code, expected, "{verified:?}");
        let wrong = json.replacen("\"bound_ns\":", "\"bound_ns\":1", 1);
        let refused = run_with(&format!("report - {system}{options}"), wrong);
        assert!(
            refused.code == 1 && refused.stdout.contains("</span> Refused</h2>"),
            "{refused:?}"
        );
    }
}

/// Under MIG, the map and the tables show the memory of each instance.
/// The page of a kernel accepts a bound and a nominal budget, and refuses changed numbers.
#[test]
fn a_page_of_a_kernel_shows_its_curve_and_budgets() {
    let kernel = "tasksets/kernels/histo-table1.json";
    let page = |result: &str| run_with(&format!("report - {kernel}"), result);
    let bound = run(&format!("wcet bound {kernel} --q 0.13 --format json")).stdout;
    let nominal = run(&format!("budget nominal {kernel} --format json")).stdout;
    for result in [&bound, &nominal] {
        let answer = page(result);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let stated: Value = serde_json::from_str(result).unwrap();
        for field in ["wcet_ns", "wcet_isolated_ns", "wcet_nominal_ns"] {
            let Some(number) = stated[field].as_u64() else {
                continue;
            };
            let shown = format!("data-value=\"{number}\"");
            assert!(answer.stdout.contains(&shown), "{field} {number}");
        }
        for part in [
            "figure id=\"curve\"",
            "figure id=\"budgets\"",
            ">greedy</th>",
            "proven",
            "the kernel file itself calls assumptions: active_blocks, clusters.blocks.",
            "<strong>not a worst case</strong> The file states that e⁰ and e¹ are percentiles, from 0.99 on: some blocks may take longer",
            ">0.995; 0.997</td>",
            ">0.76; 0.46</td>",
            "<strong>not checked by the command below</strong> In isolation,",
        ] {
            assert!(answer.stdout.contains(part), "{part}");
        }
        let files = if *result == nominal {
            "nominal.json bound.json kernel.json"
        } else {
            "bound.json kernel.json"
        };
        assert!(
            answer.stdout.contains(&format!("sha256sum {files}</code>")),
            "{files}"
        );
        // The page computes the time in isolation again with its second command.
        let (_, command) = answer.stdout.split_once("This command computes").unwrap();
        let (_, command) = command.split_once("<pre tabindex=\"0\">gpusched ").unwrap();
        let line = command.split('<').next().unwrap().replace("kernel.json", kernel);
        let again: Value = serde_json::from_str(&run(&format!("{line} --format json")).stdout).unwrap();
        let alone = again.get("wcet_isolated_ns").unwrap_or(&again["wcet_ns"]);
        assert_eq!(
            alone,
            &serde_json::from_str::<Value>(&nominal).unwrap()["wcet_isolated_ns"]
        );
    }
    let mut bare: Value =
        serde_json::from_str(&std::fs::read_to_string(root().join(kernel)).unwrap()).unwrap();
    for cluster in bare["clusters"].as_array_mut().unwrap() {
        let cluster = cluster.as_object_mut().unwrap();
        cluster.remove("isolated");
        cluster.remove("interference");
    }
    let file = tempfile::NamedTempFile::with_suffix(".json").unwrap();
    std::fs::write(file.path(), bare.to_string()).unwrap();
    let path = file.path().display().to_string();
    let bare = run(&format!("wcet bound {path} --q 0.13 --format json")).stdout;
    let bare = run_with(&format!("report - {path}"), bare);
    assert!(
        bare.code == 0 && !bare.stdout.contains("ercentile") && !bare.stdout.contains("not a worst case")
    );
    let wrong = [
        (&bound, "\"wcet_ns\":", 100),
        (&bound, "\"memory_time_ns\":", 1),
        (&nominal, "\"wcet_nominal_ns\":", 1),
        (&nominal, "\"wcet_isolated_ns\":", 1),
    ];
    for (result, field, less) in wrong {
        let at = result.find(field).unwrap() + field.len();
        let digits: String = result[at..].chars().take_while(char::is_ascii_digit).collect();
        let number: u64 = digits.parse().unwrap();
        let changed = result.replacen(
            &format!("{field}{digits}"),
            &format!("{field}{}", number - less),
            1,
        );
        let answer = page(&changed);
        assert_eq!(answer.code, 1, "{field}");
        assert!(answer.stdout.contains("Refused") && !answer.stdout.contains("figure id=\"budgets\""));
    }
    let budget = nominal.replacen("\"nominal_q\":0.130013", "\"nominal_q\":0.130014", 1);
    assert_ne!(budget, nominal);
    assert_eq!(page(&budget).code, 1);
}

#[test]
fn a_page_of_a_system_with_budgets_shows_curves() {
    let system = "tasksets/end_to_end/camera-budgets.json";
    let chosen = run(&format!("budget nominal {system} --deadlines --format json")).stdout;
    let answer = page_of(&chosen, system);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for text in [
        "Overheads of launches and of dispatchers",
        "the largest that this sufficient test accepts",
    ] {
        assert!(answer.stdout.contains(text), "{text}");
    }
    for id in ["wcet-curves", "response-curves"] {
        assert!(answer.stdout.contains(&format!("figure id=\"{id}\"")), "{id}");
    }
    // The runs of a system with a long period stay short.
    let mut system: Value = serde_json::from_str(&std::fs::read_to_string(system).unwrap()).unwrap();
    let mut slow = system["tasks"][0].clone();
    (slow["name"], slow["period"], slow["deadline"]) = ("slow".into(), "1000s".into(), "1000s".into());
    system["tasks"].as_array_mut().unwrap().push(slow);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.json").display().to_string();
    std::fs::write(&path, system.to_string()).unwrap();
    let answer = page_of(&run(&format!("test {path} --format json")).stdout, &path);
    let (_, note) = answer.stdout.split_once("Each policy has two runs of ").unwrap();
    let (seconds, _) = note.split_once("s. ").unwrap();
    assert!(seconds.parse::<f64>().unwrap() < 10.0, "{seconds}");
}

#[test]
fn a_page_shows_mig_instances() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.json").display().to_string();
    std::fs::write(&set, SLICES).unwrap();
    let options = "--gpu h100 --granularity mig --policy edf --interference conflict+bandwidth --memory-bandwidth 2TB/s";
    let json = plan_of(&set, options);
    let plan: Value = serde_json::from_str(&json).unwrap();
    let partitions = plan["partitions"].as_array().unwrap();
    let page = page_of(&json, &set).stdout;
    assert!(partitions.len() > 1);
    for text in [
        "other instances never delay its kernels",
        ">WCET C&#x27;<",
        ">Bandwidth of the instance<",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<span class=\"name\">1g.20gb</span>").count(), 2);
    assert!(
        page.contains("data-value=\"500000000000\""),
        "a quarter of the slices"
    );
}

#[test]
fn a_page_of_200_tasks_is_small() {
    let sets = run("generate --tasks 200 --utilization 40 --seed 3").stdout;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json");
    std::fs::write(&path, sets).unwrap();
    let path = path.display().to_string();
    let answer = page_of(&plan_of(&path, "--gpu h100 --heuristic sms"), &path);
    assert!(
        answer.code == 0 && answer.stdout.len() <= 2_000_000,
        "{}",
        answer.stdout.len()
    );
}

/// The exit code of `report` is the exit code of `verify`, and the page states a negative verdict first.
#[test]
fn a_page_states_the_verdict_of_the_verifier() {
    let good = plan_of(ADAS, "--sms 8");
    let wrong = good.replacen("\"sms_used\":8", "\"sms_used\":7", 1);
    assert_ne!(good, wrong);
    let mut plans = vec![wrong, plan_of(ADAS, "--sms 6 --heuristic sms")];
    for policy in [
        "edf",
        "np-edf",
        "lp-edf",
        "dm",
        "np-fp",
        "lp-fp",
        "density",
        "work-capacity",
    ] {
        plans.extend([1, 5, 7, 8].map(|sms| plan_of(ADAS, &format!("--sms {sms} --policy {policy}"))));
    }
    let mut words = std::collections::BTreeSet::new();
    for plan in plans {
        let (verified, answer) = (
            run_with(&format!("verify - {ADAS}"), plan.clone()),
            page_of(&plan, ADAS),
        );
        assert_eq!(
            (answer.code, answer.stderr.as_str()),
            (verified.code, ""),
            "{plan}"
        );
        let page = answer.stdout;
        let (verdict, rest) = page.split_once("id=\"assumptions\"").unwrap();
        let (_, verdict) = verdict.split_once("<section id=\"verdict\"").unwrap();
        let word = [
            "Refused",
            "Schedulable",
            "Not schedulable",
            "No plan found",
            "Not proven",
            "No plan",
        ];
        let word = word
            .into_iter()
            .find(|word| verdict.contains(&format!("</span> {word}</h2>")))
            .unwrap();
        words.insert(word);
        assert_eq!(word == "Schedulable", answer.code == 0, "{verdict}");
        assert!(rest.contains("</html>"));
    }
    assert_eq!(
        words.into_iter().collect::<Vec<_>>(),
        [
            "No plan found",
            "Not proven",
            "Not schedulable",
            "Refused",
            "Schedulable"
        ]
    );
}

#[test]
fn pages_of_studies_and_recordings_have_the_exit_code_of_their_check() {
    let study = run("report analysis/singh21-fig3.4");
    assert_eq!((study.code, study.stderr.as_str()), (0, ""));
    assert!(study.stdout.contains("The results confirm 12 of 18 findings."));
    assert!(
        study
            .stdout
            .contains("A contradiction: With the printed WCET functions"),
        "reasons.json"
    );
    let rows = std::fs::read_to_string(root().join("analysis/singh21-fig3.4/singh21-fig3.4.csv")).unwrap();
    let (_, table) = study.stdout.split_once("<table id=\"results\"").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    assert_eq!(table.matches("<tr>").count(), rows.lines().count());

    let robot = "tasksets/recordings/robot/alone-8.sqlite@8";
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("robot.json").display().to_string();
    run(&format!("recording tasks {robot} -o {set} --quiet"));
    for (recording, code) in [(robot, 0), ("tasksets/recordings/robot/alone-4.sqlite@8", 1)] {
        let audit = run(&format!("recording audit {recording} --set {set} --quiet"));
        let page = run(&format!("report {recording} --set {set}"));
        assert_eq!(
            (audit.code, page.code),
            (code, code),
            "{recording}: {}",
            audit.stdout
        );
        let verdict = audit.stdout.split(':').next().unwrap().to_lowercase();
        let (_, shown) = page.stdout.split_once("<section id=\"verdict\"").unwrap();
        assert!(
            shown.to_lowercase().contains(&format!("</span> {verdict}</h2>")),
            "{verdict}"
        );
    }
}

#[test]
fn wrong_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    std::fs::write(&plan, plan_of(ADAS, "--sms 8")).unwrap();
    let before = files(folder.path());
    let mut told = Transcript::in_folder(folder.path());
    let out = |name: &str| folder.path().join(name).display().to_string();
    let plan = plan.display().to_string();
    let system = "tasksets/end_to_end/waters2019-iii-alt-fp-avg.json";
    for line in [
        format!("report {plan} -o {}", out("a.html")),
        format!("report {plan} {ADAS} -o {}", out("a.pdf")),
        format!("report {plan} {ADAS} --format json"),
        format!("report {plan} {system} -o {}", out("a.html")),
        format!("report {plan} {ADAS} --plan {plan}"),
        format!("report {plan} {ADAS} --by kernel -o {}", out("a.html")),
        format!("report {plan} tasksets/recordings/robot/alone-8.sqlite"),
        format!("report {ADAS} {ADAS} -o {}", out("a.html")),
        format!("report analysis -o {}", out("a.html")),
        format!("report analysis/singh21-fig3.4 {ADAS}"),
        "report analysis/singh21-fig3.4 --search-effort 1".to_owned(),
        format!("report tasksets/recordings/robot/alone-8.sqlite@8 --set {plan}"),
        format!("report {} {ADAS}", out("none.json")),
    ] {
        told.refusal(&line, &run(&line));
    }
    assert_snapshot!(told);
    assert_eq!(files(Path::new(folder.path())), before);
}
