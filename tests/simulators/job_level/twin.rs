//! Finishing times, misses and preemptions equal a unit-by-unit simulation.

use gpusched::model::Policy;
use gpusched::simulator::tasks::{
    self as simulated, Arrivals, Discipline, Jitter, Offsets, Pattern, Simulation, Tally, Task, priorities,
};
use gpusched::time::Time;
use rand::RngExt;

use crate::job_level::watch::Watch;
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{self, Order, Preemption, Until};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

/// Number of systems per policy.
const ROUNDS: usize = 4_000;

pub fn ns(units: i64) -> Time {
    Time::from_ns(u64::try_from(units).unwrap())
}

/// Converts `set` to tasks. Execution times vary down to a random minimum, or equal the WCETs.
pub fn tasks(set: &[simulation::Task], rng: &mut impl RngExt) -> Vec<Task> {
    let short = rng.random_bool(0.4);
    set.iter()
        .zip(0..)
        .map(|(task, stream)| Task {
            wcet: ns(task.c),
            shortest: ns(if short {
                rng.random_range(1..=task.c)
            } else {
                task.c
            }),
            block: ns(task.b),
            period: ns(task.t),
            deadline: ns(task.d),
            jitter: ns(task.j),
            stream,
        })
        .collect()
}

pub fn pattern(set: &[Task], rng: &mut impl RngExt) -> Pattern {
    Pattern {
        offsets: [Offsets::Synchronous, Offsets::Random][rng.random_range(0..2)],
        jitter: [Jitter::None, Jitter::Late, Jitter::Random][rng.random_range(0..3)],
        arrivals: [Arrivals::Periodic, Arrivals::Sporadic][rng.random_range(0..2)],
        blocker: rng
            .random_bool(0.3)
            .then(|| rng.random_range(0..set.len() as u64)),
    }
}

/// Returns the rank of each task by definition of the policy.
fn ranks(policy: Policy, set: &[simulation::Task], order: &[usize]) -> Vec<usize> {
    let key = |task: &simulation::Task| match policy.name() {
        "dm" | "np-fp" | "lp-fp" => task.d - task.j,
        "rm" | "np-fp-rm" | "lp-fp-rm" => task.t,
        "hyperbolic" | "liu-layland" => task.t.min(task.d) - task.j,
        _ => 0,
    };
    (0..set.len())
        .map(|task| match policy.name().ends_with("audsley") {
            true => order.iter().position(|&other| other == task).unwrap(),
            false => {
                let before = |other: &usize| (key(&set[*other]), *other) < (key(&set[task]), task);
                (0..set.len()).filter(before).count()
            }
        })
        .collect()
}

fn compare(policy: Policy, round: u64, rng: &mut impl RngExt) -> (u64, u64, u64) {
    let set = draw(
        rng,
        Draw {
            most_tasks: 6,
            jitter: true,
            blocks: true,
        },
    );
    let tasks = tasks(&set, rng);
    let pattern = pattern(&tasks, rng);
    let numbers = (round, 7);
    let releases = pattern.releases(&tasks, numbers);
    let mut discipline = Discipline::of(policy).unwrap();
    if policy.runs_together() {
        // The reference implementation has fixed priorities, which are one division of the SMs.
        discipline.order = simulated::Order::Ranks;
    }
    let order = priorities(policy, &tasks).unwrap_or_else(|| {
        // Audsley's algorithm may return any order.
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        (1..order.len()).for_each(|last| order.swap(last, rng.random_range(0..=last)));
        order
    });
    let end = Time::from_ns(rng.random_range(1..150));
    let mut watched = (Watch::default(), Tally::new(tasks.len()));
    Simulation::new(&tasks, &releases, discipline, &order, end, numbers)
        .unwrap()
        .run(&mut watched);
    let (watch, tally) = watched;

    let units = |time: u64| i64::try_from(time).unwrap();
    let job = |seen: &crate::job_level::watch::Seen| simulation::Job {
        task: seen.job.task,
        arrival: units(seen.job.arrival.ns()),
        release: units(seen.release),
        c: units(seen.execution),
    };
    let jobs: Vec<simulation::Job> = watch.jobs.iter().map(job).collect();
    let rank = ranks(policy, &set, &order);
    let (twin_order, twin_preemption) = match policy.name() {
        "edf" | "density" => (Order::Edf(rank), Preemption::Preemptive),
        "np-edf" => (Order::Edf(rank), Preemption::NonPreemptive),
        "np-fifo" => (Order::Fifo, Preemption::NonPreemptive),
        "lp-edf" => (Order::Edf(rank), Preemption::Limited { short_first: false }),
        name if name.starts_with("np-") => (Order::Fixed(rank), Preemption::NonPreemptive),
        name if name.starts_with("lp-") => (Order::Fixed(rank), Preemption::Limited { short_first: false }),
        _ => (Order::Fixed(rank), Preemption::Preemptive),
    };
    let outcome = simulation::run(&set, &jobs, &twin_order, twin_preemption, Until::Done);

    let what = || format!("{policy}: {set:?}\n{pattern:?} until {end}\n{watch:?}");
    let mut finished: Vec<_> = watch
        .jobs
        .iter()
        .map(|seen| (job(seen), units(seen.finish.unwrap())))
        .collect();
    finished.sort_by_key(|&(_, finish)| finish);
    assert_eq!(finished, outcome.finished, "{}", what());
    let late = |(job, finish): &&(simulation::Job, i64)| *finish > job.arrival + set[job.task].d;
    let misses = outcome.finished.iter().filter(late).count() as u64;
    assert_eq!(tally.misses(), misses, "{}", what());
    assert_eq!(
        watch.jobs.iter().filter(|seen| seen.missed).count() as u64,
        misses
    );
    assert_eq!(tally.preemptions(), outcome.preemptions, "{}", what());
    assert_eq!(tally.jobs(), jobs.len() as u64);
    for (task, counted) in tally.tasks.iter().enumerate() {
        assert_eq!(units(counted.longest), outcome.response[task], "{}", what());
        let own = outcome.finished.iter().filter(|(job, _)| job.task == task);
        let total: i64 = own.clone().map(|(job, finish)| finish - job.arrival).sum();
        assert_eq!(
            (counted.jobs, counted.total),
            (own.count() as u64, units(total as u64) as u128)
        );
        let ran = watch
            .jobs
            .iter()
            .filter(|seen| seen.job.task == task)
            .map(|seen| seen.ran);
        assert_eq!(counted.busy, ran.sum::<u64>());
    }
    for seen in &watch.jobs {
        // A preemption costs one additional block.
        let block = match twin_preemption {
            Preemption::Limited { .. } => tasks[seen.job.task].block.ns(),
            _ => 0,
        };
        assert_eq!(seen.ran, seen.execution + seen.preemptions * block, "{}", what());
    }
    (tally.jobs(), misses, outcome.preemptions)
}

#[test]
fn every_policy_equals_the_simulation_unit_by_unit() {
    let mut policies = 0;
    for (number, policy) in Policy::all().enumerate() {
        if Discipline::of(policy).is_none() {
            assert!(policy.name().starts_with("work-capacity"));
            continue;
        }
        let mut rng = rng(100 + number as u64);
        let mut sums = (0, 0, 0);
        for round in 0..rounds(ROUNDS as u64) {
            let found = compare(policy, round, &mut rng);
            sums = (sums.0 + found.0, sums.1 + found.1, sums.2 + found.2);
        }
        let preempts = !policy.name().starts_with("np-");
        assert!(
            sums.0 > rounds(50_000) && sums.1 > rounds(1_000),
            "{policy}: {sums:?}"
        );
        assert_eq!(sums.2 > rounds(1_000), preempts, "{policy}: {sums:?}");
        policies += 1;
    }
    assert_eq!(policies, 20);
}
