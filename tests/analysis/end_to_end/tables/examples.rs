//! The golden examples of the equations.

use super::*;

/// Example A with the policies of the core and of the partition, and with the waiting mode.
fn alone(core: &str, policy: &str, wait: &str) -> System {
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"{core}"}}],"copy_engines":[{{"name":"ce","policy":"fifo"}}],
        "partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],"tasks":[{{"name":"a","period":20,"wait":"{wait}",
        "segments":[{{"on":"c0","wcet":2,"bcet":2}},{{"on":"ce","wcet":1,"bcet":1}},
        {{"on":"gpu","wcet":5,"bcet":5,"block":2}},{{"on":"ce","wcet":1,"bcet":1}},{{"on":"c0","wcet":3,"bcet":3}}]}}]}}"#
    ))
}

#[test]
fn a_task_alone_only_waits_for_its_own_work() {
    for policy in ["np-fifo", "np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"] {
        for wait in ["busy", "suspend"] {
            for core in ["fp", "edf"] {
                tight(&alone(core, policy, wait), "[[[2,3,8,9,12],[null,1,5,1,null]]]");
            }
        }
    }
}

/// Example B with the policy of the core and the waiting mode.
fn two(core: &str, wait: &str) -> System {
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"{core}"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"fp"}}],
        "tasks":[{{"name":"a","period":20,"priority":1,"wait":"{wait}","segments":[{{"on":"c0","wcet":2,"bcet":2}},
        {{"on":"gpu","wcet":4,"bcet":4}},{{"on":"c0","wcet":2,"bcet":2}}]}},
        {{"name":"b","period":40,"priority":2,"segments":[{{"on":"c0","wcet":6,"bcet":6}}]}}]}}"#
    ))
}

#[test]
fn busy_waiting_delays_other_tasks() {
    tight(&two("fp", "suspend"), "[[[2,6,8],[null,4,null]],[[10],[null]]]");
    tight(&two("fp", "busy"), "[[[2,6,8],[null,4,null]],[[14],[null]]]");
    // Under EDF, the segments of a task that leaves its core are streams of their own.
    tight(&two("edf", "suspend"), "[[[2,6,8],[null,4,null]],[[10],[null]]]");
    tight(&two("edf", "busy"), "[[[2,6,8],[null,4,null]],[[14],[null]]]");
}

fn suspending() -> System {
    system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],
        "tasks":[{"name":"a","period":10,"priority":1,"wait":"suspend","segments":[{"on":"c0","wcet":1,"bcet":1},
        {"on":"gpu","wcet":7,"bcet":1},{"on":"c0","wcet":2,"bcet":2}]},
        {"name":"b","period":40,"priority":2,"segments":[{"on":"c0","wcet":6,"bcet":6}]}]}"#,
    )
}

/// Without the jitter of the second CPU segment, the response time of b would be 9. A simulation
/// shows 11.
#[test]
fn self_suspension_adds_jitter() {
    tight(&suspending(), "[[[1,8,10],[null,7,null]],[[12],[null]]]");
    let wrong = rows("[[[1,8,10],[null,7,null]],[[9],[null]]]");
    let expected = "evidence.bounds[1].ends_ns[0]: found 9 ns, expected at least 12 ns";
    assert_eq!(fault(&suspending(), &wrong, None).as_deref(), Some(expected));
    // A larger value is safe, but it is no result of the analysis. A task without a bound claims nothing.
    let larger = rows("[[[1,8,10],[null,7,null]],[[20],[null]]]");
    let expected = "evidence.bounds[1].ends_ns[0]: found 20 ns, expected 12 ns";
    assert_eq!(fault(&suspending(), &larger, None).as_deref(), Some(expected));
    let less = rows("[[[null,null,null],[null,7,null]],[[null],[null]]]");
    assert_eq!(fault(&suspending(), &less, None), None);
    let part = rows("[[[1,8,null],[null,7,null]],[[null],[null]]]");
    let expected = "evidence.bounds[0].ends_ns[0]: found 1 ns, expected null";
    assert_eq!(fault(&suspending(), &part, None).as_deref(), Some(expected));
    // If a has no bound, each of its jobs still takes at least 4 ns. So it executes on the core for 3 ns in each 4 ns.
    let wrong = rows("[[[null,null,null],[null,7,null]],[[12],[null]]]");
    let expected = "evidence.bounds[1].ends_ns[0]: found 12 ns, expected at least 24 ns";
    assert_eq!(fault(&suspending(), &wrong, None).as_deref(), Some(expected));
}

/// Example D with the policy of the copy engine.
fn copies(policy: &str) -> System {
    let task = |index: usize| {
        format!(
            r#"{{"name":"t{index}","period":50,"priority":{index},"wait":"suspend","segments":[{{"on":"c{index}","wcet":1,"bcet":1}},
            {{"on":"ce","wcet":{copy},"bcet":{copy}}},{{"on":"c{index}","wcet":1,"bcet":1}}]}}"#,
            copy = index + 2
        )
    };
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"fp"}},{{"name":"c1","policy":"fp"}},{{"name":"c2","policy":"fp"}}],
        "copy_engines":[{{"name":"ce","policy":"{policy}"}}],"tasks":[{},{},{}]}}"#,
        task(0),
        task(1),
        task(2)
    ))
}

#[test]
fn tasks_share_a_copy_engine() {
    let row = "[[1,10,11],[null,9,null]]";
    tight(&copies("fifo"), &format!("[{row},{row},{row}]"));
    let table = "[[[1,6,7],[null,5,null]],[[1,9,10],[null,8,null]],[[1,10,11],[null,9,null]]]";
    tight(&copies("np-fp"), table);
}

/// Example E with the policy of the partition and the waiting mode.
fn both(policy: &str, wait: &str) -> System {
    let task = |index: usize, period: u64, wcets: [u64; 5]| {
        let on = ["c0", "ce", "gpu", "ce", "c0"];
        let segments = on.iter().zip(wcets);
        let segments: Vec<String> = segments
            .map(|(on, wcet)| format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{wcet}}}"#))
            .collect();
        format!(
            r#"{{"name":"t{index}","period":{period},"priority":{index},"wait":"{wait}","segments":[{}]}}"#,
            segments.join(",")
        )
    };
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"fp"}}],"copy_engines":[{{"name":"ce","policy":"fifo"}}],
        "partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],"tasks":[{},{}]}}"#,
        task(0, 30, [2, 1, 4, 1, 2]),
        task(1, 60, [3, 2, 10, 2, 3])
    ))
}

#[test]
fn tasks_share_all_resources() {
    let first = "[[2,5,9,12,14],[null,3,4,3,null]]";
    let second = "[[7,10,24,27,34],[null,3,14,3,null]]";
    tight(&both("fp", "suspend"), &format!("[{first},{second}]"));
    let second = "[[17,19,29,32,48],[null,3,14,3,null]]";
    tight(&both("fp", "busy"), &format!("[{first},{second}]"));
    let table = "[[[2,5,19,22,24],[null,3,14,3,null]],[[7,10,24,27,34],[null,3,14,3,null]]]";
    tight(&both("np-fifo", "suspend"), table);
}

/// On a partition with one task, the kernels of this task do not block each other.
#[test]
fn own_segments_do_not_block() {
    for policy in ["np-fp", "lp-fp"] {
        let system = system(&format!(
            r#"{{"cores":[{{"name":"c0","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],
            "tasks":[{{"name":"a","period":20,"wait":"suspend","segments":[{{"on":"gpu","wcet":5,"bcet":5}},
            {{"on":"c0","wcet":2,"bcet":2}},{{"on":"gpu","wcet":5,"bcet":5}}]}}]}}"#
        ));
        tight(&system, "[[[5,7,12],[5,null,5]]]");
    }
}
