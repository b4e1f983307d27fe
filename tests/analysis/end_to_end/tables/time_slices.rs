//! Contexts of a time-sliced partition: the golden examples of an independent implementation in Python.

use super::*;

/// Returns a system with the time-sliced partition `gpu` and a task for each context in `tasks`. Each task has a core of its
/// own, and executes on this core, on its context, and on the core. A tuple has the context, the period and the WCETs.
fn sliced(gpu: &str, tasks: &[(&str, u64, [u64; 3])]) -> System {
    let names = 0..tasks.len();
    let cores = names.map(|core| format!(r#"{{"name":"c{core}","policy":"fp"}}"#));
    let cores: Vec<String> = cores.collect();
    let tasks = tasks.iter().enumerate().map(|(core, (context, period, [first, kernel, last]))| {
        format!(
            r#"{{"name":"{context}","period":{period},"priority":{core},"wait":"suspend","segments":[{{"on":"c{core}","wcet":{first}}},
            {{"on":"{context}","wcet":{kernel}}},{{"on":"c{core}","wcet":{last}}}]}}"#
        )
    });
    let tasks: Vec<String> = tasks.collect();
    system(&format!(
        r#"{{"cores":[{}],"partitions":[{{"name":"gpu","sms":1,"policy":"time-sliced",{gpu}}}],"tasks":[{}]}}"#,
        cores.join(","),
        tasks.join(",")
    ))
}

/// Example A.
#[test]
fn two_contexts_take_turns() {
    let gpu =
        r#""switch":1,"contexts":[{"name":"x","slice":4,"overrun":0},{"name":"y","slice":4,"overrun":0}]"#;
    let system = sliced(gpu, &[("x", 40, [2, 9, 1]), ("y", 60, [3, 14, 2])]);
    tight(&system, "[[[2,29,30],[null,27,null]],[[3,41,43],[null,38,null]]]");
}

/// Example B.
#[test]
fn slices_overrun() {
    let gpu =
        r#""switch":1,"contexts":[{"name":"x","slice":4,"overrun":2},{"name":"y","slice":4,"overrun":2}]"#;
    let system = sliced(gpu, &[("x", 60, [2, 9, 1]), ("y", 80, [3, 14, 2])]);
    tight(&system, "[[[2,39,40],[null,37,null]],[[3,55,57],[null,52,null]]]");
}

/// Example C.
#[test]
fn a_context_has_two_turns_per_round() {
    let gpu = r#""switch":0,"runlist":["x","y","x","z"],"contexts":[{"name":"x","slice":3,"overrun":0},{"name":"y","slice":3,"overrun":0},{"name":"z","slice":3,"overrun":0}]"#;
    let tasks = [("x", 50, [1, 10, 1]), ("y", 70, [1, 7, 1]), ("z", 90, [1, 7, 1])];
    let row = "[[1,25,26],[null,24,null]]";
    tight(
        &sliced(gpu, &tasks),
        &format!("[[[1,23,24],[null,22,null]],{row},{row}]"),
    );
}

/// Example D.
#[test]
fn contexts_have_fixed_shares() {
    let gpu = r#""switch":1,"idle":"fixed","contexts":[{"name":"x","slice":5,"overrun":0},{"name":"y","slice":5,"overrun":0}]"#;
    let system = sliced(gpu, &[("x", 60, [2, 9, 1]), ("y", 90, [3, 14, 2])]);
    tight(&system, "[[[2,25,26],[null,23,null]],[[3,38,40],[null,35,null]]]");
}

/// No analysis counts timers and time slices.
#[test]
fn enforced_releases_are_refused() {
    let gpu = r#""switch":1,"contexts":[{"name":"x","slice":4,"overrun":0}]"#;
    let system = sliced(gpu, &[("x", 40, [2, 9, 1])]);
    let rows = rows("[[[2,12,14],[2,9,1]]]");
    let expected = "evidence.offsets_ns: found enforced releases, expected none with time slices";
    assert_eq!(
        fault(&system, &rows, Some(&[&[0, 2, 12]])).as_deref(),
        Some(expected)
    );
}
