//! Promise: `optimal` finds the fewest SMs there are, no lower bound is above a plan, and every plan of the searches that aim
//! for few SMs is a proof.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

mod oracle;

use gpusched::interference::Interference;
use gpusched::model::plan::{Failure, Proof, UNITS_PER_SM};
use gpusched::model::policy::{Preemption, Priorities};
use gpusched::model::{Contention, Plan, Policy, Task, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Objective, Problem, partition};
use gpusched::verification::verify;
use rand::{Rng, RngExt};

/// Every test that is sustainable.
const POLICIES: [Policy; 14] = [
    Policy::Edf,
    Policy::NpEdf,
    Policy::LpEdf,
    Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::RateMonotonic),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::Given),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::Audsley),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::Limited, Priorities::DeadlineMonotonic),
    Policy::Density,
    Policy::Hyperbolic,
    Policy::LiuLayland,
    Policy::WorkCapacity,
    Policy::WorkCapacityDeadline,
];

/// The size of every group of tasks, bit by bit: the first m on which it passes; `None` beyond what is of use. A partition
/// may be larger than the GPU, as in a plan that does not fit.
fn sizes(problem: &Problem<'_>, n: usize) -> Vec<Option<u32>> {
    let alone = (0..n).map(|task| (1..=problem.sms()).find(|&sms| problem.accepts(&[task], sms)));
    let most: u32 = alone.flatten().sum();
    (0..1usize << n)
        .map(|group| {
            let tasks: Vec<usize> = (0..n).filter(|task| group & (1 << task) != 0).collect();
            (1..=most).find(|&sms| problem.accepts(&tasks, sms))
        })
        .collect()
}

/// The fewest SMs of any partitioning, each partition at most M: by exhaustion.
fn fewest(sizes: &[Option<u32>]) -> Option<u32> {
    let mut least = vec![Some(0); sizes.len()];
    for set in 1..sizes.len() {
        let first = set & set.wrapping_neg();
        let mut best: Option<u32> = None;
        let mut part = set;
        while part != 0 {
            if part & first != 0
                && let (Some(sms), Some(rest)) = (sizes[part], least[set ^ part])
            {
                best = Some(best.map_or(sms + rest, |best| best.min(sms + rest)));
            }
            part = (part - 1) & set;
        }
        least[set] = best;
    }
    least[sizes.len() - 1]
}

/// Every heuristic that aims for few SMs, with its options.
fn searches() -> Vec<Heuristic> {
    let mut all = Vec::new();
    for objective in [Objective::Sms, Objective::Feasible] {
        for kind in [
            HeuristicKind::Savings,
            HeuristicKind::Matching,
            HeuristicKind::Auto,
        ] {
            for improve in [false, true] {
                all.push(Heuristic {
                    objective,
                    improve,
                    budget: Some(2_000),
                    ..kind.into()
                });
            }
        }
        for kind in [
            HeuristicKind::Sms,
            HeuristicKind::Bf,
            HeuristicKind::OnePerPartition,
            HeuristicKind::Ffd,
        ] {
            all.push(Heuristic {
                objective,
                improve: true,
                budget: Some(500),
                ..kind.into()
            });
        }
    }
    all
}

/// A set whose WCETs in conflict are known only where those alone are: company never helps.
fn task_set(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    loop {
        let set = oracle::random_sets::task_set(rng, n, load);
        let known = |task: &Task, contention| task.wcet().at(1, contention).is_some();
        if set
            .tasks()
            .iter()
            .all(|task| known(task, Contention::Isolated) || !known(task, Contention::Conflict))
        {
            return set;
        }
    }
}

struct Case {
    set: TaskSet,
    sms: u32,
    policy: Policy,
    interference: Interference,
}

fn case(rng: &mut impl Rng, policy: Policy) -> Case {
    let sms = rng.random_range(1..=12);
    let n = rng.random_range(1..=8);
    let load = rng.random_range(0.1..0.9) * f64::from(sms);
    Case {
        set: task_set(rng, n, load),
        sms,
        policy,
        interference: [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.25))],
    }
}

fn check_bound(plan: &Plan, fewest: u32, what: &str) {
    let bound = plan.bound.as_ref().unwrap_or_else(|| panic!("no bound: {what}"));
    let by_prices = bound.prices.iter().sum::<u64>().div_ceil(UNITS_PER_SM);
    assert!(by_prices <= u64::from(fewest), "{by_prices} > {fewest}: {what}");
    match bound.proof {
        Proof::Prices => assert_eq!(by_prices.max(1), u64::from(bound.sms), "{what}"),
        Proof::Search => assert!(by_prices < u64::from(bound.sms), "{what}"),
    }
}

#[test]
fn the_optimum_is_that_of_exhaustive_search() {
    let mut rng = oracle::random_sets::rng(21);
    let (mut plans, mut none, mut gaps) = (0, 0, 0);
    for round in 0..2_400 {
        let Case {
            set,
            sms,
            policy,
            interference,
        } = case(&mut rng, POLICIES[round % POLICIES.len()]);
        let problem = Problem::new(&set, sms, policy, interference.model()).unwrap();
        let sizes = sizes(&problem, set.tasks().len());
        let fewest = fewest(&sizes);
        let what = format!(
            "{policy} {interference:?} on {sms}: {}",
            serde_json::to_string(&set).unwrap()
        );
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        let feasible = partition(
            &problem,
            &Heuristic {
                objective: Objective::Feasible,
                ..HeuristicKind::Optimal.into()
            },
        );
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        verify(&feasible, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        assert_eq!(
            feasible.schedulable,
            fewest.is_some_and(|fewest| fewest <= sms),
            "{what}"
        );
        assert_eq!(plan.schedulable, feasible.schedulable, "{what}");
        if matches!(
            plan.failure,
            Some(Failure::TaskDoesNotFit { .. } | Failure::WorkExceedsGpu)
        ) {
            none += 1;
            continue;
        }
        // Groups each fit on the GPU; whether all do together is the plan's affair.
        let fewest = fewest.unwrap_or_else(|| panic!("a task does not fit: {what}"));
        assert_eq!(plan.sms_used, fewest, "{what}");
        check_bound(&plan, fewest, &what);
        let bound = plan.bound.as_ref().unwrap();
        assert_eq!(bound.sms, fewest, "{what}");
        if !feasible.schedulable {
            assert_eq!(feasible.failure, Some(Failure::BoundExceedsGpu), "{what}");
        }
        plans += 1;
        for heuristic in searches() {
            let other = partition(&problem, &heuristic);
            let placed: usize = other.partitions.iter().map(|p| p.tasks.len()).sum();
            if placed == set.tasks().len() {
                gaps += usize::from(other.sms_used > fewest);
                assert!(other.sms_used >= fewest, "{heuristic:?}: {what}");
                assert_eq!(other.schedulable, other.sms_used <= sms, "{heuristic:?}: {what}");
            }
            verify(&other, &set).unwrap_or_else(|fault| panic!("{heuristic:?}: {fault}: {what}"));
        }
    }
    assert!(plans >= 2_000 && none > 20 && gaps > 100, "{plans} {none} {gaps}");
}

#[test]
fn no_bound_is_above_a_plan() {
    let mut rng = oracle::random_sets::rng(22);
    let (mut checks, mut tight) = (0, 0);
    for round in 0..700 {
        let n = rng.random_range(9..=20);
        let sms = rng.random_range(8..=40);
        let load = rng.random_range(0.3..0.8) * f64::from(sms);
        let set = task_set(&mut rng, n, load);
        let problem = Problem::new(
            &set,
            sms,
            POLICIES[round % POLICIES.len()],
            Interference::Conflict.model(),
        )
        .unwrap();
        // Whatever the budget: a bound holds wherever the search ends.
        let budget = [1, 300, 3_000, 30_000][round % 4];
        let optimal = partition(
            &problem,
            &Heuristic {
                budget: Some(budget),
                ..HeuristicKind::Optimal.into()
            },
        );
        let Some(bound) = &optimal.bound else {
            continue;
        };
        assert!(bound.sms <= optimal.sms_used);
        tight += usize::from(bound.sms == optimal.sms_used);
        for heuristic in searches() {
            let plan = partition(&problem, &heuristic);
            let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
            if placed < n {
                continue;
            }
            assert!(
                bound.sms <= plan.sms_used,
                "{heuristic:?} {}",
                serde_json::to_string(&set).unwrap()
            );
            checks += 1;
        }
    }
    assert!(checks >= 10_000 && tight > 50, "{checks} {tight}");
}
