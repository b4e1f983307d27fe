//! A heuristic of your own. It repeats SMS of [Singh21] (`fewest-sms`): partitions merge until they fit on the GPU.

use std::cmp::Reverse;

use gpusched::Policy;
use gpusched::generation::{Recipe, Source};
use gpusched::interference::Conflict;
use gpusched::partitioning::{HeuristicKind, Problem, Stated, partition};
use gpusched::study::own::{self, Answer, Fault, Question};

/// Returns the union of two partitions with the fewest SMs that suffice, or `None` if the union saves no SM.
fn merged(problem: &Problem<'_>, one: &Stated, other: &Stated) -> Option<Stated> {
    let mut tasks = [one.tasks.as_slice(), &other.tasks].concat();
    tasks.sort_unstable();
    let mut sizes = one.sms.max(other.sms)..one.sms + other.sms;
    let sms = sizes.find(|&sms| problem.accepts(&tasks, sms))?;
    Some(Stated { sms, tasks })
}

pub(crate) fn fewest_sms(question: &Question<'_>) -> Result<Answer, Fault> {
    let problem = question.problem;
    let smallest = |task| {
        let sms = (1..=problem.sms()).find(|&sms| problem.accepts(&[task], sms));
        sms.map(|sms| Stated {
            sms,
            tasks: vec![task],
        })
    };
    let singles = (0..problem.tasks().len()).map(smallest);
    let Some(mut parts) = singles.collect::<Option<Vec<_>>>() else {
        return Ok(Answer::Schedulable(false)); // a task misses its deadline on all SMs
    };
    while parts.iter().map(|part| part.sms).sum::<u32>() > problem.sms() {
        // The partition with the largest utilization merges with the partner whose union has the fewest SMs.
        let utilization = |part: &Stated| problem.utilization(&part.tasks, part.sms);
        parts.sort_by_key(|part| (Reverse(utilization(part)), part.tasks[0]));
        let union = parts.iter().find_map(|one| {
            let others = parts.iter().filter(|other| *other != one);
            let unions = others.filter_map(|other| Some((merged(problem, one, other)?, other.sms)));
            unions.min_by_key(|(union, saved)| (union.sms, Reverse(*saved)))
        });
        let Some((union, _)) = union else { break };
        parts.retain(|part| !union.tasks.contains(&part.tasks[0]));
        parts.push(union);
    }
    Ok(Answer::Partitions(parts))
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = Source::new(&Recipe::default(), 20, 24.0, 1)?.draw(0, 0)?;
    let problem = &Problem::new(&set, 44, Policy::Edf, &Conflict)?;
    let question = Question::new(&set, problem);
    let (plan, _) = own::plan("fewest-sms", &fewest_sms, &question)?;
    println!("{} partitions on {} SMs", plan.partitions.len(), plan.sms_used);
    let built_in = partition(problem, &HeuristicKind::Sms.into());
    assert_eq!(plan.partitions, built_in.partitions);
    Ok(())
}
