//! First in, first out: the test and the response times are exact.

use gpusched::model::{Evidence, Policy};
use gpusched::schedulability;
use gpusched::time::Time;
use rand::RngExt;

use super::{ROUNDS, Tally, accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{
    Job, Order, Preemption, Task, Until, critical, hyperperiod, load, random_pattern, run,
};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 4,
    jitter: true,
    blocks: false,
};

/// Returns the longest response time of `task`, over all releases r of one of its jobs in a busy period that starts at 0.
/// All other tasks release as early and as often as possible, and the earlier jobs of the task also do.
fn response_time(set: &[Task], task: usize) -> i64 {
    let last = 2 * hyperperiod(set);
    let own = set[task];
    let others = critical(set, |other| other != task, None, last + 1);
    (0..=last)
        .map(|r| {
            // The job arrives at r − J, and earlier jobs have the same distance to the start of the busy period.
            let first = (r - own.j) - r / own.t * own.t;
            let arrivals = (0..=r / own.t).map(|k| first + k * own.t);
            let released = arrivals.map(|arrival| Job {
                task,
                arrival,
                release: if arrival == r - own.j { r } else { arrival.max(0) },
                c: own.c,
            });
            let jobs: Vec<Job> = others
                .iter()
                .copied()
                .filter(|job| job.release <= r)
                .chain(released)
                .collect();
            let outcome = run(set, &jobs, &Order::Fifo, Preemption::NonPreemptive, Until::Done);
            let is_last = |(job, _): &&(Job, i64)| job.task == task && job.arrival == r - own.j;
            let (job, end) = outcome.finished.iter().find(is_last).unwrap();
            end - job.arrival
        })
        .max()
        .unwrap()
}

fn truth(set: &[Task]) -> Vec<Option<i64>> {
    let of = |task| load(set).is_le().then(|| response_time(set, task));
    (0..set.len()).map(of).collect()
}

#[test]
fn bounds_and_verdicts_are_exact() {
    let mut rng = rng(121);
    let mut tally = Tally::default();
    let mut after_start = 0;
    for _ in 0..rounds(ROUNDS / 10) {
        let set = draw(&mut rng, DRAW);
        let truth = truth(&set);
        let bounds: Vec<Option<i64>> = schedulability::response_times(Policy::NpFifo, &demands(&set))
            .unwrap()
            .into_iter()
            .map(|bound| bound.map(|bound| i64::try_from(bound.ns()).unwrap()))
            .collect();
        assert_eq!(bounds, truth, "{set:?}");
        let in_time = set.iter().zip(&truth);
        let in_time = { in_time }.all(|(task, response)| response.is_some_and(|r| r <= task.d));
        let verdict = accepts("np-fifo", &set);
        assert_eq!(verdict, in_time, "{set:?}");
        tally.count(&set, verdict);
        // The work that is released until 1 after the start of the busy period may be less than the longest response time.
        let at_start: i64 = set.iter().map(|task| task.c * ((1 + task.j) / task.t + 1)).sum();
        let later =
            |(task, bound): (&Task, &Option<i64>)| bound.is_some_and(|bound| bound > at_start + task.j);
        after_start += usize::from(set.iter().zip(&bounds).any(later));
        // The evidence of a miss states a job with a longer response.
        if let Evidence::DeadlineMissed {
            task,
            response_time_ns,
            ..
        } = schedulability::evidence(Policy::NpFifo, &demands(&set), 1)
        {
            let response = i64::try_from(response_time_ns.ns()).unwrap();
            assert!(
                response > set[task].d && response <= truth[task].unwrap(),
                "{set:?}"
            );
        }
    }
    tally.check();
    assert!(
        after_start > rounds(20),
        "{after_start} worst cases after the start of the busy period"
    );
}

/// No legal run responds later than the bound, with random offsets, arrivals, jitter and execution times.
#[test]
fn no_run_responds_later() {
    let mut rng = rng(122);
    let (mut reached, mut refused, mut missed) = (0, 0, 0);
    for _ in 0..rounds(ROUNDS) {
        let set = draw(&mut rng, DRAW);
        let bounds = schedulability::response_times(Policy::NpFifo, &demands(&set)).unwrap();
        let accepted = accepts("np-fifo", &set);
        let mut late = false;
        for _ in 0..4 {
            let jobs = random_pattern(&set, &mut rng, 70);
            let outcome = run(&set, &jobs, &Order::Fifo, Preemption::NonPreemptive, Until::Done);
            late |= outcome.late.is_some();
            for (bound, response) in bounds.iter().zip(&outcome.response) {
                let bound = bound.map(|bound| i64::try_from(bound.ns()).unwrap());
                assert!(
                    bound.is_none_or(|bound| *response <= bound),
                    "{response} {bound:?}: {set:?}"
                );
                reached += usize::from(bound == Some(*response));
            }
        }
        assert!(!(accepted && late), "{set:?}");
        refused += usize::from(!accepted);
        missed += usize::from(!accepted && late);
    }
    println!(
        "{reached} runs reach a bound; {missed} of {refused} refused sets miss a deadline in 4 random runs"
    );
    assert!(
        reached > rounds(ROUNDS / 100) && missed > refused / 2,
        "{reached} {missed} {refused}"
    );
}

/// Without jitter, each response time is Σ C, minus 1 ns for tasks before the last one.
#[test]
fn without_jitter_the_bound_is_the_sum_of_all_wcets() {
    let mut rng = rng(123);
    for _ in 0..rounds(1_000) {
        let unit = [1, 1_000, 999_983, 1 << 40][rng.random_range(0..4)];
        let n = rng.random_range(1..70);
        let set: Vec<Task> = (0..n)
            .map(|_| {
                let c = unit * rng.random_range(1..4);
                let t = n * 3 * unit;
                Task {
                    c,
                    d: t,
                    t,
                    j: 0,
                    b: c,
                }
            })
            .collect();
        let sum: i64 = set.iter().map(|task| task.c).sum();
        let bounds = schedulability::response_times(Policy::NpFifo, &demands(&set)).unwrap();
        for (place, bound) in (1..).zip(bounds) {
            let expected = sum - i64::from(place < n);
            assert_eq!(bound, Some(Time::from_ns(expected.cast_unsigned())), "{set:?}");
        }
    }
}
