//! Bad input and usage: exit code 2, no output, and a message that fits the screen and names file, field and expected value.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals};
use crate::support::{ADAS, Answer, TASK, answer, files, gpusched, run, run_with, tenths};

/// A set with a task that has `member`, such as `"period":0`, instead of a valid member of this name or in addition to valid
/// members.
fn task(member: &str) -> String {
    let mut members = vec![member];
    for valid in [r#""period":"10ms""#, r#""wcet":{"table":[[1,"1ms"]]}"#] {
        let key = valid.split(':').next().unwrap();
        if !member.starts_with(key) {
            members.push(valid);
        }
    }
    format!(r#"{{"tasks":[{TASK},{{{}}}]}}"#, members.join(","))
}

fn wcet(wcet: &str) -> String {
    task(&format!("\"wcet\":{wcet}"))
}

/// Description and content of invalid task-set files.
#[rustfmt::skip] // a table
fn bad_files() -> Vec<(&'static str, Vec<u8>)> {
    let lines = |line7: &str| format!("{}{line7}\n{}\n", (tenths(2) + "\n").repeat(6), tenths(2));
    let text: Vec<(&str, String)> = vec![
        ("empty file", String::new()),
        ("blank file", " \n\n\t\n".to_owned()),
        ("null", "null".to_owned()),
        ("list", format!("[{}]", tenths(1))),
        ("string", "\"tasks\"".to_owned()),
        ("number", "1e308".to_owned()),
        ("no JSON", "tasks = 3".to_owned()),
        ("byte order mark", format!("\u{feff}{}", tenths(1))),
        ("nothing in it", "{}".to_owned()),
        ("empty set", r#"{"tasks":[]}"#.to_owned()),
        ("null tasks", r#"{"tasks":null}"#.to_owned()),
        ("tasks by name", r#"{"tasks":{"a":1}}"#.to_owned()),
        ("task is a number", r#"{"tasks":[5]}"#.to_owned()),
        ("task is null", r#"{"tasks":[null]}"#.to_owned()),
        ("empty task", r#"{"tasks":[{}]}"#.to_owned()),
        ("unknown field of the set", r#"{"task":[],"tasks":[]}"#.to_owned()),
        ("unknown field of a task", task(r#""priority":3"#)),
        ("long unknown field", task(&format!(r#""{}":3"#, "x".repeat(1 << 20)))),
        ("duplicate set field", r#"{"name":"a","name":"b","tasks":[]}"#.to_owned()),
        ("duplicate task field", task(r#""kind":"memory","kind":"compute""#)),
        ("name is a number", task(r#""name":7"#)),
        ("unknown kind", task(r#""kind":"tensor""#)),
        ("zero period", task(r#""period":0"#)),
        ("zero period with unit", task(r#""period":"0ms""#)),
        ("negative period", task(r#""period":-5"#)),
        ("negative period with unit", task(r#""period":"-5ms""#)),
        ("null period", task(r#""period":null"#)),
        ("period is a float", task(r#""period":2.5"#)),
        ("period is NaN", task(r#""period":NaN"#)),
        ("period is \"NaN\"", task(r#""period":"NaN""#)),
        ("period is infinite", task(r#""period":"inf""#)),
        ("period 1e308", task(r#""period":1e308"#)),
        ("period 1e999", task(r#""period":1e999"#)),
        ("period 2^63", task(r#""period":9223372036854775808"#)),
        ("period of 40 digits", task(&format!(r#""period":{}"#, "9".repeat(40)))),
        ("unknown unit", task(r#""period":"5 minutes""#)),
        ("finer than a nanosecond", task(r#""period":"0.5ns""#)),
        ("period is a list", task(r#""period":[1]"#)),
        ("zero deadline", task(r#""deadline":0"#)),
        ("zero block", task(r#""block":0"#)),
        ("no block", task(r#""block":null"#)),
        ("negative jitter", task(r#""jitter":-1"#)),
        ("jitter too large", task(r#""jitter":"9e9s""#)),
        ("deadline too large", task(r#""deadline":"9e9s""#)),
        ("traffic without unit", task(r#""traffic":"48""#)),
        ("negative traffic", task(r#""traffic":-1"#)),
        ("half a byte", task(r#""traffic":"1.5B""#)),
        ("too much traffic", task(r#""traffic":"1001TB""#)),
        ("bandwidth of bytes", task(r#""bandwidth":"5GB""#)),
        ("bandwidth is an object", task(r#""bandwidth":{}"#)),
        ("bandwidth without points", task(r#""bandwidth":[]"#)),
        ("shrinking bandwidth", task(r#""bandwidth":[[1,5],[2,4]]"#)),
        ("bad point of a bandwidth", task(r#""bandwidth":[[1,5],[2,"x"]]"#)),
        ("other traffic without period", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1}}]}}"#)),
        ("other traffic of no period", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1,"period":0}}]}}"#)),
        ("batch is a number", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1,"period":1,"batch":1}}]}}"#)),
        ("wcet is a truth value", wcet("true")),
        ("wcet is a list", wcet("[5]")),
        ("unknown form", wcet(r#"{"quadratic":{}}"#)),
        ("two forms", wcet(r#"{"table":[[1,5]],"affine":{"isolated":{"a":1,"b":1}}}"#)),
        ("zero work", wcet(r#"{"amdahl":{"work":0,"serial":0.1,"conflict":2}}"#)),
        ("negative serial", wcet(r#"{"amdahl":{"work":9,"serial":-0.1,"conflict":2}}"#)),
        ("serial 1e308", wcet(r#"{"amdahl":{"work":9,"serial":1e308,"conflict":2}}"#)),
        ("too many decimals", wcet(r#"{"amdahl":{"work":9,"serial":0.12345678901,"conflict":2}}"#)),
        ("conflict below 1", wcet(r#"{"proportional":{"work":9,"serial":0.1,"conflict":0.5}}"#)),
        ("C above 2^63 ns", wcet(r#"{"amdahl":{"work":9223372036854775807,"serial":1,"conflict":1}}"#)),
        ("affine above 2^63 ns", wcet(r#"{"affine":{"isolated":{"a":9223372036854775807,"b":1}}}"#)),
        ("affine of zero", wcet(r#"{"affine":{"isolated":{"a":0,"b":0}}}"#)),
        ("conflict faster", wcet(r#"{"affine":{"isolated":{"a":9,"b":2},"conflict":{"a":9,"b":1}}}"#)),
        ("empty table", wcet(r#"{"table":[]}"#)),
        ("growing table", wcet(r#"{"table":[[1,"1ms"],[2,"2ms"]]}"#)),
        ("unsorted table", wcet(r#"{"table":[[2,"1ms"],[1,"2ms"]]}"#)),
        ("table at 0 SMs", wcet(r#"{"table":[[0,"1ms"]]}"#)),
        ("table at -1 SMs", wcet(r#"{"table":[[-1,"1ms"]]}"#)),
        ("point of three", wcet(r#"{"table":[[1,5,3]]}"#)),
        ("nested too deep", format!("{{\"tasks\":{}1{}}}", "[".repeat(5000), "]".repeat(5000))),
        ("nested wcet", wcet(&format!("{{\"table\":{}{}}}", "[".repeat(300), "]".repeat(300)))),
        ("unclosed", r#"{"tasks":["#.to_owned()),
        ("trailing comma", format!(r#"{{"tasks":[{TASK},]}}"#)),
        ("trailing garbage", format!("{} x", tenths(1))),
        ("comment", format!("{{\n  // my set\n  \"tasks\":[{TASK}]\n}}\n")),
        ("line of a document", format!("{{\n\"tasks\":[\n{TASK},\n{{\"period\":0}}\n]\n}}")),
        ("garbage after a document", format!("{{\n\"tasks\":[{TASK}]\n}}\n}}")),
        ("truncated JSONL", lines(r#"{"tasks":[{"period":"10"#)),
        ("bad value in JSONL", lines(&task(r#""period":0"#))),
        ("two errors in JSONL", lines("{") + "{"),
        ("blank lines count", format!("\n\n{}\n\n{{}}\n", tenths(1))),
    ];
    let mut files: Vec<_> = text
        .into_iter()
        .map(|(what, text)| (what, text.into_bytes()))
        .collect();
    let not_utf8 = [b"{\"name\":\"\xff\xfe\",".as_slice(), &tenths(1).as_bytes()[1..]].concat();
    files.push(("invalid UTF-8", not_utf8));
    let utf16: Vec<u8> = format!("\u{feff}{}", tenths(1))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    files.push(("UTF-16", utf16));
    let late = [tenths(1).as_bytes(), b"\n\n\xc3\x28\n"].concat();
    files.push(("invalid UTF-8 in line 3", late));
    files.push(("zero bytes", vec![0; 4096]));
    files
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    let plan = folder.path().join("plan.json");
    let cases = bad_files();
    assert!(cases.len() >= 40);
    let mut told = Transcript::in_folder(folder.path());
    for (what, content) in cases {
        std::fs::write(&path, content).unwrap();
        let answers = ["test", "partition"].map(|command| {
            let args = [command.as_ref(), path.as_os_str(), "--sms".as_ref(), "4".as_ref()];
            let to_stdout = answer(&mut gpusched(args));
            let to_file = answer(gpusched(args).arg("-o").arg(&plan));
            assert_eq!(to_file, to_stdout, "{what}");
            assert_eq!(files(folder.path()), [Path::new("bad.json")], "{what}");
            to_stdout
        });
        assert_eq!(answers[0], answers[1], "{what}");
        told.refusal(what, &answers[0]);
    }
    assert_snapshot!(told);
}

#[test]
fn the_same_error_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.jsonl");
    let line = |i: usize| {
        if i % 500 == 499 {
            format!("{{\"x{i}\":1}}\n")
        } else {
            tenths(3) + "\n"
        }
    };
    std::fs::write(&path, (0..5000).map(line).collect::<String>()).unwrap();
    let mut told = Transcript::in_folder(folder.path());
    for threads in ["1", "2", "5"] {
        let mut command = gpusched(["test", "--sms", "1", "--threads", threads]);
        told.refusal(threads, &answer(command.arg(&path)));
    }
    assert_snapshot!(told);
}

#[test]
fn bad_usage_is_refused() {
    let told = refusals([
        "test SET",
        "test SET --sms 8 --gpu orin",
        "test SET --sms 0",
        "test SET --sms -3",
        "test SET --sms 65537",
        "test SET --sms 8.5",
        "test SET --sms NaN",
        "test SET --sms 9999999999999999999999999999999999999999",
        "test SET --gpu gtx1",
        "test SET --sms 8 --policy fifo",
        "test SET --sms 8 --interference noise",
        "test SET --sms 8 --format yaml",
        "test SET --sms 8 --threads 0",
        "test SET --sms 8 --threads 9999999999999999999999999999999999999999",
        "test SET --sms 8 --seed -1",
        "test SET --sms 8 --split 2",
        "test SET --sms 8 --sms 9",
        "test SET SET --sms 8",
        "test --sms 8",
        "test missing.json --sms 8",
        "test tasksets --sms 8",
        "test SET/x --sms 8",
        "partition SET",
        "partition SET --sms 8 --heuristic magic",
        "partition SET --sms 8 --split 4",
        "partition SET --sms 8 --heuristic ffd --split 0",
        "partition SET --sms 8 --heuristic fewest-sms --search-effort 5",
        "partition SET --sms 8 --interference bandwidth --memory-bandwidth 100",
        "partition SET --sms 8 --heuristic ffd --split 9",
        "partition SET --sms 8 --heuristic 1g --forbidden act",
        "partition SET --sms 8 --heuristic wfd --order increasing",
        "partition SET --sms 8 --bf-measure demand",
        "partition SET --sms 8 --bf-direction descending",
        "partition SET --sms 8 -o missing/plan.json",
        "partition SET --sms 8 -o tasksets",
        "generate --utilization 3",
        "generate --tasks 0 --utilization 3",
        "generate --tasks -1 --utilization 3",
        "generate --tasks 9999999999999999999999999999999999999999 --utilization 3",
        "generate --tasks 100000000 --utilization 3",
        "generate --tasks 5 --utilization 0",
        "generate --tasks 5 --utilization=-3",
        "generate --tasks 5 --utilization 3 --cap -1",
        "generate --tasks 5 --utilization 3 --memory-share -1",
        "generate --tasks 5 --utilization NaN",
        "generate --tasks 5 --utilization inf",
        "generate --tasks 5 --utilization 1e308",
        "generate --tasks 5 --utilization x",
        "generate --tasks 5 --utilization 3 --cap 0.5",
        "generate --tasks 40 --utilization 39.5 --cap 1",
        "generate --tasks 5 --utilization 3 --count 0",
        "generate --tasks 5 --utilization 3 --count 9999999999999999999999999999999999999999",
        "generate --tasks 5 --utilization 3 --count 1000000000",
        "wcet synth tasksets/traces/two-paths.json --runs 1000000000",
        "generate --tasks 5 --utilization 3 --periods harmonic",
        "generate --tasks 5 --utilization 3 --periods log-uniform:1s:1ms",
        "generate --tasks 5 --utilization 3 --memory-share 1.5",
        "generate --tasks 5 --utilization 3 --deadline 0",
        "generate --tasks 5 --utilization 3 --deadline=-1",
        "generate --tasks 5 --utilization 3 --deadline 1e308",
        "generate --tasks 5 --utilization 3 --jitter 0.75",
        "generate --tasks 5 --utilization 3 --jitter=-1",
        "generate --tasks 5 --utilization 3 --jitter NaN",
        "generate --tasks 5 --utilization 3 --blocks 0",
        "generate --tasks 5 --utilization 3 --blocks 2147483648",
        "generate --tasks 5 --utilization 3 --blocks=-1",
        "generate --tasks 5 --utilization 3 --blocks 9999999999999999999999999999999999999999",
        "generate --tasks 5 --utilization 3 --blocks 2.5",
        "generate --tasks 5 --utilization 3 --wcet linear",
        "generate --tasks 5 --utilization 3 --generator drs",
        "generate --tasks 5 --utilization 3 --format text",
        "generate --tasks 5 --utilization 3 --count 200001 -o sets.csv",
        "generate --tasks 5 --utilization 3 -o missing/sets.jsonl",
        "schema plans",
        "completions tcl",
        "man partitions",
        "frobnicate",
    ]);
    assert_snapshot!(told);
    assert_eq!(run("").code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let mut told = refusals(["generate --tasks 9 --utilization 3 --count 2000 -o /dev/full"]);
    for command in ["test", "partition"] {
        for format in ["text", "json", "csv"] {
            let line = format!("{command} {ADAS} --sms 16 --format {format}");
            let to_file = format!("{line} -o /dev/full");
            told.refusal(&to_file, &run(&to_file));

            // `assert_cmd` supports only pipes as standard output.
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
            process
                .args(line.split_whitespace())
                .current_dir(crate::support::root());
            let to_stdout = Answer::from(process.stdout(full).output().unwrap());
            told.refusal(format!("{line} > /dev/full"), &to_stdout);
        }
    }
    assert_snapshot!(told);
}

/// Names and bytes of the files in `folder`.
fn contents(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let content = |file: PathBuf| (file.clone(), std::fs::read(folder.join(file)).ok());
    files(folder).into_iter().map(content).collect()
}

/// No command overwrites an input file, for every name of the file and of the option.
#[test]
fn no_input_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let copy = |from: &str, to: &str| {
        std::fs::copy(crate::support::root().join(from), folder.path().join(to)).unwrap();
    };
    copy(ADAS, "set.json");
    copy("tasksets/kernels/histo-m4.json", "kernel.json");
    copy("tasksets/devices/a100.json", "device.json");
    copy("tasksets/traces/two-paths.csv", "trace.csv");
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    let again = path("inner/../set.json");
    let plan = path("plan.json");
    assert_eq!(
        answer(&mut gpusched([
            "partition",
            &path("set.json"),
            "--sms",
            "8",
            "-o",
            &plan
        ]))
        .code,
        0
    );
    let mut told = Transcript::in_folder(folder.path());
    for command in [
        &format!("partition set.json --sms 8 -o {again}"),
        "test set.json --sms 8 -o set.json",
        "verify plan.json set.json -o plan.json",
        "partition set.json --gpu device.json -o device.json",
        "partition set.json --gpu a100 --export csv --export-to set.json",
        "simulate tasks set.json --plan plan.json --trace plan.json",
        "simulate tasks set.json --plan plan.json --gantt set.json",
        "wcet curve kernel.json --svg kernel.json",
        "wcet cluster trace.csv -o trace.csv",
        // A trace that is an input must not be an output.
        "budget simulate kernel.json --blocks trace --trace kernel.json -o new.json",
    ] {
        let before = contents(folder.path());
        let refused = answer(gpusched(command.split_whitespace()).current_dir(folder.path()));
        told.refusal(command, &refused);
        assert_eq!(contents(folder.path()), before, "{command}");
    }
    assert_snapshot!(told);
}

/// The file of standard input, and files that only an input names, are also protected.
#[test]
fn no_hidden_input_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::copy(crate::support::root().join(ADAS), path("set.json")).unwrap();
    let profile = r#"{"name":"k","kai":0.1,"points":[{"sms":4,"time":"1ms","bandwidth":10}]}"#;
    std::fs::write(path("k.json"), profile).unwrap();
    std::fs::write(
        path("group.json"),
        r#"{"kernels":[{"profile":"k.json","sms":4}]}"#,
    )
    .unwrap();
    let program = r#"{"name":"count","grid":2,"block":32,"body":[{"op":"exit"}]}"#;
    std::fs::write(path("program.json"), program).unwrap();
    let run = r#"{"machine":"rtx2060","scheduler":"lrr","share":"sm","sms":2,"kernels":[{"program":"program.json"}]}"#;
    std::fs::write(path("run.json"), run).unwrap();
    let from_set = |command: &str| {
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
        process
            .args(command.split_whitespace())
            .current_dir(folder.path());
        process.stdin(std::fs::File::open(path("set.json")).unwrap());
        Answer::from(process.output().unwrap())
    };
    let mut told = Transcript::in_folder(folder.path());
    for command in [
        "partition - --sms 8 -o set.json",
        "predict group.json -o k.json",
        "simulate warps run.json -o program.json",
    ] {
        let before = contents(folder.path());
        told.refusal(command, &from_set(command));
        assert_eq!(contents(folder.path()), before, "{command}");
        // Another name is allowed.
        let elsewhere = command.replace("-o ", "-o new-");
        let answer = from_set(&elsewhere);
        assert_eq!(answer.code, 0, "{elsewhere}: {}", answer.stderr);
    }
    assert_snapshot!(told);
    assert_eq!(files(folder.path()).len(), 8); // five inputs and three outputs
}

/// Invalid values of options, duplicate options, and options without effect.
#[test]
fn bad_options_are_told_in_the_words_of_all_else() {
    let told = refusals([
        "partition SET --sms 8 --heuristic optimal --search-effort 0",
        "partition SET --sms 65537",
        "verify x y --search-effort none",
        "--seed 1 partition SET --sms 8 --seed 2",
        "--threads 1 partition SET --sms 8 --threads=1",
        "partition SET --sms 8 --improve --heuristic optimal",
        "partition SET --sms 8 --improve --heuristic 1g",
        "partition SET --sms 8 --heuristic optimal --gap -1",
        "simulate profile x --machine rtx2060 --estimate 3",
        "partition SET --sms 8 -o /nonexistent/x",
        "partition SET --sms 8 --heuristic fewest-sms --gap 1",
        "partition SET --sms 8 --heuristic optimal --gap 1 --objective feasible",
        "partition SET --gpu a100 --granularity mig --heuristic auto --gap 1",
        "partition SET --sms 8 --interference bandwidth --memory-bandwidth 1TB/s --traffic heed --gap 1",
    ]);
    assert_snapshot!(told);
}

/// More plans than sets is an error before the first check; for a pipe, it is an error at its end.
#[test]
fn plans_without_sets_are_refused_up_front() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plan = run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    let set = serde_json::from_slice::<serde_json::Value>(
        &std::fs::read(crate::support::root().join(ADAS)).unwrap(),
    );
    let set = format!("{}\n", set.unwrap());
    std::fs::write(path("plans.jsonl"), plan.repeat(3)).unwrap();
    let mut told = Transcript::in_folder(folder.path());
    for sets in [1, 2] {
        std::fs::write(path("sets.jsonl"), set.repeat(sets)).unwrap();
        let refused = run(&format!("verify {} {}", path("plans.jsonl"), path("sets.jsonl")));
        told.refusal(format!("verify 3 plans, {sets} sets"), &refused);
        let simulated = run(&format!(
            "simulate tasks {} --plan {}",
            path("sets.jsonl"),
            path("plans.jsonl")
        ));
        assert_eq!(simulated, refused);
        let piped = run_with(&format!("verify - {}", path("sets.jsonl")), plan.repeat(3));
        assert_eq!(piped.code, 2);
        told.case(format!("verify -, {sets} sets"), piped.stderr);
    }
    assert_snapshot!(told);
}

/// Reading standard input twice would never end.
#[test]
fn standard_input_is_read_once() {
    let mut told = Transcript::default();
    for line in [
        "simulate tasks - --plan -",
        "wcet verify - -",
        "verify - -",
        "export - - --as csv",
    ] {
        told.refusal(line, &run_with(line, tenths(1)));
    }
    assert_snapshot!(told);
}

/// The rule also applies to a file that is written only if there is content.
#[test]
fn folders_of_outputs_are_looked_for_first() {
    let told = refusals(["validate --systems 10 --reproducer missing/r.json"]);
    assert_snapshot!(told);
}
