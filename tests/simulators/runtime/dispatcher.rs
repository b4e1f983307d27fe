//! The decisions of the dispatcher of one partition, in small cases.

use gpusched::runtime::core::{Action, Arrivals, Cause, Core, Notified, Order, Outcome, Suspension, Task};

fn task(period: u64, deadline: u64, budget: u64) -> Task {
    Task {
        arrivals: Arrivals::Periodic { first: 0 },
        period,
        deadline,
        budget,
        chunk: budget,
    }
}

fn launched(action: Action) -> (usize, u64) {
    match action {
        Action::Launch(job) => (job.task, job.number),
        other => panic!("found {other:?}, expected a launch"),
    }
}

const DONE: Outcome = Outcome {
    enqueued: 0,
    overhead: None,
    failed: false,
    last: true,
};

#[test]
fn a_tie_goes_to_the_lower_position_or_the_higher_rank() {
    let tasks = [task(10, 10, 3), task(10, 10, 3)];
    let mut core = Core::new(&tasks, &Order::Deadlines, 0, 10).unwrap();
    assert_eq!(launched(core.next(0)), (0, 0));
    let mut core = Core::new(&tasks, &Order::Ranks(vec![1, 0]), 0, 10).unwrap();
    assert_eq!(launched(core.next(0)), (1, 0));
    assert!(Core::new(&tasks, &Order::Ranks(vec![1, 1]), 0, 10).is_none());
}

#[test]
fn an_arrival_at_the_time_of_a_completion_takes_part_in_the_choice() {
    let mut urgent = task(10, 2, 1);
    urgent.arrivals = Arrivals::Periodic { first: 5 };
    let mut core = Core::new(
        &[task(100, 50, 5), urgent, task(100, 40, 5)],
        &Order::Deadlines,
        0,
        15,
    )
    .unwrap();
    assert_eq!(launched(core.next(0)), (2, 0));
    assert_eq!(core.next(3), Action::Sleep(u64::MAX));
    assert_eq!(core.completed(5, DONE).unwrap().occupancy, 5);
    assert_eq!(launched(core.next(5)), (1, 0));
    core.completed(6, DONE);
    assert_eq!(launched(core.next(6)), (0, 0));
    core.completed(11, DONE);
    assert_eq!(core.next(11), Action::Stop);
    assert_eq!(core.counters().jobs, 3);
}

#[test]
fn an_overrun_suspends_the_guarantee_until_the_partition_is_idle() {
    let mut core = Core::new(&[task(10, 10, 3), task(10, 10, 3)], &Order::Deadlines, 0, 20).unwrap();
    core.next(0);
    let record = core.completed(4, DONE).unwrap();
    assert!(record.status.overrun && !record.status.missed);
    core.next(4);
    core.completed(7, DONE);
    assert_eq!(core.next(7), Action::Sleep(10));
    let span = Suspension {
        from: 3,
        until: Some(7),
        cause: Cause::Overrun,
    };
    assert_eq!(core.suspensions(), [span]);
    core.next(12); // two late, but the bound is 0
    assert_eq!(core.suspensions()[1].from, 10);
    assert_eq!(core.counters().longest_wake, 2);
    assert_eq!(core.suspensions()[1].cause, Cause::WakeExceeded);
    let record = core.completed(25, DONE).unwrap();
    assert!(record.status.missed && record.status.late_wake && record.visible == 12);
}

#[test]
fn early_releases_wait_and_a_flood_is_bounded() {
    let mut sporadic = task(10, 10, 3);
    sporadic.arrivals = Arrivals::Sporadic;
    let mut core = Core::new(&[sporadic], &Order::Deadlines, 5, 1_000_000).unwrap();
    assert_eq!(core.next(0), Action::Sleep(u64::MAX));
    assert_eq!(core.notify(0, 7), Notified::OnTime);
    assert_eq!(core.notify(0, 8), Notified::Delayed(17));
    assert_eq!(launched(core.next(8)), (0, 0));
    core.completed(9, DONE);
    assert_eq!(core.next(9), Action::Sleep(17));
    let notified: Vec<Notified> = (0..3000).map(|_| core.notify(0, 9)).collect();
    assert_eq!(
        notified.iter().filter(|&&one| one == Notified::Dropped).count() as u64,
        core.counters().dropped
    );
    assert!(core.counters().dropped > 1900);
    assert_eq!(launched(core.next(17)), (0, 1));
    assert_eq!(core.notify(1, 0), Notified::Dropped);
}

#[test]
fn a_failed_job_does_not_stop_the_others() {
    let mut core = Core::new(&[task(10, 10, 3), task(10, 10, 3)], &Order::Deadlines, 0, 10).unwrap();
    core.next(0);
    let failed = Outcome {
        enqueued: 1,
        overhead: None,
        failed: true,
        last: true,
    };
    assert!(core.completed(1, failed).unwrap().status.failed);
    assert_eq!(launched(core.next(1)), (1, 0));
    assert!(core.completed(1, DONE).is_some());
    assert!(core.completed(1, DONE).is_none());
}

#[test]
fn the_first_visible_job_measures_the_wake_up() {
    // The job of the second task arrives first, and the job of the first task is chosen.
    let mut late = task(100, 50, 5);
    late.arrivals = Arrivals::Periodic { first: 3 };
    let mut urgent = task(100, 10, 5);
    urgent.arrivals = Arrivals::Periodic { first: 6 };
    let mut core = Core::new(&[urgent, late], &Order::Deadlines, 4, 50).unwrap();
    assert_eq!(core.next(0), Action::Sleep(3));
    assert_eq!(launched(core.next(8)), (0, 0));
    let record = core.completed(10, DONE).unwrap();
    assert_eq!((record.wake, record.status.late_wake), (Some(5), true));
    assert_eq!(core.suspensions()[0].from, 7);
    core.next(10);
    assert_eq!(core.completed(12, DONE).unwrap().wake, None);
}

#[test]
fn arrivals_order_jobs_that_become_visible_together() {
    let mut tasks = [task(100, 10, 5), task(100, 90, 5), task(100, 90, 5)];
    for (task, first) in tasks.iter_mut().zip([4, 2, 2]) {
        task.arrivals = Arrivals::Periodic { first };
    }
    let mut core = Core::new(&tasks, &Order::Arrivals, 9, 50).unwrap();
    let mut order = Vec::new();
    for now in [6, 7, 8] {
        order.push(launched(core.next(now)).0);
        core.completed(now + 1, DONE);
    }
    assert_eq!(order, [1, 2, 0]);
}

#[test]
fn a_job_may_take_a_chunk_longer_after_each_preemption() {
    let mut long = task(100, 90, 30);
    long.chunk = 10;
    let mut urgent = task(20, 10, 5);
    urgent.arrivals = Arrivals::Periodic { first: 5 };
    let chunk = Outcome { last: false, ..DONE };
    let mut core = Core::new(&[long, urgent], &Order::Deadlines, 0, 100).unwrap();
    let next = |core: &mut Core, now| match core.next(now) {
        Action::Launch(job) => (job.task, job.chunk, job.resumed),
        other => panic!("{other:?}"),
    };
    assert_eq!(next(&mut core, 0), (0, 0, false));
    let record = core.completed(10, chunk).unwrap();
    assert!(!record.last && record.occupancy == 10);
    assert_eq!(next(&mut core, 10), (1, 0, false));
    core.completed(14, DONE);
    assert_eq!(next(&mut core, 14), (0, 1, true));
    core.completed(24, chunk);
    assert_eq!(next(&mut core, 24), (0, 2, false));
    core.completed(34, chunk);
    // The job has used its budget of 30, and one chunk for each of two preemptions is left.
    assert_eq!(next(&mut core, 34), (1, 0, false));
    core.completed(36, DONE);
    assert_eq!(next(&mut core, 36), (0, 3, true));
    assert_eq!(core.counters().overruns, 0);
    let record = core.completed(47, DONE).unwrap();
    assert!(record.last && record.status.overrun && record.occupancy == 41);
    assert_eq!(core.suspensions()[0].from, 46); // the chunk exceeds its budget of 10
    assert_eq!((core.counters().jobs, core.counters().overruns), (3, 1));
}

/// A stop hides no miss: jobs that wait past their deadlines count, and so does the late wake-up before them.
#[test]
fn a_stop_counts_what_waits_too_long() {
    for (stop, misses, late) in [(11, 0, 0), (15, 0, 1), (16, 1, 1), (36, 3, 1)] {
        let mut core = Core::new(&[task(10, 5, 3)], &Order::Deadlines, 1, 40).unwrap();
        core.next(0);
        core.completed(3, DONE);
        assert_eq!(core.next(3), Action::Sleep(10));
        core.stop(stop);
        let counters = core.counters();
        assert_eq!((counters.misses, counters.late_wakes), (misses, late), "{stop}");
    }
}

/// In a busy partition, too, the bound on wake-ups covers the time from a release to its message.
#[test]
fn a_message_that_a_decision_misses_is_a_late_wake() {
    for (at, late) in [(0, true), (2, true), (3, false), (5, false), (6, false)] {
        let sporadic = Task {
            arrivals: Arrivals::Sporadic,
            ..task(100, 50, 5)
        };
        let tasks = [sporadic, task(10, 10, 5), task(20, 20, 5)];
        let mut core = Core::new(&tasks, &Order::Deadlines, 2, 15).unwrap();
        assert_eq!(launched(core.next(0)), (1, 0));
        core.completed(5, DONE).unwrap();
        // The message of a release at `at` comes after this decision.
        assert_eq!(launched(core.next(5)), (2, 0));
        assert_eq!(core.notify(0, at), Notified::OnTime);
        core.completed(10, DONE).unwrap();
        core.next(10);
        let counters = core.counters();
        let wake = 5_u64.saturating_sub(at);
        assert_eq!(
            (counters.late_wakes, counters.longest_wake),
            (u64::from(late), wake),
            "{at}"
        );
        let cause = core.suspensions().first().map(|span| (span.from, span.cause));
        assert_eq!(cause, late.then_some((at + 2, Cause::WakeExceeded)), "{at}");
    }
}
