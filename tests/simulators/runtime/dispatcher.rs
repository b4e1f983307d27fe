//! The decisions of the dispatcher of one partition, in small cases.

use gpusched::runtime::core::{Action, Arrivals, Cause, Core, Notified, Order, Outcome, Suspension, Task};

fn task(period: u64, deadline: u64, budget: u64) -> Task {
    Task {
        arrivals: Arrivals::Periodic { first: 0 },
        period,
        deadline,
        budget,
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
    failed: false,
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
    assert_eq!(core.completed(5, DONE).unwrap().occupancy(), 5);
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
        failed: true,
    };
    assert!(core.completed(1, failed).unwrap().status.failed);
    assert_eq!(launched(core.next(1)), (1, 0));
    assert!(core.completed(1, DONE).is_some());
    assert!(core.completed(1, DONE).is_none());
}
