//! Promise: the message on a wrong option or file says what to write instead.
#![cfg(feature = "cli")]

use crate::support::{ADAS, files, is_one_complaint, run};

/// Error message of `line`.
fn refusal(line: &str) -> String {
    let refused = run(line);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{line}");
    assert!(is_one_complaint(&refused.stderr), "{line}: {}", refused.stderr);
    refused.stderr
}

/// An export is not JSON, and the ending of its file must fit the format, as for `partition --export`.
#[test]
fn an_export_is_not_named_as_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plan = path("plan.json");
    assert_eq!(
        run(&format!(
            "partition {ADAS} --gpu a100 --granularity tpc -o {plan}"
        ))
        .code,
        0
    );
    for (tool, name, ending) in [
        ("csv", "x.json", Some("json")),
        ("libsmctrl", "x.csv", Some("csv")),
        ("libsmctrl", "x.jsonl", Some("json")),
        ("csv", "x.csv", None),
        ("libsmctrl", "x.h", None),
    ] {
        let file = path(name);
        let line = format!("export {plan} {ADAS} --as {tool} -o {file}");
        let Some(ending) = ending else {
            assert_eq!(run(&line).code, 0, "{line}");
            continue;
        };
        let expected = format!(
            "error: --output: found {file} with --as {tool}, but the output of this tool is not {ending}, expected a file name with another ending\n"
        );
        assert_eq!(refusal(&line), expected);
    }
    assert_eq!(files(folder.path()).len(), 3);
}

#[test]
fn a_device_file_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("device.json").display().to_string();
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(
        refusal(&format!("partition {ADAS} --gpu {file}")),
        format!("error: --gpu: {file}:1: missing field `name`\n")
    );
    std::fs::remove_file(&file).unwrap();
    assert!(
        refusal(&format!("partition {ADAS} --gpu {file}"))
            .starts_with(&format!("error: --gpu: {file}: cannot open: "))
    );
}

/// A seed has an effect only on commands with random numbers. Scripts may pass it to every command.
#[test]
fn a_seed_without_effect_is_noted() {
    for (line, command) in [
        (
            format!("partition {ADAS} --sms 8 --heuristic auto --seed 3"),
            "partition",
        ),
        (format!("--seed 3 test {ADAS} --gpu rtx2060"), "test"),
        ("study list analysis --seed 3".to_owned(), "study list"),
    ] {
        let answer = run(&line);
        let expected =
            format!("note: `--seed 3` has no effect, because `gpusched {command}` uses no random numbers\n");
        assert_eq!((answer.code, answer.stderr), (0, expected), "{line}");
    }
    for line in [
        "generate --tasks 3 --utilization 1 --seed 3".to_owned(),
        "validate --systems 1 --seed 3 -q".to_owned(),
        format!("partition {ADAS} --sms 8 --heuristic auto --seed 3 -q"),
    ] {
        let answer = run(&line);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{line}");
    }
}

/// No command with random numbers calls a seed useless.
#[test]
fn commands_with_random_numbers_accept_a_seed() {
    for line in [
        "budget sequence x",
        "budget simulate x",
        "import examiner x --gpu k5000",
        "run x x",
        "simulate blocks x",
        "simulate tasks x --sms 1",
        "study run x -o x",
        "study sets x --point 0",
        "study submit x -o x",
        "wcet cluster x",
        "wcet profile x --benchmark histo",
        "wcet synth x",
    ] {
        let message = refusal(&format!("{line} --seed 3"));
        assert!(message.contains("x: cannot "), "{line}: {message}");
    }
}

/// Schedulers with issue budgets require them. The hint names the first kernel without a budget.
#[test]
fn a_budget_that_is_missing_is_shown() {
    let vadd = "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 10 --grid 8";
    assert_eq!(
        refusal(&format!("{vadd} --scheduler qaws")),
        "error: --budget: found none, expected an issue budget, which scheduler qaws requires\n\nhint: add `--budget vadd=4`\n"
    );
    assert_eq!(run(&format!("{vadd} --scheduler qaws --budget vadd=4")).code, 0);
    let subcore = "simulate warps tasksets/warps/singh22-fig3-gto.json --scheduler rt-paws";
    assert!(
        refusal(&format!("{subcore} --budget K1=1")).ends_with(
            "at kernels[1].budget: found none, expected an issue budget, which scheduler rt-paws requires\n\nhint: add `--budget K2=4`\n"
        )
    );
    let run_file = "simulate warps tasksets/runs/pc-copyl-spatial.json --scheduler qaws";
    assert!(refusal(run_file).contains("hint: add `--budget "));
    // A budget without effect has no hint.
    assert!(refusal(&format!("{vadd} --budget vadd=4")).ends_with(" has no issue budgets\n"));
}

/// The error for a file of a wrong kind names the kind of the file.
#[test]
fn files_of_another_kind_are_told() {
    for (line, [kind, hint]) in [
        (
            "simulate warps tasksets/kernels/histo-table1.json".to_owned(),
            [
                "a kernel",
                "give a kernel to `gpusched wcet` or `gpusched budget`",
            ],
        ),
        (
            format!("simulate warps {ADAS}"),
            [
                "a task set",
                "give a task set to `gpusched test` or `gpusched partition`",
            ],
        ),
        (
            "test tasksets/kernels/histo-table1.json --sms 8".to_owned(),
            [
                "a kernel",
                "give a kernel to `gpusched wcet` or `gpusched budget`",
            ],
        ),
        (
            "wcet bound tasksets/kernels/programs/vadd.json --q 0.1".to_owned(),
            [
                "a program",
                "give a program to `gpusched simulate warps` or `gpusched simulate profile`",
            ],
        ),
        (
            format!("verify {ADAS} {ADAS}"),
            [
                "a task set",
                "give a task set to `gpusched test` or `gpusched partition`",
            ],
        ),
    ] {
        let told = refusal(&line);
        assert!(
            told.ends_with(&format!("; the document looks like {kind}\n\nhint: {hint}\n")),
            "{line}: {told}"
        );
    }
}
