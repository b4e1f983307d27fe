//! The problem that a stored plan solves.

use super::Problem;
use super::hardware::Offer;
use crate::interference::model_of;
use gpusched_model::error::{Error, Refusal};
use gpusched_model::{Plan, TaskSet};

impl Offer {
    /// Returns the partition sizes of the device of `plan`, or `None` if the plan states no device.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the device does not support the granularity.
    pub fn of_plan(plan: &Plan) -> Result<Option<Offer>, Error> {
        let hardware = plan.hardware.as_ref();
        hardware
            .map(|hardware| Offer::new(&hardware.device, hardware.granularity))
            .transpose()
    }
}

impl<'a> Problem<'a> {
    /// Returns the problem that `plan` solves: the tasks of `set` on the GPU of the plan, with its policy, interference model,
    /// memory and overheads. `offer` has the partition sizes of the device of the plan.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a plan without partitions, with several policies, without the name of its
    /// interference model, or with values that no problem can have.
    pub fn of_plan(plan: &Plan, set: &'a TaskSet, offer: Option<&'a Offer>) -> Result<Problem<'a>, Error> {
        let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
        let Some(policy) = policies.next() else {
            return Err(Error::parameter("partitions", "none", "at least one partition"));
        };
        if let Some((index, other)) = (1..).zip(policies).find(|&(_, other)| other != policy) {
            let field = format!("partitions[{index}].verdict.policy");
            let expected = format!("{policy}, the policy of partition 0");
            return Err(Refusal::new(field, other, expected).into());
        }
        let Some(interference) = plan.interference else {
            return Err(Error::parameter(
                "interference",
                "none",
                "the name of an interference model",
            ));
        };
        let mut problem = Problem::new(set, plan.gpu_sms, policy, model_of(interference))?
            .varied(plan.variation_percent)?;
        if let Some(memory) = &plan.memory {
            problem = problem.sharing(*memory)?;
        }
        if let Some(offer) = offer {
            problem = problem.offered(offer)?;
        }
        problem.with_overheads(plan.overheads)
    }
}
