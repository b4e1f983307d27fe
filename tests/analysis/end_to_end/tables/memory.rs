//! Memory traffic between resources. The memory moves 1 byte per ns, so V bytes delay another
//! resource by at most V ns.

use gpusched::model::Bandwidth;
use gpusched::model::end_to_end::Environment;

use super::*;

/// Policies of partitions that support a shared memory.
const POLICIES: [&str; 5] = ["np-fifo", "np-fp", "fp", "edf", "np-edf"];

/// Returns a system whose resources share a memory of 1 byte per ns.
fn shared(text: &str) -> System {
    let draft: Draft = serde_json::from_str(text).expect("a system");
    let environment = Environment {
        overheads: None,
        interference: Interference::ConflictBandwidth,
        memory: Bandwidth::new(1_000_000_000),
    };
    System::new(&draft, environment).expect("a valid system")
}

/// Returns a system of four tasks. Tasks a and b share the resource x of kind `kind` with `policy`, and have no
/// traffic. Tasks y and z are each alone on a core. `z` and `y` are additional fields of the segments of z and y.
///
/// With R = 3, z moves at most min(t, 2) bytes and y at most min(t, 1) bytes in a short window. So y
/// ends after 1 + 2 ns, z ends after 2 + 1 ns, and x loses 3 ns in a window of at least 3 ns.
fn beside(kind: &str, policy: &str, z: &str, y: &str) -> System {
    let x = format!(r#"{{"name":"x","policy":"{policy}"}}"#);
    let x = match kind {
        "cores" => format!(",{x}]"),
        "partitions" => format!(r#"],"{kind}":[{{"name":"x","policy":"{policy}","sms":1}}]"#),
        _ => format!(r#"],"{kind}":[{x}]"#),
    };
    shared(&format!(
        r#"{{"cores":[{{"name":"cz","policy":"fp"}},{{"name":"cy","policy":"fp"}}{x},"tasks":[
        {{"name":"a","period":50,"priority":0,"segments":[{{"on":"x","wcet":4,"traffic":0}}]}},
        {{"name":"b","period":100,"priority":1,"segments":[{{"on":"x","wcet":6,"traffic":0}}]}},
        {{"name":"z","period":1000,"priority":2,"segments":[{{"on":"cz","wcet":2{z}}}]}},
        {{"name":"y","period":1000,"priority":3,"segments":[{{"on":"cy","wcet":1{y}}}]}}]}}"#
    ))
}

/// Task a executes 4 ns, b executes 6 ns, and each window loses 3 ns. A blocking job counts with its whole WCET.
#[test]
fn every_resource_loses_time() {
    for (kind, policy, a, b) in [
        ("partitions", "fp", 7, 13),
        ("partitions", "edf", 7, 13),
        ("partitions", "np-fp", 13, 13),
        ("partitions", "np-fifo", 13, 13),
        ("partitions", "np-edf", 13, 13),
        ("copy_engines", "fifo", 13, 13),
        ("copy_engines", "np-fp", 13, 13),
    ] {
        let system = beside(kind, policy, "", "");
        tight(
            &system,
            &format!("[[[{a}],[{a}]],[[{b}],[{b}]],[[3],[null]],[[3],[null]]]"),
        );
    }
    for policy in ["fp", "edf"] {
        let system = beside("cores", policy, "", "");
        tight(&system, "[[[7],[null]],[[13],[null]],[[3],[null]],[[3],[null]]]");
        let table = rows("[[[7],[7]],[[13],[13]],[[3],[3]],[[3],[3]]]");
        tight_with(&system, &table, Some(&[&[0], &[0], &[0], &[0]]));
    }
}

/// V is at most the peak bandwidth times the WCET. The limit also applies to a segment that does not state V.
#[test]
fn unknown_traffic_is_the_peak_during_the_wcet() {
    let table = "[[[7],[7]],[[13],[13]],[[3],[null]],[[3],[null]]]";
    for z in [
        "",
        r#","traffic":2"#,
        r#","traffic":50"#,
        r#","bandwidth":"9GB/s""#,
    ] {
        tight(&beside("partitions", "fp", z, ""), table);
    }
    // V = 1 byte in both cases: the segment states V, or it uses half of the bandwidth for 2 ns.
    let table = "[[[6],[6]],[[12],[12]],[[3],[null]],[[2],[null]]]";
    for z in [r#","bandwidth":"0.5GB/s""#, r#","traffic":1"#] {
        tight(&beside("partitions", "fp", z, ""), table);
    }
}

/// Even if the resource loses no time, the blocking job counts with its whole WCET: b delays a by 6 ns.
#[test]
fn enough_bandwidth_for_all_peaks() {
    let half = r#","bandwidth":"0.5GB/s""#;
    let table = "[[[10],[10]],[[10],[10]],[[2],[null]],[[1],[null]]]";
    tight(&beside("partitions", "np-fp", half, half), table);
    // A segment without traffic has no peak.
    tight(&beside("partitions", "np-fp", "", r#","traffic":0"#), table);
    let more = r#","bandwidth":"500000001B/s""#;
    let refused = beside("partitions", "np-fp", half, more);
    assert!(fault(&refused, &rows(table), None).is_some());
}

/// Without a bound, z may use half of the bandwidth at any time: a window of w ns loses
/// ⌈w/2 + 1⌉ ns.
#[test]
fn a_task_without_a_bound_uses_its_peak_at_any_time() {
    let half = r#","bandwidth":"0.5GB/s""#;
    let system = beside("partitions", "fp", half, "");
    let table = rows("[[[10],[10]],[[22],[22]],[[null],[null]],[[2],[null]]]");
    tight_with(&system, &table, None);
    // Here, z has two segments. The first segment alone would have a bound, but it claims nothing.
    let two = format!(r#"{half}}},{{"on":"cz","wcet":1{half}"#);
    let system = beside("partitions", "fp", &two, "");
    let table = rows("[[[10],[10]],[[22],[22]],[[null,null],[null,null]],[[2],[null]]]");
    tight_with(&system, &table, None);
    // If z may use the whole bandwidth, no other task has a bound.
    let system = beside("partitions", "fp", "", "");
    let found = fault(
        &system,
        &rows("[[[50],[50]],[[null],[null]],[[null],[null]],[[null],[null]]]"),
        None,
    );
    assert!(found.is_some_and(|found| found.contains("expected null")));
    let found = fault(
        &system,
        &rows("[[[null],[null]],[[null],[null]],[[3],[null]],[[null],[null]]]"),
        None,
    );
    assert!(found.is_some_and(|found| found.contains("expected null")));
}

/// While a segment of a task waits or executes, no other segment of the task moves bytes.
#[test]
fn a_task_does_not_delay_itself() {
    for (core, wait) in [("fp", "suspend"), ("fp", "busy"), ("edf", "suspend")] {
        for policy in POLICIES {
            let system = shared(&format!(
                r#"{{"cores":[{{"name":"c0","policy":"{core}"}}],
                "partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],"tasks":[
                {{"name":"a","period":20,"wait":"{wait}","segments":[{{"on":"c0","wcet":2,"bcet":2}},
                {{"on":"gpu","wcet":4,"bcet":4}},{{"on":"c0","wcet":2,"bcet":2}}]}}]}}"#
            ));
            tight(&system, "[[[2,6,8],[null,4,null]]]");
        }
    }
}

/// Task u executes 4 ns on the GPU, without traffic. Task v executes 5 ns on a core and then 6 ns on the GPU. The core
/// segment of v moves 5 bytes. The core segment may execute in a window that starts before the release of the kernel of
/// v, while u executes.
#[test]
fn a_window_before_the_release_counts_the_own_task() {
    for (policy, u, v) in [
        ("fp", 9, 15),       // u: 4 + 5, v: 6 + 4 + 5
        ("np-fp", 15, 10),   // u: 6 + 4 + 5, v: 4 + 6 in the window from the release
        ("np-fifo", 15, 10), // as np-fp
        ("edf", 15, 11),     // u: 4 + 6 + 5, v: 6 + 5 with an earlier deadline
        ("np-edf", 15, 15),  // v: also 4 for a blocker
    ] {
        let system = shared(&format!(
            r#"{{"cores":[{{"name":"c0","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],
            "tasks":[{{"name":"u","period":100,"priority":0,"segments":[{{"on":"gpu","wcet":4,"traffic":0}}]}},
            {{"name":"v","period":100,"priority":1,"wait":"suspend","segments":[{{"on":"c0","wcet":5,"bcet":5}},
            {{"on":"gpu","wcet":6,"bcet":6}}]}}]}}"#
        ));
        tight(&system, &format!("[[[{u}],[{u}]],[[5,{}],[null,{v}]]]", 5 + v));
    }
}

/// Task i executes 10 ns on the GPU and then 8 ns on the core. Task h executes 4 ns on the core, with higher priority.
/// `more` contains fields of the second segment of i, and `tasks` contains further tasks.
fn preempted(policy: &str, more: &str, tasks: &str) -> System {
    shared(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"{policy}"}},{{"name":"c1","policy":"fp"}}],
        "partitions":[{{"name":"gpu","sms":1,"policy":"fp"}}],"tasks":[
        {{"name":"h","period":20,"priority":0,"segments":[{{"on":"c0","wcet":4,"traffic":1}}]}},
        {{"name":"i","period":60,"priority":1,"wait":"suspend","segments":[{{"on":"gpu","wcet":10,"bcet":10}},
        {{"on":"c0","wcet":8,"traffic":{more}}}]}}{tasks}]}}"#
    ))
}

/// Task h loses 10 ns while the kernel of i executes. The kernel loses 2 ns, because two jobs of h move one byte each.
/// The window that starts at the release gives the bound of i: 12 + 8 + 2·4 ns. The window that starts with an idle
/// core also includes the 10 ns: 12 + 8 + 2·4 + 10 ns.
///
/// Without these 10 ns and with only one job of h, the bound would be 24 ns. The following run exceeds 24 ns: h and i
/// arrive at 0. The memory serves the kernel first, so h waits for its byte from 0 to 10. Task h executes from 10 to
/// 14, i from 14 to 20, and the second job of h from 20 to 24. Then i ends at 26.
#[test]
fn the_own_kernel_delays_more_urgent_work_on_the_core() {
    let system = preempted("fp", "0", "");
    tight(&system, "[[[14],[null]],[[12,28],[12,null]]]");
    let found = fault(&system, &rows("[[[14],[null]],[[12,24],[12,null]]]"), None);
    let expected = "evidence.bounds[1].ends_ns[1]: found 24 ns, expected at least 28 ns";
    assert_eq!(found.as_deref(), Some(expected));
    // Under EDF, i has one window from its arrival: 12 + 8 + 2·4 + 10 ns.
    tight(&preempted("edf", "0", ""), "[[[14],[null]],[[12,38],[12,null]]]");
}

/// The bytes of the second segment of i move from the enforced release at 20 to 46, so its span is 26 ns. In a window
/// of 31 ns, 10 bytes of the kernel, 3 bytes of three jobs of h, and 8 bytes of the second segment delay o. A span of
/// 46 ns would add 8 bytes.
#[test]
fn bytes_move_after_the_enforced_release() {
    let observer =
        r#",{"name":"o","period":100,"priority":2,"segments":[{"on":"c1","wcet":10,"traffic":0}]}"#;
    let system = preempted("fp", "8", observer);
    let table = rows("[[[14],[14]],[[12,46],[12,26]],[[31],[31]]]");
    tight_with(&system, &table, Some(&[&[0], &[0, 20], &[0]]));
}

/// A busy-waiting task occupies its core, but moves no bytes. The kernel of this task moves 5 bytes, and w moves 1
/// byte.
#[test]
fn a_spin_moves_no_bytes() {
    let system = shared(
        r#"{"cores":[{"name":"c0","policy":"fp"},{"name":"c1","policy":"fp"}],
        "partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"s","period":100,"priority":0,"wait":"busy","segments":[
        {"on":"c0","wcet":1,"traffic":0},{"on":"gpu","wcet":5,"traffic":5}]},
        {"name":"u","period":100,"priority":1,"segments":[{"on":"c0","wcet":2,"traffic":0}]},
        {"name":"w","period":100,"priority":2,"segments":[{"on":"c1","wcet":1,"traffic":1}]}]}"#,
    );
    // Executed and lost time [ns]: s executes 1 and loses 6, then executes 5 and loses 1; u takes 2 + (1 + 6) and loses
    // 6; w executes 1 and loses 5.
    tight(&system, "[[[7,13],[null,6]],[[15],[null]],[[6],[null]]]");
}

/// A large system has bounds for all segments, and the check takes a few seconds.
#[test]
fn hundreds_of_tasks_with_traffic_are_checked() {
    for (core, gpu, first, delay) in [
        ("fp", "np-fp", Some(3_000_000), 2_000_000),
        ("edf", "fp", None, 1_400_000),
        ("fp", "edf", Some(3_000_000), 5_000_000),
    ] {
        let cores = (0..16).map(|index| format!(r#"{{"name":"c{index}","policy":"{core}"}}"#));
        let tasks = (0..200).map(|index| {
            let period = 1_000_000 * (10 + index * 7 % 90);
            let on = index % 16;
            format!(
                r#"{{"name":"t{index}","period":{period},"wait":"suspend","segments":[
                {{"on":"c{on}","wcet":50000,"traffic":500}},{{"on":"gpu","wcet":4000,"bcet":4000,"traffic":500}},
                {{"on":"c{on}","wcet":50000,"traffic":500}}]}}"#
            )
        });
        let system = shared(&format!(
            r#"{{"cores":[{}],"partitions":[{{"name":"gpu","sms":1,"policy":"{gpu}"}}],"tasks":[{}]}}"#,
            cores.collect::<Vec<String>>().join(","),
            tasks.collect::<Vec<String>>().join(",")
        ));
        let table: Vec<Row> = system
            .tasks()
            .iter()
            .map(|task| generous(task.period, first, delay))
            .collect();
        let begin = std::time::Instant::now();
        // Every value is at least the result of its equation, so all segments have bounds. The values are larger than
        // necessary, and the check refuses the first value.
        let found = fault(&system, &table, None).expect("a fault");
        let prefix = "evidence.bounds[0].ends_ns[0]: found ";
        let least = found
            .strip_prefix(prefix)
            .and_then(|rest| rest.split_once(" ns, expected "));
        let least = least.and_then(|(_, least)| least.strip_suffix(" ns"));
        assert!(
            least.is_some_and(|least| least.parse::<u64>().is_ok()),
            "{core} {gpu}: {found}"
        );
        assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    }
}
