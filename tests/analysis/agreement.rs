//! Guarantee: gpusched agrees with the crate `response-time-analysis`, whose analyses follow proofs verified in Coq.
//!
//! The crate measures response times from the release. Therefore the tests compare only the
//! response times of tasks without jitter. Interfering tasks may have jitter. The crate has no
//! preemption cost. Under limited preemption, the crate receives WCETs that include the
//! preemption cost of gpusched.

use crate::oracle::simulation::{Task, load};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;
use gpusched::model::Policy;
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;
use rand::RngExt;
use response_time_analysis::arrival::Sporadic;
use response_time_analysis::demand::RBF;
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::{edf, fifo, fixed_priority, wcet};

const SETS: usize = 20_000;

/// A bound above every response time of the generated sets.
const LIMIT: u64 = 200_000;

fn demands(set: &[Task]) -> Vec<Demand> {
    let time = |units: i64| Time::from_ns(units.try_into().unwrap());
    let demand = |task: &Task| {
        Demand::new(time(task.c), time(task.t), time(task.d))
            .with_jitter(time(task.j))
            .with_block(time(task.b))
    };
    set.iter().map(demand).collect()
}

fn response_times(policy: &str, set: &[Task]) -> Vec<Option<u64>> {
    let policy: Policy = policy.parse().unwrap();
    let times = schedulability::response_times(policy, &demands(set)).unwrap();
    times.into_iter().map(|time| time.map(Time::ns)).collect()
}

fn accepts(policy: &str, set: &[Task]) -> bool {
    schedulability::accepts(policy.parse().unwrap(), &demands(set), 1)
}

fn duration(units: i64) -> Duration {
    Duration::from(u64::try_from(units).unwrap())
}

fn service(units: i64) -> Service {
    Service::from(u64::try_from(units).unwrap())
}

fn arrivals(task: &Task) -> Sporadic {
    Sporadic::new(duration(task.t), duration(task.j))
}

fn cost(units: i64) -> wcet::Scalar {
    wcet::Scalar::new(service(units))
}

/// Returns the demand of a task whose jobs each take `extra` longer.
fn rbf(task: &Task, extra: i64) -> RBF<Sporadic, wcet::Scalar> {
    RBF::new(arrivals(task), cost(task.c + extra))
}

/// Generates a task set with small numbers or with periods of up to a million.
fn random_set(rng: &mut impl RngExt, blocks: bool) -> Vec<Task> {
    let shape = Draw {
        most_tasks: 5,
        jitter: true,
        blocks,
    };
    loop {
        let mut set = draw(rng, shape);
        if rng.random_bool(0.5) {
            for task in &mut set {
                let stretch = |units: i64, noise: i64| units * 37 + noise;
                let noise = rng.random_range(0..10);
                *task = Task {
                    c: stretch(task.c, -noise),
                    d: stretch(task.d, noise),
                    t: stretch(task.t, noise),
                    j: task.j * 37,
                    b: stretch(task.b, -noise),
                };
            }
        }
        // If U ≥ 1, busy periods do not end. For such sets, the crate stops at its limit, but
        // gpusched may return a value.
        let utilization: f64 = set.iter().map(|task| task.c as f64 / task.t as f64).sum();
        if utilization < 0.98 {
            return set;
        }
    }
}

/// Returns whether the last task and all tasks with higher priority need almost the whole
/// processor, or more. If so, busy periods are long or endless. gpusched stops after a
/// hyperperiod, and the crate stops at its limit.
fn full(level: &[Task], blocks: bool) -> bool {
    let split = level.iter().filter(|task| blocks && task.b < task.c);
    let waste = split.map(|task| task.b).max().unwrap_or(0);
    let share = |task: &Task, waste: i64| (task.c + waste) as f64 / task.t as f64;
    let (last, above) = level.split_last().unwrap();
    let load: f64 = above.iter().map(|task| share(task, waste)).sum();
    (0.99..1.0 + 1e-9).contains(&(load + share(last, 0)))
}

/// Compares the response times of all tasks without jitter, in priority order.
fn compare(policy: &str, seed: u64, blocks: bool, bound: impl Fn(&[Task], usize) -> Option<Duration>) {
    let mut rng = crate::oracle::random_sets::rng(seed);
    let (mut compared, mut found) = (0, 0);
    for _ in 0..rounds(SETS) {
        let set = random_set(&mut rng, blocks);
        let ours = response_times(policy, &set);
        for (position, task) in set.iter().enumerate() {
            if task.j == 0 && !full(&set[..=position], blocks) {
                let theirs = bound(&set, position).map(u64::from);
                // The crate finds no response times above the limit.
                let ours = ours[position].filter(|&time| time <= LIMIT / 2);
                let theirs = theirs.filter(|&time| time <= LIMIT / 2);
                assert_eq!(ours, theirs, "{policy}, task {position}: {set:?}");
                compared += 1;
                found += usize::from(ours.is_some());
            }
        }
    }
    assert!(
        compared > rounds(SETS) && found > compared / 2,
        "{compared}, {found}"
    );
}

#[test]
fn fixed_priority_preemptive() {
    compare("fp-given", 71, false, |set, i| {
        let above: Vec<_> = set[..i].iter().map(|task| rbf(task, 0)).collect();
        let tua = rbf(&set[i], 0);
        fixed_priority::fully_preemptive::dedicated_uniproc_rta(&tua, &above, Duration::from(LIMIT)).ok()
    });
}

#[test]
fn fixed_priority_non_preemptive() {
    compare("np-fp-given", 72, false, |set, i| {
        let above: Vec<_> = set[..i].iter().map(|task| rbf(task, 0)).collect();
        let own = arrivals(&set[i]);
        let tua = fixed_priority::fully_nonpreemptive::TaskUnderAnalysis {
            wcet: cost(set[i].c),
            arrivals: &own,
            blocking_bound: service(set[i + 1..].iter().map(|task| task.c - 1).max().unwrap_or(0)),
        };
        fixed_priority::fully_nonpreemptive::dedicated_uniproc_rta(&tua, &above, Duration::from(LIMIT)).ok()
    });
}

/// Compares with the crate's analysis of floating non-preemptive regions. The crate receives
/// WCETs that include the preemption cost of gpusched.
#[test]
fn fixed_priority_limited() {
    compare("lp-fp-given", 73, true, |set, i| {
        let split = set[..=i].iter().filter(|task| task.b < task.c);
        let waste = split.map(|task| task.b).max().unwrap_or(0);
        let above: Vec<_> = set[..i].iter().map(|task| rbf(task, waste)).collect();
        let own = rbf(&set[i], 0);
        let tua = fixed_priority::floating_nonpreemptive::TaskUnderAnalysis {
            rbf: &own,
            blocking_bound: service(set[i + 1..].iter().map(|task| task.b - 1).max().unwrap_or(0)),
        };
        fixed_priority::floating_nonpreemptive::dedicated_uniproc_rta(&tua, &above, Duration::from(LIMIT))
            .ok()
    });
}

/// Generates a set without jitter, because the crate does not support jitter with deadlines.
fn edf_set(rng: &mut impl RngExt, blocks: bool) -> Vec<Task> {
    let mut set = random_set(rng, blocks);
    set.iter_mut().for_each(|task| task.j = 0);
    set
}

fn others<T>(items: &[T], but: usize) -> impl Iterator<Item = &T> {
    let all = items.iter().enumerate();
    all.filter(move |&(position, _)| position != but)
        .map(|(_, item)| item)
}

#[test]
fn edf_preemptive() {
    let mut rng = crate::oracle::random_sets::rng(74);
    let mut accepted = 0;
    for _ in 0..rounds(SETS) {
        let set = edf_set(&mut rng, false);
        let rbfs: Vec<_> = set.iter().map(|task| rbf(task, 0)).collect();
        let tasks = || {
            let pairs = set.iter().zip(&rbfs);
            let tasks = pairs.map(|(task, rbf)| edf::fully_preemptive::Task {
                rbf,
                deadline: duration(task.d),
            });
            tasks.collect::<Vec<_>>()
        };
        let theirs: Vec<Option<u64>> = (0..set.len())
            .map(|i| {
                let mut rest = tasks();
                let tua = rest.remove(i);
                let limit = Duration::from(LIMIT);
                let bound = edf::fully_preemptive::dedicated_uniproc_rta(&tua, &rest, limit);
                bound.ok().map(u64::from)
            })
            .collect();
        let ours = response_times("edf", &set);
        assert_eq!(ours, theirs, "{set:?}");
        let deadlines = set.iter().map(|task| u64::try_from(task.d).unwrap());
        let fits = theirs
            .iter()
            .zip(deadlines)
            .all(|(time, d)| time.is_some_and(|time| time <= d));
        assert_eq!(accepts("edf", &set), fits, "{set:?}");
        accepted += usize::from(fits);
    }
    assert!(
        (rounds(SETS / 5)..rounds(SETS * 9 / 10)).contains(&accepted),
        "{accepted}"
    );
}

/// Compares the exact test of gpusched with the crate: all response times are at most the
/// deadlines.
#[test]
fn edf_non_preemptive() {
    let mut rng = crate::oracle::random_sets::rng(75);
    let (mut accepted, mut only_ours) = (0, 0);
    for _ in 0..rounds(SETS) {
        let set = edf_set(&mut rng, false);
        let curves: Vec<Sporadic> = set.iter().map(arrivals).collect();
        let task = |i: usize| edf::fully_nonpreemptive::Task {
            wcet: cost(set[i].c),
            arrivals: &curves[i],
            deadline: duration(set[i].d),
        };
        let all: Vec<usize> = (0..set.len()).collect();
        let theirs = all.iter().all(|&i| {
            let rest: Vec<_> = others(&all, i).map(|&other| task(other)).collect();
            let limit = Duration::from(LIMIT);
            let bound = edf::fully_nonpreemptive::dedicated_uniproc_rta(&task(i), &rest, limit);
            bound.is_ok_and(|bound| bound <= duration(set[i].d))
        });
        let ours = accepts("np-edf", &set);
        assert!(ours || !theirs, "accepted there, refused here: {set:?}");
        only_ours += usize::from(ours && !theirs);
        accepted += usize::from(ours);
    }
    println!("np-edf: {accepted} accepted, {only_ours} of them not by the crate");
    assert!(
        (rounds(SETS / 10)..rounds(SETS * 4 / 5)).contains(&accepted),
        "{accepted}"
    );
    assert!(only_ours <= accepted / 100, "{only_ours} of {accepted}");
}

/// Compares with the crate's analysis of floating non-preemptive regions. The crate receives
/// WCETs that include the preemption cost.
#[test]
fn edf_limited() {
    let mut rng = crate::oracle::random_sets::rng(76);
    let (mut accepted, mut only_ours) = (0, 0);
    for _ in 0..rounds(SETS) {
        let set = edf_set(&mut rng, true);
        let charge = |i: usize| {
            let later = others(&set, i).filter(|other| other.d > set[i].d && other.b < other.c);
            later.map(|other| other.b).max().unwrap_or(0)
        };
        let rbfs: Vec<_> = (0..set.len()).map(|i| rbf(&set[i], charge(i))).collect();
        let all: Vec<usize> = (0..set.len()).collect();
        let theirs = all.iter().all(|&i| {
            let rest: Vec<_> = others(&all, i)
                .map(|&other| edf::floating_nonpreemptive::InterferingTask {
                    rbf: &rbfs[other],
                    deadline: duration(set[other].d),
                    max_np_segment: service(set[other].b),
                })
                .collect();
            let tua = edf::floating_nonpreemptive::TaskUnderAnalysis {
                rbf: &rbfs[i],
                deadline: duration(set[i].d),
            };
            let limit = Duration::from(LIMIT);
            let bound = edf::floating_nonpreemptive::dedicated_uniproc_rta(&tua, &rest, limit);
            bound.is_ok_and(|bound| bound <= duration(set[i].d))
        });
        let ours = accepts("lp-edf", &set);
        assert!(ours || !theirs, "accepted there, refused here: {set:?}");
        only_ours += usize::from(ours && !theirs);
        accepted += usize::from(ours);
        assert!(!ours || load(&set).is_le());
    }
    println!("lp-edf: {accepted} accepted, {only_ours} of them not by the crate");
    assert!(
        (rounds(SETS / 10)..rounds(SETS * 4 / 5)).contains(&accepted),
        "{accepted}"
    );
    assert!(only_ours <= accepted / 100, "{only_ours} of {accepted}");
}

/// The crate has one bound for all tasks, and counts jobs that other tasks release at the same time. gpusched counts only the jobs
/// at lower positions, so bounds of tasks before the last one may be 1 ns shorter.
#[test]
fn first_in_first_out() {
    let mut rng = crate::oracle::random_sets::rng(77);
    let (mut compared, mut shorter) = (0, 0);
    for _ in 0..rounds(SETS) {
        let set = random_set(&mut rng, false);
        if full(&set, false) {
            continue;
        }
        let rbfs: Vec<_> = set.iter().map(|task| rbf(task, 0)).collect();
        let all = response_time_analysis::demand::Slice::of(&rbfs);
        let theirs = fifo::dedicated_uniproc_rta(&all, Duration::from(LIMIT));
        let theirs = theirs.ok().map(u64::from);
        let ours = response_times("np-fifo", &set);
        for (position, task) in set.iter().enumerate() {
            let (Some(theirs), Some(ours), 0) = (theirs, ours[position], task.j) else {
                continue;
            };
            let is_last = position + 1 == set.len();
            let least = if is_last { theirs } else { theirs - 1 };
            assert!(
                (least..=theirs).contains(&ours),
                "{ours} {theirs}, task {position}: {set:?}"
            );
            compared += 1;
            shorter += usize::from(ours < theirs);
        }
    }
    assert!(
        compared > rounds(SETS) && shorter > compared / 4,
        "{compared}, {shorter}"
    );
}
