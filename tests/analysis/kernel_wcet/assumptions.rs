//! Bounds on kernels, budgets and predictions show and store their assumptions, and `wcet verify` compares them.

use serde_json::Value;

use crate::support::{Answer, run, run_with};

const HISTO: &str = "tasksets/kernels/histo-m4.json";

/// The counterexample of docs/errata.md: if a partial overlap extends a block to e1, the kernel takes 318 us.
const ERRATA: &str =
    r#"{"active_blocks":1,"regulation_period":"16us","clusters":[{"blocks":60,"e0":"4us","e1":"6us"}]}"#;

/// Returns the names in the field `assumptions` of the JSON result.
fn names(answer: &Answer) -> Vec<String> {
    let result: Value = serde_json::from_str(&answer.stdout).unwrap();
    let list = result["assumptions"].as_array().unwrap().iter();
    list.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// Writes the kernel of the errata to a file, and verifies `bound`.
fn verified(bound: &str, options: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.json");
    std::fs::write(&path, ERRATA).unwrap();
    run_with(&format!("wcet verify - {} {options}", path.display()), bound)
}

#[test]
fn a_bound_says_that_memory_accesses_slow_down_only_what_they_overlap() {
    let ask = |options: &str| run_with(&format!("wcet bound - --q 0.2501 --sync {options}"), ERRATA);
    let end = ask("");
    let first = "kernel: at most 308.68us at Q = 0.2501, start with a regulation period, straddling end (";
    assert!(end.stdout.starts_with(first), "{end:?}");
    let progress =
        "unsafe if violated: Memory accesses slow down only the part of a block that they overlap.";
    assert!(end.stdout.contains(progress), "{end:?}");
    let both = ask("--straddling both");
    assert!(
        both.stdout.starts_with("kernel: at most 360us at Q = 0.2501"),
        "{both:?}"
    );
    assert!(
        both.stdout.contains("straddling both") && !both.stdout.contains(progress),
        "{both:?}"
    );
    let end = ask("--format json");
    let all = [
        "active-blocks",
        "block-times",
        "memory-budget",
        "worst-burst",
        "block-progress",
        "synchronous-start",
    ];
    assert_eq!(names(&end), all);
    let proven = verified(&end.stdout, "");
    let first = "0: PROVEN: at most 308.68us at Q = 0.2501, start with a regulation period, straddling end\n";
    assert!(
        proven.stdout.starts_with(first) && proven.stdout.contains(progress),
        "{proven:?}"
    );
    assert_eq!(verified(&end.stdout, "--quiet").stdout, first);
    let json = verified(&end.stdout, "--format json");
    assert_eq!(names(&json), all);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["q"], &json["sync"], &json["straddling"]),
        (&0.2501.into(), &true.into(), &"end".into())
    );
    let csv = verified(&end.stdout, "--format csv").stdout;
    assert_eq!(
        csv,
        "bound,proven,field,message,q,sync,straddling\n0,true,,,0.2501,true,end\n"
    );
}

/// `wcet verify` refuses a list that does not fit the bound, and accepts a bound without a list, as older versions
/// wrote it.
#[test]
fn verify_compares_the_list_of_a_bound() {
    let bound = run_with("wcet bound - --q 0.2501 --format json", ERRATA).stdout;
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut bound: Value = serde_json::from_str(&bound).unwrap();
        change(&mut bound);
        verified(&bound.to_string(), "")
    };
    assert_eq!(changed(&|_| ()).code, 0);
    let dropped = changed(&|bound| drop(bound["assumptions"].as_array_mut().unwrap().remove(4)));
    assert!(
        dropped.code == 1
            && dropped
                .stdout
                .starts_with("0: REFUSED at assumptions: found a list without `block-progress`"),
        "{dropped:?}"
    );
    let extra = serde_json::json!({"id": "one-run", "if_violated": "unsafe"});
    let extra = changed(&|bound| bound["assumptions"].as_array_mut().unwrap().push(extra.clone()));
    assert!(
        extra.code == 1 && extra.stdout.contains("REFUSED at assumptions[5].id"),
        "{extra:?}"
    );
    let harmless = changed(&|bound| bound["assumptions"][4]["if_violated"] = "pessimistic".into());
    assert!(
        harmless.code == 1 && harmless.stdout.contains("REFUSED at assumptions[4].if_violated"),
        "{harmless:?}"
    );
    // Another rule or another start needs another list, even if the certificate still proves the bound.
    let looser = run_with("wcet bound - --q 0.2501 --straddling both --format json", ERRATA).stdout;
    let looser = verified(
        &looser.replace(r#""straddling":"both""#, r#""straddling":"end""#),
        "",
    );
    assert!(
        looser.code == 1 && looser.stdout.contains("REFUSED at assumptions"),
        "{looser:?}"
    );
    let old = changed(&|bound| drop(bound.as_object_mut().unwrap().remove("assumptions")));
    assert!(
        old.code == 0 && old.stdout.contains("\n  5. unsafe if violated: Memory accesses"),
        "{old:?}"
    );
}

/// The text of every command has its list below the result, but not with `--quiet`. JSON has the list, and CSV has none.
#[test]
fn every_command_on_kernels_has_its_list() {
    let two = "tasksets/kernels/two-kernels.json";
    let group = "tasksets/groups/masola23-experiment-4.json";
    for (command, least, name) in [
        (format!("wcet bound {HISTO} --q 0.13"), 5, "block-progress"),
        (format!("wcet bound {HISTO} --q 0"), 3, "memory-budget"),
        (format!("wcet curve {HISTO} --steps 2"), 5, "block-progress"),
        (format!("budget nominal {HISTO}"), 5, "block-progress"),
        (
            format!("budget nominal {HISTO} --straddling both"),
            4,
            "worst-burst",
        ),
        (
            format!("budget simulate {HISTO} --straddling both"),
            7,
            "block-progress",
        ),
        (
            format!("budget simulate {HISTO} --budget-policy nominal"),
            6,
            "one-run",
        ),
        (format!("budget sequence {two}"), 11, "cores-locked"),
        (
            format!("budget sequence {two} --dispatch np-edf"),
            11,
            "dispatch-edf",
        ),
        (
            format!("predict {group} --model fluid,masola-penalty"),
            5,
            "prediction-model",
        ),
    ] {
        let text = run(&command);
        let lines = text
            .stdout
            .lines()
            .filter(|line| line.contains(". unsafe if violated: "));
        assert_eq!(lines.count(), least, "{command}: {}", text.stdout);
        for options in ["--quiet", "--format csv"] {
            let answer = run(&format!("{command} {options}"));
            assert!(
                !answer.stdout.contains("if violated"),
                "{command} {options}: {answer:?}"
            );
        }
        let json = run(&format!("{command} --format json"));
        assert!(names(&json).iter().any(|one| one == name), "{command}: {json:?}");
        assert_eq!(names(&json).len(), least, "{command}");
    }
    // A stream of results contains only the names.
    let kernels = format!("{ERRATA}\n{ERRATA}\n");
    let bounds = run_with("wcet bound - --q 0.1 --format json", kernels.clone()).stdout;
    assert_eq!(bounds.lines().count(), 2);
    assert!(
        bounds.contains(r#"{"id":"block-progress","if_violated":"unsafe"}"#),
        "{bounds}"
    );
    assert!(
        !run_with("wcet bound - --q 0.1", kernels)
            .stdout
            .contains("if violated")
    );
}
