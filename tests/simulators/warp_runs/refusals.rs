//! Rejected input: one message, exit code 2, empty standard output.

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals, variants};
use crate::support::{root, run, run_with};
use crate::warp_runs::{SMALL, write};

const VADD: &str = "simulate warps tasksets/kernels/programs/vadd.json";

#[test]
fn options() {
    let told = refusals([
        "simulate warps tasksets/kernels/programs/vadd.json",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 31",
        "simulate warps tasksets/kernels/programs/vadd.json --machine titanv --sms 3",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 0",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 -p a",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 -p z=1",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 -p a=-1",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --block 2048",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --grid 1000000000",
        "simulate warps tasksets/kernels/programs/copyl.json --machine rtx2060 --grid 20000000 -p n=1000000",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --limit 100",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --scheduler qaws",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --budget x=1",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --issues -",
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 -p a=1000000000000",
        "simulate warps tasksets/warps/singh22-fig3-gto.json --sms 1",
        "simulate warps tasksets/runs/pc-copyl-spatial.json --grid 1",
        "simulate warps none.traceg --machine titanv",
    ]);
    assert_snapshot!(told);
}

#[test]
fn scenarios() {
    let kernel = format!(r#"{{"program":{SMALL}}}"#);
    let one = |fields: &str| format!("{{\"machine\":\"rtx2060\",\n{fields}\n\"kernels\":[\n{kernel}]}}");
    let with = |fields: &str| {
        format!("{{\"machine\":\"rtx2060\",\"kernels\":[\n{{\"program\":{SMALL},\n{fields}}}]}}")
    };
    let mut told = Transcript::default();
    for text in [
        one("\"sms\":31,"),
        one("\"scheduler\":\"rr\","),
        one("\"share\":\"all\","),
        one("\"scheduler\":\"qaws\","),
        one("\"seconds\":1,"),
        "{\"machine\":\"rtx\",\"kernels\":[]}".to_owned(),
        "{\"machine\":\"rtx2060\",\"kernels\":[]}".to_owned(),
        with("\"budget\":3"),
        with("\"sms\":\"0-30\""),
        with("\"sms\":\"3-1\""),
        with("\"sms\":[]"),
        with("\"launch\":1000000000001"),
        with("\"channels\":\"0-12\""),
        with("\"l2_ways\":[16]"),
        with("\"channels\":[]"),
        format!(
            "{{\"machine\":\"rtx2060\",\"kernels\":[{{\"name\":\"x\",\"l2_ways\":\"0-7\",\"program\":{SMALL}}},\n{{\"name\":\"y\",\"l2_ways\":\"7-15\",\"program\":{SMALL}}}]}}"
        ),
        format!(
            "{{\"machine\":\"rtx2060\",\"kernels\":[{{\"name\":\"x\",\"channels\":\"0-5\",\"program\":{SMALL}}},\n{{\"name\":\"y\",\"program\":{SMALL}}}]}}"
        ),
        format!(
            "{{\"machine\":\"titanv\",\"kernels\":[{{\"name\":\"x\",\"channels\":[0],\"program\":{SMALL}}}]}}"
        ),
        with("\"grid\":0"),
        with("\"block\":1025"),
        with("\"parameters\":{\"m\":1}"),
        with("\"name\":\"x\",\"name\":\"y\""),
        format!(
            "{{\"machine\":\"rtx2060\",\"kernels\":[{{\"name\":\"x\",\"program\":{SMALL}}},\n{{\"name\":\"x\",\"program\":{SMALL}}}]}}"
        ),
        r#"{"machine":"rtx2060","kernels":[{"program":{}}]}"#.to_owned(),
        r#"{"machine":"rtx2060","kernels":[{"program":7}]}"#.to_owned(),
        r#"{"machine":"rtx2060","kernels":[{"program":"none.json"}]}"#.to_owned(),
        r#"{"machine":"rtx2060","kernels":[{"program":{"trace":"x.traceg","grid":1}}]}"#.to_owned(),
        r#"{"machine":"rtx2060","kernels":[{"program":{"trace":"x.traceg"},"grid":1}]}"#.to_owned(),
        one("")
            .replace("\"name\":\"small\"", "\"name\":\"small\",\"registers\":1000")
            .replace("\"block\":64", "\"block\":1024"),
        "[]".to_owned(),
        with("\"launch\":1000000000000"),
    ] {
        let given = text.replace(SMALL, "SMALL");
        told.refusal(given, &run_with("simulate warps - --limit 30000", text));
    }
    let changes = r#"
"address":"b → "address":"c
"n":2 → "n":2,
"n":2 → "n":1000000000
"#;
    for (given, text) in variants(&one(""), changes) {
        told.refusal(given, &run_with("simulate warps - --limit 30000", text));
    }
    assert_snapshot!(told);
}

/// Text after the blocks of a trace is rejected, as by `import accel-sim`.
#[test]
fn traces_end_with_their_grid() {
    let folder = tempfile::tempdir().unwrap();
    let trace = root().join("tasksets/traces/accelsim/kernel-1.traceg");
    let text = std::fs::read_to_string(trace).unwrap();
    let mut told = Transcript::in_folder(folder.path());
    for bad in [
        text.replace("-grid dim = (4,1,1)", "-grid dim = (3,1,1)"),
        format!("{text}garbage\n"),
    ] {
        let path = write(folder.path(), "bad.traceg", &bad);
        for command in [
            format!("simulate warps {path} --machine titanv"),
            format!("simulate profile {path} --machine titanv --sms 2"),
            format!("import accel-sim {path}"),
        ] {
            told.refusal(&command, &run(&command));
        }
    }
    assert_snapshot!(told);
    let path = write(folder.path(), "good.traceg", &(text + "\n\n"));
    let answer = run(&format!("simulate warps {path} --machine titanv"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

/// An error about a file of another format names the command that reads it.
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
    let mut told = Transcript::in_folder(folder.path());
    for line in [
        format!("simulate warps tasksets/traces/accelsim/kernelslist.g {machine}"),
        "simulate warps tasksets/traces/accelsim/kernelslist.g".to_owned(),
        format!("simulate profile tasksets/traces/accelsim/kernelslist.g {machine}"),
        format!("simulate warps tasksets/kernels/ptx/kernels.ptx {machine}"),
        format!("simulate profile tasksets/kernels/ptx/kernels.ptx {machine}"),
        format!("{VADD} --machine tasksets/machines/small.config"),
        format!("simulate warps {scenario}"),
    ] {
        told.refusal(&line, &run(&line));
    }
    assert_snapshot!(told);
}

/// Invalid sizes, buffers and SMs: the value found and the value expected.
#[test]
fn numbers_that_are_none_are_named() {
    let changes = r#"
"grid":8 → "grid":1000000000000
"grid":8 → "grid":-1
"grid":8 → "grid":0
"grid":8 → "grid":1.5
"grid":8 → "grid":"9"
"grid":8 → "grid":[1,0,1]
"grid":8 → "grid":[1,1,1,1]
"grid":8 → "grid":[1,-1]
"buffers":{ → "buffers":{"z":-1,
"buffers":{ → "buffers":{"z":[1],
"buffers":{ → "buffers":{"z":{"bytes":1,"element":1},
"buffers":{ → "buffers":{"z":{"bytes":1,"values":[1]},
"buffers":{ → "buffers":{"z":{"bytes":9,"element":3,"values":[1]},
"buffers":{ → "buffers":{"z":{"bytes":9,"values":[1,4294967296]},
"buffers":{ → "buffers":{"z":{"bytes":9,"values":[1,1.5]},
"buffers":{ → "buffers":{"z":{"bytes":9,"values":7},
"buffers":{ → "buffers":{"z":{"bytes":9,"values":"no-such-file.json"},
"#;
    let mut told = refusals([
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1000000000000",
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1 -p f=two",
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1 -p x:9 -p y:9 -p a=1e39 -p n=1",
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1 -p x:9 -p y:9 -p a=2.5 -p n=1.5",
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1 -p a:-1",
        "import ptx tasksets/kernels/ptx/saxpyl.ptx --kernel saxpyl --block 32 --grid 1 -p a",
    ]);
    for (given, text) in variants(SMALL, changes) {
        told.refusal(given, &run_with("simulate warps - --machine rtx2060", text));
    }
    let sms = format!("{{\"machine\":\"rtx2060\",\"kernels\":[{{\"program\":{SMALL},\n\"sms\":5}}]}}");
    told.refusal("\"sms\":5", &run_with("simulate warps -", sms));
    assert_snapshot!(told);
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
    let mut told = Transcript::in_folder(folder.path());
    told.refusal("a program in a file", &run(&format!("simulate warps {path}")));
    assert_snapshot!(told);
}

#[test]
fn files_are_not_written_over_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let program = write(folder.path(), "p.json", SMALL);
    let other = folder.path().join("o.json").display().to_string();
    let mut told = Transcript::in_folder(folder.path());
    for options in [
        format!("-o {other} --trace {other}"),
        format!("-o {other} --issues {other}"),
        format!("--issues {program}"),
        format!("-o {program}"),
    ] {
        let answer = run(&format!("simulate warps {program} --machine rtx2060 {options}"));
        told.refusal(options, &answer);
    }
    assert_snapshot!(told);
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

/// Values of buffers that are missing or invalid are named with their file, field and index.
#[test]
fn contents_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = Transcript::in_folder(folder.path());
    write(folder.path(), "three.json", "[3, 1, 2]");
    write(folder.path(), "text.json", "[3,\n \"x\"]");
    write(folder.path(), "object.json", "{}");
    write(folder.path(), "large.json", "[0, 256]");
    for (values, element, address) in [
        ("\"three.json\"", 4, "a + 4*value(idx, thread)"),
        ("\"three.json\"", 4, "a + 4*value(a, thread)"),
        ("\"three.json\"", 4, "a + 4*value(thread)"),
        ("\"three.json\"", 4, "a + 4*value(3, 4)"),
        ("\"three.json\"", 8, "a + 4*value(idx, 0)"),
        ("\"text.json\"", 4, "a"),
        ("\"object.json\"", 4, "a"),
        ("\"large.json\"", 1, "a"),
        ("\"missing.json\"", 4, "a"),
    ] {
        let program = format!(
            r#"{{"name":"k","grid":1,"block":4,"buffers":{{"a":64,"idx":{{"bytes":16,"values":{values},"element":{element}}}}},
"body":[{{"op":"load","to":"x","address":"{address}","bytes":4}}]}}"#
        );
        let path = write(folder.path(), "program.json", &program);
        told.refusal(
            format!("{values} {element} {address}"),
            &run(&format!("simulate warps {path} --machine rtx2060")),
        );
    }
    let gather = "import ptx tasksets/kernels/ptx/data.ptx --kernel gather --grid 1 --block 4 -p idx:16 -p a:64 -p c:16 -p n=4";
    for values in [
        "",
        "--values idx",
        "--values idx:3=three.json",
        "--values a=three.json",
        "--values b=three.json",
        "--values idx=object.json",
    ] {
        let line =
            format!("{gather} {values}").replace("=three", &format!("={}/three", folder.path().display()));
        let line = line.replace("=object", &format!("={}/object", folder.path().display()));
        told.refusal(values, &run(&line));
    }
    assert_snapshot!(told);
}
