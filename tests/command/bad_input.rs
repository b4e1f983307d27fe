//! Bad input and usage: exit code 2, a message that fits the screen and names file, field and expectation, no output.

use std::path::Path;

use crate::support::{ADAS, Answer, TASK, answer, files, gpusched, run, run_with, tenths};

/// One task with `member` (such as `"period":0`) in place of, or beside, what makes it valid.
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

/// What a refusal looks like, whatever was wrong.
fn assert_refused(answer: &Answer, expected: &[&str], what: &str) {
    assert_eq!(answer.code, 2, "{what}: {answer:?}");
    assert_eq!(answer.stdout, "", "{what}");
    assert!(answer.stderr.starts_with("error: "), "{what}: {}", answer.stderr);
    let lines = answer
        .stderr
        .lines()
        .map(|line| line.chars().count().div_ceil(100).max(1));
    assert!(lines.sum::<usize>() <= 20, "{what}: {}", answer.stderr);
    for text in expected {
        assert!(
            answer.stderr.contains(text),
            "{what}: no {text:?} in\n{}",
            answer.stderr
        );
    }
}

/// `content` of a task-set file, and what the message must say about it.
#[rustfmt::skip] // a table
fn bad_files() -> Vec<(&'static str, Vec<u8>, &'static [&'static str])> {
    let lines = |line7: &str| format!("{}{line7}\n{}\n", (tenths(2) + "\n").repeat(6), tenths(2));
    let text: Vec<(&str, String, &[&str])> = vec![
        ("empty file", String::new(), &["bad.json: found nothing, expected a task set"]),
        ("blank file", " \n\n\t\n".to_owned(), &["bad.json: found nothing, expected a task set"]),
        ("null", "null".to_owned(), &["bad.json:1: found \"null\", expected a task set"]),
        ("list", format!("[{}]", tenths(1)), &["bad.json:1: found \"[", "expected a task set"]),
        ("string", "\"tasks\"".to_owned(), &["bad.json:1", "expected a task set"]),
        ("number", "1e308".to_owned(), &["bad.json:1", "expected a task set"]),
        ("no JSON", "tasks = 3".to_owned(), &["bad.json:1", "expected a task set"]),
        ("byte order mark", format!("\u{feff}{}", tenths(1)), &["bad.json:1", "byte order mark"]),
        ("nothing in it", "{}".to_owned(), &["bad.json:1", "missing field `tasks`"]),
        ("empty set", r#"{"tasks":[]}"#.to_owned(), &["bad.json:1", "tasks: found an empty list, expected at least one"]),
        ("null tasks", r#"{"tasks":null}"#.to_owned(), &["bad.json:1: at tasks", "null", "expected a sequence"]),
        ("tasks by name", r#"{"tasks":{"a":1}}"#.to_owned(), &["at tasks", "map"]),
        ("task is a number", r#"{"tasks":[5]}"#.to_owned(), &["at tasks[0]", "integer `5`", "expected a task"]),
        ("task is null", r#"{"tasks":[null]}"#.to_owned(), &["at tasks[0]", "null", "expected a task"]),
        ("empty task", r#"{"tasks":[{}]}"#.to_owned(), &["at tasks[0]", "missing field `period`"]),
        ("unknown field of the set", r#"{"task":[],"tasks":[]}"#.to_owned(), &["unknown field `task`, expected one of `name`, `tasks`, `other_traffic`"]),
        ("unknown field of a task", task(r#""priority":3"#), &["at tasks[1]", "unknown field `priority`"]),
        ("long unknown field", task(&format!(r#""{}":3"#, "x".repeat(1 << 20))), &["at tasks[1]", "unknown field `xxx"]),
        ("duplicate set field", r#"{"name":"a","name":"b","tasks":[]}"#.to_owned(), &["duplicate field `name`"]),
        ("duplicate task field", task(r#""kind":"memory","kind":"compute""#), &["at tasks[1]", "duplicate field `kind`"]),
        ("name is a number", task(r#""name":7"#), &["at tasks[1].name", "expected a string"]),
        ("unknown kind", task(r#""kind":"tensor""#), &["at tasks[1].kind", "tensor", "`compute` or `memory`"]),
        ("zero period", task(r#""period":0"#), &["at tasks[1].period", "0", "expected a positive time"]),
        ("zero period with unit", task(r#""period":"0ms""#), &["at tasks[1].period", "expected a positive time"]),
        ("negative period", task(r#""period":-5"#), &["at tasks[1].period", "`-5`", "expected a time"]),
        ("negative period with unit", task(r#""period":"-5ms""#), &["at tasks[1].period", "-5ms", "expected a time"]),
        ("null period", task(r#""period":null"#), &["at tasks[1].period", "null", "expected a time"]),
        ("period is a float", task(r#""period":2.5"#), &["at tasks[1].period", "2.5", "expected a time"]),
        ("period is NaN", task(r#""period":NaN"#), &["bad.json:1: at tasks[1].period", "expected value (column"]),
        ("period is \"NaN\"", task(r#""period":"NaN""#), &["at tasks[1].period", "NaN", "expected a time"]),
        ("period is infinite", task(r#""period":"inf""#), &["at tasks[1].period", "inf", "expected a time"]),
        ("period 1e308", task(r#""period":1e308"#), &["at tasks[1].period", "expected a time"]),
        ("period 1e999", task(r#""period":1e999"#), &["at tasks[1].period", "number out of range"]),
        ("period 2^63", task(r#""period":9223372036854775808"#), &["at tasks[1].period", "9223372036854775808", "to 2^63 - 1"]),
        ("period of 40 digits", task(&format!(r#""period":{}"#, "9".repeat(40))), &["at tasks[1].period", "expected a time"]),
        ("unknown unit", task(r#""period":"5 minutes""#), &["at tasks[1].period", "5 minutes", "expected a time"]),
        ("finer than a nanosecond", task(r#""period":"0.5ns""#), &["at tasks[1].period", "0.5ns", "whole nanoseconds"]),
        ("period is a list", task(r#""period":[1]"#), &["at tasks[1].period", "expected a time"]),
        ("zero deadline", task(r#""deadline":0"#), &["at tasks[1].deadline", "expected a positive time"]),
        ("zero block", task(r#""block":0"#), &["at tasks[1].block", "expected a positive time"]),
        ("no block", task(r#""block":null"#), &["at tasks[1].block", "expected a time"]),
        ("negative jitter", task(r#""jitter":-1"#), &["at tasks[1].jitter", "expected a time"]),
        ("jitter too large", task(r#""jitter":"9e9s""#), &["at tasks[1].jitter", "expected a time"]),
        ("deadline too large", task(r#""deadline":"9e9s""#), &["at tasks[1].deadline", "expected a time"]),
        ("traffic without unit", task(r#""traffic":"48""#), &["at tasks[1].traffic", "48", "expected an amount of data"]),
        ("negative traffic", task(r#""traffic":-1"#), &["at tasks[1].traffic", "`-1`", "expected an amount of data"]),
        ("half a byte", task(r#""traffic":"1.5B""#), &["at tasks[1].traffic", "1.5B", "whole bytes"]),
        ("too much traffic", task(r#""traffic":"1001TB""#), &["at tasks[1].traffic", "1001TB", "expected an amount of data"]),
        ("bandwidth of bytes", task(r#""bandwidth":"5GB""#), &["at tasks[1].bandwidth", "5GB", "expected a bandwidth"]),
        ("bandwidth is an object", task(r#""bandwidth":{}"#), &["at tasks[1].bandwidth", "expected a bandwidth such as"]),
        ("bandwidth without points", task(r#""bandwidth":[]"#), &["at tasks[1].bandwidth", "found no points"]),
        ("shrinking bandwidth", task(r#""bandwidth":[[1,5],[2,4]]"#), &["at tasks[1].bandwidth", "[1]: found 4B/s after 5B/s"]),
        ("bad point of a bandwidth", task(r#""bandwidth":[[1,5],[2,"x"]]"#), &["at tasks[1].bandwidth[1][1]", "expected a bandwidth"]),
        ("other traffic without period", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1}}]}}"#), &["at other_traffic[0]", "missing field `period`"]),
        ("other traffic of no period", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1,"period":0}}]}}"#), &["at other_traffic[0].period", "expected a positive time"]),
        ("batch is a number", format!(r#"{{"tasks":[{TASK}],"other_traffic":[{{"traffic":1,"period":1,"batch":1}}]}}"#), &["at other_traffic[0].batch", "integer `1`", "expected a boolean"]),
        ("wcet is a time", wcet(r#""5ms""#), &["at tasks[1].wcet", "\"5ms\"", "expected a WCET function"]),
        ("wcet is a number", wcet("5"), &["at tasks[1].wcet", "integer `5`", "expected a WCET function"]),
        ("unknown form", wcet(r#"{"quadratic":{}}"#), &["at tasks[1].wcet", "unknown variant `quadratic`", "`amdahl`"]),
        ("two forms", wcet(r#"{"table":[[1,5]],"affine":{"isolated":{"a":1,"b":1}}}"#), &["at tasks[1].wcet"]),
        ("zero work", wcet(r#"{"amdahl":{"work":0,"serial":0.1,"conflict":2}}"#), &["at tasks[1].wcet.amdahl.work", "expected a positive time"]),
        ("negative serial", wcet(r#"{"amdahl":{"work":9,"serial":-0.1,"conflict":2}}"#), &["at tasks[1].wcet.amdahl.serial", "`-0.1`", "expected a number from 0"]),
        ("serial 1e308", wcet(r#"{"amdahl":{"work":9,"serial":1e308,"conflict":2}}"#), &["at tasks[1].wcet.amdahl.serial", "expected a number from 0"]),
        ("too many decimals", wcet(r#"{"amdahl":{"work":9,"serial":0.12345678901,"conflict":2}}"#), &["at tasks[1].wcet.amdahl.serial", "nine decimals"]),
        ("conflict below 1", wcet(r#"{"proportional":{"work":9,"serial":0.1,"conflict":0.5}}"#), &["at tasks[1]", "found factor 0.5, expected at least 1"]),
        ("conflict missing", wcet(r#"{"amdahl":{"work":9,"serial":0.1}}"#), &["at tasks[1].wcet.amdahl", "missing field `conflict`"]),
        ("C above 2^63 ns", wcet(r#"{"amdahl":{"work":9223372036854775807,"serial":1,"conflict":1}}"#), &["at tasks[1]", "WCET too large", "below 2^63 ns"]),
        ("affine above 2^63 ns", wcet(r#"{"affine":{"isolated":{"a":9223372036854775807,"b":1}}}"#), &["at tasks[1]", "below 2^63 ns"]),
        ("affine of zero", wcet(r#"{"affine":{"isolated":{"a":0,"b":0}}}"#), &["at tasks[1]", "WCET of zero"]),
        ("conflict faster", wcet(r#"{"affine":{"isolated":{"a":9,"b":2},"conflict":{"a":9,"b":1}}}"#), &["at tasks[1]", "expected at least the isolated WCET"]),
        ("empty table", wcet(r#"{"table":[]}"#), &["at tasks[1]", "table: found no points"]),
        ("growing table", wcet(r#"{"table":[[1,"1ms"],[2,"2ms"]]}"#), &["at tasks[1]", "table[1]: found 2ms after 1ms", "monotone envelope"]),
        ("unsorted table", wcet(r#"{"table":[[2,"1ms"],[1,"2ms"]]}"#), &["at tasks[1]", "strictly increasing numbers of SMs"]),
        ("table at 0 SMs", wcet(r#"{"table":[[0,"1ms"]]}"#), &["at tasks[1]", "table[0]: found 0 SMs"]),
        ("table at -1 SMs", wcet(r#"{"table":[[-1,"1ms"]]}"#), &["at tasks[1].wcet.table[0]", "`-1`"]),
        ("point of three", wcet(r#"{"table":[[1,5,3]]}"#), &["at tasks[1].wcet.table[0]"]),
        ("half a table", wcet(r#"{"table":{"isolated":[[1,5]]}}"#), &["at tasks[1].wcet.table", "missing field `conflict`"]),
        ("nested too deep", format!("{{\"tasks\":{}1{}}}", "[".repeat(5000), "]".repeat(5000)), &["bad.json:1: at tasks[0]"]),
        ("nested wcet", wcet(&format!("{{\"table\":{}{}}}", "[".repeat(300), "]".repeat(300))), &["bad.json:1: at tasks[1].wcet.table[0]"]),
        ("unclosed", r#"{"tasks":["#.to_owned(), &["bad.json:1", "EOF while parsing"]),
        ("trailing comma", format!(r#"{{"tasks":[{TASK},]}}"#), &["bad.json:1", "trailing comma (column"]),
        ("trailing garbage", format!("{} x", tenths(1)), &["bad.json:1", "trailing characters (column"]),
        ("comment", format!("{{\n  // my set\n  \"tasks\":[{TASK}]\n}}\n"), &["bad.json:2", "(column 3)"]),
        ("line of a document", format!("{{\n\"tasks\":[\n{TASK},\n{{\"period\":0}}\n]\n}}"), &["bad.json:4: at tasks[1].period"]),
        ("garbage after a document", format!("{{\n\"tasks\":[{TASK}]\n}}\n}}"), &["bad.json:4", "trailing characters"]),
        ("truncated JSONL", lines(r#"{"tasks":[{"period":"10"#), &["bad.json:7: at tasks[0].period", "EOF while parsing a string"]),
        ("bad value in JSONL", lines(&task(r#""period":0"#)), &["bad.json:7: at tasks[1].period"]),
        ("two errors in JSONL", lines("{") + "{", &["bad.json:7", "EOF while parsing"]),
        ("blank lines count", format!("\n\n{}\n\n{{}}\n", tenths(1)), &["bad.json:5", "missing field `tasks`"]),
    ];
    let mut files: Vec<_> = text
        .into_iter()
        .map(|(what, text, expected)| (what, text.into_bytes(), expected))
        .collect();
    let not_utf8 = [b"{\"name\":\"\xff\xfe\",".as_slice(), &tenths(1).as_bytes()[1..]].concat();
    files.push(("invalid UTF-8", not_utf8, &["bad.json:1", "not UTF-8"]));
    let utf16: Vec<u8> = format!("\u{feff}{}", tenths(1))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    files.push(("UTF-16", utf16, &["bad.json:1", "not UTF-8"]));
    let late = [tenths(1).as_bytes(), b"\n\n\xc3\x28\n"].concat();
    files.push(("invalid UTF-8 in line 3", late, &["bad.json:3", "not UTF-8"]));
    files.push((
        "zero bytes",
        vec![0; 4096],
        &["bad.json:1", "expected a task set"],
    ));
    files
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    let plan = folder.path().join("plan.json");
    let cases = bad_files();
    assert!(cases.len() >= 40);
    for (what, content, expected) in cases {
        std::fs::write(&path, content).unwrap();
        for command in ["test", "partition"] {
            let args = [command.as_ref(), path.as_os_str(), "--sms".as_ref(), "4".as_ref()];
            let to_stdout = answer(&mut gpusched(args));
            assert_refused(&to_stdout, expected, what);
            let to_file = answer(gpusched(args).arg("-o").arg(&plan));
            assert_eq!(to_file, to_stdout, "{what}");
            assert_eq!(files(folder.path()), [Path::new("bad.json")], "{what}");
        }
    }
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
    for threads in ["1", "2", "5"] {
        let mut command = gpusched(["test", "--sms", "1", "--threads", threads]);
        assert_refused(
            &answer(command.arg(&path)),
            &["bad.jsonl:500: ", "unknown field `x499`"],
            threads,
        );
    }
}

#[test]
fn bad_usage_is_refused() {
    let huge = "9".repeat(40);
    #[rustfmt::skip] // a table
    let cases: &[(&str, &[&str])] = &[
        ("test SET", &["none of --sms, --platform and --device", "xavier (8 SMs)"]),
        ("test SET --sms 8 --platform orin", &["both --sms and --platform", "h100 (132 SMs)"]),
        ("test SET --sms 0", &["--sms", "1 to 65536"]),
        ("test SET --sms -3", &["-3"]),
        ("test SET --sms 65537", &["--sms", "1 to 65536"]),
        ("test SET --sms 8.5", &["--sms", "8.5"]),
        ("test SET --sms NaN", &["--sms", "NaN"]),
        ("test SET --sms HUGE", &["--sms"]),
        ("test SET --platform gtx1", &["gtx1", "orin (16 SMs)"]),
        ("test SET --sms 8 --policy fifo", &["fifo", "work-capacity"]),
        ("test SET --sms 8 --interference noise", &["noise", "conflict"]),
        ("test SET --sms 8 --format yaml", &["yaml", "json"]),
        ("test SET --sms 8 --threads 0", &["--threads", "expected a whole number from 1 to 1024"]),
        ("test SET --sms 8 --threads HUGE", &["--threads", "expected a whole number from 1 to 1024"]),
        ("test SET --sms 8 --seed -1", &["-1"]),
        ("test SET --sms 8 --split 2", &["--split"]),
        ("test SET --sms 8 --sms 9", &["--sms"]),
        ("test SET SET --sms 8", &["unexpected argument"]),
        ("test --sms 8", &["<SET>"]),
        ("test missing.json --sms 8", &["missing.json: cannot open"]),
        ("test tasksets --sms 8", &["tasksets: cannot read"]),
        ("test SET/x --sms 8", &["adas.json/x: cannot open"]),
        ("partition SET", &["none of --sms, --platform and --device"]),
        ("partition SET --sms 8 --heuristic magic", &["magic", "one-per-partition"]),
        ("partition SET --sms 8 --split 4", &["--split: found --heuristic sms, expected ffd or wfd"]),
        ("partition SET --sms 8 --heuristic ffd --split 0", &["--split"]),
        ("partition SET --sms 8 --solver exact", &["--solver: found --heuristic sms, expected optimal"]),
        #[cfg(not(feature = "highs"))]
        ("partition SET --sms 8 --heuristic optimal --solver highs", &["--solver: found highs, expected exact", "--features highs"]),
        ("partition SET --sms 8 --budget 5", &["--budget: found --heuristic sms, expected auto or optimal, or --improve beside it"]),
        ("partition SET --sms 8 --interference bandwidth --memory-bandwidth 100", &["\"100\", expected a bandwidth with its unit"]),
        ("partition SET --sms 8 --heuristic ffd --split 9", &["--split: found 9, expected at most the 8 SMs"]),
        ("partition SET --sms 8 --heuristic 1g --forbidden act", &["--forbidden: found --heuristic 1g, expected sms or bf"]),
        ("partition SET --sms 8 --heuristic wfd --order increasing", &["--order: found --heuristic wfd"]),
        ("partition SET --sms 8 --bf-measure demand", &["--bf-measure: found --heuristic sms, expected bf"]),
        ("partition SET --sms 8 --bf-direction descending", &["--bf-direction: found --heuristic sms, expected bf"]),
        ("partition SET --sms 8 -o missing/plan.json", &["missing/plan.json: cannot create"]),
        ("partition SET --sms 8 -o tasksets", &["tasksets: cannot create"]),
        ("generate --utilization 3", &["--tasks"]),
        ("generate --tasks 0 --utilization 3", &["tasks: found 0"]),
        ("generate --tasks -1 --utilization 3", &["-1"]),
        ("generate --tasks HUGE --utilization 3", &["--tasks"]),
        ("generate --tasks 100000000 --utilization 3", &["tasks: found 100000000, expected from 1 to 100000"]),
        ("generate --tasks 5 --utilization 0", &["utilization: found 0.0"]),
        ("generate --tasks 5 --utilization=-3", &["error: --utilization: found -3.0, expected"]),
        ("generate --tasks 5 --utilization 3 --cap -1", &["error: --cap: found -1.0, expected"]),
        ("generate --tasks 5 --utilization 3 --memory-share -1", &["error: --memory-share: found -1.0, expected"]),
        ("generate --tasks 5 --utilization NaN", &["utilization: found NaN"]),
        ("generate --tasks 5 --utilization inf", &["utilization: found inf"]),
        ("generate --tasks 5 --utilization 1e308", &["utilization: found 1e308"]),
        ("generate --tasks 5 --utilization x", &["--utilization", "x"]),
        ("generate --tasks 5 --utilization 3 --cap 0.5", &["utilization: found 3.0, expected at most tasks x cap"]),
        ("generate --tasks 40 --utilization 39.5 --cap 1", &["cap: found 1.0", "randfixedsum"]),
        ("generate --tasks 5 --utilization 3 --count 0", &["--count"]),
        ("generate --tasks 5 --utilization 3 --count HUGE", &["--count"]),
        ("generate --tasks 5 --utilization 3 --periods harmonic", &["harmonic", "log-uniform:10ms:1s"]),
        ("generate --tasks 5 --utilization 3 --periods log-uniform:1s:1ms", &["log-uniform:1s:1ms"]),
        ("generate --tasks 5 --utilization 3 --memory-share 1.5", &["memory-share: found 1.5"]),
        ("generate --tasks 5 --utilization 3 --deadline 0", &["deadline: found 0"]),
        ("generate --tasks 5 --utilization 3 --deadline=-1", &["--deadline", "-1"]),
        ("generate --tasks 5 --utilization 3 --deadline 1e308", &["--deadline", "1e308"]),
        ("generate --tasks 5 --utilization 3 --jitter 0.75", &["jitter: found 0.75, expected a factor below the deadline's, 0.75"]),
        ("generate --tasks 5 --utilization 3 --jitter=-1", &["--jitter", "-1", "from 0 to 1000000"]),
        ("generate --tasks 5 --utilization 3 --jitter NaN", &["--jitter", "NaN", "from 0 to 1000000"]),
        ("generate --tasks 5 --utilization 3 --blocks 0", &["blocks: found 0, expected from 1 to 2147483647"]),
        ("generate --tasks 5 --utilization 3 --blocks 2147483648", &["blocks: found 2147483648, expected from 1 to 2147483647"]),
        ("generate --tasks 5 --utilization 3 --blocks=-1", &["--blocks", "-1"]),
        ("generate --tasks 5 --utilization 3 --blocks HUGE", &["--blocks"]),
        ("generate --tasks 5 --utilization 3 --blocks 2.5", &["--blocks", "2.5"]),
        ("generate --tasks 5 --utilization 3 --wcet linear", &["linear", "proportional"]),
        ("generate --tasks 5 --utilization 3 --generator drs", &["drs", "randfixedsum"]),
        ("generate --tasks 5 --utilization 3 --format csv", &["--format: found csv, expected json"]),
        ("generate --tasks 5 --utilization 3 -o sets.csv", &["--output: found sets.csv, expected a name that does not end in .csv: task sets are JSONL"]),
        ("generate --tasks 5 --utilization 3 -o missing/sets.jsonl", &["missing/sets.jsonl: cannot create"]),
        ("schema plans", &["schema: found \"plans\", expected one of task-set"]),
        ("completions tcl", &["tcl", "bash"]),
        ("man partitions", &["man: found \"partitions\""]),
        ("frobnicate", &["frobnicate"]),
    ];
    for (line, expected) in cases {
        let line = line.replace("SET", ADAS).replace("HUGE", &huge);
        assert_refused(&crate::support::run(&line), expected, &line);
    }
    assert_eq!(crate::support::run("").code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let answer = crate::support::run("generate --tasks 9 --utilization 3 --count 2000 -o /dev/full");
    assert_refused(&answer, &["/dev/full: cannot write: No space left"], "generate");
    for command in ["test", "partition"] {
        for format in ["text", "json", "csv"] {
            let args = [command, ADAS, "--platform", "orin", "--format", format];
            let answer = self::answer(gpusched(args).args(["-o", "/dev/full"]));
            assert_refused(&answer, &["/dev/full: cannot write: No space left"], command);

            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"))
                .args(args)
                .current_dir(crate::support::root())
                .stdout(full)
                .output()
                .unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{message}");
            assert!(message.contains("-: cannot write: No space left"), "{message}");
        }
    }
}

/// What is read is not written over, whatever the names of the file and of the option.
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
    for (command, input, output) in [
        (
            format!("partition set.json --sms 8 -o {again}"),
            "set.json",
            "--output",
        ),
        ("test set.json --sms 8 -o set.json".into(), "set.json", "--output"),
        (
            "verify plan.json set.json -o plan.json".into(),
            "plan.json",
            "--output",
        ),
        (
            "partition set.json --device device.json -o device.json".into(),
            "device.json",
            "--output",
        ),
        (
            "partition set.json --device a100 --export csv --export-to set.json".into(),
            "set.json",
            "--export-to",
        ),
        (
            "simulate tasks set.json --plan plan.json --trace plan.json".into(),
            "plan.json",
            "--trace",
        ),
        (
            "simulate tasks set.json --plan plan.json --gantt set.json".into(),
            "set.json",
            "--gantt",
        ),
        (
            "wcet curve kernel.json --svg kernel.json".into(),
            "kernel.json",
            "--svg",
        ),
        (
            "wcet cluster trace.csv -o trace.csv".into(),
            "trace.csv",
            "--output",
        ),
    ] {
        let before = std::fs::read(folder.path().join(input)).unwrap();
        let refused = answer(gpusched(command.split_whitespace()).current_dir(folder.path()));
        assert_refused(
            &refused,
            &[&format!("{output}, "), "found the same file, expected two", input],
            &command,
        );
        assert_eq!(
            std::fs::read(folder.path().join(input)).unwrap(),
            before,
            "{command}"
        );
    }
    // A trace that is read is no output.
    let command = "budget simulate kernel.json --blocks trace --trace kernel.json -o new.json";
    let twice = answer(gpusched(command.split_whitespace()).current_dir(folder.path()));
    assert_refused(&twice, &["kernel.json: found twice"], command);
}

/// … nor what standard input comes from, nor what only another input names.
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
    for (command, input, parts) in [
        (
            "partition - --sms 8 -o set.json",
            "set.json",
            ["--output, SET", "found the same file, expected two"],
        ),
        (
            "predict group.json -o k.json",
            "k.json",
            ["k.json: found an output that an input names", "expected another"],
        ),
        (
            "simulate warps run.json -o program.json",
            "program.json",
            [
                "program.json: found an output that an input names",
                "expected another",
            ],
        ),
    ] {
        let before = std::fs::read(path(input)).unwrap();
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
        process
            .args(command.split_whitespace())
            .current_dir(folder.path());
        process.stdin(std::fs::File::open(path("set.json")).unwrap());
        let output = process.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {message}");
        assert!(
            parts.iter().all(|part| message.contains(part)),
            "{command}: {message}"
        );
        assert_eq!(std::fs::read(path(input)).unwrap(), before, "{command}");
        // Elsewhere it may go.
        let elsewhere = command.replace("-o ", "-o new-");
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"));
        process
            .args(elsewhere.split_whitespace())
            .current_dir(folder.path());
        process.stdin(std::fs::File::open(path("set.json")).unwrap());
        let output = process.output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{elsewhere}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(crate::support::files(folder.path()).len(), 8); // five, three of them new again
}

/// Values that options do not take, options that come twice, and options without effect.
#[test]
fn bad_options_are_told_in_the_words_of_all_else() {
    let adas = format!("partition {ADAS} --sms 8");
    for (command, expected) in [
        (
            format!("{adas} --heuristic optimal --budget 0"),
            "error: --budget: found 0, expected a whole number, at least 1 and below 2^64\n",
        ),
        (
            format!("partition {ADAS} --sms 65537"),
            "error: --sms: found 65537, expected a whole number from 1 to 65536\n",
        ),
        (
            "verify x y --budget none".to_owned(),
            "error: --budget: found none, expected a whole number, at least 1 and below 2^64\n",
        ),
        (
            format!("--seed 1 {adas} --seed 2"),
            "error: --seed: found it twice, expected it once\n",
        ),
        (
            format!("--threads 1 {adas} --threads=1"),
            "error: --threads: found it twice, expected it once\n",
        ),
        (
            format!("{adas} --improve --heuristic optimal"),
            "error: --improve: found --heuristic optimal, which has a local search of its own, so that another one after it has no \
             effect, expected no --improve, or it after sms or bf or one-per-partition or ffd or wfd or savings or matching\n",
        ),
        (
            format!("{adas} --improve --heuristic 1g"),
            "error: --improve: found --heuristic 1g, whose one partition leaves nothing to divide anew, expected no --improve, or it \
             after sms or bf or one-per-partition or ffd or wfd or savings or matching\n",
        ),
        (
            format!("{adas} --heuristic optimal --gap -1"),
            "error: --gap: found -1, expected a whole number from 0 to 4294967295\n",
        ),
        (
            "simulate profile x --machine rtx2060 --estimate 3".to_owned(),
            "error: unexpected argument '3' found\n\n  tip: to give '3' to --estimate, write '--estimate=3'\n\nUsage: \
             gpusched simulate profile [OPTIONS] --machine <MACHINE> <PROGRAM>\n\nFor more information, try '--help'.\n",
        ),
        (
            format!("{adas} -o /nonexistent/x"),
            "error: /nonexistent/x: cannot create: No such file or directory (os error 2)\n",
        ),
        (
            format!("{adas} --gap 1"),
            "error: --gap: found --heuristic sms, expected auto or optimal, where the option has an effect\n",
        ),
        (
            format!("{adas} --heuristic optimal --gap 1 --objective feasible"),
            "error: --gap: found 1 with --objective feasible, expected --objective sms, where the option has an effect\n",
        ),
        (
            format!("partition {ADAS} --device a100 --granularity mig --heuristic auto --gap 1"),
            "error: --gap: found 1 with --granularity mig, expected sm, tpc, green-context or mps, where plans are held against a lower bound, so that the option has an effect\n",
        ),
        (
            format!("{adas} --interference bandwidth --memory-bandwidth 1TB/s --heuristic auto --gap 1"),
            "error: --gap: found 1 with --interference bandwidth, expected conflict or none, where plans are held against a lower bound, so that the option has an effect\n",
        ),
    ] {
        let refused = crate::support::run(&command);
        assert_eq!(
            (refused.code, refused.stderr.as_str()),
            (2, expected),
            "{command}"
        );
        assert_eq!(refused.stdout, "", "{command}");
    }
}

/// More plans than sets: said before the first is checked. Of a pipe it is said where it ends.
#[test]
fn plans_without_sets_are_refused_up_front() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plan = crate::support::run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    let set = serde_json::from_slice::<serde_json::Value>(
        &std::fs::read(crate::support::root().join(ADAS)).unwrap(),
    );
    let set = format!("{}\n", set.unwrap());
    std::fs::write(path("plans.jsonl"), plan.repeat(3)).unwrap();
    for (sets, found) in [(1, "1 entry"), (2, "2 entries")] {
        std::fs::write(path("sets.jsonl"), set.repeat(sets)).unwrap();
        let refused = crate::support::run(&format!("verify {} {}", path("plans.jsonl"), path("sets.jsonl")));
        let expected = format!(
            "error: {}: found {found}, expected as many as in {}, where there are more\n",
            path("sets.jsonl"),
            path("plans.jsonl")
        );
        assert_eq!(
            (refused.code, refused.stderr.as_str(), refused.stdout.as_str()),
            (2, expected.as_str(), "")
        );
        let simulated = crate::support::run(&format!(
            "simulate tasks {} --plan {}",
            path("sets.jsonl"),
            path("plans.jsonl")
        ));
        assert_eq!(simulated, refused);
        let piped = crate::support::run_with(&format!("verify - {}", path("sets.jsonl")), plan.repeat(3));
        assert_eq!(piped.code, 2);
        assert!(
            piped
                .stderr
                .contains(&format!("found {found}, expected as many as in -")),
            "{piped:?}"
        );
    }
}

/// The second reader of standard input would wait forever.
#[test]
fn standard_input_is_read_once() {
    for line in [
        "simulate tasks - --plan -",
        "wcet verify - -",
        "verify - -",
        "export - - --as csv",
    ] {
        let answer = run_with(line, tenths(1));
        assert_refused(
            &answer,
            &["found -, standard input, twice, expected it once"],
            line,
        );
    }
}

/// Also a file that is written only if there is something to write.
#[test]
fn folders_of_outputs_are_looked_for_first() {
    let answer = run("validate --systems 10 --reproducer missing/r.json");
    assert_refused(&answer, &["missing/r.json: cannot create"], "--reproducer");
}
