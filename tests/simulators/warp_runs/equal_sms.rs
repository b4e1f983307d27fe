//! `--equal-sms-once`: the output is identical, or a note states why each SM was simulated.

use crate::support::run;
use crate::warp_runs::{SMALL, write};

/// A kernel with shared memory whose first blocks run more rounds.
const INSIDE: &str = r#"{"name":"inside","grid":70,"block":512,"shared_memory":2048,"parameters":{"n":3},"body":[
 {"loop":"n + (block < 20)","counter":"i","body":[
  {"op":"load","to":"x","address":"8*thread + 4*i","bytes":4,"space":"shared"},{"op":"add.int","to":"y","from":"x"},{"op":"barrier"}]},
 {"op":"exit"}]}"#;

#[test]
fn the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let inside = write(folder.path(), "inside.json", INSIDE);
    let issues = |name: &str| folder.path().join(name).display().to_string();
    let (one, other) = (issues("one.csv"), issues("other.csv"));
    for machine in ["rtx2060", "titanv"] {
        for format in ["text", "csv", "json"] {
            for command in ["warps", "profile"] {
                let line = format!("simulate {command} {inside} --machine {machine} --format {format}");
                let (record, again) = match command {
                    "warps" => (format!(" --issues {one}"), format!(" --issues {other}")),
                    _ => (" --sms 2..30:4".to_owned(), " --sms 2..30:4".to_owned()),
                };
                let full = run(&format!("{line}{record}"));
                let once = run(&format!("{line}{again} --equal-sms-once"));
                assert_eq!((full.code, full.stderr.as_str()), (0, ""), "{line}");
                assert_eq!(once, full, "{line}");
            }
            let text = std::fs::read_to_string(&one).unwrap();
            assert_eq!(text, std::fs::read_to_string(&other).unwrap());
            assert!(text.lines().count() > 5_000);
        }
    }
}

#[test]
fn a_note_names_kernel_and_instruction() {
    let folder = tempfile::tempdir().unwrap();
    let small = write(folder.path(), "small.json", SMALL);
    let note = "note: --equal-sms-once has no effect, because kernel \"small\": load at 000 accesses memory outside the SM\n";
    for command in ["warps", "profile --sms 1..2"] {
        let line = format!("simulate {command} {small} --machine rtx2060");
        let (full, once) = (run(&line), run(&format!("{line} --equal-sms-once")));
        assert_eq!((once.code, &once.stdout), (0, &full.stdout));
        assert!(once.stderr.ends_with(note), "{}", once.stderr);
        assert_eq!(run(&format!("{line} --equal-sms-once -q")).stderr, "");
    }
}

#[test]
fn it_is_refused_where_it_means_nothing() {
    let estimate = run(
        "simulate profile tasksets/kernels/programs/pc.json --machine rtx2060 --estimate --equal-sms-once",
    );
    assert_eq!(estimate.code, 2);
    assert!(
        estimate.stderr.contains("cannot be used with"),
        "{}",
        estimate.stderr
    );
    let subcore = run("simulate warps tasksets/warps/singh22-fig3-gto.json --equal-sms-once");
    assert_eq!(subcore.code, 2);
    assert!(
        subcore
            .stderr
            .contains("--equal-sms-once: found a scenario of a sub-core"),
        "{}",
        subcore.stderr
    );
}
