//! The command gpusched with a heuristic of your own, which takes part in each study that the command runs.

use gpusched::partitioning::Stated;
use gpusched::study::own::{Answer, Fault, Question, Registry};

/// Adds each task to the partition that then needs the fewest further SMs.
pub(crate) fn mine(question: &Question<'_>) -> Result<Answer, Fault> {
    let problem = question.problem;
    let smallest = |tasks: Vec<usize>| {
        let sms = (1..=problem.sms()).find(|&sms| problem.accepts(&tasks, sms))?;
        Some(Stated { sms, tasks })
    };
    let mut parts: Vec<Stated> = Vec::new();
    for task in 0..problem.tasks().len() {
        let choices = (0..=parts.len()).filter_map(|index| {
            let (sms, mut tasks) = parts.get(index).map_or((0, vec![]), |p| (p.sms, p.tasks.clone()));
            tasks.push(task);
            smallest(tasks).map(|part| (part.sms.saturating_sub(sms), index, part))
        });
        let Some((_, index, part)) = choices.min_by_key(|choice| choice.0) else {
            return Ok(Answer::Schedulable(false));
        };
        parts.splice(index..parts.len().min(index + 1), [part]);
    }
    Ok(Answer::Partitions(parts))
}

fn main() -> std::process::ExitCode {
    gpusched::command(Registry::default().with("mine", "version 1", mine))
}
