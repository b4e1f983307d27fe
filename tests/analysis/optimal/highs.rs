//! HiGHS over all candidate partitions is the reference where exhaustive search takes too long. Its results within a
//! search prove nothing.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::partitioning::{Goal, Heuristic, HeuristicKind, Problem, SearchLimits, Solver, partition};
use gpusched::verification::verify;
use highs::{ColProblem, HighsModelStatus, Sense};
use rand::RngExt;

use super::POLICIES;
use super::exhaustive::{fewest, sizes};
use crate::oracle;
use crate::oracle::random_sets::known_alone;

/// Returns the fewest SMs of candidate partitions of these sizes, indexed by task bits, that cover `n` tasks.
fn oracle_of(sizes: &[Option<u32>], n: usize) -> Option<u32> {
    let mut problem = ColProblem::new();
    let rows: Vec<highs::Row> = (0..n).map(|_| problem.add_row(1..=1)).collect();
    for (group, sms) in sizes.iter().enumerate().skip(1) {
        if let Some(sms) = sms {
            let factors = (0..n).filter(|task| group & (1 << task) != 0);
            problem.add_integer_column(f64::from(*sms), 0..=1, factors.map(|task| (rows[task], 1.0)));
        }
    }
    let mut model = problem.optimise(Sense::Minimise);
    model.set_option("threads", 1);
    let solved = model.solve();
    match solved.status() {
        HighsModelStatus::Optimal => Some(solved.objective_value().round() as u32),
        HighsModelStatus::Infeasible => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_oracle_is_exhaustive_search() {
    let mut rng = oracle::random_sets::rng(31);
    let mut plans = 0;
    for round in 0..60 {
        let n = rng.random_range(3..=8);
        let set = known_alone(&mut rng, n, 4.0);
        let policy = POLICIES[round % POLICIES.len()];
        let problem = Problem::new(&set, 12, policy, model_of(Interference::Conflict)).unwrap();
        let sizes = sizes(&problem, n);
        assert_eq!(oracle_of(&sizes, n), fewest(&sizes));
        plans += usize::from(fewest(&sizes).is_some());
    }
    assert!(plans > 40, "{plans}");
}

#[test]
fn the_optimum_is_that_of_highs_over_all_groups() {
    let mut rng = oracle::random_sets::rng(32);
    let (mut optima, mut claims) = (0, 0);
    for round in 0..84 {
        let n = rng.random_range(9..=12);
        let sms = rng.random_range(8..=20);
        let load = rng.random_range(0.3..0.8) * f64::from(sms);
        let set = known_alone(&mut rng, n, load);
        let policy = POLICIES[round % POLICIES.len()];
        let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
        let what = format!("{policy} on {sms}: {}", serde_json::to_string(&set).unwrap());
        let exact = partition(&problem, &HeuristicKind::Optimal.into());
        let Some(bound) = &exact.bound else {
            continue; // a lemma gave the result
        };
        let oracle = oracle_of(&sizes(&problem, n), n).unwrap_or_else(|| panic!("{what}"));
        assert_eq!((exact.sms_used, bound.sms), (oracle, oracle), "{what}");
        optima += 1;
        // With every search effort, HiGHS finds plans, and its claims are true.
        for budget in [300, 3_000, 10_000_000] {
            let asked = Heuristic::Optimal {
                goal: Goal::default(),
                limits: SearchLimits {
                    budget: Some(budget),
                    time: None,
                },
                solver: Solver::Highs,
            };
            let plan = partition(&problem, &asked);
            let again = partition(&problem, &asked);
            assert_eq!(
                (&plan.partitions, &plan.bound),
                (&again.partitions, &again.bound),
                "{what}"
            );
            let bound = plan.bound.as_ref().unwrap();
            assert!(plan.sms_used >= oracle && bound.sms <= oracle, "{what}");
            if budget == 10_000_000 {
                assert_eq!((plan.sms_used, bound.sms), (oracle, oracle), "{what}");
            }
            if let Some(claimed) = bound.highs {
                assert!(bound.sms < claimed && claimed <= oracle, "{what}");
                claims += 1;
            }
            let verified = verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
            assert_eq!(verified.bound.unwrap().highs, bound.highs, "{what}");
        }
    }
    assert!(optima > 60, "{optima} {claims}");
}
