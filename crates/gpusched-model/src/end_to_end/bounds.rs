//! Results of the end-to-end analysis. The table of bounds is the certificate of a verdict.

use serde::{Deserialize, Serialize};

use super::{BudgetEvidence, Draft};
use crate::Identity;
use crate::Overheads;
use crate::Refusal;
use crate::assumptions::Assumption;
use crate::policy::Strength;
use crate::time::Time;

/// Bounds on the segments of one task.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskBounds {
    /// R: for each segment, a bound on the time from the arrival of the job to the end of the segment [ns]; null if
    /// there is no bound.
    pub ends_ns: Vec<Option<Time>>,
    /// S: for each segment, a bound on the time from the release to the end of the segment [ns]; null if there is no
    /// bound. The value is also null for a segment on a core, unless timers enforce the releases.
    pub delays_ns: Vec<Option<Time>>,
}

/// Bounds on all tasks of a system, in the order of the tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Bounds(pub Vec<TaskBounds>);

impl Bounds {
    /// Returns R, a bound on the time from the arrival of a job of `task` to the end of `segment` [ns]; `None` if there
    /// is no bound.
    pub fn end(&self, task: usize, segment: usize) -> Option<Time> {
        *self.0.get(task)?.ends_ns.get(segment)?
    }

    /// Returns S, a bound on the time from the release to the end of `segment` of `task` [ns]; `None` if there is no
    /// bound.
    pub fn delay(&self, task: usize, segment: usize) -> Option<Time> {
        *self.0.get(task)?.delays_ns.get(segment)?
    }

    /// Bound on the response time of `task`, from the arrival of a job to its end [ns]; `None` if there is no bound.
    pub fn response_time(&self, task: usize) -> Option<Time> {
        *self.0.get(task)?.ends_ns.last()?
    }
}

/// Certificate of an end-to-end verdict.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndEvidence"))]
pub struct Evidence {
    /// Bounds on all segments. The bounds satisfy all equations of the analysis.
    pub bounds: Bounds,
    /// Enforced releases: for each segment of each task, the time from the arrival of a job until a timer releases the
    /// segment [ns]. Absent if each segment is released when the previous segment ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offsets_ns: Option<Vec<Vec<Time>>>,
}

/// Analysis that computes an end-to-end verdict.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Analysis {
    /// Each segment is released when the previous segment ends (holistic fixed point).
    EndToEnd,
    /// Timers release the segments.
    EnforcedReleases,
}

/// Method that computes the bound of a chain.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Method {
    /// Sum of periods and response times (Davare et al. 2007).
    Davare,
    /// Sum of periods and response times that accounts for the priorities of tasks on the same core (Dürr et al. 2019).
    Durr,
    /// Enumeration of the arrivals of tasks with known phases (Kloda et al. 2019).
    Kloda,
    /// Logical execution time.
    Let,
}

/// Contribution of one task to the bounds of a chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Position of the task in the system, from 0.
    pub task: usize,
    /// Maximum time for which data wait until the next job of the task reads them [ns]: the period.
    pub sampling_ns: Time,
    /// Maximum time from the arrival of the job to its output [ns].
    pub processing_ns: Time,
}

/// Bounds on one chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChainBound {
    /// Name of the chain.
    pub name: String,
    /// Bound on the reaction time, from an external event to the first output that depends on the event [ns]. This
    /// value is also a bound on the data age up to the next output. Null if there is no bound.
    pub reaction_ns: Option<Time>,
    /// Bound on the reduced data age, from the input to the output that depends on the input [ns]. Null if there is no
    /// bound.
    pub age_ns: Option<Time>,
    /// Method that computes the bounds.
    pub method: Method,
    /// Maximum reaction time [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_ns: Option<Time>,
    /// Whether the reaction time meets its limit; null if the chain has no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meets: Option<bool>,
    /// Contribution of each task, in the order of the chain. The sum of all contributions is the bound of the method
    /// `davare`. The list is empty if there is no bound.
    pub hops: Vec<Hop>,
}

/// Verdict on one task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskAnswer {
    /// Name of the task.
    pub name: String,
    /// D: relative deadline [ns].
    pub deadline_ns: Time,
    /// Bound on the response time [ns]; null if there is no bound.
    pub bound_ns: Option<Time>,
    /// Whether the bound meets the deadline.
    pub meets: bool,
    /// Position, from 0, of the segment that contributes most to the bound; null if there is no bound.
    pub costliest_segment: Option<usize>,
    /// Maximum number of jobs of a pipelined task that have arrived and not ended. Absent for a sequential task, and without a
    /// bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs_max: Option<u64>,
    /// Bounds on the segments of a pipelined task, in the order of the segments. Absent for a sequential task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
}

/// Bounds on a segment of a pipelined task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Maximum number of jobs that execute the segment or wait for it; null if the segment has no bound. A queue with this
    /// number of places never overflows.
    pub jobs_max: Option<u64>,
    /// Load of the resource: Σ C/T over all segments on it [thousandths], rounded up. If the load is above 1000, queues grow
    /// without limit. Null if the least common multiple of the periods is too large.
    pub load_permille: Option<u64>,
}

/// Factors by which WCETs may grow [thousandths], rounded down. `None` if the system is not schedulable.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndScaling"))]
pub struct Scaling {
    /// Common factor for all WCETs.
    pub all_permille: Option<u64>,
    /// For each resource, the factor for all WCETs on this resource. The order is: cores, copy engines, partitions.
    pub resources_permille: Vec<Option<u64>>,
    /// For each task, the factor for all WCETs of this task.
    pub tasks_permille: Vec<Option<u64>>,
}

/// Result of the end-to-end analysis: the verdict, the certificate and the chains.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndVerdict"))]
pub struct Answer {
    /// Whether all tasks meet their deadlines and all chains meet their limits.
    pub schedulable: bool,
    /// Analysis that computes the verdict.
    pub policy: Analysis,
    /// Strength of a positive verdict.
    pub strength: Strength,
    /// Certificate, which `gpusched verify` checks.
    pub evidence: Evidence,
    /// Bound on the response time of each task [ns]; null if there is no bound.
    pub response_times_ns: Vec<Option<Time>>,
    /// Verdicts on the tasks.
    pub tasks: Vec<TaskAnswer>,
    /// Bounds on the chains.
    pub chains: Vec<ChainBound>,
    /// Bounds on the overheads of the dispatchers, which the WCETs do not include. Absent if the WCETs include the
    /// overheads. With overheads, `evidence` has an additional segment before each kernel that is not the only segment of its
    /// task: the wake-up of the dispatcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overheads: Option<Overheads>,
    /// Memory bandwidth budgets of best-effort cores, with the WCETs under these budgets. Absent if the system has no budgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budgets: Option<BudgetEvidence>,
    /// Factors by which WCETs may grow. Present only with `--sensitivity`. `gpusched verify` does not check these
    /// factors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Scaling>,
    /// Assumptions of the verdict. gpusched does not check these assumptions.
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// System, options and version that led to the verdict. Absent in older verdicts, in verdicts of programs that use the library, and
    /// in a verdict within a plan or within chosen budgets, which state their own identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// A partition of a plan for an end-to-end system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlannedPartition {
    /// Name of the partition.
    pub name: String,
    /// Number of SMs.
    pub sms: u32,
    /// Positions, from 0, of the tasks that have kernels on the partition.
    pub tasks: Vec<usize>,
}

impl SystemPlan {
    /// Checks that the system of the plan equals `draft`, except for the partitions. The plan may use alternatives, and
    /// may assign a kernel to another partition than `draft` does.
    ///
    /// # Errors
    /// Fails at the first difference, which the error states.
    pub fn check_system(&self, draft: &Draft) -> Result<(), Refusal> {
        let Some(system) = &self.system else {
            return Refusal::refuse(
                "system",
                "no system",
                "the system with the partitions of the plan",
            );
        };
        let partitions = planned(system);
        if partitions != self.partitions {
            let expected = "the partitions of the system in the plan, with their SMs and tasks";
            return Refusal::refuse("partitions", "other partitions", expected);
        }
        let sms: u64 = partitions.iter().map(|partition| u64::from(partition.sms)).sum();
        if sms != u64::from(self.sms_used) {
            return Refusal::refuse(
                "sms_used",
                self.sms_used,
                format!("{sms}, the sum of all partitions"),
            );
        }
        let stated = self.verdict.as_ref().map(|verdict| verdict.schedulable);
        if stated != Some(self.schedulable) {
            return Refusal::refuse(
                "schedulable",
                self.schedulable,
                "the value in the verdict of the plan",
            );
        }
        let chosen = draft
            .clone()
            .chosen(self.alternatives.as_deref().unwrap_or_default());
        let (planned, stated) = (on_any_partition(system.clone()), on_any_partition(chosen));
        for (index, (planned, stated)) in planned.tasks.iter().zip(&stated.tasks).enumerate() {
            if planned != stated {
                let found = format!("another task than tasks[{index}] of the system");
                return Refusal::refuse(format!("system.tasks[{index}]"), found, "the task of the system");
            }
        }
        if planned != stated {
            return Refusal::refuse("system", "another system", "the system with other partitions");
        }
        let policies = draft.partitions.iter().map(|partition| partition.policy);
        let policies: Vec<_> = policies.collect();
        let other = system
            .partitions
            .iter()
            .position(|partition| !policies.contains(&partition.policy));
        match other {
            Some(other) => Refusal::refuse(
                format!("system.partitions[{other}].policy"),
                system
                    .partitions
                    .get(other)
                    .map(|partition| partition.policy.to_string())
                    .unwrap_or_default(),
                "the policy of a partition of the system",
            ),
            None => Ok(()),
        }
    }
}

/// Returns the partitions of `draft`, each with its tasks. A partition without a size has 0 SMs.
pub fn planned(draft: &Draft) -> Vec<PlannedPartition> {
    let partitions = draft.partitions.iter().map(|partition| {
        let tasks = draft.tasks.iter().enumerate();
        let tasks =
            tasks.filter(|(_, task)| task.segments.iter().any(|segment| segment.on == partition.name));
        PlannedPartition {
            name: partition.name.clone(),
            sms: partition.sms.unwrap_or(0), // a plan has no such partition
            tasks: tasks.map(|(index, _)| index).collect(),
        }
    });
    partitions.collect()
}

/// Returns `draft` without partitions and alternatives. The kernels of the result have no partition.
fn on_any_partition(mut draft: Draft) -> Draft {
    for task in &mut draft.tasks {
        for segment in &mut task.segments {
            if draft
                .partitions
                .iter()
                .any(|partition| partition.name == segment.on)
            {
                segment.on.clear();
            }
        }
        task.alternatives.clear();
    }
    draft.partitions.clear();
    draft
}

/// Plan for an end-to-end system: partitions and their sizes, with the verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndPlan"))]
pub struct SystemPlan {
    /// Whether the analysis proves that the system meets all deadlines and limits.
    pub schedulable: bool,
    /// Total number of SMs of all partitions; 0 if the search found no plan.
    pub sms_used: u32,
    /// Partitions of the plan; empty if the search found no plan.
    pub partitions: Vec<PlannedPartition>,
    /// For each task, the chosen alternative. If the number is 0, the task keeps its own segments. A number n > 0 means
    /// the n-th entry in the list `alternatives` of the task. Absent if no task uses an alternative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<Vec<usize>>,
    /// Whether all plans with fewer SMs fail the test. Counts only the partitions and alternatives that the search
    /// covers.
    pub proven: bool,
    /// Number of end-to-end tests that the search executed.
    pub tests: u64,
    /// The system with the chosen partitions; absent if the search found no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<Draft>,
    /// Verdict on the system with the chosen partitions. If the search found no plan, this verdict is for the system
    /// with the largest partitions. Absent if the device supports no partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Answer>,
    /// Inputs, options and version that led to the result. Absent in results of older versions and of programs that use the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}
