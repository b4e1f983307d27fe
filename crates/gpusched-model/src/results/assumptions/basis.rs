//! Selection of the assumptions of a verdict.

use std::collections::BTreeSet;

use super::ports::are_whole_tpcs;
use super::sentences::{self, Origins, Part};
use super::{Assumption, AssumptionId, Counted, Ports};
use crate::device::{Device, Granularity};
use crate::plan::Plan;
use crate::policy::{Policy, Preemption, Priorities};
use crate::provenance::{MeasuredOnShape, SameGpu, SizeSign};
use crate::tasks::wcet::WcetSource;
use crate::traffic::{Arbitration, MemoryTime, RateForm, SharedMemory};
use crate::wcet::{Form, Table};
use crate::{Interference, MeasuredOn, Overheads, Task, TaskSet, WarmUp};

/// The inputs of a verdict that determine its assumptions.
#[derive(Clone, Debug)]
pub struct Basis<'a> {
    /// Task set to which the verdict applies.
    pub set: &'a TaskSet,
    /// Policies of the partitions, without duplicates.
    pub policies: Vec<Policy>,
    /// Interference model. `None` for a model that has no name in files.
    pub interference: Option<Interference>,
    /// Memory that partitions share. `None` if the interference model does not count the memory
    /// traffic of other partitions.
    pub memory: Option<SharedMemory>,
    /// Bounds on the overheads of the dispatcher. `None` if the WCETs include the overheads.
    pub overheads: Option<Overheads>,
    /// Whether no measurement on a GPU shows the bounds on the overheads.
    pub unmeasured_overheads: bool,
    /// Percentage by which the work of a kernel may grow while other kernels run. Used only under `concurrent`.
    pub variation_percent: u32,
    /// Granularity of the device. `None` if there is no device, which has the same effect as [`Granularity::Sm`].
    pub granularity: Option<Granularity>,
    /// GPU to which the verdict applies. `None` if the verdict is for a number of SMs without a device.
    pub device: Option<&'a Device>,
    /// Whether the plan has more than one partition.
    pub several: bool,
    /// Ports that the partitions share. [`Ports::Unknown`] for a partition whose plan is unknown.
    pub ports: Ports,
}

impl Basis<'_> {
    /// Returns the inputs that determine the assumptions of `plan` for `set`. A plan without partitions has no policy.
    pub fn of_plan<'a>(plan: &'a Plan, set: &'a TaskSet) -> Basis<'a> {
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
            overheads: plan.overheads,
            unmeasured_overheads: { plan.overheads_origin.as_ref() }
                .is_some_and(|origin| !origin.is_of_gpu()),
            variation_percent: plan.variation_percent.unwrap_or_default(),
            granularity: plan.hardware.as_ref().map(|hardware| hardware.granularity),
            device: plan.hardware.as_ref().map(|hardware| &hardware.device),
            several: plan.partitions.len() > 1,
            ports: Ports::of_plan(plan),
        }
    }

    /// Returns the list of assumptions. The list starts with assumptions on the partitions: their scheduling,
    /// separation and interference. Assumptions on the task set follow.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let mut list = Vec::new();
        for &policy in &self.policies {
            add(&mut list, dispatch(policy));
            add(&mut list, preemption(policy));
            if policy.runs_together() {
                let text = sentences::serial_sum(self.variation_percent);
                add(&mut list, Some((AssumptionId::SerialSum, text)));
            }
        }
        let words = |overheads| sentences::overheads(overheads, self.unmeasured_overheads);
        let overheads = { self.overheads }.map(words);
        add(
            &mut list,
            overheads.map(|text| (AssumptionId::DispatchOverheads, text)),
        );
        add(
            &mut list,
            Some(separation(self.granularity.unwrap_or(Granularity::Sm))),
        );
        add(&mut list, Some(self.contention()));
        self.at_ports(&mut list);
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
            let origins = self.origins(source);
            add(
                &mut list,
                tasks.if_any(id, |tasks| sentences::wcet(source, tasks, origins)),
            );
        }
        self.other_gpu(&mut list);
        self.recordings(&mut list);
        list
    }

    /// Returns the list of assumptions for one simulated run. A simulated run proves nothing
    /// about other runs.
    pub fn of_one_run(&self) -> Vec<Assumption> {
        let mut list = self.assumptions();
        let text = "The real system behaves like this simulated run. With other releases or execution times, a task may miss its deadline.";
        add(&mut list, Some((AssumptionId::OneRun, text.to_owned())));
        list
    }

    /// Adds the assumptions on ports.
    fn at_ports(&self, list: &mut Vec<Assumption>) {
        let counted = self.counted();
        let sizes = self.device.zip(self.granularity);
        let whole = sizes.is_some_and(|(device, granularity)| are_whole_tpcs(device, granularity));
        // Memory times count the replies of each other partition, also if its ports are its own.
        let counts_all = self.memory.is_some_and(|memory| memory.time.is_some());
        let text = self.ports.text(counted, whole, counts_all);
        add(list, Some((self.ports.id(), text)));
        if self.several && (counts_all || self.ports != Ports::Own) {
            let rates = counted.text().map(|text| (AssumptionId::PortRates, text));
            add(list, rates);
        }
    }

    /// Returns the ports whose delay the verdict counts. One partition alone has no delay at ports.
    fn counted(&self) -> Counted {
        let counts = self.several && self.memory.is_some() && self.granularity != Some(Granularity::Mig);
        let device = self.device.filter(|_| counts);
        device.map_or_else(Counted::default, Counted::of)
    }

    /// Returns the assumption on contention. Under `concurrent`, the work of a kernel includes contention in a partition.
    fn contention(&self) -> (AssumptionId, String) {
        let (id, text) = interference(self.interference, self.granularity);
        let together = self.policies.iter().any(|policy| policy.runs_together());
        match id {
            AssumptionId::InterferenceNone | AssumptionId::InterferenceConflict if together => {
                let text = "Partitions do not delay each other through L2 or DRAM.";
                (id, text.to_owned())
            }
            AssumptionId::InterferenceMemoryTime | AssumptionId::InterferenceConflictMemoryTime
                if self.counted() != Counted::default() =>
            {
                (id, text.replace("L2 and DRAM", "L2, DRAM and ports"))
            }
            id => (id, text),
        }
    }

    /// Adds the assumptions on the memory that partitions share.
    fn memory(&self, list: &mut Vec<Assumption>) {
        let Some(memory) = self.memory else {
            return;
        };
        if let Some(time) = memory.time {
            return memory_time(time, self.counted() != Counted::default(), list);
        }
        let bandwidth = sentences::bandwidth(memory.bandwidth);
        add(list, Some((AssumptionId::GuaranteedBandwidth, bandwidth)));
        if self.granularity == Some(Granularity::Mig) {
            let text = "A MIG instance with s of S memory slices has s/S of the memory bandwidth for itself. The stated WCETs apply to the whole memory.";
            add(list, Some((AssumptionId::MemorySlices, text.to_owned())));
        }
        if memory.arbitration == Arbitration::MaxMin {
            let text = "The memory divides its bandwidth max-min fairly among partitions and other sources.";
            add(list, Some((AssumptionId::MaxMinArbitration, text.to_owned())));
        }
        let unknown = self.count(|task| task.traffic().is_none() && task.bandwidth(1).is_none());
        let stated = unknown.count < unknown.of;
        if !self.set.other_traffic().is_empty() || (self.several && stated) {
            let text = "No job exceeds its stated `traffic` and `bandwidth`, and no other source exceeds its `other_traffic`.";
            add(list, Some((AssumptionId::TrafficBounds, text.to_owned())));
        }
        if self.several {
            add(
                list,
                unknown.if_any(AssumptionId::TrafficUnknown, sentences::traffic_unknown),
            );
        }
    }

    /// Adds the assumptions on values that some tasks do not state although the analysis uses them.
    fn unknown(&self, list: &mut Vec<Assumption>) {
        let in_conflict = self.interference.is_some_and(Interference::counts_conflicts);
        if in_conflict && self.set.tasks().len() > 1 {
            let kind = self.count(|task| task.kind().is_none());
            add(
                list,
                kind.if_any(AssumptionId::KindUnknown, sentences::kind_unknown),
            );
            // Under `concurrent`, the serial sum contains the contention.
            let together = self.policies.iter().any(|policy| policy.runs_together());
            let isolated = self.count(|task| {
                // If a table has only one list, gpusched uses this list both in isolation and in conflict. The author
                // of such a table may not have measured conflicts.
                let is_common = matches!(task.wcet().form(), Form::Table(Table::Both(_)));
                !together && (is_common || !task.wcet().states_conflict())
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

    /// Returns what the task set states about the measurement of the WCETs from `source`.
    fn origins(&self, source: WcetSource) -> Origins {
        let mut origins = Origins::default();
        for task in self
            .set
            .tasks()
            .iter()
            .filter(|task| task.wcet_source() == source)
        {
            let measured = self.set.measured_on(task);
            let unknown = |device| measured.is_none_or(|on| on.same_gpu(device) == SameGpu::Unknown);
            origins.unknown_gpu += usize::from(self.device.is_some_and(unknown));
            origins.add_margin(measured.and_then(|on| on.fields().margin));
        }
        origins
    }

    /// Adds the assumption on tasks whose WCETs are from another GPU.
    fn other_gpu(&self, list: &mut Vec<Assumption>) {
        let Some(device) = self.device else {
            return;
        };
        let tasks = self.set.tasks().iter();
        let measured = tasks.filter_map(|task| self.set.measured_on(task));
        let others: Vec<&MeasuredOn> = measured.filter(|on| on.same_gpu(device) == SameGpu::No).collect();
        let Some(first) = others.first() else {
            return;
        };
        let tasks = Part {
            count: others.len(),
            of: self.set.tasks().len(),
        };
        let gpu = first.gpu_label().unwrap_or_default();
        let text = sentences::other_gpu(&gpu, tasks);
        add(list, Some((AssumptionId::WcetOtherGpu, text)));
    }

    /// Adds the assumptions on the recordings of measured WCETs.
    fn recordings(&self, list: &mut Vec<Assumption>) {
        let measured = |task: &Task, is: &dyn Fn(&MeasuredOnShape) -> bool| {
            self.set.measured_on(task).is_some_and(|on| is(on.fields()))
        };
        let tasks = self.set.tasks().iter();
        let longest = tasks.filter_map(|task| self.set.measured_on(task)?.fields().left_out_gaps);
        let longest = longest.max().unwrap_or_default();
        let gaps = self.count(|task| measured(task, &|on| on.left_out_gaps.is_some()));
        let words = |tasks| sentences::gaps_left_out(longest, tasks);
        add(list, gaps.if_any(AssumptionId::GapsLeftOut, words));
        let tasks = self.set.tasks().iter();
        let longest = tasks.filter_map(|task| self.set.measured_on(task)?.fields().left_out_copies);
        let longest = longest.max().unwrap_or_default();
        let copies = self.count(|task| measured(task, &|on| on.left_out_copies.is_some()));
        let words = |tasks| sentences::copies_left_out(longest, tasks);
        add(list, copies.if_any(AssumptionId::CopiesLeftOut, words));
        let incomplete = self.count(|task| measured(task, &|on| on.incomplete));
        let words = sentences::recording_incomplete;
        add(list, incomplete.if_any(AssumptionId::RecordingIncomplete, words));
        let sizes = self.count(|task| measured(task, &|on| on.size_stated && on.size_signs.is_empty()));
        add(
            list,
            sizes.if_any(AssumptionId::SizeStated, sentences::size_stated),
        );
        let tasks = self.set.tasks().iter();
        let of = tasks.filter_map(|task| Some(&self.set.measured_on(task)?.fields().size_signs));
        let signs: BTreeSet<SizeSign> = of.flatten().copied().collect();
        let doubtful = self.count(|task| measured(task, &|on| !on.size_signs.is_empty()));
        let words = |tasks| sentences::size_contradicted(&signs, tasks);
        add(list, doubtful.if_any(AssumptionId::SizeContradicted, words));
        let rule = |task: &Task| {
            let stated = self.set.measured_on(task)?.fields().warm_up;
            stated.filter(|rule| !rule.is_none())
        };
        let rules: Vec<WarmUp> = self.set.tasks().iter().filter_map(rule).collect();
        let dropped = self.count(|task| rule(task).is_some());
        let words = |tasks| sentences::warm_up_left_out(&rules, tasks);
        add(list, dropped.if_any(AssumptionId::WarmUpLeftOut, words));
    }

    /// Counts the tasks for which `wanted` is true.
    fn count(&self, wanted: impl Fn(&Task) -> bool) -> Part {
        let tasks = self.set.tasks();
        Part {
            count: tasks.iter().filter(|task| wanted(task)).count(),
            of: tasks.len(),
        }
    }
}

impl Part {
    /// Returns the assumption `id` with a text from `words`. Returns `None` if the assumption applies to no task.
    fn if_any(self, id: AssumptionId, words: impl Fn(Part) -> String) -> Option<(AssumptionId, String)> {
        (self.count > 0).then(|| (id, words(self)))
    }
}

/// Adds the assumptions on the memory time of jobs. The name of the first assumption states the form of the rates.
/// `at_ports` states whether the verdict also counts the time of jobs at ports.
fn memory_time(time: MemoryTime, at_ports: bool, list: &mut Vec<Assumption>) {
    let bound = match time.form != RateForm::Universal || time.own_l2 {
        false => AssumptionId::MemoryTimeUniversal,
        true => AssumptionId::MemoryTimeTested,
    };
    add(list, Some((bound, sentences::memory_time(time, at_ports))));
    for (id, text) in [
        (
            AssumptionId::SectorBounds,
            "No job exceeds its `sectors`, and no source its `other_traffic` in sectors of 32 bytes. Measurements in isolation are no bounds.",
        ),
        (
            AssumptionId::DeferredWrites,
            "Data that a job leaves in L2 delays other partitions only in busy windows that overlap the job.",
        ),
    ] {
        add(list, Some((id, text.to_owned())));
    }
    let text = sentences::cold_wcets(time);
    add(list, Some((AssumptionId::ColdWcets, text)));
}

/// Adds `assumption` to `list`, unless `list` contains it already.
pub(super) fn add(list: &mut Vec<Assumption>, assumption: Option<(AssumptionId, String)>) {
    if let Some((id, text)) = assumption {
        let assumption = Assumption::new(id, text);
        if !list.contains(&assumption) {
            list.push(assumption);
        }
    }
}

/// Returns the assumption on the dispatcher of kernels.
pub(super) fn dispatch(policy: Policy) -> Option<(AssumptionId, String)> {
    let order = match policy {
        Policy::Edf | Policy::NpEdf | Policy::LpEdf | Policy::Density => {
            return Some((
                AssumptionId::DispatchEdf,
                sentences::dispatch("earliest deadline first"),
            ));
        }
        Policy::NpFifo => {
            return Some((
                AssumptionId::DispatchFifo,
                sentences::dispatch("first in, first out"),
            ));
        }
        Policy::Concurrent => {
            let text = "Each task has its own stream, which gets and executes its jobs in the order of their arrivals, each on its release.";
            return Some((AssumptionId::OwnStreams, text.to_owned()));
        }
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => {
            let text = format!(
                "Another test proves that the tasks meet their deadlines. `{policy}` is only a necessary test."
            );
            return Some((AssumptionId::DeadlinesByOtherTest, text));
        }
        Policy::FixedPriority(_, Priorities::DeadlineMonotonic) => "smallest deadline minus jitter first",
        Policy::FixedPriority(_, Priorities::RateMonotonic) => "shortest period first",
        Policy::FixedPriority(_, Priorities::Given) => "in the order of the task set",
        Policy::FixedPriority(_, Priorities::Audsley) => {
            "in the order that `priorities` in the evidence states"
        }
        Policy::Hyperbolic | Policy::LiuLayland => "smallest min(period, deadline) minus jitter first",
    };
    Some((AssumptionId::DispatchFixedPriority, sentences::dispatch(order)))
}

/// Returns the assumption on preemption, or `None` if the test of the policy is only necessary.
pub(super) fn preemption(policy: Policy) -> Option<(AssumptionId, String)> {
    let (id, text) = match policy {
        Policy::Edf
        | Policy::Density
        | Policy::Hyperbolic
        | Policy::LiuLayland
        | Policy::FixedPriority(Preemption::Preemptive, _) => (
            AssumptionId::PreemptionAnyPoint,
            "A kernel with higher priority preempts the running kernel at any point, immediately and at no cost.",
        ),
        Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => (
            AssumptionId::PreemptionBlockBoundaries,
            "A kernel with higher priority waits at most `block` for running thread blocks. A preemption repeats at most one thread block.",
        ),
        Policy::NpEdf | Policy::NpFifo | Policy::FixedPriority(Preemption::NonPreemptive, _) => (
            AssumptionId::PreemptionNone,
            "A kernel that has started runs to its end. The other kernels of the partition wait.",
        ),
        Policy::Concurrent | Policy::WorkCapacity | Policy::WorkCapacityDeadline => return None,
    };
    Some((id, text.to_owned()))
}

/// Returns the assumption on the mechanism that separates partitions.
fn separation(granularity: Granularity) -> (AssumptionId, String) {
    let (id, text) = match granularity {
        Granularity::Sm => (
            AssumptionId::SmsReserved,
            "A mechanism outside gpusched, such as SM masks, reserves the SMs of each partition for the kernels of the partition.",
        ),
        Granularity::Tpc | Granularity::Gpc => (
            AssumptionId::TpcMasks,
            "TPC masks confine the kernels of each partition to its TPCs. All other kernels use other TPCs.",
        ),
        Granularity::GreenContext => (
            AssumptionId::GreenContexts,
            "Each partition is a CUDA green context with exclusive SMs. The driver chooses the SMs.",
        ),
        Granularity::Mps => (
            AssumptionId::MpsStaticPartitions,
            "Each partition is a static SM partition of MPS. An active thread percentage alone reserves no SMs.",
        ),
        Granularity::Mig => (
            AssumptionId::MigInstances,
            "Each partition is a MIG instance. Only the kernels of the instance use its SMs.",
        ),
    };
    (id, text.to_owned())
}

/// Returns the assumption that states which contention the verdict includes and which contention it excludes.
fn interference(model: Option<Interference>, granularity: Option<Granularity>) -> (AssumptionId, String) {
    let divided = granularity == Some(Granularity::Mig);
    let (id, text) = match model {
        Some(Interference::ConflictBandwidth) if divided => (
            AssumptionId::InterferenceConflictBandwidth,
            "Tasks of the same kind in one partition contend. MIG instances do not delay each other through L2, DRAM or the host link.",
        ),
        Some(Interference::Bandwidth) if divided => (
            AssumptionId::InterferenceBandwidth,
            "Tasks in one partition do not contend. MIG instances do not delay each other through L2, DRAM or the host link.",
        ),
        Some(Interference::Conflict) => (
            AssumptionId::InterferenceConflict,
            "Only tasks of the same kind in one partition contend. Partitions do not delay each other through L2 or DRAM.",
        ),
        Some(Interference::None) => (
            AssumptionId::InterferenceNone,
            "Tasks in one partition do not contend. Partitions do not delay each other through L2 or DRAM.",
        ),
        Some(Interference::ConflictBandwidth) => (
            AssumptionId::InterferenceConflictBandwidth,
            "Tasks of the same kind in one partition contend. Co-running partitions cause no L2 misses and no late write-backs beyond `traffic`.",
        ),
        Some(Interference::Bandwidth) => (
            AssumptionId::InterferenceBandwidth,
            "Tasks in one partition do not contend. Co-running partitions cause no L2 misses and no late write-backs beyond `traffic`.",
        ),
        Some(Interference::ConflictMemoryTime) => (
            AssumptionId::InterferenceConflictMemoryTime,
            "Tasks of the same kind in one partition contend. Partitions delay each other only through L2 and DRAM.",
        ),
        Some(Interference::MemoryTime) => (
            AssumptionId::InterferenceMemoryTime,
            "Tasks in one partition do not contend. Partitions delay each other only through L2 and DRAM.",
        ),
        None => (
            AssumptionId::InterferenceUnnamed,
            "The interference model of the calling program bounds all contention.",
        ),
    };
    (id, text.to_owned())
}
