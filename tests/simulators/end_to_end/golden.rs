//! Small systems whose response times are known from an independent simulator.

use super::*;

/// CPU segments are on `c0`, copies on `ce`, and kernels on `gpu`.
const RESOURCES: &str = r#""cores":[{"name":"c0","policy":"CORE"},{"name":"c1","policy":"CORE"},{"name":"c2","policy":"CORE"}],
    "copy_engines":[{"name":"ce","policy":"ENGINE"}],"partitions":[{"name":"gpu","sms":1,"policy":"GPU"}]"#;

/// A task has a period, a waiting mode and segments. A segment has a resource, a BCET and a WCET.
type Row<'a> = (u64, &'a str, &'a [(&'a str, u64, u64)]);

/// Builds a system whose first task is the most urgent. `order` contains the positions of the tasks in the system.
fn build_in((core, engine, gpu): (&str, &str, &str), tasks: &[Row<'_>], order: &[usize]) -> System {
    let resources = RESOURCES
        .replace("CORE", core)
        .replace("ENGINE", engine)
        .replace("GPU", gpu);
    let tasks = order.iter().map(|&index| {
        let (period, wait, segments) = tasks[index];
        let segments = segments
            .iter()
            .map(|(on, bcet, wcet)| format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{bcet}}}"#));
        let segments = segments.collect::<Vec<_>>().join(",");
        format!(
            r#"{{"name":"t{index}","period":{period},"priority":{index},"wait":"{wait}","segments":[{segments}]}}"#
        )
    });
    let tasks = tasks.collect::<Vec<_>>().join(",");
    system(&format!(r#"{{{resources},"tasks":[{tasks}]}}"#))
}

fn build(policies: (&str, &str, &str), tasks: &[Row<'_>]) -> System {
    build_in(policies, tasks, &(0..tasks.len()).collect::<Vec<_>>())
}

/// Maximum response times over all rotations of the positions of the tasks [ns]. The position decides between
/// simultaneous requests.
fn longest(policies: (&str, &str, &str), tasks: &[Row<'_>], (runs, periods): (u64, u64)) -> Vec<u64> {
    let mut longest = vec![0; tasks.len()];
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    for _ in 0..tasks.len() {
        order.rotate_left(1);
        let found = responses(&search(&build_in(policies, tasks, &order), runs, periods));
        for (&task, found) in order.iter().zip(found) {
            longest[task] = found.max(longest[task]);
        }
    }
    longest
}

/// Maximum response times of `observed` [ns].
fn responses(observed: &Observed) -> Vec<u64> {
    observed.tasks.iter().map(|task| task.response.ns()).collect()
}

#[test]
fn a_lone_task_needs_the_sum_of_its_segments() {
    let segments = [
        ("c0", 2, 2),
        ("ce", 1, 1),
        ("gpu", 5, 5),
        ("ce", 1, 1),
        ("c0", 3, 3),
    ];
    for gpu in ["np-fifo", "np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"] {
        for wait in ["busy", "suspend"] {
            let system = build(("fp", "fifo", gpu), &[(20, wait, &segments)]);
            let observed = search(&system, 4, 10);
            assert_eq!(ns(&observed.tasks[0].ends), [2, 3, 8, 9, 12], "{gpu} {wait}");
            assert_eq!(ns(&observed.tasks[0].delays), [2, 1, 5, 1, 3], "{gpu} {wait}");
            assert_eq!(observed.misses, 0);
        }
    }
}

#[test]
fn a_busy_waiting_task_keeps_its_core() {
    for (core, wait, expected) in [
        ("fp", "suspend", [8, 10]),
        ("fp", "busy", [8, 14]),
        ("edf", "suspend", [8, 10]),
        ("edf", "busy", [8, 14]),
    ] {
        let tasks: [(u64, &str, &[_]); 2] = [
            (20, wait, &[("c0", 2, 2), ("gpu", 4, 4), ("c0", 2, 2)]),
            (40, "suspend", &[("c0", 6, 6)]),
        ];
        let observed = search(&build((core, "fifo", "fp"), &tasks), 200, 20);
        assert_eq!(responses(&observed), expected, "{core} {wait}");
    }
}

/// The second CPU segment of the first task has jitter, because the kernel before it takes 1 to 7 ns.
#[test]
fn a_variable_kernel_brings_its_cpu_segments_together() {
    let tasks: [(u64, &str, &[_]); 2] = [
        (10, "suspend", &[("c0", 1, 1), ("gpu", 1, 7), ("c0", 2, 2)]),
        (40, "suspend", &[("c0", 6, 6)]),
    ];
    let system = build(("fp", "fifo", "fp"), &tasks);
    assert_eq!(responses(&search(&system, 2000, 20)), [10, 11]);
    // The second task arrives at 8. The first task runs from 8 to 10, from 10 to 11 and from 12 to 14.
    let mut script = Script::new(&system);
    let arrival = |at| Arrival {
        at: Time::from_ns(at),
        jitter: Time::ZERO,
    };
    let times = |times: [u64; 3]| times.map(Time::from_ns);
    script.push(0, arrival(0), &times([1, 7, 2])).unwrap();
    script.push(0, arrival(10), &times([1, 1, 2])).unwrap();
    script.push(1, arrival(8), &[Time::from_ns(6)]).unwrap();
    let mut observed = Observed::new(&system);
    let mut simulator = Simulator::new(&system, None).unwrap();
    simulator
        .run(&mut script.play(), Extent::ALL, &mut observed)
        .unwrap();
    assert_eq!(responses(&observed), [10, 11]);
}

/// The second task has one suspension of up to 5 ns, at any place. Its bound is 20, and the bound of the last task is
/// 22. An analysis that counts the suspension as jitter gives the wrong bound 12 for the last task.
#[test]
fn a_suspension_can_be_at_any_place() {
    let mut longest = [0, 0, 0];
    for first in 0..=5 {
        let (before, after) = (("c0", first, first), ("c0", 5 - first, 5 - first));
        let segments = [before, ("gpu", 0, 5), after];
        let segments: Vec<_> = segments.into_iter().filter(|&(_, _, wcet)| wcet > 0).collect();
        let tasks: [(u64, &str, &[_]); 3] = [
            (2, "suspend", &[("c0", 1, 1)]),
            (20, "suspend", &segments),
            (50, "suspend", &[("c0", 1, 1)]),
        ];
        let observed = search(&build(("fp", "fifo", "fp"), &tasks), 300, 20);
        for (longest, found) in longest.iter_mut().zip(responses(&observed)) {
            *longest = found.max(*longest);
        }
    }
    assert_eq!(longest[0], 1);
    assert!(
        longest[1] <= 20 && longest[2] <= 22 && longest[2] >= 12,
        "{longest:?}"
    );
}

#[test]
fn an_engine_delays_the_copies_of_other_tasks() {
    for (engine, expected) in [("fifo", [11, 11, 11]), ("np-fp", [7, 10, 11])] {
        let tasks: [(u64, &str, &[_]); 3] = [
            (50, "suspend", &[("c0", 1, 1), ("ce", 2, 2), ("c0", 1, 1)]),
            (50, "suspend", &[("c1", 1, 1), ("ce", 3, 3), ("c1", 1, 1)]),
            (50, "suspend", &[("c2", 1, 1), ("ce", 4, 4), ("c2", 1, 1)]),
        ];
        assert_eq!(
            longest(("fp", engine, "fp"), &tasks, (5000, 3)),
            expected,
            "{engine}"
        );
    }
}

#[test]
fn tasks_share_all_resources() {
    for (gpu, wait, bounds, simulated) in [
        ("fp", "suspend", [14, 34], [12, 24]),
        ("fp", "busy", [14, 54], [12, 30]),
        ("np-fifo", "suspend", [24, 60], [19, 24]),
    ] {
        let tasks: [(u64, &str, &[_]); 2] = [
            (
                30,
                wait,
                &[
                    ("c0", 2, 2),
                    ("ce", 1, 1),
                    ("gpu", 4, 4),
                    ("ce", 1, 1),
                    ("c0", 2, 2),
                ],
            ),
            (
                60,
                wait,
                &[
                    ("c0", 3, 3),
                    ("ce", 2, 2),
                    ("gpu", 10, 10),
                    ("ce", 2, 2),
                    ("c0", 3, 3),
                ],
            ),
        ];
        let found = longest(("fp", "fifo", gpu), &tasks, (3000, 4));
        for ((found, bound), simulated) in found.into_iter().zip(bounds).zip(simulated) {
            assert!(simulated <= found && found <= bound, "{gpu} {wait}: {found}");
        }
    }
}
