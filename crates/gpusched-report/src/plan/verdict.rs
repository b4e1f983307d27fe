//! The result of the verifier in words.

use gpusched_model::plan::{Failure, Plan};
use gpusched_model::policy::Strength;
use gpusched_model::{TaskSet, counted};
use gpusched_verify::{CheckedBound, CheckedMargin, Conclusion, Fault, Taken, Verified};

use crate::assumptions::{Assumptions, Claim};
use crate::verdict::{Check, Verdict};
use crate::view::Tone;

/// Result of the verifier: its findings and what they prove, or the first fault.
pub type Checked<'p> = Result<(Verified, Taken, Conclusion<'p>), Fault>;

/// Returns the name of the task in parentheses.
pub fn naming(set: &TaskSet, task: Option<usize>) -> String {
    let name = task.and_then(|task| set.tasks().get(task)?.name());
    name.map_or_else(String::new, |name| format!(" (task {name})"))
}

/// Returns the verdict on `plan`.
pub fn of(plan: &Plan, set: &TaskSet, checked: &Checked<'_>) -> Verdict {
    let (tone, word, sentence) = headline(plan, set, checked);
    Verdict {
        tone,
        word: word.to_owned(),
        sentence,
        checks: checks(plan, checked),
        positive: matches!(checked, Ok((.., Conclusion::Schedulable))),
    }
}

/// Returns the names of the policies of `plan`, each with its meaning, and the assumptions, as conditions of a claim.
fn conditions(plan: &Plan) -> String {
    let mut names: Vec<String> = Vec::new();
    for policy in plan.partitions.iter().map(|partition| partition.verdict.policy) {
        let name = format!("{policy} ({})", policy.meaning());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => "under the assumptions below".to_owned(),
        false => format!("under {} and the assumptions below", names.join(", ")),
    }
}

fn headline(plan: &Plan, set: &TaskSet, checked: &Checked<'_>) -> (Tone, &'static str, String) {
    let tasks = counted(set.tasks().len(), "task");
    let gpu = counted(plan.gpu_sms, "SM");
    let conclusion = match checked {
        Err(fault) => {
            let sentence = format!(
                "The verifier refuses the plan at {fault}. The page shows the statements of the plan, which are not proven."
            );
            return (Tone::Bad, "Refused", sentence);
        }
        Ok((.., conclusion)) => conclusion,
    };
    match conclusion {
        Conclusion::Schedulable => {
            let sentence = format!(
                "All {tasks} meet all deadlines on {} of {gpu}, {}.",
                plan.sms_used,
                conditions(plan)
            );
            (Tone::Good, "Schedulable", sentence)
        }
        Conclusion::Necessary => {
            let sentence = "The tasks pass a test that is only a necessary condition. The plan does not prove that they meet their deadlines.";
            (Tone::Open, "Not proven", sentence.to_owned())
        }
        Conclusion::Tested(_) => {
            let sentence = "The memory times of the plan are only tested. The plan does not prove that the tasks meet their deadlines. \
                            `gpusched verify` can accept the form of the memory times.";
            (Tone::Open, "Not proven", sentence.to_owned())
        }
        Conclusion::SerialSum => {
            let sentence = "Kernels of a partition run together, and their common rate is only tested. The plan does not prove that the \
                            tasks meet their deadlines. `gpusched verify` can accept this assumption.";
            (Tone::Open, "Not proven", sentence.to_owned())
        }
        Conclusion::NoPlan(Failure::BoundExceedsGpu) => {
            let mut partitions = plan.partitions.iter();
            let sentence = match partitions
                .any(|partition| partition.verdict.strength == Strength::Sufficient)
            {
                true => format!(
                    "No plan that passes this sufficient test fits on {gpu}, {}. The tasks may still be schedulable.",
                    conditions(plan)
                ),
                false => format!("No plan for these tasks fits on {gpu}, {}.", conditions(plan)),
            };
            (Tone::Bad, "Not schedulable", sentence)
        }
        Conclusion::NoPlan(failure) => {
            let sentence = format!(
                "{failure}{}. The claim holds {}.",
                naming(set, failure.task()),
                conditions(plan)
            );
            (Tone::Bad, "Not schedulable", upper(&sentence))
        }
        Conclusion::Unconfirmed => {
            let sentence = format!(
                "The plan claims that no plan fits on {gpu}. The verifier does not confirm this claim."
            );
            (Tone::Open, "No plan", sentence)
        }
        Conclusion::Open => {
            let excess = match plan.sms_used > plan.gpu_sms {
                true => format!(
                    " The partitions that it tried need {}, but the GPU has {gpu}.",
                    counted(plan.sms_used, "SM")
                ),
                false => String::new(),
            };
            let sentence = format!(
                "The heuristic found no plan where all tasks meet their deadlines.{excess} Another plan may still exist."
            );
            (Tone::Bad, "No plan found", sentence)
        }
    }
}

/// Returns `sentence` with a capital letter at its start.
fn upper(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn checks(plan: &Plan, checked: &Checked<'_>) -> Vec<Check> {
    let (verified, taken, conclusion) = match checked {
        Err(fault) => {
            let text = format!("At `{}`: {}.", fault.field, fault.message);
            return vec![Check::new(Tone::Bad, "refused", text)];
        }
        Ok(found) => found,
    };
    let mut checks = Vec::new();
    let partitions = counted(plan.partitions.len(), "partition");
    checks.push(match conclusion {
        Conclusion::Schedulable => {
            let text = format!("Separate code recomputed the plan and its evidence for {partitions}.");
            Check::new(Tone::Good, "proven", text)
        }
        Conclusion::Necessary => {
            let text = "Deadlines: the test of the plan is only a necessary condition.".to_owned();
            Check::new(Tone::Open, "not proven", text)
        }
        Conclusion::Tested(time) => {
            let text = format!(
                "Deadlines: memory times of the form {} are only tested.",
                time.form
            );
            Check::new(Tone::Open, "not proven", text)
        }
        Conclusion::SerialSum => {
            let text = "Deadlines: the common rate of kernels that run together is only tested.".to_owned();
            Check::new(Tone::Open, "not proven", text)
        }
        Conclusion::NoPlan(_) | Conclusion::Unconfirmed | Conclusion::Open => {
            let text = "Separate code recomputed the numbers of the plan.".to_owned();
            Check::new(Tone::Good, "confirmed", text)
        }
    });
    checks.extend(verified.bound.as_ref().map(bound));
    checks.extend(verified.margin.as_ref().map(margin));
    if let Some(taken) = taken.line() {
        let text = format!("Values that the verifier takes from the plan: {taken}.");
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    if plan.sensitivity.is_some() {
        let text = "WCET margins of single tasks, which the proof does not use.".to_owned();
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    checks
}

fn bound(bound: &CheckedBound) -> Check {
    let stated = counted(bound.stated, "SM");
    match (bound.proven, &bound.unchecked) {
        (Some(sms), Some(why)) => Check::new(
            Tone::Open,
            "confirmed in part",
            format!(
                "Lower bound of {stated}, but only for {}, because {why}.",
                counted(sms, "SM")
            ),
        ),
        (Some(_), None) => Check::new(
            Tone::Good,
            "proven",
            format!("Lower bound: no plan has fewer than {stated}."),
        ),
        (None, why) => {
            let why = why
                .as_ref()
                .map_or_else(String::new, |why| format!(", because {why}"));
            Check::new(
                Tone::Open,
                "not confirmed",
                format!("Lower bound of {stated}{why}."),
            )
        }
    }
}

fn margin(margin: &CheckedMargin) -> Check {
    let factor = |permille: u64| format!("{}.{:03}", permille / 1000, permille % 1000);
    let stated = factor(margin.stated);
    match margin.confirmed {
        true => Check::new(
            Tone::Good,
            "proven",
            format!("WCET margin: the plan stays schedulable if all WCETs grow by the factor {stated}."),
        ),
        false => Check::new(Tone::Open, "not confirmed", format!("WCET margin of {stated}.")),
    }
}

/// Returns the assumptions of the verdict. The list is from the verifier or, for a refused plan, from the plan.
pub fn assumptions(plan: &Plan, checked: &Checked<'_>) -> Assumptions {
    let (list, claim) = match checked {
        Err(_) => (
            plan.assumptions.clone().unwrap_or_default(),
            Claim::Nothing { bound: false },
        ),
        Ok((verified, _, conclusion)) => {
            let bound = verified
                .bound
                .as_ref()
                .is_some_and(|bound| bound.proven.is_some());
            let claim = match conclusion {
                Conclusion::Schedulable => Claim::Deadlines { bound },
                Conclusion::NoPlan(_) => Claim::NoPlan,
                _ => Claim::Nothing { bound },
            };
            (verified.assumptions.clone(), claim)
        }
    };
    Assumptions::new(&list, claim)
}
