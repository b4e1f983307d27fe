//! Promise: `verify` states in plain words what is confirmed, and what is not.
#![cfg(feature = "cli")]

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, run, run_with};

/// `verify` states which part of a bound is confirmed, and which option continues the check.
#[test]
fn verify_says_what_a_larger_budget_is_for() {
    let plan = run(&format!(
        "partition {ADAS} --sms 8 --heuristic optimal --format json"
    ))
    .stdout;
    let by = |budget: &str| run_with(&format!("verify - {ADAS} {budget}"), plan.clone());
    let (all, little) = (by(""), by("--search-effort 1"));
    assert_eq!((all.code, all.stderr.as_str()), (0, ""));
    assert_eq!((little.code, little.stderr.as_str()), (0, "")); // the plan is still proven
    let mut told = Transcript::default();
    told.case("no limit", all.stdout);
    told.case("--search-effort 1", little.stdout);
    assert_snapshot!(told);
}

/// Until the lower bound is confirmed, `verify` calls the statement that no plan fits a claim.
#[test]
fn verify_says_that_a_claim_is_not_confirmed() {
    let none = run(&format!(
        "partition {ADAS} --sms 6 --heuristic optimal --format json"
    ));
    assert!(none.code == 1 && none.stdout.contains(r#""reason":"bound-exceeds-gpu""#));
    let by = |options: &str| run_with(&format!("verify - {ADAS} {options}"), none.stdout.clone());
    let (all, little) = (by(""), by("--search-effort 1"));
    assert_eq!((all.code, little.code), (1, 1));
    let mut told = Transcript::default();
    told.case("no limit", all.stdout);
    told.case("--search-effort 1", little.stdout);
    assert_snapshot!(told);
    assert!(!by("--search-effort 1 --format json").stdout.contains("failure"));
}

/// An interval that is longer than necessary still proves the verdict, as `--help` states.
/// `verify` rejects an interval that is too short.
#[test]
fn an_interval_may_be_longer_than_need_be() {
    let plan = run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    let stated = |interval: u64| format!("\"interval_ns\":{interval},");
    assert!(plan.contains(&stated(39_000_001)), "{plan}");
    let with = |interval: u64| {
        let changed = plan.replace(&stated(39_000_001), &stated(interval));
        run_with(&format!("verify - {ADAS}"), changed)
    };
    assert_eq!((with(39_000_001).code, with(39_000_002).code), (0, 0));
    let short = with(38_000_000);
    assert!(
        short.code == 1
            && short
                .stdout
                .contains("verdict.evidence.interval_ns: found 38ms, which is too short"),
        "{short:?}"
    );
    let help = run("verify --help").stdout;
    assert!(help.contains("(`interval_ns`) that is long enough"), "{help}");
}

/// The limit of `--sms` also applies to the number of SMs in a plan.
#[test]
fn a_plan_for_no_gpu_is_no_plan() {
    let plan = run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    for (sms, code) in [(0u64, 2), (8, 0), (65_536, 0), (65_537, 2), (4_294_967_295, 2)] {
        let changed = plan.replace("\"gpu_sms\":8", &format!("\"gpu_sms\":{sms}"));
        for command in ["verify -", "export --as csv -"] {
            let answer = run_with(&format!("{command} {ADAS}"), changed.clone());
            let refused = format!("error: -:1: at gpu_sms: found {sms}, expected 1 to 65536\n");
            assert_eq!(answer.stderr == refused, code == 2, "{command} {sms}: {answer:?}");
            if command.starts_with("verify") || code == 2 {
                assert_eq!(answer.code, code, "{command} {sms}: {answer:?}");
            }
        }
    }
}

/// The verdict of `test` for a task set is refused, and the hint names the command that writes a plan with the same verdict.
#[test]
fn verdicts_of_task_sets_are_refused_with_a_way_to_a_plan() {
    let verdict = run(&format!("test {ADAS} --sms 24 --format json")).stdout;
    let refused = run_with(&format!("verify - {ADAS}"), verdict.clone());
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    let expected = "the document looks like a verdict of one partition\n\nhint: write a plan of one partition with \
                    `gpusched partition SET --sms M --heuristic 1g --format json`\n";
    assert!(refused.stderr.ends_with(expected), "{refused:?}");
    let plan = run(&format!("partition {ADAS} --sms 24 --heuristic 1g --format json")).stdout;
    let evidence = |text: &str| {
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        let verdict = document.pointer("/partitions/0/verdict").unwrap_or(&document);
        verdict["evidence"].clone()
    };
    assert_eq!(evidence(&verdict), evidence(&plan));
    assert_eq!(run_with(&format!("verify - {ADAS}"), plan).code, 0);
}
