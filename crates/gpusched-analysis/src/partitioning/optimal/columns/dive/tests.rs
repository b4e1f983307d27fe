//! Compares dives with a search over all plans. Also compares a program after a selection with a new program.

use crate::interference::model_of;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::interference::Interference;
use crate::partitioning::optimal::bound::Bound;
use crate::partitioning::optimal::pricing::Pricing;
use crate::partitioning::optimal::pricing::tests::random_set;
use crate::partitioning::optimal::works::Works;
use crate::partitioning::problem::Problem;
use crate::partitioning::problem::hardware::Totals;
use crate::partitioning::search::GroupTester;
use crate::partitioning::search::budget::Budget;
use gpusched_model::Policy;
use gpusched_model::policy::{Preemption, Priorities};

const TASKS: usize = 8;

const DM: Policy = Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic);

/// Returns the fewest SMs of all plans, by dynamic programming over subsets.
fn fewest(sizes: &mut Sizes<'_, '_>) -> u32 {
    let groups: Vec<Option<u32>> = (0..1 << TASKS)
        .map(|set: usize| {
            let tasks: Vec<usize> = (0..TASKS).filter(|task| set >> task & 1 == 1).collect();
            (set > 0).then(|| sizes.smallest(&tasks, 1, 64)).flatten()
        })
        .collect();
    let mut best = vec![u32::MAX; 1 << TASKS];
    best[0] = 0;
    for covered in 1..best.len() {
        let first = covered & covered.wrapping_neg();
        let mut group = covered;
        while group > 0 {
            if let Some(sms) = groups[group].filter(|_| group & first != 0) {
                best[covered] = best[covered].min(best[covered & !group].saturating_add(sms));
            }
            group = (group - 1) & covered;
        }
    }
    best[best.len() - 1]
}

/// A dive ends with a plan that passes all tests. The plan never has fewer SMs than the optimum, and usually it has the
/// same number.
#[test]
fn dives_end_with_plans_and_most_often_with_the_best() {
    let rng = &mut ChaCha8Rng::seed_from_u64(21);
    let (mut dives, mut best) = (0, 0);
    for round in 0..120 {
        let set = random_set(rng, TASKS);
        let model = model_of([Interference::Conflict, Interference::None][round % 2]);
        let policy = [Policy::Edf, Policy::Edf, Policy::NpEdf, DM][round % 4];
        let problem = Problem::new(&set, 24, policy, model).unwrap();
        let mut tester = GroupTester::new(&problem);
        let mut sizes = Sizes::new(&mut tester, Budget::new(u64::MAX, None));
        let alone: Option<Vec<u32>> = (0..TASKS).map(|task| sizes.smallest(&[task], 1, 64)).collect();
        let Some(alone) = alone else { continue };
        let works = Works::new(&problem);
        let mut pricing = Pricing::new(&problem, &works);
        let mut columns = Columns::new(alone, Vec::new());
        let mut bound = Bound::of_work(&works, TASKS, Totals::all());
        columns.approach(&mut sizes, (&works, &mut pricing), &mut bound, u32::MAX);
        let plan = columns
            .plan_below(&mut sizes, (&works, &mut pricing), u32::MAX)
            .unwrap();
        let mut covered: Vec<usize> = plan.iter().flat_map(|part| &part.tasks).copied().collect();
        covered.sort_unstable();
        assert_eq!(covered, (0..TASKS).collect::<Vec<_>>(), "round {round}");
        for part in &plan {
            let verdict = problem.verdict(&part.tasks, problem.sms_of(part.sms));
            assert!(verdict.schedulable, "round {round}: {part:?}");
        }
        let fewest = fewest(&mut sizes);
        assert!(total(&plan) >= fewest, "round {round}");
        dives += 1;
        best += u32::from(total(&plan) == fewest);
        // A dive for a plan with fewer SMs than the optimum finds no plan.
        let less = columns.plan_below(&mut sizes, (&works, &mut pricing), fewest);
        assert_eq!(less, None, "round {round}");
    }
    assert!(dives > 60 && best * 20 > dives * 19, "{best} of {dives}");
}

/// A program with selected groups at cost 0 has the value of a new program for the remaining tasks. The prices of both
/// programs have the same sum.
#[test]
fn what_is_paid_for_leaves_the_program_of_the_rest() {
    let rng = &mut ChaCha8Rng::seed_from_u64(22);
    for round in 0..200 {
        let tasks = rng.random_range(3..=12);
        let alone = vec![1; tasks]; // every group costs at least as much as each of its tasks
        let groups: Vec<Part> = (0..rng.random_range(3..40))
            .map(|_| {
                let mut group: Vec<usize> = (0..4).map(|_| rng.random_range(0..tasks)).collect();
                group.sort_unstable();
                group.dedup();
                Part {
                    sms: rng.random_range(1..=4),
                    tasks: group,
                }
            })
            .collect();
        let mut left = vec![true; tasks];
        let mut rest = Rest::new(&alone, &left, groups.clone());
        assert!(rest.master.solve(|_| false));
        for _ in 0..3 {
            for column in rest.surest(&left) {
                rest.groups[column]
                    .tasks
                    .iter()
                    .for_each(|&task| left[task] = false);
                rest.master.pay(column);
            }
            assert!(rest.master.solve(|_| false));
            let mut anew = Rest::new(&alone, &left, groups.clone());
            assert!(anew.master.solve(|_| false));
            let value = |rest: &Rest| rest.master.prices().iter().sum::<f64>();
            let (paid, anew) = (value(&rest), value(&anew));
            assert!((paid - anew).abs() < 1e-3, "round {round}: {paid} {anew}");
            let prices = rest.prices(&alone);
            assert!(
                (0..tasks).all(|task| left[task] || prices[task] <= 1),
                "round {round}"
            );
        }
    }
}

/// If the solution of a program stops because of the time limit, it can continue later.
#[test]
fn a_program_that_is_late_can_go_on() {
    let pairs = (0..30).map(|pair| Part {
        sms: 1,
        tasks: vec![2 * pair, 2 * pair + 1],
    });
    let mut rest = Rest::new(&[1; 60], &[true; 60], pairs.collect());
    assert!(!rest.master.solve(|_| true));
    assert!(rest.master.solve(|_| false));
    let value: f64 = rest.master.prices().iter().sum();
    assert!((value - 30.0).abs() < 1e-6, "{value}");
}
