//! Fixed priorities, preemptive and non-preemptive: the tests and the response times are exact.

use gpusched::model::Policy;
use gpusched::schedulability;
use gpusched::time::Time;

use rand::RngExt;

use super::{ROUNDS, Tally, accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{
    Order, Preemption, Task, Until, critical, hyperperiod, load, long_horizon, run,
};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 5,
    jitter: true,
    blocks: false,
};

/// Returns the rank of each task; the lower position wins ties.
pub fn ranks(set: &[Task], key: impl Fn(&Task) -> i64) -> Vec<usize> {
    let before = |a: usize, b: usize| (key(&set[a]), a) < (key(&set[b]), b);
    (0..set.len())
        .map(|task| (0..set.len()).filter(|&other| before(other, task)).count())
        .collect()
}

/// Returns whether the task and all tasks with higher priority execute longer per hyperperiod
/// than the hyperperiod.
fn overloaded(set: &[Task], rank: &[usize], task: usize) -> bool {
    let level = (0..set.len()).filter(|&other| rank[other] <= rank[task]);
    let h = hyperperiod(set);
    level.map(|other| set[other].c * (h / set[other].t)).sum::<i64>() > h
}

/// Returns the longest response time of `task`. The task and all tasks with higher priority
/// arrive at 0 with maximum jitter. At most one task with lower priority arrives at −1. The
/// priority level must not be overloaded.
pub(super) fn response_time(set: &[Task], rank: &[usize], task: usize, preemption: Preemption) -> i64 {
    let order = Order::Fixed(rank.to_vec());
    let level = |other: usize| rank[other] <= rank[task];
    let blockers = (0..set.len()).filter(|&other| !level(other)).map(Some);
    let blockers = blockers.filter(|_| preemption != Preemption::Preemptive);
    std::iter::once(None)
        .chain(blockers)
        .map(|blocker| -> i64 {
            // Most busy periods are short.
            let last = long_horizon(set, |other| rank[other] < rank[task]).max(201);
            for end in [50, 200, last] {
                let mut jobs = critical(set, level, blocker, end);
                // The blocker arrives only once, because it cannot run again in this busy period.
                jobs.retain(|job| Some(job.task) != blocker || job.arrival < 0);
                let outcome = run(set, &jobs, &order, preemption, Until::Idle);
                if outcome.end < end || end == last {
                    return outcome.response[task];
                }
            }
            unreachable!("the last round returns");
        })
        .max()
        .unwrap()
}

/// Returns the worst-case response time of each task; `None` if its priority level is overloaded.
fn response_times(set: &[Task], rank: &[usize], preemption: Preemption) -> Vec<Option<i64>> {
    (0..set.len())
        .map(|task| (!overloaded(set, rank, task)).then(|| response_time(set, rank, task, preemption)))
        .collect()
}

fn in_time(set: &[Task], responses: &[Option<i64>]) -> bool {
    let in_time = |(task, response): (&Task, &Option<i64>)| response.is_some_and(|r| r <= task.d);
    set.iter().zip(responses).all(in_time)
}

/// Compares verdicts and response times of one policy with simulation.
fn compare(policy: &str, seed: u64, preemption: Preemption, ranks: impl Fn(&[Task]) -> Vec<usize>) {
    let mut rng = rng(seed);
    let mut tally = Tally::default();
    let parsed: Policy = policy.parse().unwrap();
    for _ in 0..rounds(ROUNDS) {
        let set = draw(&mut rng, DRAW);
        let truth = response_times(&set, &ranks(&set), preemption);
        let bounds: Vec<Option<i64>> = schedulability::response_times(parsed, &demands(&set))
            .unwrap()
            .into_iter()
            .map(|bound| bound.map(Time::ns).map(|ns| i64::try_from(ns).unwrap()))
            .collect();
        assert_eq!(bounds, truth, "{policy}: {set:?}");
        let verdict = accepts(policy, &set);
        assert_eq!(verdict, in_time(&set, &truth), "{policy}: {set:?}");
        tally.count(&set, verdict);
    }
    tally.check();
}

#[test]
fn preemptive_deadline_monotonic() {
    compare("dm", 21, Preemption::Preemptive, |set| {
        ranks(set, |task| task.d - task.j)
    });
}

#[test]
fn preemptive_rate_monotonic() {
    compare("rm", 22, Preemption::Preemptive, |set| ranks(set, |task| task.t));
}

#[test]
fn preemptive_given() {
    compare("fp-given", 23, Preemption::Preemptive, |set| ranks(set, |_| 0));
}

#[test]
fn non_preemptive_deadline_monotonic() {
    compare("np-fp", 24, Preemption::NonPreemptive, |set| {
        ranks(set, |task| task.d - task.j)
    });
}

#[test]
fn non_preemptive_rate_monotonic() {
    compare("np-fp-rm", 25, Preemption::NonPreemptive, |set| {
        ranks(set, |task| task.t)
    });
}

#[test]
fn non_preemptive_given() {
    compare("np-fp-given", 26, Preemption::NonPreemptive, |set| {
        ranks(set, |_| 0)
    });
}

/// The jitter of the second task exceeds its deadline by 9, so D − J is −9, and its priority is higher than the priority
/// of the first task, whose D − J is 0. Two jobs of the second task are released together. Without preemption, the first
/// task then ends at 2 + 2 + 6, and it arrived 7 earlier.
#[test]
fn the_order_continues_below_zero() {
    let set = [
        Task {
            c: 6,
            d: 7,
            t: 9,
            j: 7,
            b: 6,
        },
        Task {
            c: 2,
            d: 15,
            t: 15,
            j: 24,
            b: 2,
        },
    ];
    for (policy, expected) in [("np-fp", [17, 31]), ("dm", [19, 26]), ("lp-fp", [19, 31])] {
        let times = schedulability::response_times(policy.parse().unwrap(), &demands(&set)).unwrap();
        let times: Vec<u64> = times.into_iter().map(|time| time.unwrap().ns()).collect();
        assert_eq!(times, expected, "{policy}");
    }
}

/// Returns every order of the tasks.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for task in 0..n {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, task);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Audsley's algorithm finds an order iff one of all n! orders meets all deadlines.
fn compare_audsley(policy: &str, seed: u64, preemption: Preemption, deadline_monotonic: &str) {
    let mut rng = rng(seed);
    let mut tally = Tally::default();
    let mut better = 0;
    for _ in 0..rounds(ROUNDS) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 3,
                ..DRAW
            },
        );
        let truth = load(&set).is_le()
            && orders(set.len()).into_iter().any(|rank| {
                (0..set.len()).all(|task| {
                    !overloaded(&set, &rank, task)
                        && response_time(&set, &rank, task, preemption) <= set[task].d
                })
            });
        let verdict = accepts(policy, &set);
        assert_eq!(verdict, truth, "{policy}: {set:?}");
        tally.count(&set, verdict);
        better += usize::from(verdict && !accepts(deadline_monotonic, &set));
    }
    tally.check();
    assert!(
        better > rounds(100),
        "{better} sets that only some other order schedules"
    );
}

#[test]
fn preemptive_audsley() {
    compare_audsley("fp-audsley", 27, Preemption::Preemptive, "dm");
}

#[test]
fn non_preemptive_audsley() {
    compare_audsley("np-fp-audsley", 28, Preemption::NonPreemptive, "np-fp");
}

/// Many tasks share a few periods and jitters, so the test merges tasks with higher priority. The bounds equal plain
/// iterations of the printed recurrences.
#[test]
fn merged_tasks_lead_to_equal_bounds() {
    let mut rng = rng(75);
    for round in 0..60 {
        let n = rng.random_range(65..150);
        let set: Vec<Task> = (0..n)
            .map(|_| {
                let t = 1_000 * rng.random_range(2..6);
                let c = rng.random_range(1..=5 + round % 30);
                let b = rng.random_range(1..=c);
                let d = rng.random_range(t / 2..2 * t);
                Task {
                    c,
                    d,
                    t,
                    j: 100 * rng.random_range(0..3),
                    b,
                }
            })
            .collect();
        for (policy, preemption) in [("fp-given", 0), ("np-fp-given", 1), ("lp-fp-given", 2)] {
            let bounds = schedulability::response_times(policy.parse().unwrap(), &demands(&set)).unwrap();
            for (i, bound) in bounds.into_iter().enumerate() {
                let (above, below) = (&set[..i], &set[i + 1..]);
                let wave = |task: &Task| if task.b < task.c { task.b } else { 0 };
                let (blocking, gamma) = match preemption {
                    0 => (0, 0),
                    1 => (below.iter().map(|task| task.c - 1).max().unwrap_or(0), 0),
                    _ => (
                        below.iter().map(|task| task.b - 1).max().unwrap_or(0),
                        set[..=i].iter().map(wave).max().unwrap_or(0),
                    ),
                };
                let load = |t: i64| -> i64 {
                    let jobs = |task: &Task| match preemption {
                        1 => (t + task.j) / task.t + 1,
                        _ => (t + task.j + task.t - 1) / task.t,
                    };
                    above.iter().map(|task| jobs(task) * (task.c + gamma)).sum()
                };
                let settle = |own: i64| -> i64 {
                    let mut w = own;
                    while own + load(w) > w {
                        w = own + load(w);
                        if w > 1_000_000 {
                            return w;
                        }
                    }
                    w
                };
                // The first job decides if its busy period ends with it. Other cases have their own tests.
                let own = &set[i];
                let end = match preemption {
                    1 => settle(blocking) + own.c,
                    _ => settle(blocking + own.c),
                };
                let clear = {
                    let jobs = |task: &Task, t: i64| (t + task.j + task.t - 1) / task.t;
                    let mut w = 1;
                    loop {
                        let higher: i64 = above.iter().map(|task| jobs(task, w) * (task.c + gamma)).sum();
                        let next = blocking + own.c + higher;
                        if next <= w || w > 1_000_000 {
                            break w;
                        }
                        w = next;
                    }
                };
                if clear <= own.t - own.j {
                    let bound = i64::try_from(bound.unwrap().ns()).unwrap();
                    assert_eq!(bound, end + own.j, "{policy} {i}: {set:?}");
                }
            }
        }
    }
}
