//! Task sets and plans to simulate.

use gpusched_analysis::interference::model_of;
use std::ops::ControlFlow;

use super::{Args, Times};
use crate::arguments::{default_interference, pairs};
use crate::complain;
use crate::plans::wrong_plan;
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::Problem;
use gpusched_model::assumptions::{Assumption, Basis, Ports};
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Result};
use gpusched_model::plan::Failure;
use gpusched_model::reader::{Plans, TaskSets};
use gpusched_model::{Device, Factor, Overheads, Plan, Policy, TaskSet};
use gpusched_sim::validation::system::{Part, parts};
use gpusched_verify::check_identity;

/// Default of the shortest execution time: one half of the WCET.
const HALF: Option<Factor> = Factor::from_billionths(500_000_000);

/// Returns `interference`. Fails if `interference` counts the memory traffic of other partitions.
fn alone(interference: Interference) -> Result<Interference> {
    match interference.counts_memory() {
        false => Ok(interference),
        true => Err(Error::parameter(
            "interference",
            interference,
            "conflict or none, because each partition is simulated in isolation (`gpusched validate --shared-memory` simulates shared memory)",
        )),
    }
}

/// One task set on its partitions.
pub(super) struct Case<'a> {
    pub index: u64,
    pub set: &'a TaskSet,
    pub gpu_sms: u32,
    pub parts: Vec<Part>,
    /// Reason why the plan has no partitions; `None` if the plan has partitions.
    pub failure: Option<Failure>,
    /// Interference model for the WCETs; `None` without a simulation.
    pub interference: Option<Interference>,
    /// Bounds on the overheads of the dispatchers.
    pub overheads: Option<Overheads>,
    /// Whether no measurement on a GPU shows these bounds.
    pub unmeasured_overheads: bool,
    /// Percentage by which the work of kernels that run together grows; `None` under all other policies.
    pub variation_percent: Option<u32>,
    /// Unit of the partition sizes in the plan.
    pub granularity: Option<Granularity>,
    /// Ports that the partitions share.
    pub ports: Ports,
    /// GPU of the plan.
    pub device: Option<Device>,
}

impl Case<'_> {
    /// Returns the assumptions of the result of this run; `None` without a simulation.
    pub(super) fn assumptions(&self) -> Option<Vec<Assumption>> {
        let mut policies: Vec<Policy> = self.parts.iter().map(|part| part.policy).collect();
        policies.dedup();
        let basis = Basis {
            set: self.set,
            policies,
            interference: Some(self.interference?),
            memory: None,
            overheads: self.overheads,
            unmeasured_overheads: self.unmeasured_overheads,
            variation_percent: self.variation_percent.unwrap_or_default(),
            granularity: self.granularity,
            device: self.device.as_ref(),
            several: self.parts.len() > 1,
            ports: self.ports.clone(),
        };
        Some(basis.of_one_run())
    }
}

impl Args {
    /// Calls `accept` for every task set with its partitions, until `accept` returns a break. The
    /// second argument of `accept` states whether there is only one task set.
    pub(super) fn cases(
        &self,
        mut sets: TaskSets,
        mut accept: impl FnMut(Case<'_>, bool) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        if let Some(path) = &self.plan {
            let mut pairs = pairs(Plans::open(path)?, sets).peekable();
            let mut index = 0;
            while let Some(pair) = pairs.next() {
                let (plan, set) = pair?;
                check_identity(&plan, &set)
                    .map_err(|fault| wrong_plan(fault).within(&format!("plan {index}")).at(path, None))?;
                let case = self.planned(index, &set, &plan).map_err(|error| {
                    error.map_refusal(|refusal| refusal.within(&format!("plan {index}")).at(path, None))
                })?;
                if let Some(excess) = excess(&case) {
                    complain(&format!("warning: {}: plan {index}: {excess}", path.display()));
                }
                if accept(case, index == 0 && pairs.peek().is_none())?.is_break() {
                    return Ok(());
                }
                index += 1;
            }
            return Ok(());
        }
        let sms = self.gpu.sms("--plan PLAN, ")?;
        let mut next = sets.next().transpose()?;
        let mut index = 0;
        while let Some((_, set)) = next {
            next = sets.next().transpose()?;
            let policy = self.policy.unwrap_or(Policy::DEFAULT);
            let interference = alone(self.interference.unwrap_or(default_interference(policy)))?;
            let overheads = self.overheads.as_ref().map(|stated| stated.bounds.of(&set));
            let problem =
                Problem::new(&set, sms, policy, model_of(interference))?.with_overheads(overheads)?;
            let all: Vec<usize> = (0..set.tasks().len()).collect();
            let part = Part::new(&problem, &all, sms, policy, self.least())?;
            let case = Case {
                index,
                set: &set,
                gpu_sms: sms,
                parts: vec![part],
                failure: None,
                interference: Some(interference),
                overheads,
                unmeasured_overheads: { self.overheads.as_ref() }
                    .is_some_and(|stated| !stated.origin.is_of_gpu()),
                variation_percent: problem.variation_percent(),
                granularity: None,
                ports: Ports::Unknown,
                device: self.gpu.device().cloned(),
            };
            if accept(case, index == 0 && next.is_none())?.is_break() {
                return Ok(());
            }
            index += 1;
        }
        Ok(())
    }

    /// Returns `set` on the partitions of `plan`. Fails if `plan` has no partitions and states no reason for their
    /// absence.
    fn planned<'a>(&self, index: u64, set: &'a TaskSet, plan: &Plan) -> Result<Case<'a>> {
        let without = Case {
            index,
            set,
            gpu_sms: plan.gpu_sms,
            parts: Vec::new(),
            failure: plan.failure.clone(),
            interference: None,
            unmeasured_overheads: { self.overheads.as_ref().map(|stated| &stated.origin) }
                .or(plan.overheads_origin.as_ref())
                .is_some_and(|origin| !origin.is_of_gpu()),
            overheads: self
                .overheads
                .as_ref()
                .map(|stated| stated.bounds.of(set))
                .or(plan.overheads),
            variation_percent: None,
            granularity: plan.hardware.as_ref().map(|hardware| hardware.granularity),
            ports: Ports::of_plan(plan),
            device: plan.hardware.as_ref().map(|hardware| hardware.device.clone()),
        };
        if plan.partitions.is_empty() && without.failure.is_some() {
            return Ok(without);
        }
        let Some(interference) = self.interference.or(plan.interference) else {
            return Err(Error::parameter(
                "interference",
                "null",
                "--interference, because the plan names no interference model",
            ));
        };
        let stated = plan.partitions.first().map(|part| part.verdict.policy);
        let policy = self.policy.or(stated).unwrap_or(Policy::DEFAULT);
        let problem = Problem::new(set, plan.gpu_sms, policy, model_of(alone(interference)?))?
            .varied(plan.variation_percent.filter(|_| policy.runs_together()))?
            .with_overheads(without.overheads)?;
        Ok(Case {
            variation_percent: problem.variation_percent(),
            parts: parts(&problem, plan, self.policy, self.least())?,
            failure: None,
            interference: Some(interference),
            ..without
        })
    }

    /// Returns the shortest execution time of a job as a share of its WCET.
    fn least(&self) -> Factor {
        let short = self.shortest.or(HALF).unwrap_or(Factor::ONE);
        match self.times {
            Times::Wcet => Factor::ONE,
            Times::Short => short,
        }
    }
}

/// Returns a warning if the total number of SMs of all partitions exceeds the number of SMs of the GPU. gpusched
/// simulates each partition in isolation, so a simulation does not show this error.
fn excess(case: &Case<'_>) -> Option<String> {
    let sms: u64 = case.parts.iter().map(|part| u64::from(part.sms)).sum();
    (sms > case.gpu_sms.into()).then(|| {
        format!(
            "found partitions with {} in total, expected at most the {} of the GPU, because partitions run concurrently",
            counted(sms, "SM"),
            case.gpu_sms
        )
    })
}
