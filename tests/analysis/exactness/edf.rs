//! Earliest deadline first, preemptive and non-preemptive: the tests are exact.

use gpusched::schedulability::edf::response_times;
use gpusched::time::Time;

use super::{ROUNDS, Tally, accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{Order, Preemption, Task, Until, critical, horizon, load, run};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 5,
    jitter: true,
    blocks: false,
};

/// Returns whether a job misses its deadline if all tasks arrive at 0 with maximum jitter, and `blocker` arrives at −1.
fn misses(set: &[Task], blocker: Option<usize>, preemption: Preemption) -> bool {
    let jobs = critical(set, |_| true, blocker, horizon(set));
    let order = Order::Edf((0..set.len()).collect());
    // The deadline of a job may be before its release.
    let hopeless = set.iter().any(|task| task.j >= task.d);
    hopeless || run(set, &jobs, &order, preemption, Until::Late).late.is_some()
}

#[test]
fn preemptive_verdicts_equal_simulation() {
    let mut rng = rng(11);
    let mut tally = Tally::default();
    for _ in 0..rounds(ROUNDS) {
        let set = draw(&mut rng, DRAW);
        let verdict = accepts("edf", &set);
        let truth = load(&set).is_le() && !misses(&set, None, Preemption::Preemptive);
        assert_eq!(verdict, truth, "{set:?}");
        tally.count(&set, verdict);
    }
    tally.check();
}

#[test]
fn non_preemptive_verdicts_equal_simulation() {
    let mut rng = rng(12);
    let mut tally = Tally::default();
    let mut by_blocking = 0;
    for _ in 0..rounds(ROUNDS) {
        let set = draw(&mut rng, DRAW);
        let verdict = accepts("np-edf", &set);
        let blockers = (0..set.len()).map(Some);
        let late = |blocker| misses(&set, blocker, Preemption::NonPreemptive);
        let truth = load(&set).is_le() && !late(None) && !blockers.clone().any(late);
        assert_eq!(verdict, truth, "{set:?}");
        tally.count(&set, verdict);
        by_blocking += usize::from(!verdict && accepts("edf", &set));
    }
    tally.check();
    assert!(by_blocking > rounds(ROUNDS / 50), "{by_blocking}");
}

/// Returns the response time of each task under preemptive EDF, over all arrivals of its job relative to the other
/// tasks.
fn response_times_by_simulation(set: &[Task]) -> Vec<i64> {
    let end = horizon(set);
    (0..set.len())
        .map(|task| {
            let mut rank: Vec<usize> = vec![0; set.len()];
            rank[task] = 1; // the task loses ties
            let order = Order::Edf(rank);
            let mut worst = 0;
            for offset in 0..set[task].t {
                // One job of the task is released `offset` after the other tasks. Its predecessors are released as late
                // as possible, but not before the other tasks.
                let mut jobs = critical(set, |other| other != task, None, end);
                let own = critical(&set[task..=task], |_| true, None, end);
                jobs.extend(own.into_iter().map(|job| {
                    let arrival = job.arrival + offset;
                    crate::oracle::simulation::Job {
                        task,
                        arrival,
                        release: arrival.max(0),
                        c: job.c,
                    }
                }));
                worst =
                    worst.max(run(set, &jobs, &order, Preemption::Preemptive, Until::Done).response[task]);
            }
            worst
        })
        .collect()
}

#[test]
fn preemptive_response_times_equal_simulation() {
    let mut rng = rng(13);
    let mut compared = 0;
    for _ in 0..rounds(ROUNDS / 5) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 4,
                ..DRAW
            },
        );
        let bounds = response_times(&demands(&set));
        if load(&set).is_gt() || set.iter().any(|task| task.j > task.d) {
            assert_eq!(bounds, None, "{set:?}");
            continue;
        }
        let bounds: Vec<i64> = bounds
            .unwrap()
            .into_iter()
            .map(Time::ns)
            .map(|ns| i64::try_from(ns).unwrap())
            .collect();
        assert_eq!(bounds, response_times_by_simulation(&set), "{set:?}");
        compared += 1;
        let in_time = set.iter().zip(&bounds).all(|(task, &bound)| bound <= task.d);
        assert_eq!(in_time, accepts("edf", &set), "{set:?}");
    }
    assert!(compared > rounds(ROUNDS / 20), "{compared}");
}
