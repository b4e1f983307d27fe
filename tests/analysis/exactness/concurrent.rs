//! Kernels that run together: the test and the response times are exact for every division of the SMs.

use gpusched::model::policy::{Preemption, Priorities};
use gpusched::model::{Evidence, Policy};
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;
use rand::RngExt;

use super::fixed_priority::response_time;
use super::{ROUNDS, accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{self, Job, Task, load, random_pattern};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 4,
    jitter: true,
    blocks: false,
};

/// Returns the ranks of an order with `task` at its end.
fn last(set: &[Task], task: usize) -> Vec<usize> {
    let rank = |other: usize| match other.cmp(&task) {
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal => set.len() - 1,
        std::cmp::Ordering::Greater => other - 1,
    };
    (0..set.len()).map(rank).collect()
}

fn bounds(set: &[Task]) -> Vec<Option<i64>> {
    let bounds = schedulability::response_times(Policy::Concurrent, &demands(set)).unwrap();
    let units = |bound: Time| i64::try_from(bound.ns()).unwrap();
    bounds.into_iter().map(|bound| bound.map(units)).collect()
}

/// The GPU may execute a task only while all others are idle. No division delays the task longer.
#[test]
fn bounds_and_verdicts_are_exact() {
    let mut rng = rng(131);
    let (mut accepted, mut full, mut with_jitter, mut late_job) = (0, 0, 0, 0);
    let all = rounds(ROUNDS / 5);
    for _ in 0..all {
        let set = draw(&mut rng, DRAW);
        let possible = load(&set).is_le();
        let truth = |task| {
            let rank = last(&set, task);
            possible.then(|| response_time(&set, &rank, task, simulation::Preemption::Preemptive))
        };
        let truth: Vec<Option<i64>> = (0..set.len()).map(truth).collect();
        assert_eq!(bounds(&set), truth, "{set:?}");
        let meets = |(task, response): (&Task, &Option<i64>)| response.is_some_and(|r| r <= task.d);
        let verdict = accepts("concurrent", &set);
        assert_eq!(verdict, set.iter().zip(&truth).all(meets), "{set:?}");
        accepted += usize::from(verdict);
        full += usize::from(verdict && load(&set).is_eq());
        with_jitter += usize::from(verdict && set.iter().any(|task| task.j > 0));
        // A later job of the busy period may respond later than the first one.
        let first = |task: usize| set[task].j + set.iter().map(|task| task.c).sum::<i64>();
        late_job += usize::from((0..set.len()).any(|task| truth[task] > Some(first(task))));
        let evidence = schedulability::evidence(Policy::Concurrent, &demands(&set), 1);
        if let Evidence::DeadlineMissed {
            task,
            response_time_ns,
            ..
        } = evidence
        {
            let response = i64::try_from(response_time_ns.ns()).unwrap();
            assert!(
                response > set[task].d && response <= truth[task].unwrap(),
                "{set:?}"
            );
        }
    }
    assert!(
        accepted > all / 20 && accepted < all * 19 / 20,
        "{accepted} of {all}"
    );
    assert!(full > all / 500 && with_jitter > all / 100 && late_job > all / 100);
}

/// Rules for the division of the SMs.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Sharing {
    /// Random weights, which change at random times.
    Weights,
    /// One task after the other, in a random order that changes at random times.
    Order,
    /// One task executes only while all others are idle.
    Starve(usize),
}

/// Returns the longest response time of each task if the GPU shares its SMs by `sharing`. All rates are constant between two
/// events, and their sum is 1. Jobs of one task execute in order.
fn share(set: &[Task], jobs: &[Job], sharing: Sharing, rng: &mut impl RngExt) -> Vec<i64> {
    let mut queues: Vec<Vec<Job>> = vec![Vec::new(); set.len()];
    jobs.iter().for_each(|job| queues[job.task].push(*job));
    queues.iter_mut().for_each(|queue| queue.reverse());
    let mut left: Vec<i64> = queues
        .iter()
        .map(|queue| queue.last().map_or(0, |job| job.c))
        .collect();
    let mut longest = vec![0; set.len()];
    let mut now = i64::MIN;
    loop {
        let heads = |now: i64| -> Vec<usize> {
            let released = |task: &usize| queues[*task].last().is_some_and(|job| job.release <= now);
            (0..set.len()).filter(released).collect()
        };
        let all = || queues.iter().flatten().map(|job| job.release);
        let next = all().filter(|&release| release > now).min();
        let mut ready = heads(now);
        if ready.is_empty() {
            match next {
                Some(next) => now = next,
                None => return longest,
            }
            continue;
        }
        let work: i64 = ready.iter().map(|&task| left[task]).sum();
        let most = next.map_or(work, |next| work.min(next - now));
        let span = match rng.random_range(0..3) {
            0 => most,
            1 => rng.random_range(1..=most),
            _ => rng.random_range(1..=most.min(7)),
        };
        // The amounts of work that the GPU does in this span, at constant rates.
        let mut rest = span;
        let mut done = vec![0; set.len()];
        let count = ready.len();
        (0..count).for_each(|at| ready.swap(at, rng.random_range(at..count)));
        match sharing {
            Sharing::Weights => {
                let weights: Vec<i64> = ready.iter().map(|_| rng.random_range(0..=100)).collect();
                let total = weights.iter().sum::<i64>().max(1);
                for (&task, weight) in ready.iter().zip(weights) {
                    done[task] = (span * weight / total).min(left[task]);
                    rest -= done[task];
                }
            }
            Sharing::Order => {}
            Sharing::Starve(starved) => ready.sort_by_key(|&task| task == starved),
        }
        for &task in &ready {
            let more = rest.min(left[task] - done[task]);
            done[task] += more;
            rest -= more;
        }
        assert_eq!(rest, 0, "the GPU is never idle while a job is pending");
        now += span;
        for task in ready {
            left[task] -= done[task];
            if left[task] == 0
                && let Some(job) = queues[task].pop()
            {
                longest[task] = longest[task].max(now - job.arrival);
                left[task] = queues[task].last().map_or(0, |job| job.c);
            }
        }
    }
}

/// No division of the SMs delays a job longer than its bound, with random offsets, arrivals, jitter and execution times.
#[test]
fn no_division_of_the_sms_responds_later() {
    let mut rng = rng(132);
    let (mut reached, mut accepted, mut refused, mut missed) = (0, 0, 0, 0);
    for _ in 0..rounds(ROUNDS) {
        let mut set = draw(&mut rng, DRAW);
        // Long jobs have many different shares.
        let unit = [1, 12, 97][rng.random_range(0..3)];
        for task in &mut set {
            let Task { c, d, t, j, b } = *task;
            *task = Task {
                c: c * unit,
                d: d * unit,
                t: t * unit,
                j: j * unit,
                b: b * unit,
            };
        }
        let bounds = bounds(&set);
        let verdict = accepts("concurrent", &set);
        let mut late = false;
        for sharing in [
            Sharing::Weights,
            Sharing::Order,
            Sharing::Starve(rng.random_range(0..set.len())),
        ] {
            let jobs = random_pattern(&set, &mut rng, 70 * unit);
            let found = share(&set, &jobs, sharing, &mut rng);
            for (task, (bound, response)) in bounds.iter().zip(found).enumerate() {
                assert!(
                    bound.is_none_or(|bound| response <= bound),
                    "{response} {bound:?} {sharing:?}: {set:?}"
                );
                reached += usize::from(*bound == Some(response));
                late |= response > set[task].d;
            }
        }
        assert!(!(verdict && late), "{set:?}");
        accepted += usize::from(verdict);
        refused += usize::from(!verdict);
        missed += usize::from(!verdict && late);
    }
    println!("{accepted} accepted, {reached} reach a bound, {missed} of {refused} refused miss a deadline");
    assert!(accepted > rounds(ROUNDS / 20), "{accepted}");
    assert!(
        reached > rounds(ROUNDS / 10) && missed > refused / 3,
        "{reached} {missed} {refused}"
    );
}

/// The short cut for tasks with one job in the longest busy period changes no result, for many tasks and large numbers.
#[test]
fn bounds_are_those_of_the_lowest_priority() {
    let mut rng = rng(133);
    let (mut bounded, mut late) = (0, 0);
    for _ in 0..rounds(3_000) {
        let n = [1, 2, 3, 8, 70][rng.random_range(0..5)];
        let unit = [1, 1_000, 999_983, 1 << 40][rng.random_range(0..4)];
        let load = rng.random_range(1..=14);
        let set: Vec<Demand> = (0..n)
            .map(|_| {
                let period = unit * [n, 2 * n, 4 * n, 3 * n + 1][rng.random_range(0..4)] * 10;
                let wcet = period * load / 10 / n / rng.random_range(1..=3);
                let deadline = period * rng.random_range(1..=30) / 10;
                let jitter = [0, 0, period / 3, 2 * period][rng.random_range(0..4)];
                let time = Time::from_ns;
                Demand::new(time(wcet), time(period), time(deadline)).with_jitter(time(jitter))
            })
            .collect();
        let found = schedulability::response_times(Policy::Concurrent, &set).unwrap();
        let given = Policy::FixedPriority(Preemption::Preemptive, Priorities::Given);
        for (task, found) in found.iter().enumerate() {
            let mut order = set.clone();
            let own = order.remove(task);
            order.push(own);
            let expected = schedulability::response_times(given, &order).unwrap();
            assert_eq!(*found, expected[order.len() - 1], "task {task}: {set:?}");
            bounded += usize::from(found.is_some());
        }
        let meets = found
            .iter()
            .zip(&set)
            .all(|(found, task)| found.is_some_and(|found| found <= task.deadline));
        assert_eq!(
            schedulability::accepts(Policy::Concurrent, &set, 1),
            meets,
            "{set:?}"
        );
        let verdict = schedulability::test(Policy::Concurrent, &set, 1);
        assert_eq!(verdict.schedulable, meets, "{set:?}");
        late += usize::from(!meets);
    }
    assert!(
        bounded > rounds(3_000) && late > rounds(300) && late < rounds(2_700),
        "{bounded} {late}"
    );
}

/// A task less or a shorter WCET never makes the others late: unions that fail stay failed, as the search assumes.
#[test]
fn fewer_tasks_stay_schedulable() {
    let mut rng = rng(134);
    let mut compared = 0;
    for _ in 0..rounds(ROUNDS / 5) {
        let set = draw(&mut rng, DRAW);
        if set.len() < 2 || !accepts("concurrent", &set) {
            continue;
        }
        let mut fewer = set.clone();
        fewer.remove(rng.random_range(0..set.len()));
        assert!(accepts("concurrent", &fewer), "{set:?} {fewer:?}");
        // Every order of preemptive fixed priorities and preemptive EDF also meet all deadlines.
        for policy in ["edf", "dm", "rm", "fp-given", "fp-audsley"] {
            assert!(accepts(policy, &set), "{policy}: {set:?}");
        }
        compared += 1;
    }
    assert!(compared > rounds(ROUNDS / 100), "{compared}");
}

/// The example of docs/explanation/concurrent.md.
#[test]
fn the_example_of_the_documentation_is_attained() {
    let time = Time::from_ns;
    let task = |c, t| Demand::new(time(c), time(t), time(t));
    let set = [task(2, 10), task(3, 8)];
    let found = schedulability::response_times(Policy::Concurrent, &set).unwrap();
    assert_eq!(found, [Some(time(5)), Some(time(5))]);
    let later = [task(2, 4).with_jitter(time(1)), task(3, 8)];
    let found = schedulability::response_times(Policy::Concurrent, &later).unwrap();
    assert_eq!(found, [Some(time(6)), Some(time(7))]);
}
