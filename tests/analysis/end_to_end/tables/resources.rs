//! Partition rules that the golden examples do not cover, and statements outside the table.

use super::*;

/// Two kernels on one partition, as (period, WCET, block), in the order of their priorities.
fn kernels(policy: &str, tasks: &[(u64, u64, u64)]) -> System {
    let task = |(index, &(period, wcet, block)): (usize, &(u64, u64, u64))| {
        format!(
            r#"{{"name":"t{index}","period":{period},"priority":{index},"segments":[
            {{"on":"gpu","wcet":{wcet},"bcet":{wcet},"block":{block}}}]}}"#
        )
    };
    let tasks: Vec<String> = tasks.iter().enumerate().map(task).collect();
    system(&format!(
        r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],"tasks":[{}]}}"#,
        tasks.join(",")
    ))
}

/// Each preemption at a block boundary makes the preempted kernel up to one block longer.
#[test]
fn preemption_at_block_boundaries_has_a_cost() {
    let set = [(20, 4, 4), (40, 6, 2)];
    tight(&kernels("fp", &set), "[[[4],[4]],[[10],[10]]]");
    // The first task is blocked for one block minus 1 ns. It preempts the second task once. A block of the second task
    // may also delay an earlier job of the first task, so that this job executes in the window.
    tight(&kernels("lp-fp", &set), "[[[5],[5]],[[13],[13]]]");
    tight(&kernels("np-fp", &set), "[[[9],[9]],[[10],[10]]]");
    // If each kernel has only one block, a preemption is impossible.
    let set = [(20, 4, 4), (40, 6, 6)];
    tight(&kernels("lp-fp", &set), "[[[9],[9]],[[10],[10]]]");
}

/// Jobs of t1 queue, because its bound is above its period. The last block of a job takes 3 ns, and delays t0
/// from 0 to 2. The next kernel is released at 3. t0 executes from 2 to 6 and from 9 to 13, so the kernel ends
/// at 14, which is 11 ns after its release.
#[test]
fn a_block_of_the_previous_job_delays_the_next_job() {
    let system = system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"lp-fp"}],
        "tasks":[{"name":"t0","period":8,"priority":0,"segments":[{"on":"gpu","wcet":4,"bcet":4}]},
        {"name":"t1","period":8,"priority":1,"wait":"suspend","segments":[{"on":"gpu","wcet":4,"block":3},
        {"on":"c0","wcet":1}]}]}"#,
    );
    let wrong = rows("[[[6],[6]],[[null,null],[8,null]]]");
    let found = fault(&system, &wrong, None);
    assert!(found.is_some_and(|found| found.starts_with("evidence.bounds[1].delays_ns[0]")));
}

/// Non-preemptive messages whose second job has the longest response time (Davis et al. 2007).
#[test]
fn the_longest_response_time_may_follow_the_first_job() {
    let set = [(25, 10, 10), (35, 10, 10), (35, 10, 10)];
    let system = kernels("np-fp", &set);
    let wrong = rows("[[[19],[19]],[[29],[29]],[[30],[30]]]");
    assert!(fault(&system, &wrong, None).is_some());
}

#[test]
fn deadlines_order_kernels() {
    let set = [(20, 4, 4), (40, 6, 2)];
    tight(&kernels("edf", &set), "[[[4],[4]],[[10],[10]]]");
    tight(&kernels("np-edf", &set), "[[[9],[9]],[[10],[10]]]");
    // The first task may preempt the second task, which then takes one block more.
    tight(&kernels("lp-edf", &set), "[[[7],[7]],[[12],[12]]]");
    // If there is too much work, there is no bound.
    let found = fault(
        &kernels("edf", &[(20, 15, 15), (40, 20, 20)]),
        &rows("[[[20],[20]],[[40],[40]]]"),
        None,
    );
    assert!(found.is_some_and(|found| found.contains("expected null")));
}

/// Sums of times at the limit are beyond all bounds, and never small again. A task without a bound takes away the bounds of
/// less urgent tasks.
#[test]
fn times_at_the_limit_have_no_bound_or_a_valid_one() {
    let limit = Time::LIMIT.ns();
    for (core, gpu) in [
        ("fp", "fp"),
        ("fp", "np-fp"),
        ("fp", "lp-fp"),
        ("edf", "np-edf"),
        ("edf", "edf"),
    ] {
        for (wcet, jitter) in [
            (limit / 3, 0),
            (limit / 2 + 1, 0),
            (limit / 2 - 7, limit / 2),
            (limit, 0),
        ] {
            let task = |name: &str, on: &str| {
                format!(
                    r#"{{"name":"{name}{on}","period":{limit},"jitter":{jitter},"segments":[{{"on":"{on}","wcet":{wcet}}}]}}"#
                )
            };
            let system = system(&format!(
                r#"{{"cores":[{{"name":"c0","policy":"{core}"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"{gpu}"}}],
                "tasks":[{},{},{},{}]}}"#,
                task("a", "c0"),
                task("b", "c0"),
                task("a", "gpu"),
                task("b", "gpu")
            ));
            let answer = analyze(&system);
            let what = format!("{core} {gpu} {wcet} {jitter}");
            verify_system(&answer, &system).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            let bounded = answer
                .response_times_ns
                .iter()
                .filter(|time| time.is_some())
                .count();
            assert_eq!(bounded == 4, wcet == limit / 3, "{what}: {bounded}");
        }
    }
    let overload = analyze(&kernels("edf", &[(20, 15, 15), (40, 20, 20)]));
    assert_eq!(overload.response_times_ns, [None, None]);
}

#[test]
fn statements_follow_from_the_table() {
    let system = kernels("fp", &[(20, 4, 4), (40, 6, 2)]);
    let valid = answer(&system, &rows("[[[4],[4]],[[10],[10]]]"), None);
    let found = verify_system(&valid, &system).expect("a valid answer");
    assert_eq!((found.bounded_tasks, found.bounded_chains), (2, 0));
    let refused = |change: fn(&mut Answer), field: &str| {
        let mut answer = valid.clone();
        change(&mut answer);
        let fault = verify_system(&answer, &system).expect_err("a fault");
        assert_eq!(fault.field, field, "{fault}");
    };
    refused(|answer| answer.schedulable = false, "schedulable");
    refused(|answer| answer.strength = Strength::Exact, "strength");
    refused(|answer| answer.policy = Analysis::EnforcedReleases, "policy");
    refused(
        |answer| answer.response_times_ns[1] = None,
        "response_times_ns[1]",
    );
    refused(|answer| answer.tasks[0].meets = false, "tasks[0].meets");
    refused(|answer| answer.tasks[0].name.clear(), "tasks[0].name");
    refused(|answer| answer.tasks[1].bound_ns = None, "tasks[1].bound_ns");
    refused(
        |answer| answer.tasks[1].deadline_ns = Time::from_ns(1),
        "tasks[1].deadline_ns",
    );
    refused(
        |answer| answer.tasks[1].costliest_segment = Some(1),
        "tasks[1].costliest_segment",
    );
    refused(|answer| answer.tasks.truncate(1), "tasks");
    refused(|answer| answer.evidence.bounds.0.truncate(1), "evidence.bounds");
    refused(
        |answer| answer.evidence.bounds.0[1].ends_ns.clear(),
        "evidence.bounds[1].ends_ns",
    );
    refused(
        |answer| answer.evidence.bounds.0[1].ends_ns[0] = Some(Time::from_ns(41)),
        "evidence.bounds[1].ends_ns[0]",
    );
}

/// A system of 1000 tasks with the policy of the cores and the policy of the partition.
fn thousand(core: &str, gpu: &str) -> System {
    let cores = (0..16).map(|index| format!(r#"{{"name":"c{index}","policy":"{core}"}}"#));
    let tasks = (0..1000).map(|index| {
        let period = 1_000_000 * (10 + index * 7 % 90);
        let on = index % 16;
        format!(
            r#"{{"name":"t{index}","period":{period},"wait":"suspend","segments":[{{"on":"c{on}","wcet":50000}},
            {{"on":"gpu","wcet":4000,"bcet":4000}},{{"on":"c{on}","wcet":50000}}]}}"#
        )
    });
    system(&format!(
        r#"{{"cores":[{}],"partitions":[{{"name":"gpu","sms":1,"policy":"{gpu}"}}],"tasks":[{}]}}"#,
        cores.collect::<Vec<String>>().join(","),
        tasks.collect::<Vec<String>>().join(",")
    ))
}

/// A system of the largest expected size is checked in a few seconds.
#[test]
fn a_thousand_tasks_are_checked() {
    for (core, gpu) in [("fp", "np-fp"), ("fp", "fp")] {
        let system = thousand(core, gpu);
        let answer = analyze(&system);
        let begin = std::time::Instant::now();
        let verified =
            verify_system(&answer, &system).unwrap_or_else(|fault| panic!("{core} {gpu}: {fault}"));
        assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
        assert!(
            verified.bounded_tasks > 700,
            "{core} {gpu}: {}",
            verified.bounded_tasks
        );
    }
    // The values of all cores are valid, and the check refuses the value of a kernel.
    for (core, gpu, first, delay) in [
        ("edf", "fp", None, 300_000),
        ("fp", "edf", Some(6_500_000), 1_000_000),
    ] {
        let system = thousand(core, gpu);
        let table: Vec<Row> = system
            .tasks()
            .iter()
            .map(|task| generous(task.period, first, delay))
            .collect();
        let begin = std::time::Instant::now();
        let found = fault(&system, &table, None).expect("a fault");
        assert!(found.contains(".delays_ns[1]: found"), "{core} {gpu}: {found}");
        assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    }
}
