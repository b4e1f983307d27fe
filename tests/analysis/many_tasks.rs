//! Plans for many tasks: `auto` compares no pairs above [`MANY`] tasks, and heuristics that store pairs have a limit.

use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::model::TaskSet;
use gpusched::partitioning::{HeuristicKind, MANY, Problem, partition};

fn many(tasks: usize, load: f64) -> TaskSet {
    let recipe: Recipe = serde_json::from_str(r#"{"wcet":"amdahl"}"#).unwrap();
    Source::new(&recipe, tasks, load, 7).unwrap().draw(0, 0).unwrap()
}

#[test]
fn auto_packs_many_tasks_near_the_lower_bound() {
    let set = many(MANY + 1, 20.0);
    for policy in ["edf", "np-edf", "np-fp"] {
        let problem = Problem::new(&set, 132, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Auto.into());
        assert!(plan.schedulable, "{policy}");
        let mut tasks: Vec<usize> = plan
            .partitions
            .iter()
            .flat_map(|part| part.tasks.clone())
            .collect();
        tasks.sort_unstable();
        assert!(tasks.into_iter().eq(0..set.tasks().len()), "{policy}");
        assert!(
            plan.partitions
                .iter()
                .all(|part| problem.accepts(&part.tasks, part.sms))
        );
        let bound = plan.bound.unwrap().sms;
        assert!(
            bound <= plan.sms_used && plan.sms_used <= bound + 20,
            "{policy}: {} SMs, bound {bound}",
            plan.sms_used
        );
        assert!(plan.stats.ended_by.is_some() || bound == plan.sms_used);
    }
}

#[test]
fn heuristics_that_store_pairs_have_a_limit() {
    for (kind, most) in [
        (HeuristicKind::Optimal, 5_000),
        (HeuristicKind::Savings, 5_000),
        (HeuristicKind::Matching, 5_000),
        (HeuristicKind::Sms, 20_000),
        (HeuristicKind::Bf, 20_000),
    ] {
        assert_eq!(kind.most_tasks(), Some(most));
        assert!(kind.check_tasks(most).is_ok());
        let refused = kind.check_tasks(most + 1).unwrap_err().to_string();
        let expected = format!(
            "tasks: found {} tasks, expected at most {most} for heuristic {kind}",
            most + 1
        );
        assert!(refused.starts_with(&expected), "{refused}");
    }
    assert!(HeuristicKind::Auto.check_tasks(usize::MAX).is_ok());
}
