//! A schedulability test of your own: the density of all tasks in one partition. It is compared with the exact test.

use gpusched::Policy;
use gpusched::generation::{Recipe, Source};
use gpusched::interference::Conflict;
use gpusched::model::utilization::Utilization;
use gpusched::partitioning::Problem;
use gpusched::study::own::{Answer, Fault, OwnAlgorithm, Question};

/// Accepts the tasks if the sum of C/min(D, T) is at most 1 on all SMs. Each summand is rounded up.
pub(crate) fn density(question: &Question<'_>) -> Result<Answer, Fault> {
    let problem = question.problem;
    let all: Vec<usize> = (0..problem.tasks().len()).collect();
    let Ok(demands) = problem.demands(&all, problem.sms()) else {
        return Ok(Answer::Schedulable(false)); // a WCET is unknown
    };
    let density = demands
        .iter()
        .map(|task| Utilization::at_most(task.wcet, task.deadline.min(task.period)));
    Ok(Answer::Schedulable(
        density.sum::<Utilization>() <= Utilization::ONE,
    ))
}

pub(crate) fn main() -> Result<(), Fault> {
    let source = Source::new(&Recipe::default(), 5, 3.0, 1)?;
    let (mut dense, mut exact) = (0, 0);
    for index in 0..100 {
        let set = source.draw(0, index)?;
        let problem = &Problem::new(&set, 8, Policy::Edf, &Conflict)?;
        let answer = density.answer(&Question::new(&set, problem))?;
        let schedulable = problem.accepts(&[0, 1, 2, 3, 4], 8);
        assert!(
            answer == Answer::Schedulable(false) || schedulable,
            "the test accepts an unschedulable set"
        );
        dense += usize::from(answer == Answer::Schedulable(true));
        exact += usize::from(schedulable);
    }
    println!("of 100 sets, the density accepts {dense}, and the exact test accepts {exact}");
    assert!(0 < dense && dense < exact);
    Ok(())
}
