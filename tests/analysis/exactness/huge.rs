//! Large ratios and long times, where unit-by-unit simulation is infeasible: closed forms and plain enumeration.

use rand::RngExt;

use super::{accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::Task;
use gpusched::model::Policy;
use gpusched::schedulability::{self, edf};

const SECOND: i64 = 1_000_000_000;

fn task(c: i64, d: i64, t: i64) -> Task {
    Task { c, d, t, j: 0, b: c }
}

fn response(policy: &str, set: &[Task], position: usize) -> i64 {
    let policy: Policy = policy.parse().unwrap();
    let times = schedulability::response_times(policy, &demands(set)).unwrap();
    i64::try_from(times[position].unwrap().ns()).unwrap()
}

/// A task of 1 µs has priority over a task of 100 s. The slow task executes for T − C in each
/// period of the fast task.
#[test]
fn a_microsecond_above_a_hundred_seconds() {
    let mut rng = rng(61);
    let (mut met, mut missed) = (0, 0);
    for _ in 0..2_000 {
        let (fast_t, slow_t) = (1_000, 100 * SECOND);
        let fast_c = rng.random_range(1..fast_t);
        let slow_c = (slow_t / fast_t * (fast_t - fast_c)) / 100 * rng.random_range(1..=100);
        let slow_d = rng.random_range(slow_t / 2..=slow_t);
        let fast = task(fast_c, fast_t, fast_t);
        let set = [fast, task(slow_c, slow_d, slow_t)];
        // In each period of the fast task, the slow task advances by the remaining time. Its last unit does not wait
        // for the end of the period.
        let gap = fast_t - fast_c;
        let expected = slow_c + ceil_div(slow_c, gap) * fast_c;
        assert_eq!(response("dm", &set, 1), expected, "{set:?}");
        let fits = expected <= slow_d;
        assert_eq!(accepts("dm", &set), fits, "{set:?}");
        // Under EDF, the slow job gets the time that fast jobs due within D leave.
        let demand = slow_d / fast_t * fast_c + slow_c;
        assert_eq!(accepts("edf", &set), demand <= slow_d, "{set:?}");
        // Without preemption, only slow jobs that fit the gap are accepted.
        assert_eq!(
            accepts("np-fp", &set),
            fits && slow_c - 1 + fast_c <= fast_t,
            "{set:?}"
        );
        *(if fits { &mut met } else { &mut missed }) += 1;
    }
    assert!(met > 200 && missed > 200, "{met} {missed}");
}

fn ceil_div(value: i64, by: i64) -> i64 {
    (value + by - 1) / by
}

/// Lehoczky, Sha & Ding: a task of priority i with D ≤ T meets its deadline iff W(t) ≤ t at one of the releases of the
/// tasks above, or at D.
fn by_scheduling_points(set: &[Task]) -> bool {
    (0..set.len()).all(|i| {
        let work = |t: i64| -> i64 {
            let higher = set[..i].iter().map(|h| ceil_div(t + h.j, h.t) * h.c);
            set[i].c + higher.sum::<i64>()
        };
        let end = set[i].d - set[i].j;
        let mut points = vec![end];
        for h in &set[..i] {
            points.extend(
                (1..)
                    .map(|k| k * h.t - h.j)
                    .skip_while(|&p| p <= 0)
                    .take_while(|&p| p <= end),
            );
        }
        points.into_iter().any(|t| t > 0 && work(t) <= t)
    })
}

/// Returns whether dbf(t) + B(t) ≤ t at each deadline up to the given bound.
fn by_deadlines(set: &[Task], bound: i64, hold: impl Fn(&Task) -> i64) -> bool {
    set.iter().all(|task| {
        let mut t = task.d - task.j;
        while t <= bound {
            let due = |s: &&Task| s.d - s.j <= t;
            let demand: i64 = set
                .iter()
                .filter(due)
                .map(|s| ((t - s.d + s.j) / s.t + 1) * s.c)
                .sum();
            let later = set.iter().filter(|s| !due(s));
            if demand + later.map(&hold).max().unwrap_or(0) > t {
                return false;
            }
            t += task.t;
        }
        true
    })
}

/// Verdicts are correct for sets that contain tasks of milliseconds and of a hundred seconds,
/// with times in single nanoseconds.
#[test]
fn milliseconds_beside_a_hundred_seconds() {
    const PERIODS: [i64; 6] = [20, 100, 1_000, 10_000, 50_000, 100_000]; // ms
    let mut rng = rng(62);
    let mut accepted = [0; 3];
    const SETS: usize = 400;
    for round in 0..SETS {
        let load = rng.random_range(0.3..0.99);
        let n = rng.random_range(2..=4);
        let mut set: Vec<Task> = (0..n)
            .map(|_| {
                let t = PERIODS[rng.random_range(0..PERIODS.len())] * 1_000_000;
                let c = (t as f64 * load / n as f64) as i64 + rng.random_range(0..1_000);
                let d = rng.random_range(t * 7 / 10..=t);
                let j = if round % 2 == 0 {
                    0
                } else {
                    rng.random_range(0..=t / 20)
                };
                Task { c, d, t, j, b: c }
            })
            .collect();
        let truth = {
            set.sort_by_key(|task| task.d - task.j);
            by_scheduling_points(&set)
        };
        assert_eq!(accepts("dm", &set), truth, "{set:?}");
        accepted[0] += usize::from(truth);
        let bound = 100 * SECOND; // the hyperperiod
        let slack = set.iter().map(|s| s.c as f64 / s.t as f64).sum::<f64>();
        if slack < 1.0 {
            let truth = by_deadlines(&set, bound, |_| 0);
            assert_eq!(accepts("edf", &set), truth, "{set:?}");
            accepted[1] += usize::from(truth);
            let truth = by_deadlines(&set, bound, |task| task.c - 1);
            assert_eq!(accepts("np-edf", &set), truth, "{set:?}");
            accepted[2] += usize::from(truth);
        }
    }
    assert!(
        accepted.iter().all(|&accepted| accepted > 10 && accepted < SETS),
        "{accepted:?}"
    );
}

/// Every policy returns a verdict for extreme numbers, and never "schedulable" if a single task misses its deadline.
#[test]
fn absurd_numbers_are_answered() {
    let limit = i64::MAX;
    let times = [1, 2, limit / 2, limit - 1, limit];
    let mut rng = rng(63);
    let mut any = |from: &[i64]| from[rng.random_range(0..from.len())];
    for _ in 0..1_000 {
        let n = any(&[1, 2, 3]);
        let set: Vec<Task> = (0..n)
            .map(|_| {
                let c = any(&times);
                Task {
                    c,
                    d: any(&times),
                    t: any(&times),
                    j: any(&[0, 0, 1, limit - 1, limit]),
                    b: any(&[1, c]).min(c),
                }
            })
            .collect();
        let alone = set.iter().any(|task| task.c > task.d - task.j || task.c > task.t);
        for policy in Policy::all().filter(|policy| !policy.counts_work()) {
            let verdict = accepts(policy.name(), &set);
            assert!(!(verdict && alone), "{policy}: {set:?}");
            let _ = schedulability::response_times(policy, &demands(&set)); // no overflow
        }
        let _ = edf::slack(&demands(&set));
    }
}
