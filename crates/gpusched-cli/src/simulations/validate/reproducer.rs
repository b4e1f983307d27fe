//! The command that shows a counterexample of the validation.

use gpusched_model::TaskSet;
use gpusched_sim::tasks::Pattern;
use gpusched_sim::validation::Reproducer;

/// Returns the arguments of `gpusched` that show the counterexample `found`. FILE stands for the file of the task set.
pub fn arguments(found: &Reproducer) -> String {
    let (partition, interference) = (&found.partition, found.interference);
    let Pattern {
        offsets,
        jitter,
        arrivals,
        blocker,
    } = found.run.pattern;
    let mut text = format!(
        "simulate tasks FILE --sms {} --policy {} --interference {interference} --offsets {offsets} --jitter {jitter} --arrivals {arrivals}",
        partition.sms, partition.policy
    );
    if let Some(blocker) = blocker {
        text += &format!(" --blocker {blocker}");
    }
    if let Some(starved) = found.run.starved {
        text += &format!(" --starve {starved}");
    }
    if found.run.short {
        text += " --times short";
    }
    text + &format!(" --seed {}", partition.seed)
}

/// Returns the tasks of the counterexample `found`. The name of the set is the command that shows the violation.
pub fn set(found: &Reproducer) -> TaskSet {
    let set = &found.partition.set;
    let name = format!("gpusched {}", arguments(found));
    TaskSet::new(Some(name), set.tasks().to_vec()).unwrap_or_else(|_| set.clone())
}
