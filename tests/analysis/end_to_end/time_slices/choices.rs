//! Choices of contexts against all choices, listed by other code.

use std::cell::Cell;

use gpusched::end_to_end::{ChosenTurns, SharedContexts, TurnSearch, analyze, choose_turns};
use gpusched::model::end_to_end::{Draft, Environment, Idle, PartitionPolicy, System, TimeShares};
use gpusched::model::policy::{Preemption, Priorities};
use gpusched::{Policy, Task, TaskSet, Time, WcetFunction};
use rand::{Rng, RngExt as _};
use rayon::prelude::*;

use crate::oracle::random_sets::rng;
use crate::support::rounds;

const NP: Preemption = Preemption::NonPreemptive;
const POLICIES: [(Policy, PartitionPolicy); 6] = [
    (Policy::NpFifo, PartitionPolicy::NpFifo),
    (Policy::NpEdf, PartitionPolicy::NpEdf),
    (
        Policy::FixedPriority(NP, Priorities::Audsley),
        PartitionPolicy::NpFp,
    ),
    (
        Policy::FixedPriority(NP, Priorities::RateMonotonic),
        PartitionPolicy::NpFp,
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::Audsley),
        PartitionPolicy::Fp,
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::Given),
        PartitionPolicy::Fp,
    ),
];

/// Number of tasks without a proof, and the largest bound relative to its deadline [10⁻⁶].
type Cost = (usize, u64);

fn cost(draft: &Draft) -> Cost {
    let answer = analyze(&System::new(draft, Environment::default()).unwrap());
    let ratio = |bound: Time, deadline: Time| (bound.ns() * 1_000_000).div_ceil(deadline.ns());
    let ratios = answer.tasks.iter();
    let ratios = ratios.filter_map(|task| Some(ratio(task.bound_ns?, task.deadline_ns)));
    let late = answer.tasks.iter().filter(|task| !task.meets).count();
    (late, ratios.max().unwrap_or(u64::MAX))
}

fn task_set(rng: &mut impl Rng, tasks: usize) -> TaskSet {
    let task = |_| {
        let period = rng.random_range(10..80);
        let wcet = rng.random_range(1..=period / tasks as u64 + 2);
        let deadline = rng.random_range(wcet..=period + 5);
        let wcet = WcetFunction::constant(Time::from_ns(wcet)).unwrap();
        let task = Task::new(Time::from_ns(period), wcet);
        task.deadline(Time::from_ns(deadline)).build().unwrap()
    };
    TaskSet::new(None, (0..tasks).map(task).collect()).unwrap()
}

/// All lists of `length` numbers below `base`.
fn lists(length: usize, base: usize) -> Vec<Vec<usize>> {
    let longer = |lists: Vec<Vec<usize>>, _| {
        let with = |list: &Vec<usize>| {
            (0..base)
                .map(|last| [&list[..], &[last]].concat())
                .collect::<Vec<_>>()
        };
        lists.iter().flat_map(with).collect()
    };
    (0..length).fold(vec![Vec::new()], longer)
}

/// The smallest cost of all assignments of tasks to contexts, slices and priorities.
fn least(
    draft: &Draft,
    search: &TurnSearch<'_>,
    (contexts, policy): (usize, PartitionPolicy),
    orders: &[Vec<usize>],
) -> Cost {
    let count = draft.tasks.len();
    let mut least = (usize::MAX, u64::MAX);
    for assigned in lists(count, count.min(contexts)) {
        // A context is numbered by its first task, so lists that only rename contexts are skipped.
        let mut used: Vec<usize> = assigned.clone();
        used.sort_unstable();
        used.dedup();
        let firsts: Vec<_> = used
            .iter()
            .map(|context| assigned.iter().position(|found| found == context))
            .collect();
        if !firsts.is_sorted() || used != (0..used.len()).collect::<Vec<_>>() {
            continue;
        }
        for slices in lists(used.len(), search.slices.len()) {
            for turns in lists(used.len(), search.turns) {
                for order in orders {
                    let mut draft = draft.clone();
                    let gpu = &mut draft.partitions[0];
                    let stated = gpu.contexts.clone();
                    gpu.contexts.truncate(used.len());
                    let mut places = Vec::new();
                    for (position, context) in gpu.contexts.iter_mut().enumerate() {
                        context.slice = search.slices[slices[position]];
                        let tasks = || (0..count).filter(|&task| assigned[task] == position);
                        context.overrun = tasks().map(|task| stated[task].overrun).max().unwrap();
                        if tasks().count() > 1 {
                            context.policy = Some(policy);
                        }
                        let parts = turns[position] as u64 + 1;
                        places.extend((0..parts).map(|part| (part * 12 / parts, position)));
                    }
                    places.sort_unstable();
                    let names = places
                        .iter()
                        .map(|&(_, position)| gpu.contexts[position].name.clone());
                    gpu.runlist = Some(names.collect());
                    for (task, context) in draft.tasks.iter_mut().zip(&assigned) {
                        task.segments[0].on.clone_from(&stated[*context].name);
                    }
                    for (task, place) in draft.tasks.iter_mut().zip(order) {
                        task.gpu_priority = Some(u32::try_from(*place).unwrap());
                    }
                    least = least.min(cost(&draft));
                }
            }
        }
    }
    least
}

/// Ranks of `count` tasks: all orders if the search chooses the priorities, and otherwise the order of the policy.
fn orders(set: &TaskSet, policy: Policy) -> Vec<Vec<usize>> {
    let count = set.tasks().len();
    let ranks = |key: &dyn Fn(&Task) -> Time| {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&task| key(&set.tasks()[task]));
        (0..count)
            .map(|task| order.iter().position(|&found| found == task).unwrap())
            .collect::<Vec<_>>()
    };
    match policy {
        Policy::FixedPriority(_, Priorities::Audsley) => {
            let all = lists(count, count).into_iter();
            all.filter(|list| (0..count).all(|rank| list.contains(&rank)))
                .collect()
        }
        Policy::FixedPriority(_, Priorities::RateMonotonic) => vec![ranks(&|task| task.period())],
        _ => vec![(0..count).collect()],
    }
}

/// A search that may test all choices finds a choice without late tasks if one exists, and otherwise the best choice.
#[test]
fn small_choices_are_exact() {
    let counts: Vec<(usize, usize)> = (0..rounds(400u64))
        .into_par_iter()
        .map(|seed| {
            let mut rng = rng(seed);
            let count = rng.random_range(1..=3);
            let set = task_set(&mut rng, count);
            let (policy, rule) = POLICIES[rng.random_range(0..POLICIES.len())];
            let contexts = rng.random_range(1..=4);
            let slices = [3, 8].map(Time::from_ns);
            let search = TurnSearch {
                slices: &slices[..rng.random_range(1..=2)],
                turns: rng.random_range(1..=2),
                shared: Some(SharedContexts { contexts, policy }),
                tests: 100_000,
                environment: Environment::default(),
            };
            let shares = TimeShares {
                slice: slices[0],
                switch: Time::from_ns(rng.random_range(0..3)),
                overrun: [None, Some(Time::from_ns(1))][rng.random_range(0..2)],
                idle: [Idle::Skip, Idle::Wait][rng.random_range(0..2)],
            };
            let draft = Draft::time_shared(&set, 1, shares).unwrap();
            let seen = Cell::new(0);
            let chosen = choose_turns(&draft, &search, &|tests| seen.set(tests)).unwrap();
            assert_eq!((chosen.complete, chosen.tests), (true, seen.get()), "seed {seed}");
            let least = least(&draft, &search, (contexts, rule), &orders(&set, policy));
            let found = cost(&chosen.draft);
            assert_eq!(
                (chosen.schedulable, found.0),
                (least.0 == 0, least.0),
                "seed {seed}: {found:?} {least:?}"
            );
            if least.0 > 0 {
                assert_eq!(found, least, "seed {seed}: {set:?} {search:?}");
            }
            (
                usize::from(least.0 == 0),
                usize::from(chosen.draft.partitions[0].contexts.len() < count),
            )
        })
        .collect();
    let sums = counts
        .iter()
        .fold((0, 0), |sums, counts| (sums.0 + counts.0, sums.1 + counts.1));
    assert!(
        sums.0 > counts.len() / 10 && sums.0 < counts.len() && sums.1 > 0,
        "{sums:?} of {}",
        counts.len()
    );
}

fn search(set: &TaskSet, tests: u64, shared: Option<SharedContexts>) -> ChosenTurns {
    let slices = [2, 5, 9].map(Time::from_ns);
    let shares = TimeShares {
        slice: slices[0],
        switch: Time::from_ns(1),
        overrun: Some(Time::from_ns(1)),
        idle: Idle::Skip,
    };
    let search = TurnSearch {
        slices: &slices,
        turns: 2,
        shared,
        tests,
        environment: Environment::default(),
    };
    choose_turns(&Draft::time_shared(set, 1, shares).unwrap(), &search, &|_| ()).unwrap()
}

/// A search with fewer tests than choices makes at most these tests, and more tests are never worse.
#[test]
fn long_searches_stop_and_never_get_worse() {
    let policy = Policy::FixedPriority(NP, Priorities::Audsley);
    let gains: usize = (0..rounds(100u64))
        .into_par_iter()
        .map(|seed| {
            let set = task_set(&mut rng(1000 + seed), 6);
            let of = |tests, contexts| {
                let shared = SharedContexts { contexts, policy };
                let chosen = search(&set, tests, Some(shared));
                assert!(
                    chosen.tests <= tests && chosen.complete == chosen.schedulable,
                    "seed {seed}"
                );
                cost(&chosen.draft)
            };
            let (first, more) = (of(1, 6), of(400, 6));
            assert!(more.0 <= first.0, "seed {seed}");
            assert!(of(400, 2).0 <= of(2, 2).0, "seed {seed}");
            usize::from(more.0 < first.0)
        })
        .sum();
    assert!(gains > 0);
}

/// A context that no set of tasks may share is refused, and policies that no context knows.
#[test]
fn other_systems_and_policies_are_refused() {
    let set = task_set(&mut rng(1), 2);
    let shares = TimeShares {
        slice: Time::from_ns(5),
        switch: Time::ZERO,
        overrun: None,
        idle: Idle::Skip,
    };
    let refused = |draft: &Draft, policy: Policy| {
        let search = TurnSearch {
            slices: &[Time::from_ns(5)],
            turns: 1,
            shared: Some(SharedContexts { contexts: 2, policy }),
            tests: 10,
            environment: Environment::default(),
        };
        choose_turns(draft, &search, &|_| ())
            .unwrap_err()
            .field()
            .to_owned()
    };
    let draft = Draft::time_shared(&set, 1, shares).unwrap();
    for policy in [
        Policy::LpEdf,
        Policy::Density,
        Policy::FixedPriority(Preemption::Limited, Priorities::Given),
    ] {
        assert_eq!(refused(&draft, policy), "policy");
    }
    let mut together = draft.clone();
    together.tasks[1].segments[0].on = draft.tasks[0].segments[0].on.clone();
    assert_eq!(refused(&together, Policy::NpFifo), "tasks[1].segments");
    let mut elsewhere = draft;
    elsewhere.tasks[0].segments[0].on = "core".to_owned();
    assert_eq!(refused(&elsewhere, Policy::NpFifo), "tasks[0].segments");
}
