//! Density, hyperbolic and Liu–Layland bounds: accepted sets are schedulable, and the formulas are computed exactly.

use super::fixed_priority::ranks;
use super::{ROUNDS, accepts};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{Order, Preemption, Task, Until, critical, hyperperiod, run};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 5,
    jitter: true,
    blocks: false,
};

/// Returns min(T, D) − J.
fn separation(task: &Task) -> i64 {
    task.d.min(task.t) - task.j
}

/// Generates sets with low load, and passes the sets that `policy` accepts to `check`.
fn accepted(policy: &str, seed: u64, mut check: impl FnMut(&[Task])) {
    let mut rng = rng(seed);
    let (mut passed, mut with_jitter, mut late_deadlines) = (0, 0, 0);
    for _ in 0..rounds(ROUNDS) {
        let mut set = draw(&mut rng, DRAW);
        set.iter_mut().for_each(|task| task.c = (task.c / 2).max(1));
        if accepts(policy, &set) {
            check(&set);
            passed += 1;
            with_jitter += usize::from(set.iter().any(|task| task.j > 0));
            late_deadlines += usize::from(set.iter().any(|task| task.j > 0 && task.d > task.t));
        }
    }
    assert!(passed > rounds(ROUNDS / 10), "{passed}");
    assert!(
        with_jitter > rounds(ROUNDS / 100) && late_deadlines > rounds(100),
        "{with_jitter}, {late_deadlines}"
    );
}

fn meets(set: &[Task], order: Order) -> bool {
    let end = 2 * hyperperiod(set) + 200;
    let jobs = critical(set, |_| true, None, end);
    run(set, &jobs, &order, Preemption::Preemptive, Until::Late)
        .late
        .is_none()
}

#[test]
fn density_is_safe_for_edf() {
    accepted("density", 41, |set| {
        assert!(meets(set, Order::Edf((0..set.len()).collect())), "{set:?}");
        assert!(accepts("edf", set), "{set:?}");
    });
}

#[test]
fn the_hyperbolic_bound_is_safe_for_priorities_by_separation() {
    accepted("hyperbolic", 42, |set| {
        assert!(meets(set, Order::Fixed(ranks(set, separation))), "{set:?}");
        assert!(accepts("fp-audsley", set), "{set:?}");
    });
}

/// A set that passes Liu & Layland's bound passes the hyperbolic bound.
#[test]
fn the_liu_layland_bound_is_safe_and_no_better_than_the_hyperbolic_one() {
    accepted("liu-layland", 43, |set| {
        assert!(meets(set, Order::Fixed(ranks(set, separation))), "{set:?}");
        assert!(accepts("hyperbolic", set), "{set:?}");
    });
}

/// With D > T, two releases may be closer than min(T, D − J). A bound with this shorter "period" accepts this set,
/// although its second task may take 18 with a deadline of 10.
#[test]
fn late_deadlines_do_not_hide_jitter_from_fixed_priorities() {
    let bursty = Task {
        c: 5,
        d: 20,
        t: 10,
        j: 9,
        b: 5,
    };
    let other = Task {
        c: 3,
        d: 10,
        t: 10,
        j: 0,
        b: 3,
    };
    let set = [bursty, other];
    assert!(!meets(&set, Order::Fixed(vec![0, 1])));
    for policy in ["hyperbolic", "liu-layland"] {
        assert!(!accepts(policy, &set), "{policy}");
    }
    assert!(accepts("density", &set) && accepts("edf", &set));
}

/// Compares with the formulas in floating point, away from the bounds.
#[test]
fn verdicts_equal_the_formulas() {
    let mut rng = rng(44);
    let (mut compared, mut holds) = (0, [0; 3]);
    for _ in 0..rounds(ROUNDS) {
        let mut set = draw(&mut rng, DRAW);
        set.iter_mut().for_each(|task| task.c = (task.c / 2).max(1));
        if set.iter().any(|task| separation(task) <= 0) {
            assert!(
                !accepts("hyperbolic", &set) && !accepts("liu-layland", &set),
                "{set:?}"
            );
            continue;
        }
        let density: f64 = set.iter().map(|s| s.c as f64 / s.t.min(s.d - s.j) as f64).sum();
        let load: f64 = set.iter().map(|s| s.c as f64 / separation(s) as f64).sum();
        let product: f64 = set
            .iter()
            .map(|s| 1.0 + s.c as f64 / separation(s) as f64)
            .product();
        let n = set.len() as f64;
        let bounds = [
            ("density", density - 1.0),
            ("hyperbolic", product - 2.0),
            ("liu-layland", load - n * (2f64.powf(1.0 / n) - 1.0)),
        ];
        for (index, (policy, excess)) in bounds.into_iter().enumerate() {
            if excess.abs() > 1e-9 {
                assert_eq!(accepts(policy, &set), excess < 0.0, "{policy}: {set:?}");
                compared += 1;
                holds[index] += usize::from(excess < 0.0);
            }
        }
    }
    assert!(
        compared > rounds(ROUNDS) && holds.iter().all(|&holds| holds > rounds(ROUNDS / 20)),
        "{compared} {holds:?}"
    );
}
