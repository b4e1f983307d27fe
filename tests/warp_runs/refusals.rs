//! What is refused: one message, exit code 2, nothing on standard output.

use crate::support::{run, run_with};
use crate::{SMALL, write};

const VADD: &str = "simulate warps tasksets/kernels/programs/vadd.json";

#[test]
fn options() {
    for (line, expected) in [
        (VADD.to_owned(), "--machine: found none, expected one of"),
        (
            format!("{VADD} --machine rtx"),
            "--machine: found \"rtx\", expected one of",
        ),
        (
            format!("{VADD} --machine rtx2060 --sms 31"),
            "--sms: found 31, expected 1 to 30",
        ),
        (
            format!("{VADD} --machine titanv --sms 3"),
            "--sms: found 3, expected a multiple of 2",
        ),
        (format!("{VADD} --machine rtx2060 --sms 0"), "--sms: found 0"),
        (format!("{VADD} --machine rtx2060 -p a"), "expected NAME=VALUE"),
        (
            format!("{VADD} --machine rtx2060 -p z=1"),
            "--parameter: found the name \"z\"",
        ),
        (
            format!("{VADD} --machine rtx2060 -p a=-1"),
            "--parameter: found -1",
        ),
        (
            format!("{VADD} --machine rtx2060 --block 2048"),
            "--block: found 2048 threads",
        ),
        (
            format!("{VADD} --machine rtx2060 --limit 100"),
            "not through after 100 cycles",
        ),
        (
            format!("{VADD} --machine rtx2060 --scheduler qaws"),
            "--budget: found none",
        ),
        (
            format!("{VADD} --machine rtx2060 --budget x=1"),
            "--budget: found the kernel \"x\", expected one of vadd",
        ),
        (
            format!("{VADD} --machine rtx2060 --issues -"),
            "--issues: found -",
        ),
        (
            format!("{VADD} --machine rtx2060 -p a=1000000000000"),
            "bytes, expected at most 17179869184",
        ),
        (
            "simulate warps tasksets/warps/singh22-fig3-gto.json --sms 1".to_owned(),
            "--sms: found with a scenario of a sub-core",
        ),
        (
            "simulate warps tasksets/runs/pc-copyl-spatial.json --grid 1".to_owned(),
            "expected only with a program",
        ),
        (
            "simulate warps none.traceg --machine titanv".to_owned(),
            "none.traceg: cannot open",
        ),
    ] {
        let answer = run(&line);
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{line}: {answer:?}"
        );
        assert!(answer.stderr.contains(expected), "{line}: {}", answer.stderr);
        assert!(!answer.stderr.contains("panicked"), "{line}: {}", answer.stderr);
    }
}

#[test]
fn scenarios() {
    let kernel = format!(r#"{{"program":{SMALL}}}"#);
    let one = |fields: &str| format!("{{\"machine\":\"rtx2060\",\n{fields}\n\"kernels\":[\n{kernel}]}}");
    let with = |fields: &str| {
        format!("{{\"machine\":\"rtx2060\",\"kernels\":[\n{{\"program\":{SMALL},\n{fields}}}]}}")
    };
    let small_lines = SMALL.lines().count();
    for (text, expected) in [
        (
            one("\"sms\":31,"),
            "-:2: at sms: found 31, expected 1 to 30".to_owned(),
        ),
        (
            one("\"scheduler\":\"rr\","),
            "-:2: at scheduler: unknown variant `rr`".to_owned(),
        ),
        (
            one("\"share\":\"all\","),
            "-:2: at share: unknown variant".to_owned(),
        ),
        (
            one("\"scheduler\":\"qaws\","),
            "-:4: at kernels[0].budget: found none, expected one".to_owned(),
        ),
        (one("\"seconds\":1,"), "-:2: at seconds: unknown field".to_owned()),
        (
            "{\"machine\":\"rtx\",\"kernels\":[]}".to_owned(),
            "-:1: at machine: found \"rtx\", expected one of rtx2060".to_owned(),
        ),
        (
            "{\"machine\":\"rtx2060\",\"kernels\":[]}".to_owned(),
            "at kernels: found none".to_owned(),
        ),
        (
            with("\"budget\":3"),
            format!(
                "-:{}: at kernels[0].budget: found 3, expected none",
                small_lines + 2
            ),
        ),
        (
            with("\"sms\":\"0-30\""),
            format!(
                "-:{}: at kernels[0].sms: found 30, expected SMs from 0 to 29",
                small_lines + 2
            ),
        ),
        (
            with("\"sms\":\"3-1\""),
            "at kernels[0].sms: found \"3-1\", expected numbers of SMs".to_owned(),
        ),
        (
            with("\"sms\":[]"),
            "at kernels[0].sms: found [], expected".to_owned(),
        ),
        (
            with("\"launch\":1000000000001"),
            "at kernels[0].launch: found 1000000000001".to_owned(),
        ),
        (with("\"grid\":0"), "at kernels[0].grid: found [0]".to_owned()),
        (
            with("\"block\":1025"),
            "at kernels[0].block: found 1025 threads".to_owned(),
        ),
        (
            with("\"parameters\":{\"m\":1}"),
            "at kernels[0].parameters: found the name \"m\"".to_owned(),
        ),
        (
            with("\"name\":\"x\",\"name\":\"y\""),
            "duplicate field `name`".to_owned(),
        ),
        (
            format!(
                "{{\"machine\":\"rtx2060\",\"kernels\":[{{\"name\":\"x\",\"program\":{SMALL}}},\n{{\"name\":\"x\",\"program\":{SMALL}}}]}}"
            ),
            "at kernels[1].name: found \"x\" again, expected a name of its own".to_owned(),
        ),
        (
            r#"{"machine":"rtx2060","kernels":[{"program":{}}]}"#.to_owned(),
            "at kernels[0].program: found no field".to_owned(),
        ),
        (
            r#"{"machine":"rtx2060","kernels":[{"program":7}]}"#.to_owned(),
            "at kernels[0].program: invalid type: integer `7`, expected a program".to_owned(),
        ),
        (
            r#"{"machine":"rtx2060","kernels":[{"program":"none.json"}]}"#.to_owned(),
            "none.json: cannot open".to_owned(),
        ),
        (
            r#"{"machine":"rtx2060","kernels":[{"program":{"trace":"x.traceg","grid":1}}]}"#.to_owned(),
            "unknown field `grid`".to_owned(),
        ),
        (
            r#"{"machine":"rtx2060","kernels":[{"program":{"trace":"x.traceg"},"grid":1}]}"#.to_owned(),
            "at kernels[0].grid: found 1, expected none: a trace has its launch".to_owned(),
        ),
        (
            one("").replace("\"address\":\"b", "\"address\":\"c"),
            "found the name \"c\", expected a parameter".to_owned(),
        ),
        (
            one("")
                .replace("\"name\":\"small\"", "\"name\":\"small\",\"registers\":1000")
                .replace("\"block\":64", "\"block\":1024"),
            "a block of 1024 threads with 1000 registers each and 0 bytes of shared memory does not fit"
                .to_owned(),
        ),
        (one("").replace("\"n\":2", "\"n\":2,"), "-:".to_owned()),
        ("[]".to_owned(), "expected a scenario".to_owned()),
        (
            one("\"launch\":1000000000000,"),
            "not through after 30000 cycles".to_owned(),
        ),
        (
            one("").replace("\"n\":2", "\"n\":1000000000"),
            "not through after 30000 cycles".to_owned(),
        ),
    ] {
        let answer = run_with("simulate warps - --limit 30000", text.clone());
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{text}: {answer:?}"
        );
        assert!(
            answer.stderr.contains(&expected),
            "{text}: expected {expected}, found {}",
            answer.stderr
        );
    }
}

#[test]
fn programs_in_files_are_named_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "bad.json",
        &SMALL.replace("\"bytes\":4", "\"bytes\":3"),
    );
    let path = write(
        folder.path(),
        "s.json",
        r#"{"machine":"rtx2060","kernels":[{"program":"bad.json"}]}"#,
    );
    let answer = run(&format!("simulate warps {path}"));
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("bad.json:2: at body[0].bytes: found 3"),
        "{}",
        answer.stderr
    );
}

#[test]
fn files_are_not_written_over_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let program = write(folder.path(), "p.json", SMALL);
    let other = folder.path().join("o.json").display().to_string();
    for (options, expected) in [
        (format!("-o {other} --trace {other}"), "--trace, --output"),
        (format!("-o {other} --issues {other}"), "--output, --issues"),
        (format!("--issues {program}"), "--issues, FILE"),
        (format!("-o {program}"), "--output, FILE"),
    ] {
        let answer = run(&format!("simulate warps {program} --machine rtx2060 {options}"));
        assert_eq!(answer.code, 2, "{options}");
        let expected = format!("{expected}: found the same file, expected two");
        assert!(answer.stderr.contains(&expected), "{}", answer.stderr);
    }
    assert_eq!(std::fs::read_to_string(&program).unwrap(), SMALL);
}

#[test]
fn failures_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let line = format!(
        "{VADD} --machine rtx2060 --limit 100 --issues {} --trace {} -o {}",
        at("i.csv"),
        at("t.json"),
        at("o.json")
    );
    assert_eq!(run(&line).code, 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
