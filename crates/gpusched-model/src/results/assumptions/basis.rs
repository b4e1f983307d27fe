//! Which assumptions a verdict needs.

use super::sentences::{self, Part};
use super::{Assumption, AssumptionId};
use crate::device::Granularity;
use crate::plan::Plan;
use crate::policy::{Policy, Preemption, Priorities};
use crate::tasks::wcet::WcetSource;
use crate::traffic::{Arbitration, SharedMemory};
use crate::wcet::{Form, Table};
use crate::{Interference, Task, TaskSet};

/// What a verdict was computed from, as far as assumptions go.
#[derive(Clone, Debug)]
pub struct Basis<'a> {
    /// The tasks.
    pub set: &'a TaskSet,
    /// The tests of the partitions, each once.
    pub policies: Vec<Policy>,
    /// The interference model; `None` for one without a name in files.
    pub interference: Option<Interference>,
    /// The memory that partitions share, where its traffic counts.
    pub memory: Option<SharedMemory>,
    /// How the device is divided; `None` without a device, which is as [`Granularity::Sm`].
    pub granularity: Option<Granularity>,
    /// Whether there is more than one partition.
    pub several: bool,
}

impl Basis<'_> {
    /// The basis of `plan` for `set`. A plan without partitions has no policy.
    pub fn of_plan<'a>(plan: &Plan, set: &'a TaskSet) -> Basis<'a> {
        let mut policies: Vec<Policy> = Vec::new();
        for partition in &plan.partitions {
            if !policies.contains(&partition.verdict.policy) {
                policies.push(partition.verdict.policy);
            }
        }
        Basis {
            set,
            policies,
            interference: plan.interference,
            memory: plan.memory,
            granularity: plan.hardware.as_ref().map(|hardware| hardware.granularity),
            several: plan.partitions.len() > 1,
        }
    }

    /// The list: how partitions are scheduled, separated and disturbed, then what the task set states.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let mut list = Vec::new();
        for &policy in &self.policies {
            add(&mut list, dispatch(policy));
            add(&mut list, preemption(policy));
        }
        add(&mut list, Some(separation(self.granularity.unwrap_or_default())));
        add(&mut list, Some(interference(self.interference, self.granularity)));
        self.memory(&mut list);
        self.unknown(&mut list);
        let jitter = self.count(|task| task.jitter().ns() > 0).count > 0;
        add(
            &mut list,
            Some((AssumptionId::SporadicReleases, sentences::releases(jitter))),
        );
        for (source, id) in [
            (WcetSource::Stated, AssumptionId::WcetStated),
            (WcetSource::Fitted, AssumptionId::WcetFitted),
            (WcetSource::Measured, AssumptionId::WcetMeasured),
            (WcetSource::Estimated, AssumptionId::WcetEstimated),
        ] {
            let tasks = self.count(|task| task.wcet_source() == source);
            add(
                &mut list,
                tasks.if_any(id, |tasks| sentences::wcet(source, tasks)),
            );
        }
        list
    }

    /// The list for one simulated run, which says nothing about other runs.
    pub fn of_one_run(&self) -> Vec<Assumption> {
        let mut list = self.assumptions();
        let text =
            "The real system behaves as this run. Other releases and execution times may miss deadlines.";
        add(&mut list, Some((AssumptionId::OneRun, text.to_owned())));
        list
    }

    /// The memory that partitions share.
    fn memory(&self, list: &mut Vec<Assumption>) {
        let Some(memory) = self.memory else {
            return;
        };
        let bandwidth = sentences::bandwidth(memory.bandwidth);
        add(list, Some((AssumptionId::GuaranteedBandwidth, bandwidth)));
        if self.granularity == Some(Granularity::Mig) {
            let text = "An instance with s of D memory slices has s/D of this bandwidth for itself. WCETs hold with the whole memory.";
            add(list, Some((AssumptionId::MemorySlices, text.to_owned())));
        }
        if memory.arbitration == Arbitration::MaxMin {
            let text = "The memory divides its bandwidth max-min fairly among partitions and other sources.";
            add(list, Some((AssumptionId::MaxMinArbitration, text.to_owned())));
        }
        let unknown = self.count(|task| task.traffic().is_none() && task.bandwidth(1).is_none());
        let stated = unknown.count < unknown.of;
        if !self.set.other_traffic().is_empty() || (self.several && stated) {
            let text = "A job moves at most its `traffic`, at most at its `bandwidth`, and `other_traffic` keeps to its numbers.";
            add(list, Some((AssumptionId::TrafficBounds, text.to_owned())));
        }
        if self.several {
            add(
                list,
                unknown.if_any(AssumptionId::TrafficUnknown, sentences::traffic_unknown),
            );
        }
    }

    /// What tasks do not state, where that counts.
    fn unknown(&self, list: &mut Vec<Assumption>) {
        let in_conflict = matches!(
            self.interference,
            Some(Interference::Conflict | Interference::ConflictBandwidth)
        );
        if in_conflict && self.set.tasks().len() > 1 {
            let kind = self.count(|task| task.kind().is_none());
            add(
                list,
                kind.if_any(AssumptionId::KindUnknown, sentences::kind_unknown),
            );
            let isolated = self.count(|task| {
                // A plain table is one for both cases, so its author may not have measured conflicts.
                !task.wcet().states_conflict() || matches!(task.wcet().form(), Form::Table(Table::Both(_)))
            });
            add(
                list,
                isolated.if_any(AssumptionId::ConflictAsIsolated, sentences::conflict_as_isolated),
            );
        }
        if self.policies.iter().any(|policy| policy.counts_blocks()) {
            let block = self.count(|task| task.block().is_none());
            add(
                list,
                block.if_any(AssumptionId::BlockUnknown, sentences::block_unknown),
            );
        }
    }

    /// How many tasks are as `wanted`.
    fn count(&self, wanted: impl Fn(&Task) -> bool) -> Part {
        let tasks = self.set.tasks();
        Part {
            count: tasks.iter().filter(|task| wanted(task)).count(),
            of: tasks.len(),
        }
    }
}

impl Part {
    /// `id` in `words`, if there are such tasks.
    fn if_any(self, id: AssumptionId, words: impl Fn(Part) -> String) -> Option<(AssumptionId, String)> {
        (self.count > 0).then(|| (id, words(self)))
    }
}

/// Adds an assumption, unless `list` has it.
fn add(list: &mut Vec<Assumption>, assumption: Option<(AssumptionId, String)>) {
    if let Some((id, text)) = assumption {
        let assumption = Assumption::new(id, text);
        if !list.contains(&assumption) {
            list.push(assumption);
        }
    }
}

/// Who runs, and who must see to it.
fn dispatch(policy: Policy) -> Option<(AssumptionId, String)> {
    let order = match policy {
        Policy::Edf | Policy::NpEdf | Policy::LpEdf | Policy::Density => {
            return Some((
                AssumptionId::DispatchEdf,
                sentences::dispatch("earliest deadline first"),
            ));
        }
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => {
            let text = format!("Another test proves the deadlines. A pass of `{policy}` is only necessary.");
            return Some((AssumptionId::DeadlinesByOtherTest, text));
        }
        Policy::FixedPriority(_, Priorities::DeadlineMonotonic) => "smallest D − J first",
        Policy::FixedPriority(_, Priorities::RateMonotonic) => "smallest T first",
        Policy::FixedPriority(_, Priorities::Given) => "in the order of the task set",
        Policy::FixedPriority(_, Priorities::Audsley) => "in the order `priorities` of the evidence",
        Policy::Hyperbolic | Policy::LiuLayland => "smallest min(T, D) − J first",
    };
    Some((AssumptionId::DispatchFixedPriority, sentences::dispatch(order)))
}

/// When a more urgent kernel takes over.
fn preemption(policy: Policy) -> Option<(AssumptionId, String)> {
    let (id, text) = match policy {
        Policy::Edf
        | Policy::Density
        | Policy::Hyperbolic
        | Policy::LiuLayland
        | Policy::FixedPriority(Preemption::Preemptive, _) => (
            AssumptionId::PreemptionAnyPoint,
            "A more urgent kernel preempts the running one at any point, at once and at no cost.",
        ),
        Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => (
            AssumptionId::PreemptionBlockBoundaries,
            "A more urgent kernel waits for the running thread blocks, at most `block`. A preemption repeats at most one block.",
        ),
        Policy::NpEdf | Policy::FixedPriority(Preemption::NonPreemptive, _) => (
            AssumptionId::PreemptionNone,
            "A kernel that has started runs to its end. Other kernels of its partition wait.",
        ),
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => return None,
    };
    Some((id, text.to_owned()))
}

/// What keeps the kernels of a partition on its SMs.
fn separation(granularity: Granularity) -> (AssumptionId, String) {
    let (id, text) = match granularity {
        Granularity::Sm => (
            AssumptionId::SmsReserved,
            "A mechanism outside gpusched, such as SM masks, reserves the SMs of each partition for its kernels.",
        ),
        Granularity::Tpc | Granularity::Gpc => (
            AssumptionId::TpcMasks,
            "TPC masks keep the kernels of each partition on its TPCs, and all other kernels away from them.",
        ),
        Granularity::GreenContext => (
            AssumptionId::GreenContexts,
            "Each partition is a CUDA green context with SMs of its own, which the driver chooses.",
        ),
        Granularity::Mps => (
            AssumptionId::MpsStaticPartitions,
            "Each partition is a static SM partition of MPS. An active thread percentage alone isolates no SMs.",
        ),
        Granularity::Mig => (
            AssumptionId::MigInstances,
            "Each partition is a MIG instance, and the SMs of an instance serve its kernels alone.",
        ),
    };
    (id, text.to_owned())
}

/// Which contention counts, and which is left out.
fn interference(model: Option<Interference>, granularity: Option<Granularity>) -> (AssumptionId, String) {
    let divided = granularity == Some(Granularity::Mig);
    let (id, text) = match model {
        Some(Interference::ConflictBandwidth) if divided => (
            AssumptionId::InterferenceConflictBandwidth,
            "Tasks of the same kind in one partition contend. Instances do not delay each other (L2, DRAM, host link).",
        ),
        Some(Interference::Bandwidth) if divided => (
            AssumptionId::InterferenceBandwidth,
            "Tasks in one partition do not contend. Instances do not delay each other (L2, DRAM, host link).",
        ),
        Some(Interference::Conflict) => (
            AssumptionId::InterferenceConflict,
            "Only tasks of the same kind in one partition contend. Partitions do not delay each other (L2, DRAM).",
        ),
        Some(Interference::None) => (
            AssumptionId::InterferenceNone,
            "No task delays another one by contention, in its own partition or in another one (L2, DRAM).",
        ),
        Some(Interference::ConflictBandwidth) => (
            AssumptionId::InterferenceConflictBandwidth,
            "Tasks of the same kind in one partition contend. Partitions delay each other by DRAM bandwidth alone, not by L2.",
        ),
        Some(Interference::Bandwidth) => (
            AssumptionId::InterferenceBandwidth,
            "Tasks in one partition do not contend. Partitions delay each other by DRAM bandwidth alone, not by L2.",
        ),
        None => (
            AssumptionId::InterferenceUnnamed,
            "The interference model, which has no name in files, bounds all contention.",
        ),
    };
    (id, text.to_owned())
}
