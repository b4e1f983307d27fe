//! Enforced releases.

use super::*;

/// Example B with a copy of the second task, on a core with `policy`.
fn system_on(policy: &str, wait: &str) -> System {
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"{policy}"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"fp"}}],
        "tasks":[{{"name":"a","period":20,"jitter":1,"priority":1,"wait":"{wait}","segments":[{{"on":"c0","wcet":2}},
        {{"on":"gpu","wcet":4}},{{"on":"c0","wcet":2}}]}},
        {{"name":"b","period":40,"priority":2,"segments":[{{"on":"c0","wcet":6}}]}}]}}"#
    ))
}

#[test]
fn timers_remove_jitter() {
    let table = rows("[[[3,8,12],[2,4,2]],[[10],[10]]]");
    tight_with(&system_on("fp", "suspend"), &table, Some(&[&[0, 4, 10], &[0]]));
    // The offsets are the earliest releases: segments end before the next release.
    let found = fault(&system_on("fp", "suspend"), &table, Some(&[&[0, 2, 10], &[0]]));
    assert!(found.is_some_and(|found| found.starts_with("evidence.bounds[0].ends_ns[0]")));
}

#[test]
fn segments_have_their_own_deadlines_under_edf() {
    // Task a has two streams: T 20, C 2, J 1, D 4, and T 20, C 2, D 10. Task b has one stream: T 40, C 6, D 40.
    let table = rows("[[[3,8,14],[3,4,4]],[[10],[10]]]");
    tight_with(&system_on("edf", "suspend"), &table, Some(&[&[0, 4, 10], &[0]]));
}

#[test]
fn invalid_offsets_are_refused() {
    let table = rows("[[[3,8,12],[2,4,2]],[[10],[10]]]");
    let refused = |wait: &str, offsets: &[&[u64]], field: &str| {
        let found = fault(&system_on("fp", wait), &table, Some(offsets)).expect("a fault");
        assert!(found.starts_with(field), "{found}");
    };
    refused("suspend", &[&[1, 4, 10], &[0]], "evidence.offsets_ns[0][0]");
    refused("suspend", &[&[0, 4, 3], &[0]], "evidence.offsets_ns[0][2]");
    refused("suspend", &[&[0, 4], &[0]], "evidence.offsets_ns[0]");
    refused("suspend", &[&[0, 4, 10]], "evidence.offsets_ns");
    refused("busy", &[&[0, 4, 10], &[0]], "evidence.offsets_ns[0]");
}

/// A segment that takes longer than its time slot delays the next release of its task. So the releases of a task
/// without a bound are not periodic, and no other task on its resources has a bound.
#[test]
fn a_task_that_overruns_disturbs_other_tasks() {
    let system = system_on("fp", "suspend");
    let offsets: &[&[u64]] = &[&[0, 2, 10], &[0]];
    let overrun = rows("[[[null,null,null],[2,4,2]],[[10],[10]]]");
    let found = fault(&system, &overrun, Some(offsets));
    assert!(found.is_some_and(|found| found.starts_with("evidence.bounds[1]")));
    let honest = rows("[[[null,null,null],[2,4,2]],[[null],[null]]]");
    assert_eq!(fault(&system, &honest, Some(offsets)), None);
    let gap = rows("[[[null,8,12],[2,4,2]],[[null],[null]]]");
    let found = fault(&system, &gap, Some(&[&[0, 4, 10], &[0]]));
    assert!(found.is_some_and(|found| found.contains("the previous segment has no bound")));
}
