//! Compares the heuristics and `optimal` with an enumeration of every partitioning.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::Policy;
use gpusched::model::device::Granularity;
use gpusched::model::plan::Failure;
use gpusched::model::policy::{Preemption, Priorities};
use gpusched::partitioning::{Heuristic, HeuristicKind, Objective, Offer, Options, Problem, partition};
use gpusched::verification::verify;
use rand::RngExt;

use crate::granularity::{GRANULARITIES, Small, partitionings};
use crate::oracle::random_sets;
use crate::support::rounds;

const POLICIES: [Policy; 6] = [
    Policy::Edf,
    Policy::NpEdf,
    Policy::LpEdf,
    Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
    Policy::Density,
    Policy::WorkCapacity,
];

fn heuristics() -> Vec<Heuristic> {
    use HeuristicKind::{Auto, Bf, Ffd, Matching, OneGpu, OnePerPartition, Optimal, Savings, Sms, Wfd};
    let kinds = [
        Sms,
        Bf,
        Savings,
        Matching,
        Auto,
        Optimal,
        OneGpu,
        OnePerPartition,
        Ffd,
        Wfd,
    ];
    // The search effort is sufficient for six tasks, and small if the test needs no proof of the
    // fewest SMs.
    let budget = |kind| match kind {
        Auto => Some(5_000),
        Optimal => Some(40_000),
        _ => None,
    };
    let with_budget = |kind| Options {
        search_effort: budget(kind),
        ..Options::default()
    };
    let improved = Options {
        improve: true,
        search_effort: Some(300),
        ..Options::default()
    };
    let feasible = Options {
        objective: Some(Objective::Feasible),
        ..with_budget(Optimal)
    };
    let all = kinds.map(|kind| (kind, with_budget(kind))).into_iter();
    let all = all.chain([Sms, Ffd, Savings].map(|kind| (kind, improved)));
    let all = all.chain([(Optimal, feasible)]);
    all.map(|(kind, options)| kind.with(&options).unwrap()).collect()
}

#[test]
fn plans_are_those_that_exist_and_the_optimum_is_one_of_them() {
    let mut rng = random_sets::rng(31);
    let (mut found, mut none, mut rounded, mut missed) = ([0; 6], [0; 6], 0, 0);
    let (mut stated, mut confirmed, mut best) = (0, 0, [0; 6]);
    let systems = rounds(2_400);
    for round in 0..systems {
        let small = Small::random(&mut rng);
        let n = rng.random_range(1..=6);
        let load = rng.random_range(0.1..0.8) * f64::from(small.sms());
        let set = random_sets::known_alone(&mut rng, n, load);
        let policy = POLICIES[round / 6 % POLICIES.len()];
        let free = Problem::new(&set, small.sms(), policy, model_of(Interference::Conflict)).unwrap();
        let all = partitionings(n, free.sms(), |tasks, sms| free.accepts(tasks, sms));
        let which = round % 6;
        let granularity = GRANULARITIES[which];
        let what = format!(
            "{granularity} {policy} {:?} {}",
            small.device,
            serde_json::to_string(&set).unwrap()
        );
        let least = all
            .iter()
            .filter_map(|groups| small.least(granularity, groups))
            .min();
        let unrounded: Option<u32> = all.iter().map(|groups| groups.iter().sum()).min();
        rounded += usize::from(least.is_some() && least > unrounded);
        let offer = Offer::new(&small.device, granularity).unwrap();
        let problem = free.offered(&offer).unwrap();
        for heuristic in heuristics() {
            let plan = partition(&problem, &heuristic);
            if heuristic.kind() == HeuristicKind::Auto && least.is_some() {
                best[which] += usize::from(plan.schedulable && Some(plan.sms_used) == least);
            }
            let verified =
                verify(&plan, &set).unwrap_or_else(|fault| panic!("{heuristic:?}: {fault}: {what}"));
            if let (Some(bound), true) = (&verified.bound, granularity != Granularity::Sm) {
                stated += 1;
                confirmed += usize::from(bound.proven == Some(bound.stated));
                assert!(bound.proven.is_some(), "{bound:?}: {what}");
                let total = (bound.stated..).find(|&sms| small.is_total(granularity, sms));
                assert_eq!(total, Some(bound.stated), "{what}");
            }
            if plan.schedulable {
                let least = least.unwrap_or_else(|| panic!("{heuristic:?}: no plan exists: {what}"));
                assert!(plan.sms_used >= least, "{heuristic:?}: {what}");
            }
            if let Some(bound) = &plan.bound {
                assert!(
                    least.is_none_or(|least| bound.sms <= least),
                    "{heuristic:?}: {what}"
                );
            }
            match plan.failure {
                None | Some(Failure::HeuristicFailed) => {}
                Some(_) => assert_eq!(least, None, "{heuristic:?}: {what}"),
            }
            if heuristic.kind() != HeuristicKind::Optimal {
                continue;
            }
            let fewest = heuristic.objective() == Objective::Sms;
            let placed = matches!(granularity, Granularity::Gpc | Granularity::Mig);
            if placed && !fewest {
                missed += usize::from(least.is_some() && !plan.schedulable);
                continue;
            }
            assert_eq!(plan.schedulable, least.is_some(), "{what}");
            if fewest && let Some(least) = least {
                assert_eq!(plan.sms_used, least, "{what}");
            }
        }
        match least {
            Some(_) => found[which] += 1,
            None => none[which] += 1,
        }
    }
    assert!(found.iter().all(|&count| count >= rounds(60)), "{found:?}");
    assert!(none.iter().all(|&count| count >= rounds(30)), "{none:?}");
    assert!(rounded > rounds(200), "{rounded}");
    assert!(
        stated > rounds(200) && confirmed * 10 > stated * 9,
        "{confirmed} of {stated}"
    );
    // On GPCs and instances, every plan counts, and the heuristics miss few plans.
    assert!(missed * 10 <= found[2] + found[5], "{missed} of {found:?}");
    // The default heuristic finds the fewest SMs in almost all cases.
    for (best, found) in best.into_iter().zip(found) {
        assert!(best * 100 >= found * 95, "{best} of {found}");
    }
    eprintln!("auto {best:?} of {found:?}; bounds {confirmed} of {stated}");
}
