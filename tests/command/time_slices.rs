//! Promise: `test` answers whether tasks meet their deadlines on a GPU whose contexts take turns, and refuses invalid turns.
#![cfg(feature = "cli")]

use serde_json::Value;

use crate::support::checkout::Checkout;
use crate::support::transcript::Transcript;
use crate::support::{ADAS, run, run_with};

const SHARED: &str = "--gpu rtx2060 --switch 100us --overrun 50us --format json";

/// Number of tasks that meet their deadlines.
fn met(options: &str) -> usize {
    let answer = run(&format!("test {ADAS} {options}"));
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    let verdict: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tasks = verdict["tasks"].as_array().unwrap();
    tasks.iter().filter(|task| task["meets"] == true).count()
}

/// The chosen slices are at least as good as each common slice: at least as many tasks meet their deadlines.
#[test]
fn several_slices_are_never_worse_than_one() {
    let chosen = met(&format!(
        "{SHARED} --time-slice 1ms,2ms --turns 2 --turn-tests 200"
    ));
    for slice in ["1ms", "2ms"] {
        assert!(met(&format!("{SHARED} --time-slice {slice}")) <= chosen);
    }
}

/// A policy that contexts cannot follow is a wrong option, and not a fault of the file.
#[test]
fn policies_that_contexts_cannot_follow_are_wrong_options() {
    for policy in ["lp-fp", "lp-edf", "density", "work-capacity"] {
        let answer = run(&format!(
            "test {ADAS} {SHARED} --time-slice 1ms --contexts 2 --policy {policy}"
        ));
        assert_eq!((answer.code, &*answer.stdout), (2, ""), "{answer:?}");
        let told = format!("--policy: found {policy}");
        assert!(answer.stderr.contains(&told), "{answer:?}");
        assert!(!answer.stderr.contains(ADAS), "{answer:?}");
    }
}

/// With shared contexts, a task waits for fewer turns. The search says whether it tested all choices.
#[test]
fn tasks_may_share_contexts() {
    let set = r#"{"tasks":[{"period":"20ms","deadline":"11ms","wcet":{"table":[[1,"3ms"]]}},
        {"period":"20ms","deadline":"11ms","wcet":{"table":[[1,"3ms"]]}},
        {"period":"20ms","deadline":"20ms","wcet":{"table":[[1,"3ms"]]}}]}"#
        .replace('\n', "");
    let test = |options: &str| {
        let options = format!(
            "test - --sms 1 --time-slice 2ms --switch 500us --overrun 0ns --interference none {options}"
        );
        run_with(&options, set.clone())
    };
    let verdict = |options: &str| -> Value {
        serde_json::from_str(&test(&format!("{options} --format json")).stdout).unwrap()
    };
    assert_eq!(verdict("")["schedulable"], false);
    let shared = verdict("--contexts 2 --policy np-fp");
    assert_eq!(shared["schedulable"], true, "{shared}");
    // All three tasks in one context are one choice, and never wait for turns.
    assert_eq!(verdict("--contexts 1 --policy np-edf")["schedulable"], true);
    let text = test("--contexts 1").stdout;
    assert_eq!(text.matches("context of task 0").count(), 6, "{text}");
    let late = set.replace("11ms", "3ms");
    let note = |tests: &str| {
        let options =
            format!("test - --sms 1 --time-slice 2ms,3ms --switch 500us --contexts 3 --turn-tests {tests}");
        let answer = run_with(&options, late.clone());
        assert_eq!(answer.code, 1, "{answer:?}");
        answer.stderr
    };
    assert!(note("100").contains("tested all 22 choices"), "{}", note("100"));
    assert!(note("10").contains("tested 10 choices"), "{}", note("10"));
}

/// A missing overrun is the longest thread block or the WCET, never 0.
#[test]
fn a_missing_overrun_is_the_safe_extreme() {
    let sets = |block: &str| {
        format!(
            r#"{{"tasks":[{{"period":"100ms",{block}"wcet":{{"table":[[1,"9ms"]]}}}},{{"period":"100ms","wcet":{{"table":[[1,"4ms"]]}}}}]}}"#
        )
    };
    let second = |set: String, options: &str| {
        let answer = run_with(
            &format!(
                "test - --sms 1 --time-slice 4ms --switch 0ns {options} --format json --interference none"
            ),
            set,
        );
        let verdict: Value = serde_json::from_str(&answer.stdout).unwrap();
        verdict["response_times_ns"][1].as_u64().unwrap()
    };
    // The first kernel keeps the GPU for a slice of 4 ms, and for its 9 ms, its block of 2 ms, or 0 ms after this slice.
    assert_eq!(second(sets(""), ""), 17_000_000);
    assert_eq!(second(sets(r#""block":"2ms","#), ""), 10_000_000);
    assert_eq!(second(sets(""), "--overrun 0ns"), 8_000_000);
}

/// The same holds for a system: a context without `overrun` exceeds its slice by the longest block of its kernels.
#[test]
fn a_context_without_an_overrun_is_as_safe() {
    let bound = |overrun: &str, block: &str| {
        let system = format!(
            r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"time-sliced","switch":0,"contexts":[
            {{"name":"x","slice":"2ms","overrun":0}},{{"name":"y","slice":"2ms"{overrun}}}]}}],"tasks":[
            {{"name":"a","period":"50ms","segments":[{{"on":"x","wcet":"2ms"}}]}},
            {{"name":"b","period":"100ms","segments":[{{"on":"y","wcet":"9ms"{block}}}]}}]}}"#
        );
        let answer = run_with("test - --format json", system);
        let verdict: Value = serde_json::from_str(&answer.stdout).unwrap();
        verdict["response_times_ns"][0].as_u64().unwrap()
    };
    assert_eq!(bound(r#","overrun":0"#, ""), 4_000_000);
    assert_eq!(bound(r#","overrun":"9ms""#, ""), bound("", ""));
    assert_eq!(bound(r#","overrun":"3ms""#, ""), bound("", r#","block":"3ms""#));
    assert!(bound("", r#","block":"3ms""#) < bound("", ""));
}

/// A slice that the other options make invalid is no choice, but other slices are.
#[test]
fn an_invalid_slice_is_not_chosen() {
    let shared = "--sms 30 --switch 100us --idle fixed --overrun 2ms -q";
    let chosen = run(&format!("test {ADAS} {shared} --time-slice 1ms,10ms"));
    let alone = run(&format!("test {ADAS} {shared} --time-slice 10ms"));
    assert_eq!((chosen.code, chosen.stdout), (alone.code, alone.stdout));
    assert_eq!(run(&format!("test {ADAS} {shared} --time-slice 1ms,2ms")).code, 2);
}

/// A factor by which a WCET may grow counts the longer overruns of its context.
#[test]
fn longer_kernels_keep_the_gpu_for_longer() {
    let set = |second: &str| {
        format!(
            r#"{{"tasks":[{{"period":"200ms","deadline":"20ms","wcet":{{"table":[[1,"4ms"]]}}}},{{"period":"200ms","wcet":{{"table":[[1,"{second}"]]}}}}]}}"#
        )
    };
    let options = "--sms 1 --time-slice 2ms --switch 0ns --interference none --format json";
    let answer = run_with(&format!("test - {options} --sensitivity"), set("4ms"));
    let verdict: Value = serde_json::from_str(&answer.stdout).unwrap();
    let factor = verdict["sensitivity"]["tasks_permille"][1].as_u64().unwrap();
    let longer = |permille: u64| {
        let answer = run_with(&format!("test - {options}"), set(&format!("{}us", 4 * permille)));
        answer.code
    };
    assert_eq!((longer(factor), longer(factor + 1)), (0, 1), "{factor}");
}

/// The system of `--system` has the bounds of the verdict.
#[test]
fn the_system_of_a_verdict_can_be_simulated_and_tested() {
    let folder = Checkout::new();
    let shown = folder.sh(&format!(
        "gpusched test {ADAS} {SHARED} --time-slice 500us,2ms --turns 2 --turn-tests 20 --system s.json -o a.json; \
         gpusched test s.json --format json -o b.json; for f in a b; do sed 's/,\"identity\".*//' $f.json > $f.txt; done; cmp a.txt b.txt && gpusched simulate tasks s.json --duration 300ms > runs.txt; \
         gpusched partition s.json --gpu rtx2060"
    ));
    assert_eq!(shown.code, 2, "{}", shown.text);
    assert!(
        shown
            .text
            .contains("the search does not choose sizes of time-sliced partitions"),
        "{}",
        shown.text
    );
    assert!(folder.path("runs.txt").exists(), "{}", shown.text);
}

#[test]
fn invalid_turns_are_refused() {
    let mut told = Transcript::default();
    for options in [
        "--time-slice 1ms",
        "--time-slice 0ns --switch 1us",
        "--time-slice 1ms --switch 1us --idle never",
        "--time-slice 1ms --switch 1us --policy np-fp",
        "--time-slice 1ms --switch 1us --policy lp-fp --contexts 2",
        "--time-slice 1ms --switch 1us --contexts 0",
        "--time-slice 1ms --switch 1us --interference bandwidth --memory-bandwidth 10GB/s",
        "--time-slice 1ms --switch 1us --idle fixed --overrun 1ms",
        "--switch 1us",
    ] {
        let answer = run(&format!("test {ADAS} --sms 8 {options}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{options}");
        told.case(options, answer.stderr);
    }
    let gpu = |fields: &str, on: &str| {
        format!(
            r#"{{"partitions":[{{"name":"gpu","sms":1,{fields}}}],"tasks":[{{"name":"a","period":"9ms","segments":[{{"on":"{on}","wcet":"1ms"}}]}}]}}"#
        )
    };
    let two = r#""contexts":[{"name":"x","slice":"1ms","overrun":"2ms"},{"name":"y","slice":"1ms"}]"#;
    for (name, system) in [
        (
            "a segment on the partition",
            gpu(&format!(r#""policy":"time-sliced","switch":"0ns",{two}"#), "gpu"),
        ),
        ("no switch", gpu(&format!(r#""policy":"time-sliced",{two}"#), "x")),
        (
            "no contexts",
            gpu(r#""policy":"time-sliced","switch":"0ns""#, "x"),
        ),
        (
            "a context without a turn",
            gpu(
                &format!(r#""policy":"time-sliced","switch":"0ns","runlist":["x"],{two}"#),
                "x",
            ),
        ),
        (
            "an unknown turn",
            gpu(
                &format!(r#""policy":"time-sliced","switch":"0ns","runlist":["z"],{two}"#),
                "x",
            ),
        ),
        (
            "a long overrun",
            gpu(
                &format!(r#""policy":"time-sliced","switch":"0ns","idle":"fixed",{two}"#),
                "x",
            ),
        ),
        (
            "contexts without time slices",
            gpu(&format!(r#""policy":"fp",{two}"#), "gpu"),
        ),
        (
            "thread blocks",
            gpu(
                r#""policy":"time-sliced","switch":"0ns","contexts":[{"name":"x","slice":"1ms","policy":"lp-fp"}]"#,
                "x",
            ),
        ),
        (
            "a slice of 0",
            gpu(
                r#""policy":"time-sliced","switch":"0ns","contexts":[{"name":"x","slice":"0ns"}]"#,
                "x",
            ),
        ),
        (
            "a name of two resources",
            gpu(
                r#""policy":"time-sliced","switch":"0ns","contexts":[{"name":"gpu","slice":"1ms"}]"#,
                "gpu",
            ),
        ),
    ] {
        let answer = run_with("test -", system);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{name}");
        told.case(name, answer.stderr);
    }
    insta::assert_snapshot!(told);
}
