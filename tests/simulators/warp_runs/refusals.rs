//! What is refused: one message, exit code 2, nothing on standard output.

use crate::support::{run, run_with};
use crate::warp_runs::{SMALL, write};

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
        (
            with("\"grid\":0"),
            "at kernels[0].grid: invalid value: integer `0`".to_owned(),
        ),
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
            with("\"launch\":1000000000000"),
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

/// What follows the blocks of a trace is refused as by `import accel-sim`.
#[test]
fn traces_end_with_their_grid() {
    let folder = tempfile::tempdir().unwrap();
    let trace = crate::support::root().join("tasksets/traces/accelsim/kernel-1.traceg");
    let text = std::fs::read_to_string(trace).unwrap();
    let lines = text.lines().count();
    for (bad, expected) in [
        (
            text.replace("-grid dim = (4,1,1)", "-grid dim = (3,1,1)"),
            "found another thread block, expected the end after the 3 of the grid",
        ),
        (
            format!("{text}garbage\n"),
            "found \"garbage\", expected #BEGIN_TB",
        ),
    ] {
        let path = write(folder.path(), "bad.traceg", &bad);
        for command in [
            format!("simulate warps {path} --machine titanv"),
            format!("simulate profile {path} --machine titanv --sms 2"),
            format!("import accel-sim {path}"),
        ] {
            let answer = run(&command);
            assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{command}");
            assert!(
                answer.stderr.contains("bad.traceg:"),
                "{command}: {}",
                answer.stderr
            );
            assert!(answer.stderr.contains(expected), "{command}: {}", answer.stderr);
        }
    }
    let path = write(folder.path(), "good.traceg", &(text + "\n\n"));
    let answer = run(&format!("simulate warps {path} --machine titanv"));
    assert_eq!(answer.code, 0, "after {lines} lines: {}", answer.stderr);
}

/// Files of other formats are sent to their reader.
#[test]
fn foreign_files_say_what_to_do() {
    let machine = "--machine rtx2060";
    let folder = tempfile::tempdir().unwrap();
    let scenario = write(
        folder.path(),
        "s.json",
        r#"{"machine":"rtx2060","kernels":[{"program":"kernel-1.traceg"}]}"#,
    );
    write(folder.path(), "kernel-1.traceg", "-kernel name = k\n");
    for (line, expected) in [
        (
            format!("simulate warps tasksets/traces/accelsim/kernelslist.g {machine}"),
            "kernelslist.g:1: found \"MemcpyHtoD,0x00007f5\", expected a scenario",
        ),
        (
            "simulate warps tasksets/traces/accelsim/kernelslist.g".to_owned(),
            "hint: see what is in a list of traces with `gpusched import accel-sim`; `gpusched simulate warps` takes each .traceg",
        ),
        (
            format!("simulate profile tasksets/traces/accelsim/kernelslist.g {machine}"),
            "hint: see what is in a list of traces with `gpusched import accel-sim`",
        ),
        (
            format!("simulate warps tasksets/kernels/ptx/kernels.ptx {machine}"),
            "hint: make a program of PTX with `gpusched import ptx`",
        ),
        (
            format!("simulate profile tasksets/kernels/ptx/kernels.ptx {machine}"),
            "hint: make a program of PTX with `gpusched import ptx`",
        ),
        (
            format!("{VADD} --machine tasksets/machines/small.config"),
            "hint: make a machine of a configuration of GPGPU-Sim with `gpusched import gpgpusim-config`",
        ),
        (
            format!("simulate warps {scenario}"),
            "hint: name a trace in a scenario as {\"trace\":",
        ),
    ] {
        let answer = run(&line);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{line}");
        assert!(answer.stderr.contains(expected), "{line}: {}", answer.stderr);
    }
}

/// Sizes, buffers and SMs that are none: what was found, and what was expected.
#[test]
fn numbers_that_are_none_are_named() {
    let size = "expected a size: a number from 1 to 4294967295, or a list of up to three";
    let grid = |grid: &str| SMALL.replacen("\"grid\":8", &format!("\"grid\":{grid}"), 1);
    assert_ne!(grid("9"), SMALL);
    for (text, found, expected) in [
        (
            grid("1000000000000"),
            "at grid: invalid value: integer `1000000000000`",
            size,
        ),
        (grid("-1"), "at grid: invalid type: integer `-1`", size),
        (grid("0"), "at grid: invalid value: integer `0`", size),
        (grid("1.5"), "at grid: invalid type: floating point `1.5`", size),
        (grid("\"9\""), "at grid: invalid type: string \"9\"", size),
        (grid("[1,0,1]"), "at grid: found [1, 0]", "sizes of at least 1"),
        (
            grid("[1,1,1,1]"),
            "at grid: found [1, 1, 1, 1]",
            "up to three sizes",
        ),
        (
            grid("[1,-1]"),
            "at grid[1]: invalid value: integer `-1`",
            "expected a whole number from 0 to 4294967295",
        ),
    ] {
        let answer = run_with("simulate warps - --machine rtx2060", text.clone());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{text}");
        for part in [found, expected] {
            assert!(answer.stderr.contains(part), "{text}: {part}: {}", answer.stderr);
        }
    }
    let buffer = |buffer: &str| SMALL.replacen("\"buffers\":{", &format!("\"buffers\":{{\"z\":{buffer},"), 1);
    assert_ne!(buffer("9"), SMALL);
    for (value, expected) in [
        (
            "-1",
            "at buffers.z: invalid type: integer `-1`, expected the bytes of a buffer from 0, or",
        ),
        (
            "[1]",
            "at buffers.z: invalid type: sequence, expected the bytes of a buffer from 0, or",
        ),
        ("{\"bytes\":1}", "missing field `address`"),
    ] {
        let answer = run_with("simulate warps - --machine rtx2060", buffer(value));
        assert_eq!(answer.code, 2, "{value}");
        assert!(answer.stderr.contains(expected), "{value}: {}", answer.stderr);
    }
    let sms = format!("{{\"machine\":\"rtx2060\",\"kernels\":[{{\"program\":{SMALL},\n\"sms\":5}}]}}");
    let answer = run_with("simulate warps -", sms);
    let expected = "at kernels[0].sms: invalid type: integer `5`, expected numbers of SMs such as [0, 1, 5]";
    assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    let import = "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32";
    for (line, expected) in [
        (
            format!("{import} --grid 1000000000000"),
            "each from 1 to 4294967295",
        ),
        (
            format!("{import} --grid 1 -p f=2.0"),
            "found \"2.0\" as the value of f, expected a whole number; of a floating-point parameter any",
        ),
        (
            format!("{import} --grid 1 -p a:-1"),
            "found \"-1\" as the bytes of a, expected a whole number from 0",
        ),
        (
            format!("{import} --grid 1 -p a"),
            "expected memory as NAME:BYTES, such as a:4096, or a number as NAME=VALUE",
        ),
    ] {
        let answer = run(&line);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{line}");
        assert!(answer.stderr.contains(expected), "{line}: {}", answer.stderr);
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
        (format!("-o {other} --issues {other}"), "--issues, --output"),
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
