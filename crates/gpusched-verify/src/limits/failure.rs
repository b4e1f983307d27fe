//! Check of the reason why no plan exists.

use crate::conditions::Fraction;
use crate::fault::Fault;
use crate::jobs::{Wcets, jobs};
use crate::{hardware, pricing};
use gpusched_model::plan::{Failure, Plan};
use gpusched_model::{TaskSet, counted};

/// Checks the reason why the plan is not schedulable. A schedulable plan must not state a reason.
pub(crate) fn check(plan: &Plan, set: &TaskSet, wcets: Wcets<'_>) -> Result<(), Fault> {
    let fault = |message: &str| Err(Fault::new("failure", message));
    let Some(failure) = &plan.failure else {
        return if plan.schedulable {
            Ok(())
        } else {
            fault("found none, expected the reason why no plan was found")
        };
    };
    if plan.schedulable {
        return fault("found a reason for a failure, expected no reason in a schedulable plan");
    }
    match failure {
        Failure::HeuristicFailed => Ok(()), // no claim to check
        Failure::BoundExceedsGpu => match &plan.bound {
            Some(bound) if bound.sms > hardware::capacity(plan) => Ok(()),
            _ => {
                fault("found `bound-exceeds-gpu`, expected a lower bound above the number of SMs of the GPU")
            }
        },
        Failure::WorkExceedsGpu | Failure::TaskDoesNotFit { .. } | Failure::WcetUnknown { .. } => {
            lemma(failure, plan, set, wcets).or_else(|message| fault(&message))
        }
    }
}

/// Checks that `failure` proves that no plan exists for the GPU of `plan` with the WCETs `wcets`. The proof uses the
/// fact that each task has its least demand in isolation. If the check fails, returns the fault message as `Err`.
pub(super) fn lemma(failure: &Failure, plan: &Plan, set: &TaskSet, wcets: Wcets<'_>) -> Result<(), String> {
    let fault = |message: &str| Err(message.to_owned());
    if !pricing::known_alone(set) {
        return fault("found a proof that no plan exists, although some WCETs are known only in conflict");
    }
    match failure {
        Failure::HeuristicFailed | Failure::BoundExceedsGpu => fault("found a reason without a proof"),
        // The work of each task is least in isolation.
        Failure::WorkExceedsGpu => {
            let alone = set.tasks().iter().map(|task| {
                let work = wcets.least_work(task, false)?;
                Some(Fraction::new(work, task.period().ns().into()))
            });
            let Some(alone) = alone.collect::<Option<Vec<_>>>() else {
                return fault("found `work-exceeds-gpu`, but the work of at least one task is unknown");
            };
            match Fraction::sum(alone).cmp(plan.gpu_sms.into()).is_gt() {
                true => Ok(()),
                false => fault(
                    "found `work-exceeds-gpu`, but the work of all tasks does not exceed the capacity of the \
                     GPU",
                ),
            }
        }
        Failure::TaskDoesNotFit { task } | Failure::WcetUnknown { task } => {
            if *task >= set.tasks().len() {
                return fault(&format!(
                    "found task {task}, expected a task number below {}, the number of tasks",
                    set.tasks().len()
                ));
            }
            let largest = hardware::Sizes::of(plan).at_most(plan.gpu_sms);
            let alone = jobs(set, &[*task], largest, wcets);
            let claims_unknown = matches!(failure, Failure::WcetUnknown { .. });
            match alone.as_deref() {
                Err(_) if claims_unknown => Ok(()),
                Err(_) => fault(&format!(
                    "found `task-does-not-fit`, expected `wcet-unknown`: task {task} has no known WCET on {}",
                    counted(largest, "SM")
                )),
                Ok(_) if claims_unknown => fault(&format!(
                    "found `wcet-unknown`, but task {task} has a known WCET on {}",
                    counted(largest, "SM")
                )),
                // In isolation, a task has neither contention nor interference. If C + J ≤ min(T,
                // D), the task passes its test under every policy.
                Ok([job]) if job.wcet + job.jitter > job.deadline.min(job.period) => Ok(()),
                Ok(_) => fault(&format!(
                    "found `task-does-not-fit`, but task {task} passes its test in isolation"
                )),
            }
        }
    }
}
