//! Large ratios and long times, where unit-by-unit simulation is infeasible: closed forms and plain enumeration.

use rand::RngExt;

use super::{accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::Task;
use crate::support::rounds;
use gpusched::interference::{Interference, model_of};
use gpusched::model::verdict::Evidence;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::schedulability::{self, edf};
use gpusched::time::Time;
use gpusched::verification::verify;

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
    for _ in 0..rounds(2_000) {
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
    assert!(met > rounds(200) && missed > rounds(200), "{met} {missed}");
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
    for _ in 0..rounds(1_000) {
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

/// Returns the first t with dbf(t) + B(t) > t among the deadlines up to `last`, and the left-hand side, by plain
/// enumeration.
fn first_violation(set: &[Task], last: i64, hold: impl Fn(&Task) -> i64) -> Option<(i64, i64)> {
    let mut deadlines: Vec<i64> = Vec::new();
    for task in set {
        let own = (0..).map(|job| task.d - task.j + job * task.t);
        deadlines.extend(own.take_while(|&t| t <= last));
    }
    deadlines.sort_unstable();
    let needed = |t: i64| -> i64 {
        let due = set.iter().filter(|s| s.d - s.j <= t);
        let demand: i64 = due.map(|s| ((t - s.d + s.j) / s.t + 1) * s.c).sum();
        let later = set.iter().filter(|s| s.d - s.j > t);
        demand + later.map(&hold).max().unwrap_or(0)
    };
    let violated = deadlines.into_iter().find(|&t| needed(t) > t)?;
    Some((violated, needed(violated)))
}

fn evidence(policy: &str, set: &[Task]) -> Evidence {
    schedulability::test(policy.parse().unwrap(), &demands(set), 1).evidence
}

/// Two tasks of full load, whose hyperperiod exceeds 64 bits. The first deadline already fails without preemption.
#[test]
fn an_early_deadline_decides() {
    let json = r#"{"tasks":[
        {"period":2000000014,"deadline":2000000014,"wcet":1000000007},
        {"period":1996488706,"deadline":1996488706,"wcet":998244353}]}"#;
    let set: TaskSet = serde_json::from_str(json).unwrap();
    let policy = Policy::NpEdf;
    let problem = Problem::new(&set, 1, policy, model_of(Interference::None)).unwrap();
    let plan = partition(&problem, &HeuristicKind::OneGpu.into());
    let expected = Evidence::DemandExceedsInterval {
        interval_ns: Time::from_ns(1_996_488_706),
        demand_ns: 1_998_244_359,
    };
    assert_eq!(plan.partitions[0].verdict.evidence, expected);
    verify(&plan, &set).unwrap();
}

/// Sets of full load with an endless busy period. If one of the first hundreds of deadlines fails, the test names the
/// first such deadline. Otherwise it is inconclusive, but it never accepts the set.
#[test]
fn early_deadlines_decide_at_full_load() {
    let mut rng = rng(74);
    let mut found = [[0; 2]; 3];
    for round in 0..120 {
        let n = rng.random_range(2..=4);
        let round_times = round % 2 == 0;
        // Pairwise coprime periods near 2^31: their hyperperiod exceeds 64 bits.
        let primes = [2_147_483_647i64, 2_147_483_629, 2_147_483_587, 2_147_483_579];
        let mut set: Vec<Task> = (0..n)
            .map(|position| {
                let t = primes[position] * n as i64;
                let c = t / n as i64;
                let d = match round_times {
                    true => t,
                    false => rng.random_range(t * 9 / 10..=t),
                };
                let j = if rng.random_bool(0.3) { t / 50 } else { 0 };
                Task { c, d, t, j, b: c }
            })
            .collect();
        if rng.random_bool(0.5) {
            set.iter_mut().for_each(|task| task.b = task.c / 7);
        }
        let last = 200 * primes[0] * n as i64;
        for (index, policy) in ["edf", "np-edf"].into_iter().enumerate() {
            let hold = |task: &Task| if index == 0 { 0 } else { task.c - 1 };
            let truth = first_violation(&set, last, hold);
            match (truth, evidence(policy, &set)) {
                (
                    Some((t, needed)),
                    Evidence::DemandExceedsInterval {
                        interval_ns,
                        demand_ns,
                    },
                ) => {
                    let time = |ns: i64| u64::try_from(ns).unwrap();
                    assert!(
                        interval_ns.ns() > time(t)
                            || (interval_ns.ns(), demand_ns) == (time(t), time(needed)),
                        "{policy}: {set:?}"
                    );
                    found[index][0] += 1;
                }
                (None, Evidence::Undecided { .. }) => found[index][1] += 1,
                (None, Evidence::DemandWithinSupply { .. } | Evidence::DemandExceedsInterval { .. }) => {}
                (truth, evidence) => panic!("{policy}: {set:?}: {truth:?} {evidence:?}"),
            }
        }
    }
    assert!(found[0][0] > 10 && found[1][0] > 10, "{found:?}");
}

/// The test of the second task needs 10⁹ steps. The third task misses its deadline at once.
#[test]
fn a_miss_below_an_inconclusive_level_decides() {
    let set = [
        task(999_999_999, 4 * SECOND, SECOND),
        task(SECOND - 10, 2 * SECOND * SECOND, SECOND * SECOND),
        task(1, 10, SECOND * SECOND),
    ];
    for policy in ["fp-given", "np-fp-given", "lp-fp-given"] {
        let found = evidence(policy, &set);
        assert!(
            matches!(found, Evidence::DeadlineMissed { task: 2, .. }),
            "{policy}: {found:?}"
        );
        assert!(
            matches!(evidence(policy, &set[..2]), Evidence::Undecided { .. }),
            "{policy}"
        );
    }
}
