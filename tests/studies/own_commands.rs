//! Algorithms outside gpusched: a command answers each task set of a study.

use std::path::Path;

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::{SMALL, parse, run};
use gpusched::Error;
use gpusched::study::{self, Rejected, Spec, Table};

/// Returns the study with the algorithms 1G and `mine`. `mine` is the shell script `script` in `folder`.
fn study(folder: &Path, script: &str, fields: &str) -> Spec {
    let path = folder.join("mine.sh");
    std::fs::write(&path, script).unwrap();
    let text = SMALL.replacen("tasks = [5, 8]", "tasks = [5]", 1);
    let (start, _) = text.split_once("[[algorithm]]\nname = \"SMS-INA\"").unwrap();
    parse(&format!(
        "{start}[[algorithm]]\nname = \"mine\"\ncommand = [\"sh\", {path:?}, \"an argument\"]\n{fields}\n"
    ))
}

/// A script that answers each line with the output of `answer`. The line is in the variable `line`.
fn script(answer: &str) -> String {
    format!("while IFS= read -r line; do\n{answer}\ndone\n")
}

/// Accepts the sets 0 to 4 of each point.
const FIRST_FIVE: &str = r#"case $line in
*'"index":'[0-4],*) echo '{"schedulable":true}' ;;
*) echo '{"schedulable": false}' ;;
esac"#;

fn column(table: &Table, algorithm: &str, name: &str) -> Vec<String> {
    let text = |row: usize, column: &str| table.column(column).unwrap().text(row).to_owned();
    let rows = (0..table.len()).filter(|&row| text(row, "algorithm") == algorithm);
    rows.map(|row| text(row, name)).collect()
}

fn refusal(spec: &Spec) -> String {
    run(spec, temporary().path(), "1/1", 2).unwrap_err().to_string()
}

#[test]
fn answers_are_counted_whatever_the_threads_and_shards() {
    let scripts = temporary();
    let spec = study(scripts.path(), &script(FIRST_FIVE), "");
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 1).unwrap();
    let expected = stable_files(whole.path());
    let table = Table::read(whole.path().join("small.csv")).unwrap();
    assert_eq!(column(&table, "mine", "schedulable"), vec!["5"; 10]);
    assert_eq!(column(&table, "mine", "mean_sms"), vec![""; 10]);
    for threads in [2, 5] {
        let folder = temporary();
        run(&spec, folder.path(), "1/1", threads).unwrap();
        assert_eq!(stable_files(folder.path()), expected, "{threads} threads");
    }
    let parts = temporary();
    let folders: Vec<_> = (1..=3)
        .map(|index| parts.path().join(format!("part{index}")))
        .collect();
    for (index, folder) in folders.iter().enumerate() {
        run(&spec, folder, &format!("{}/3", index + 1), 2).unwrap();
    }
    let merged = parts.path().join("whole");
    study::merge(&folders, &merged).unwrap();
    assert_eq!(stable_files(&merged), expected);
}

/// gpusched tests partitions itself: all tasks in one partition are schedulable exactly if 1G finds them schedulable.
#[test]
fn partitions_are_tested() {
    let scripts = temporary();
    let run_of = |answer: &str| {
        let folder = temporary();
        let spec = study(scripts.path(), &script(&format!("echo '{answer}'")), "");
        run(&spec, folder.path(), "1/1", 2).unwrap();
        let rejected: Vec<_> = spec.partitioning().unwrap().rejected().collect();
        assert!(rejected.iter().all(|(name, _)| *name == "mine"));
        let rejected: Option<Rejected> = rejected.into_iter().next().map(|(_, rejected)| rejected);
        (Table::read(folder.path().join("small.csv")).unwrap(), rejected)
    };
    let (all, rejected) = run_of(r#"{"partitions":[{"sms":12,"tasks":[4,0,1,2,3]}]}"#);
    let expected = column(&all, "1G", "schedulable");
    assert!(
        expected.iter().any(|count| count != "0" && count != "9"),
        "{expected:?}"
    );
    assert_eq!(column(&all, "mine", "schedulable"), expected);
    // 5 utilizations, 2 variants and 9 sets. The reason names a verdict.
    let schedulable: u64 = expected.iter().map(|count| count.parse::<u64>().unwrap()).sum();
    let rejected = rejected.unwrap();
    assert_eq!(rejected.sets, 90 - schedulable);
    assert!(
        rejected
            .reason
            .starts_with("partition of 12 SMs with #0, #1, #2, #3, #4: "),
        "{rejected:?}"
    );
    // Without a claim of the command, or with a false one.
    let (claimed, again) = run_of(r#"{"schedulable":true,"partitions":[{"sms":12,"tasks":[0,1,2,3,4]}]}"#);
    assert_eq!(column(&claimed, "mine", "schedulable"), expected);
    assert_eq!(
        again,
        Some(rejected),
        "the first set does not depend on the threads"
    );
    let (denied, rejected) = run_of(r#"{"schedulable":false,"partitions":[{"sms":12,"tasks":[0,1,2,3,4]}]}"#);
    assert_eq!(column(&denied, "mine", "schedulable"), vec!["0"; 10]);
    assert_eq!(rejected, None);
    // One SM more than the GPU has.
    let (large, rejected) = run_of(r#"{"partitions":[{"sms":13,"tasks":[0,1,2,3,4]}]}"#);
    assert_eq!(column(&large, "mine", "schedulable"), vec!["0"; 10]);
    let first = |reason: &str| Rejected {
        sets: 90,
        point: 0,
        index: 0,
        variant: "literal".to_owned(),
        reason: reason.to_owned(),
    };
    let of_size = first("a partition has more SMs than the GPU, which has 12");
    assert_eq!(rejected, Some(of_size.clone()));
    let (huge, rejected) =
        run_of(r#"{"partitions":[{"sms":4294967295,"tasks":[0]},{"sms":1,"tasks":[1,2,3,4]}]}"#);
    assert_eq!(column(&huge, "mine", "schedulable"), vec!["0"; 10]);
    assert_eq!(rejected, Some(of_size));
    // Small partitions that do not fit together. At the lowest utilization, each passes its test.
    let parts: Vec<String> = (0..5)
        .map(|task| format!("{{\"sms\":12,\"tasks\":[{task}]}}"))
        .collect();
    let (_, rejected) = run_of(&format!("{{\"partitions\":[{}]}}", parts.join(",")));
    assert_eq!(
        rejected,
        Some(first("the partitions have 60 SMs, but the GPU has 12"))
    );
}

/// The command states the first rejected set, unless it is quiet.
#[test]
fn a_run_states_rejected_partitions() {
    let scripts = temporary();
    let answer = r#"case $line in
*'"index":0,'*|*'"index":1,'*) echo '{"partitions":[{"sms":12,"tasks":[0,1,2,3,4]}]}' ;;
*'"index":4,'*) echo '{"partitions":[{"sms":13,"tasks":[0,1,2,3,4]}]}' ;;
*) echo '{"schedulable":false}' ;;
esac"#;
    let text = study(scripts.path(), &script(answer), "");
    let file = scripts.path().join("small.toml");
    std::fs::write(&file, text.text()).unwrap();
    let note = "note: algorithm \"mine\": gpusched rejected the partitions for";
    let run_to = |folder: &Path, quiet: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
        command
            .args(["study", "run"])
            .args(quiet)
            .arg(&file)
            .arg("-o")
            .arg(folder);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let folder = temporary();
    let stated = run_to(folder.path(), &[]);
    let [line] = stated
        .lines()
        .filter(|line| line.starts_with(note))
        .collect::<Vec<_>>()[..]
    else {
        panic!("{stated}");
    };
    assert!(
        line.contains("task sets of this run; the first is set "),
        "{line}"
    );
    assert!(line.contains(" of point 0, variant \"literal\": "), "{line}");
    // A second run computes no task set.
    assert!(!run_to(folder.path(), &[]).contains(note));
    assert!(!run_to(temporary().path(), &["-q"]).contains(note));
}

#[test]
fn wrong_answers_are_refused() {
    let scripts = temporary();
    for (answer, expected) in [
        ("hello", "expected value"),
        ("{}", "neither field"),
        (r#"{"schedulable":1}"#, "expected a boolean"),
        (r#"{"schedulable":true,"sure":true}"#, "unknown field `sure`"),
        (
            r#"{"partitions":[{"sms":12,"tasks":[0,1,2,3]}]}"#,
            "no partition for task 4",
        ),
        (
            r#"{"partitions":[{"sms":12,"tasks":[0,1,2,3,4,4]}]}"#,
            "found 4, expected each of the 5 tasks once",
        ),
        (
            r#"{"partitions":[{"sms":12,"tasks":[0,1,2,3,4,5]}]}"#,
            "found 5, expected each of the 5 tasks once",
        ),
        (
            r#"{"partitions":[{"sms":0,"tasks":[0,1,2,3,4]}]}"#,
            "at least 1 SM and 1 task",
        ),
        (
            r#"{"partitions":[{"sms":1,"tasks":[]}]}"#,
            "at least 1 SM and 1 task",
        ),
        (r#"{"partitions":[]}"#, "no partition for task 0"),
    ] {
        let found = refusal(&study(scripts.path(), &script(&format!("echo '{answer}'")), ""));
        assert!(
            found.contains("algorithm \"mine\"") && found.contains(expected),
            "{answer}: {found}"
        );
        assert!(
            found.contains("of point") && found.contains("variant \"literal\""),
            "{found}"
        );
    }
}

#[test]
fn faults_of_a_process_are_named() {
    let scripts = temporary();
    let late = "timeout = \"100ms\"";
    for (script, fields, expected) in [
        (script("exit 3"), "", "the end of the process (exit status: 3)"),
        ("exit 0".to_owned(), "", "the end of the process (exit status: 0)"),
        (script("kill -9 $$"), "", "the end of the process (signal: 9"),
        (script("sleep 10"), late, "no answer within 100ms"),
        ("sleep 10".to_owned(), late, "no answer within 100ms"),
        (
            script(r#"echo '{"schedulable":true}'; echo '{"schedulable":true}'; sleep 0.1"#),
            "",
            "a further line at set",
        ),
        // A line without its end is no answer.
        (
            script(r#"printf '{"schedulable":true}'; exit"#),
            "",
            "the end of the process (exit status: 0)",
        ),
    ] {
        let found = refusal(&study(scripts.path(), &script, fields));
        assert!(
            found.contains("algorithm \"mine\"") && found.contains(expected),
            "{script}: {found}"
        );
    }
    let text = SMALL.replace("heuristic = \"sms\"", "command = [\"/no/such/program\"]");
    let found = refusal(&parse(&text));
    assert!(found.contains("a command that does not start"), "{found}");
}

/// After the end of a process, the same study continues, and its files equal the files of a run without a fault.
#[test]
fn a_killed_process_leaves_no_trace() {
    let scripts = temporary();
    let marker = scripts.path().join("killed");
    let answer = format!(
        "case $line in *'\"index\":7,'*) [ -e {0:?} ] || {{ : > {0:?}; kill -9 $$; }} ;; esac\n{FIRST_FIVE}",
        marker
    );
    let spec = study(scripts.path(), &script(&answer), "");
    let folder = temporary();
    let error = run(&spec, folder.path(), "1/1", 2).unwrap_err();
    assert!(
        matches!(&error, Error::Refused(_)) && error.to_string().contains("signal: 9"),
        "{error}"
    );
    assert!(!folder.path().join("small.csv").exists());
    let resumed = run(&spec, folder.path(), "1/1", 1).unwrap();
    assert!(resumed.resumed < resumed.units);
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 2).unwrap();
    assert_eq!(stable_files(folder.path()), stable_files(whole.path()));
    // A changed script is another experiment.
    let changed = study(scripts.path(), &script(FIRST_FIVE), "");
    let error = run(&changed, folder.path(), "1/1", 1).unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
    let expected = "at experiment: found results with another content of the file";
    assert!(
        error.to_string().contains(expected) && error.to_string().contains("mine.sh\", from line 2"),
        "{error}"
    );
}

/// After SIGKILL of gpusched, the same command continues, and its files equal the files of a whole run.
#[test]
fn a_killed_run_leaves_no_trace() {
    let scripts = temporary();
    let text = study(scripts.path(), &script(&format!("sleep 0.01\n{FIRST_FIVE}")), "");
    let file = scripts.path().join("small.toml");
    std::fs::write(&file, text.text()).unwrap();
    let folder = temporary();
    let output = folder.path().join("out");
    let mut running = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(["study", "run", "-q", "--threads", "2"])
        .args([&file, std::path::Path::new("-o"), &output])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let journal = output.join("small.checkpoint.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 4 {
        assert!(running.try_wait().unwrap().is_none(), "the run ended early");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(!output.join("small.csv").exists());
    let spec = Spec::read(&file, study::Overrides::default()).unwrap();
    // A process that the killed one was about to start holds its files until it starts the program. The run waits for it.
    let resumed = run(&spec, &output, "1/1", 1).unwrap();
    assert!(resumed.resumed > 0 && resumed.resumed < resumed.units);
    let whole = temporary();
    run(&spec, whole.path(), "1/1", 2).unwrap();
    assert_eq!(stable_files(&output), stable_files(whole.path()));
}

#[test]
fn fields_without_effect_are_refused() {
    for (fields, expected) in [
        (
            "command = [\"true\"]\nheuristic = \"sms\"",
            "found a command and heuristic fewest-sms",
        ),
        (
            "command = [\"true\"]\nforbidden = \"act\"",
            "found `forbidden` with a command",
        ),
        (
            "command = [\"true\"]\ntimeout = 0",
            "found 0, expected more than 0",
        ),
        (
            "command = []",
            "found no algorithm, expected one of heuristic, time_slices, command and function",
        ),
        (
            "command = [\"\"]",
            "found an empty name, expected the name of a program",
        ),
        (
            "command = [\"true\"]\nfunction = \"f\"",
            "found a command and a function, expected one of both",
        ),
        (
            "function = \"f\"\nheuristic = \"sms\"",
            "found a function and heuristic fewest-sms",
        ),
        (
            "function = \"f\"\ntimeout = \"1s\"",
            "found `timeout` with a function",
        ),
        (
            "command = [\"true\"]\ntime_slices = { slices = [\"1ms\"], switch = 0 }",
            "found time slices and a command",
        ),
        (
            "time_slices = { slices = [\"1ms\"], switch = 0 }\nforbidden = \"act\"",
            "found `forbidden` with time slices",
        ),
        ("time_slices = { slices = [], switch = 0 }", "slices: found none"),
        (
            "time_slices = { slices = [0], switch = 0 }",
            "found 0ns, expected more than 0 ns",
        ),
        ("time_slices = { slices = [\"1ms\"] }", "missing field `switch`"),
        (
            "time_slices = { slices = [\"1ms\"], switch = 0, turns = 9 }",
            "turns: found 9, expected 1 to 8",
        ),
        (
            "time_slices = { slices = [\"1ms\"], switch = 0, contexts = 0 }",
            "contexts: found 0",
        ),
        (
            "time_slices = { slices = [\"1ms\"], switch = 0, tests = 0 }",
            "tests: found 0",
        ),
        (
            "",
            "found no algorithm, expected one of heuristic, time_slices, command and function",
        ),
        (
            "heuristic = \"sms\"\ntimeout = \"1s\"",
            "expected it only with a command",
        ),
    ] {
        let text = SMALL.replacen("heuristic = \"sms\"", fields, 1);
        let found = Spec::parse("small.toml", &text, study::Overrides::default());
        let found = found.unwrap_err().to_string();
        assert!(
            found.contains("algorithm[1]") && found.contains(expected),
            "{fields}: {found}"
        );
    }
}

/// A command receives exactly the task sets that `study sets` writes.
#[test]
fn the_sets_of_a_point_can_be_had_again() {
    let scripts = temporary();
    let seen = scripts.path().join("seen");
    let answer = format!("printf '%s\\n' \"$line\" >> {seen:?}\n{FIRST_FIVE}");
    let spec = study(scripts.path(), &script(&answer), "");
    run(&spec, temporary().path(), "1/1", 1).unwrap();
    let text = std::fs::read_to_string(&seen).unwrap();
    let questions: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let partitioning = spec.partitioning().unwrap();
    assert_eq!(questions.len(), 5 * 2 * 9);
    for question in &questions {
        let number = |field: &str| question[field].as_u64().unwrap();
        let mut variants = partitioning.variants().iter();
        let variant = variants
            .position(|variant| question["variant"] == variant.name)
            .unwrap();
        let set = partitioning
            .set(number("point") as usize, variant, number("index"))
            .unwrap();
        assert_eq!(serde_json::to_value(&set).unwrap(), question["set"]);
        for (task, wcets) in set.tasks().iter().zip(question["wcet_ns"].as_array().unwrap()) {
            for (contention, times) in [
                ("isolated", gpusched::model::Contention::Isolated),
                ("conflict", gpusched::model::Contention::Conflict),
            ] {
                let stated: Vec<Option<u64>> = serde_json::from_value(wcets[contention].clone()).unwrap();
                let expected: Vec<Option<u64>> = (1..=12)
                    .map(|sms| task.wcet().at(sms, times).map(|time| time.ns()))
                    .collect();
                assert_eq!(stated, expected);
            }
        }
    }
    for (point, variant, index, field) in [
        (5, 0, 0, "point"),
        (0, 2, 0, "variant"),
        (0, 0, 9, "index"),
        (usize::MAX, usize::MAX, u64::MAX, "point"),
    ] {
        let error = partitioning.set(point, variant, index).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn the_command_writes_the_sets_of_a_point() {
    let shown = crate::support::run("study sets analysis/smoke.toml --point 3 --variant proportional");
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let spec = Spec::read(
        crate::support::root().join("analysis/smoke.toml"),
        study::Overrides::default(),
    )
    .unwrap();
    let set = |index| serde_json::to_string(&spec.partitioning().unwrap().set(3, 1, index).unwrap()).unwrap();
    let expected: Vec<String> = (0..20).map(set).collect();
    assert_eq!(shown.stdout.lines().collect::<Vec<_>>(), expected);
    let one =
        crate::support::run("study sets analysis/smoke.toml --point 3 --variant proportional --index 19");
    assert_eq!(one.stdout.trim_end(), expected[19]);
    for (line, expected) in [
        ("--point 99", "--point: found 99, expected 0 to 14"),
        ("--point 0 --index 20", "--index: found 20, expected 0 to 19"),
        (
            "--point 0 --variant none",
            "--variant: found \"none\", expected literal, proportional",
        ),
        (
            "--point 0 --format text",
            "json or csv, because task sets are JSONL or a CSV table",
        ),
    ] {
        let refused = crate::support::run(&format!("study sets analysis/smoke.toml {line}"));
        assert!(
            refused.code == 2 && refused.stderr.contains(expected),
            "{}",
            refused.stderr
        );
    }
    let cases = crate::support::run("study sets analysis/gcaps.toml --point 0");
    assert!(
        cases.code == 2 && cases.stderr.contains("expected a study of partitioning"),
        "{}",
        cases.stderr
    );
}

/// A further line shifts all later answers. A process that repeats the numbers of its questions is told at once, and every other
/// process at the end of its chunk.
#[test]
fn a_further_line_is_found_whenever_it_comes() {
    let scripts = temporary();
    let early = r#"[ -n "$begun" ] || { begun=1; echo '{"schedulable":false}'; }
sleep 0.01"#;
    let found = refusal(&study(
        scripts.path(),
        &script(&format!("{early}\n{FIRST_FIVE}")),
        "",
    ));
    assert!(found.contains("found a further line at set"), "{found}");
    let numbered = r#"id=${line#*\"id\":}; echo "{\"schedulable\":true,\"id\":${id%%,*}}""#;
    let whole = temporary();
    run(
        &study(scripts.path(), &script(numbered), ""),
        whole.path(),
        "1/1",
        2,
    )
    .unwrap();
    let table = Table::read(whole.path().join("small.csv")).unwrap();
    assert_eq!(column(&table, "mine", "schedulable"), vec!["9"; 10]);
    let early = r#"[ -n "$begun" ] || { begun=1; echo '{"schedulable":false,"id":0}'; }"#;
    let found = refusal(&study(
        scripts.path(),
        &script(&format!("{early}\n{numbered}")),
        "",
    ));
    assert!(
        found.contains("found 0, expected 1, the `id` of the question"),
        "{found}"
    );
    // A process that ignores the end of its input shows nothing.
    let endless = format!("{}sleep 5", script(r#"echo '{"schedulable":true}'"#));
    let found = refusal(&study(scripts.path(), &endless, ""));
    assert!(found.contains("a process that continues after set"), "{found}");
}

/// A process that repeats the numbers of its questions answers all chunks of its thread.
#[test]
fn numbered_answers_keep_the_process() {
    let scripts = temporary();
    let starts = scripts.path().join("starts");
    let count = |answer: &str| {
        let _ = std::fs::remove_file(&starts);
        let text = format!("echo start >> {starts:?}\n{}", script(answer));
        run(&study(scripts.path(), &text, ""), temporary().path(), "1/1", 1).unwrap();
        std::fs::read_to_string(&starts).unwrap().lines().count()
    };
    let numbered = r#"id=${line#*\"id\":}; echo "{\"schedulable\":true,\"id\":${id%%,*}}""#;
    assert_eq!(count(numbered), 1);
    assert_eq!(count(FIRST_FIVE), 5 * 5); // chunks of two sets
}

#[test]
fn partitions_have_supported_sizes_and_one_meaning() {
    let scripts = temporary();
    let of = |answer: &str| {
        let path = scripts.path().join("mine.sh");
        std::fs::write(&path, script(answer)).unwrap();
        let text = SMALL
            .replacen("tasks = [5, 8]", "tasks = [5]", 1)
            .replacen("sms = 12", "device = \"h100\"", 1)
            .replacen(
                "policy = \"edf\"",
                "policy = \"edf\"\ngranularity = \"green-context\"",
                1,
            );
        let (start, _) = text.split_once("[[algorithm]]\nname = \"SMS-INA\"").unwrap();
        parse(&format!(
            "{start}[[algorithm]]\nname = \"mine\"\ncommand = [\"sh\", {path:?}]\n"
        ))
    };
    // The line states the sizes.
    let found = refusal(&of(
        r#"printf '%s' "$line" | grep -q '"sizes":\[8,16' && echo '{"x":1}'"#,
    ));
    assert!(found.contains("unknown field `x`"), "{found}");
    for sms in [1, 4, 12, 132] {
        let answer = format!(r#"echo '{{"partitions":[{{"sms":{sms},"tasks":[0,1,2,3,4]}}]}}'"#);
        let found = refusal(&of(&answer));
        assert!(
            found.contains(&format!(
                "partitions[0].sms: found {sms}, expected one of `sizes`"
            )),
            "{found}"
        );
    }
    let folder = temporary();
    run(
        &of(r#"echo '{"partitions":[{"sms":128,"tasks":[0,1,2,3,4]}]}'"#),
        folder.path(),
        "1/1",
        2,
    )
    .unwrap();
    let table = Table::read(folder.path().join("small.csv")).unwrap();
    let means = column(&table, "mine", "mean_sms");
    assert!(
        means.iter().all(|mean| mean == "128.000" || mean.is_empty()) && means[0] == "128.000",
        "{means:?}"
    );
    let mixed = format!(
        "case $line in *'\"index\":8,'*) echo '{{\"schedulable\":true}}' ;; *) echo '{}' ;; esac",
        r#"{"partitions":[{"sms":12,"tasks":[0,1,2,3,4]}]}"#
    );
    let found = refusal(&study(scripts.path(), &script(&mixed), ""));
    assert!(
        found.contains("unlike before, expected partitions for all schedulable task sets"),
        "{found}"
    );
}

/// Another process knows the answers of the process before only from its journal.
#[test]
fn a_further_run_refuses_the_same_mixture() {
    let (scripts, folder) = (temporary(), temporary());
    let mixed = format!(
        "case $line in *'\"index\":8,'*) echo '{{\"schedulable\":true}}' ;; *) echo '{}' ;; esac",
        r#"{"partitions":[{"sms":12,"tasks":[0,1,2,3,4]}]}"#
    );
    for _ in 0..3 {
        // A specification that was read again knows no answers.
        let spec = study(scripts.path(), &script(&mixed), "");
        let found = run(&spec, folder.path(), "1/1", 1).unwrap_err().to_string();
        assert!(
            found.contains("unlike before, expected partitions for all"),
            "{found}"
        );
        assert!(!folder.path().join("small.csv").exists());
    }
    // Each chunk of the last shard has the set 8 of a point, and no other shard has this set.
    let parts: Vec<_> = (1..=5)
        .map(|index| folder.path().join(format!("part{index}")))
        .collect();
    for (index, part) in parts.iter().enumerate() {
        let spec = study(scripts.path(), &script(&mixed), "");
        run(&spec, part, &format!("{}/5", index + 1), 2).unwrap();
    }
    let merged = folder.path().join("whole");
    let found = study::merge(&parts, &merged).unwrap_err().to_string();
    assert!(
        found.contains("algorithm \"mine\": found no partitions, unlike before"),
        "{found}"
    );
    assert!(!merged.exists());
}

/// Results can be checked in a folder without the program.
#[test]
fn results_keep_a_copy_of_the_program() {
    let scripts = temporary();
    let spec = study(scripts.path(), &script(FIRST_FIVE), "");
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    std::fs::remove_file(scripts.path().join("mine.sh")).unwrap();
    let moved = Spec::read(folder.path().join("small.toml"), study::Overrides::default()).unwrap();
    assert_eq!(moved.experiment().unwrap(), spec.experiment().unwrap());
    let found = run(&moved, temporary().path(), "1/1", 1).unwrap_err().to_string();
    assert!(found.contains("the end of the process"), "{found}");
}
