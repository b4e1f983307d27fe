//! Guarantee: `margin` finds the largest factor for all WCETs on the fewest SMs, and its limit holds for every plan.

use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::model::plan::{Failure, LARGEST_SCALING, Margin, UNITS_PER_SM};
use gpusched::model::policy::{Preemption, Priorities};
use gpusched::model::{Arbitration, Plan, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Objective, Options, Problem, partition, sensitivity};
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;
use gpusched::verification::verify;
use rand::RngExt;

use crate::oracle::random_sets;
use crate::support::rounds;

const POLICIES: [Policy; 8] = [
    Policy::Edf,
    Policy::NpEdf,
    Policy::LpEdf,
    Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::Audsley),
    Policy::Density,
    Policy::WorkCapacity,
];

/// Partitions with `kind` and the objective `margin`.
pub fn widest(problem: &Problem<'_>, kind: HeuristicKind) -> Plan {
    let options = Options {
        objective: Some(Objective::Margin),
        ..Options::default()
    };
    partition(problem, &kind.with(&options).unwrap())
}

/// Returns whether `tasks` pass on `sms` SMs with WCETs, longest blocks and work scaled by `permille`/1000, rounded up.
pub fn passes(problem: &Problem<'_>, policy: Policy, tasks: &[usize], sms: u32, permille: u64) -> bool {
    let times = |time: Time| Time::from_ns((time.ns() * permille).div_ceil(1000));
    let scaled = |demand: &Demand| Demand {
        wcet: times(demand.wcet),
        block: times(demand.block),
        least_work: (demand.least_work * u128::from(permille)).div_ceil(1000),
        ..*demand
    };
    problem.demands(tasks, sms).is_ok_and(|demands| {
        let demands: Vec<Demand> = demands.iter().map(scaled).collect();
        schedulability::test(policy, &demands, sms).schedulable
    })
}

/// Returns the largest factor on the grid that `passes`, or 0 if 1000 fails.
pub fn largest(passes: impl Fn(u64) -> bool) -> u64 {
    if !passes(1000) {
        return 0;
    }
    let (mut low, mut high) = (1000, LARGEST_SCALING + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match passes(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Returns the largest factor of any plan per number of SMs, over every partitioning of the tasks and every division of
/// the SMs.
fn by_exhaustion(problem: &Problem<'_>, n: usize, factor: impl Fn(&[usize], u32) -> u64) -> Vec<u64> {
    let sms = problem.sms() as usize;
    let factors: Vec<Vec<u64>> = (0..1usize << n)
        .map(|group| {
            let tasks: Vec<usize> = (0..n).filter(|task| group & (1 << task) != 0).collect();
            (0..=problem.sms())
                .map(|sms| match (tasks.is_empty(), sms) {
                    (true, _) | (_, 0) => 0,
                    _ => factor(&tasks, sms),
                })
                .collect()
        })
        .collect();
    // best[set][m]: the best factor for all tasks of the set on m SMs together.
    let mut best = vec![vec![0; sms + 1]; 1 << n];
    best[0] = vec![u64::MAX; sms + 1];
    for set in 1..1usize << n {
        let first = set & set.wrapping_neg();
        let mut group = set;
        while group != 0 {
            if group & first != 0 {
                for all in 0..=sms {
                    for own in 1..=all {
                        let found = factors[group][own].min(best[set ^ group][all - own]);
                        best[set][all] = best[set][all].max(found);
                    }
                }
            }
            group = (group - 1) & set;
        }
    }
    best.pop().unwrap()
}

#[test]
fn the_margin_is_that_of_exhaustive_search() {
    let mut rng = random_sets::rng(71);
    let (mut plans, mut none, mut spare, mut scanned, mut of_auto) = (0, 0, 0, 0, 0);
    for round in 0..rounds(500) {
        let policy = POLICIES[round % POLICIES.len()];
        let sms = rng.random_range(1..=8);
        let n = rng.random_range(1..=5);
        let load = rng.random_range(0.1..0.7) * f64::from(sms);
        let set = random_sets::known_alone(&mut rng, n, load);
        let interference = [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.25))];
        let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
        let what = format!(
            "{policy} {interference} on {sms}: {}",
            serde_json::to_string(&set).unwrap()
        );
        let all = by_exhaustion(&problem, n, |tasks, sms| {
            largest(|permille| passes(&problem, policy, tasks, sms, permille))
        });
        let best = all[sms as usize];
        let plan = widest(&problem, HeuristicKind::Optimal);
        let auto = widest(&problem, HeuristicKind::Auto);
        for plan in [&plan, &auto] {
            let verified = verify(plan, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
            if let Some(margin) = verified.margin {
                assert!(margin.confirmed, "{what}");
            }
        }
        if best == 0 {
            assert!(!plan.schedulable && plan.margin.is_none(), "{what}");
            none += 1;
            continue;
        }
        let margin = plan.margin.as_ref().unwrap();
        assert_eq!(margin.wcet_scaling_permille, best, "{what}");
        assert!(margin.is_largest(), "{margin:?}: {what}");
        let fewest = all.iter().position(|&factor| factor >= best).unwrap();
        assert_eq!(plan.sms_used as usize, fewest, "{what}");
        if let Some(bound) = &margin.bound {
            assert!(
                bound.sms > sms && margin.limit == Some(Failure::BoundExceedsGpu),
                "{what}"
            );
            assert!(
                bound.prices.iter().sum::<u64>() <= u64::from(bound.sms) * UNITS_PER_SM,
                "{what}"
            );
        }
        let edge = sensitivity(&problem, &plan).unwrap();
        assert_eq!(edge.wcet_scaling_permille, best, "{what}");
        let quick = auto.margin.as_ref().unwrap();
        assert!(
            quick.wcet_scaling_permille <= best && best <= quick.at_most_permille,
            "{quick:?}: {what}"
        );
        of_auto += usize::from(quick.wcet_scaling_permille == best);
        // All smaller factors pass, so the bisection did not miss a smaller limit.
        if round % 40 < 8 && best < 4_000 {
            let pairs = plan.partitions.iter().map(|part| (&part.tasks[..], part.sms));
            for (tasks, sms) in pairs {
                assert!(
                    (1000..=best).all(|permille| passes(&problem, policy, tasks, sms, permille)),
                    "{what}"
                );
            }
            scanned += 1;
        }
        spare += usize::from(plan.sms_used < sms);
        plans += 1;
    }
    assert!(
        plans > rounds(300) && none > rounds(10) && spare >= rounds(10) && scanned > rounds(30),
        "{plans} {none} {spare} {scanned}"
    );
    assert!(of_auto * 100 > plans * 95, "{of_auto} of {plans}");
}

/// For sets of 50 tasks, the limit is at most 2 % above the factor of the plan. `verify` confirms the factor.
/// `cargo bench --bench margin` measures more sets, and the time.
#[test]
fn fifty_tasks_have_a_gap_of_at_most_two_percent() {
    let dm = Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic);
    let systems = [
        (8.0, 32, Policy::Edf),
        (12.0, 24, Policy::Edf),
        (12.0, 40, Policy::Edf),
        (20.0, 60, Policy::Edf),
        (34.0, 132, Policy::Edf),
        (20.0, 60, Policy::NpEdf),
        (20.0, 60, dm),
    ];
    for (utilization, sms, policy) in systems {
        let source = Source::new(&Recipe::default(), 50, utilization, 77).unwrap();
        for number in [0, 2].into_iter().take(rounds(10)) {
            let set = source.draw(0, number).unwrap();
            let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
            let plan = widest(&problem, HeuristicKind::Auto);
            let margin = plan.margin.as_ref().unwrap();
            let what = format!("{policy} U={utilization} M={sms} set {number}: {margin:?}");
            assert!(margin.gap_thousandths_of_percent() <= 2_000, "{what}");
            let checked = verify(&plan, &set).unwrap().margin.unwrap();
            assert!(checked.confirmed, "{what}");
            // The verifier has its own pricing, which confirms limits only for preemptive EDF in reasonable time.
            if policy == Policy::Edf {
                assert_eq!(checked.limit, Ok(()), "{what}");
            }
        }
    }
}

/// With memory traffic, the plan passes at its stated factor and fails one step above the factor.
/// The stated limit also holds for plans without traffic.
#[test]
fn beside_traffic_the_plan_passes_at_its_factor() {
    let json = r#"{"tasks":[
        {"period":"10ms","traffic":"10MB","bandwidth":"20GB/s","wcet":{"table":[[1,"4ms"],[2,"2ms"]]}},
        {"period":"20ms","traffic":"20MB","bandwidth":"20GB/s","wcet":{"table":[[1,"5ms"],[3,"3ms"]]}},
        {"period":"40ms","traffic":"40MB","bandwidth":"20GB/s","wcet":{"table":[[1,"9ms"],[2,"8ms"]]}}]}"#;
    let set: TaskSet = serde_json::from_str(json).unwrap();
    let memory = SharedMemory::new("30GB/s".parse().unwrap(), Arbitration::Any);
    let alone = Problem::new(&set, 4, Policy::Edf, model_of(Interference::None)).unwrap();
    let beside = alone.sharing(memory).unwrap();
    let (free, held_up) = (
        widest(&alone, HeuristicKind::Auto),
        widest(&beside, HeuristicKind::Auto),
    );
    verify(&held_up, &set).unwrap();
    let margin = |plan: &Plan| plan.margin.clone().unwrap();
    assert!(margin(&held_up).wcet_scaling_permille < margin(&free).wcet_scaling_permille);
    assert!(margin(&held_up).at_most_permille >= margin(&free).wcet_scaling_permille);
    let edge = sensitivity(&beside, &held_up).unwrap();
    assert_eq!(edge.wcet_scaling_permille, margin(&held_up).wcet_scaling_permille);
}

/// A factor that the plan does not support and a limit without proof are rejected.
#[test]
fn wrong_margins_are_refused() {
    let json = r#"{"tasks":[
        {"period":10,"wcet":{"table":[[1,6],[2,4]]}}, {"period":10,"wcet":{"table":[[1,5],[2,3]]}}]}"#;
    let set: TaskSet = serde_json::from_str(json).unwrap();
    let problem = Problem::new(&set, 3, Policy::Edf, model_of(Interference::None)).unwrap();
    let plan = widest(&problem, HeuristicKind::Optimal);
    let margin = plan.margin.clone().unwrap();
    assert_eq!(
        (margin.wcet_scaling_permille, margin.at_most_permille),
        (2000, 2000)
    );
    let verified = verify(&plan, &set).unwrap().margin.unwrap();
    assert!(verified.confirmed && verified.limit.is_ok());
    let fault = |change: fn(&mut Margin)| {
        let mut plan = plan.clone();
        change(plan.margin.as_mut().unwrap());
        verify(&plan, &set).unwrap_err().field
    };
    let permille = "margin.wcet_scaling_permille";
    assert_eq!(fault(|margin| margin.wcet_scaling_permille = 2001), permille);
    assert_eq!(fault(|margin| margin.wcet_scaling_permille = 999), permille);
    assert_eq!(
        fault(|margin| margin.at_most_permille = 1999),
        "margin.at_most_permille"
    );
    assert_eq!(fault(|margin| margin.limit = None), "margin.bound");
    assert_eq!(
        fault(|margin| margin.limit = Some(Failure::WorkExceedsGpu)),
        "margin.bound"
    );
}
