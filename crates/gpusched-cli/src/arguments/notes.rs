//! Notes on task sets that are valid but probably contain a mistake.

use std::collections::BTreeSet;

use crate::arguments::Memory;
use crate::complain;
use crate::report::clip;
use gpusched_analysis::partitioning::Offer;
use gpusched_model::assumptions::{AssumptionId, Basis, Counted, Ports};
use gpusched_model::device::{Granularity, PortLevel};
use gpusched_model::plan::SharedPort;
use gpusched_model::provenance::SameGpu;
use gpusched_model::time::Time;
use gpusched_model::traffic::{Bytes, SharedMemory};
use gpusched_model::{Contention, Device, Plan, Platform, Task, TaskSet, Times, counted};

/// For a period or deadline below this time, the user probably forgot the unit.
const SHORT: Time = Time::from_ns(1_000);

/// A deadline that is longer than this number of periods is probably a mistake.
const LATE: u64 = 100;

/// Writer of notes on a stream of task sets. Each writer writes each kind of note only once.
#[derive(Debug, Default)]
pub struct Notes {
    memory: Option<SharedMemory>,
    names: bool,
    times: bool,
    deadlines: bool,
    load: bool,
    overheads: bool,
    other_gpu: bool,
    unknown_gpu: bool,
    /// Assumptions on the sources of WCETs that have a note.
    sources: BTreeSet<AssumptionId>,
}

impl Notes {
    /// Creates notes for task sets on partitions that share `memory`.
    pub fn new(memory: Option<SharedMemory>) -> Notes {
        Notes {
            memory: memory.filter(|memory| memory.time.is_none()),
            ..Notes::default()
        }
    }

    /// Writes a warning if the WCETs of `set` are from another GPU than `device`. Unless `quiet`, writes a note if the
    /// GPU of the WCETs has a name that gpusched cannot compare.
    pub fn gpu(&mut self, set: &TaskSet, device: &Device, quiet: bool) {
        let found = |wanted: SameGpu| {
            let mut tasks = (0..).zip(set.tasks());
            tasks.find_map(|(index, task)| {
                let on = set.measured_on(task).filter(|on| on.same_gpu(device) == wanted)?;
                Some((clip(&set.label(index), 40), on.gpu_label()?))
            })
        };
        let planned = || format!("`{}` with {}", device.name(), counted(device.sms(), "SM"));
        if !self.other_gpu
            && let Some((task, gpu)) = found(SameGpu::No)
        {
            self.other_gpu = true;
            complain(&format!(
                "warning: the WCET of task `{task}` is from {gpu}, but the GPU is {}; the result is unsafe if a job takes \
                 longer on this GPU",
                planned()
            ));
        }
        if !self.unknown_gpu
            && !quiet
            && let Some((task, gpu)) = found(SameGpu::Unknown)
        {
            self.unknown_gpu = true;
            let reason = match gpu.starts_with('`') {
                true => "gpusched does not know this name",
                false => "its name is not stated",
            };
            complain(&format!(
                "note: the WCET of task `{task}` is from {gpu}; {reason}, so gpusched has not checked that this GPU is {}",
                planned()
            ));
        }
    }

    /// Writes a note if the WCETs of `set` lack the overheads of dispatchers.
    pub fn overheads(&mut self, set: &TaskSet) {
        if set.times() == Some(Times::Gpu) && !self.overheads {
            self.overheads = true;
            complain(
                "note: the WCETs are times on the GPU, and no overheads of dispatchers are stated, which is unsafe; `run` requires \
                 `--overheads`",
            );
        }
    }

    /// Writes notes on `set` if its tasks share the GPU by time slices: an end-to-end system states no sources of WCETs, so its
    /// assumptions do not contain them. With `quiet`, writes only what makes a verdict unsafe if it does not hold.
    pub fn time_sliced(&mut self, set: &TaskSet, device: Option<&Device>, quiet: bool) {
        if let Some(device) = device {
            self.gpu(set, device, quiet);
        }
        if set.times() == Some(Times::Gpu) && !self.overheads && !quiet {
            self.overheads = true;
            complain(
                "note: the WCETs are times on the GPU, and time slices count no overheads of launches, which is unsafe; add them to \
                 the WCETs",
            );
        }
        let basis = Basis {
            set,
            policies: Vec::new(),
            interference: None,
            memory: None,
            overheads: None,
            unmeasured_overheads: false,
            variation_percent: 0,
            granularity: None,
            device: None,
            several: false,
            ports: Ports::Unknown,
        };
        let of_sources = [
            AssumptionId::WcetEstimated,
            AssumptionId::RecordingIncomplete,
            AssumptionId::SizeStated,
            AssumptionId::SizeContradicted,
            AssumptionId::WarmUpLeftOut,
        ];
        for one in basis.assumptions() {
            if of_sources.contains(&one.id) && self.sources.insert(one.id) {
                let text = one.text.unwrap_or_default();
                complain(&format!("note: the verdict also assumes: {text}"));
            }
        }
    }

    /// Writes the note `doubt` on stated overheads.
    pub fn stated_overheads(&mut self, doubt: Option<String>) {
        if let Some(doubt) = doubt.filter(|_| !self.overheads) {
            self.overheads = true;
            complain(&format!("note: {doubt}"));
        }
    }

    /// Writes the notes on `set`, but no note of a kind that `self` has already written.
    pub fn on(&mut self, set: &TaskSet) {
        if let Some(name) = repeated(set).filter(|_| !self.names) {
            self.names = true;
            complain(&format!(
                "note: several tasks are called `{}`; results distinguish these tasks by their positions",
                clip(name, 40)
            ));
        }
        if let Some((field, time)) = short(set).filter(|_| !self.times) {
            self.times = true;
            let ns = time.ns();
            complain(&format!(
                "note: `{field}` of {ns} ns is below 1 us: a number without a unit is in nanoseconds (write \"{ns}ms\" for milliseconds)"
            ));
        }
        if let Some((label, deadline, period)) = late(set).filter(|_| !self.deadlines) {
            self.deadlines = true;
            complain(&format!(
                "note: task `{}` has a deadline of {deadline} and a period of {period}; check the units",
                clip(&label, 40)
            ));
        }
        if let Some(memory) = self.memory.filter(|memory| !self.load && overloads(set, memory)) {
            self.load = true;
            complain(&format!(
                "note: the memory is overloaded, because tasks and other sources request more than {} on average; check `traffic` and \
                 `--memory-bandwidth`",
                memory.bandwidth
            ));
        }
    }
}

/// Writes a warning if `memory` states a bandwidth that `device` cannot sustain. Unless `quiet`, also writes a note if the
/// peak bandwidth of `device` is unknown, or if `memory` states the rates of another GPU.
pub fn rates(memory: &Memory, device: Option<&Device>, quiet: bool) {
    let Some(gpu) = device.map(Device::name) else {
        return;
    };
    let peak = Platform::named(gpu).and_then(|platform| platform.peak_memory_bandwidth);
    match (memory.memory_bandwidth, peak) {
        (Some(stated), Some(peak)) if stated >= peak => complain(&format!(
            "warning: `--memory-bandwidth {stated}` is unsafe: the peak of `{gpu}` in the data sheet is {peak}, and no memory \
             sustains its peak under every request mix"
        )),
        (Some(stated), None) if !quiet => complain(&format!(
            "note: gpusched does not know the peak memory bandwidth of `{gpu}`; check that `--memory-bandwidth {stated}` is \
             below the peak"
        )),
        _ => {}
    }
    if let Some(rates) = memory
        .memory_rates
        .as_ref()
        .filter(|rates| !quiet && rates.machine != gpu)
    {
        complain(&format!(
            "note: `--memory-rates` are rates of `{}`, but the GPU is `{gpu}`",
            clip(&rates.machine, 40)
        ));
    }
}

/// Writes a warning if partitions of `granularity` may delay each other at `ports`. The verdict counts the delay at the
/// ports `counted`.
pub fn ports(ports: &Ports, granularity: Granularity, counted: Counted) {
    let (tpc, gpc) = (counted.tpc.is_some(), counted.gpc.is_some());
    let found = match ports {
        Ports::Own => return,
        Ports::SharedTpcs(pairs) => format!("partitions {pairs} share TPC ports"),
        Ports::SharedGpcs(pairs) => format!("partitions {pairs} share GPC ports"),
        Ports::SomeGpcs => format!("partitions of granularity `{granularity}` may share GPC ports"),
        Ports::Unknown => {
            format!("partitions of granularity `{granularity}` may share ports of TPCs and GPCs")
        }
    };
    let counts = match (ports, tpc, gpc) {
        (Ports::SharedTpcs(_) | Ports::Unknown, true, true)
        | (Ports::SharedGpcs(_) | Ports::SomeGpcs, _, true) => "the verdict counts this delay",
        (Ports::SharedTpcs(_) | Ports::Unknown, true, false) => {
            "the verdict counts the delay at TPC ports, but no delay at GPC ports"
        }
        _ => "the verdict counts no delay at ports",
    };
    complain(&format!(
        "warning: {found}, where kernels delay each other; {counts}"
    ));
}

/// Writes a note if measurements on the whole GPU alone are the reason for a partition of `plan`: no smaller size has a WCET.
pub fn whole_gpu(set: &TaskSet, plan: &Plan) {
    let tasks = plan
        .partitions
        .iter()
        .flat_map(|partition| partition.tasks.iter().copied());
    let of_whole: Vec<(usize, u32)> = tasks
        .filter_map(|index| {
            let task = set.tasks().get(index)?;
            let whole = set.measured_on(task)?.fields().sms?;
            (whole > 1 && task.wcet().smallest_sms(Contention::Isolated) == whole).then_some((index, whole))
        })
        .collect();
    let Some(&(first, sms)) = of_whole.first() else {
        return;
    };
    let name = clip(&set.label(first), 40);
    let tasks = match of_whole.len() {
        1 => format!("task `{name}` was"),
        many => format!("{many} tasks, such as `{name}`, were"),
    };
    complain(&format!(
        "note: {tasks} measured only on the whole GPU, {}, so no partition of such a task is smaller; with measurements on fewer \
         SMs, a plan may need fewer SMs",
        counted(sms, "SM")
    ));
}

/// Writes a note if `plan` is not schedulable and counts unlimited packets at a shared port, because a task of `set`
/// does not state its packets, or its blocks at the port of a TPC.
pub fn packets(set: &TaskSet, plan: &Plan) {
    let counts = |port: &SharedPort| {
        let device = plan.hardware.as_ref().map(|hardware| &hardware.device);
        plan.memory.is_some() && device.is_some_and(|device| device.port_rates(port.level).is_some())
    };
    let shared = plan.shared_ports.iter().flatten().find(|port| counts(port));
    let Some(port) = shared.filter(|_| !plan.schedulable) else {
        return;
    };
    let known = |task: usize| {
        let sectors = { set.tasks().get(task) }.and_then(Task::sectors);
        sectors.is_some_and(|sectors| port.level == PortLevel::Gpc || sectors.blocks.is_some())
    };
    let parts = port
        .partitions
        .iter()
        .filter_map(|&part| plan.partitions.get(part));
    let unknown = parts.flat_map(|part| &part.tasks).find(|&&task| !known(task));
    if let Some(&task) = unknown {
        let (level, number) = (port.level.to_string().to_uppercase(), port.number);
        let with = if port.level == PortLevel::Gpc {
            ""
        } else {
            " with `blocks`"
        };
        complain(&format!(
            "note: task `{}` states no `sectors`{with}, so the verdict assumes that the task occupies the port of {level} \
             {number} all the time",
            clip(&set.label(task), 40)
        ));
    }
}

/// Returns the first name that two tasks have in common.
fn repeated(set: &TaskSet) -> Option<&str> {
    let mut seen = BTreeSet::new();
    let mut names = set.tasks().iter().filter_map(|task| task.name());
    names.find(|name| !seen.insert(*name))
}

/// Returns the first period or deadline below [`SHORT`], with the name of its field.
fn short(set: &TaskSet) -> Option<(&'static str, Time)> {
    set.tasks().iter().find_map(|task| {
        let times = [("period", task.period()), ("deadline", task.deadline())];
        times.into_iter().find(|(_, time)| *time < SHORT)
    })
}

/// Returns the first task whose deadline is longer than [`LATE`] periods, with its deadline and its period.
fn late(set: &TaskSet) -> Option<(String, Time, Time)> {
    let is_late = |task: &Task| task.deadline().ns() > task.period().ns().saturating_mul(LATE);
    let index = set.tasks().iter().position(is_late)?;
    let task = set.tasks().get(index)?;
    Some((set.label(index), task.deadline(), task.period()))
}

/// Whether the tasks and the other sources together have a mean rate of traffic above the bandwidth of `memory`. The
/// rates are rounded down.
fn overloads(set: &TaskSet, memory: &SharedMemory) -> bool {
    let rate = |traffic: Bytes, period: Time| traffic.nano() / u128::from(period.ns().max(1));
    let tasks = set
        .tasks()
        .iter()
        .filter_map(|task| Some(rate(task.traffic()?, task.period())));
    let others = set
        .other_traffic()
        .iter()
        .map(|source| rate(source.traffic, source.period));
    tasks.chain(others).sum::<u128>() > u128::from(memory.bandwidth.bytes_per_second())
}

/// Writes a note if conflict WCETs are missing and `plan` uses isolated WCETs instead. Such a plan is unsafe.
pub fn conflict(set: &TaskSet, plan: &Plan) {
    let groups = plan.partitions.iter().map(|partition| &partition.tasks[..]);
    conflict_in(set, groups);
}

/// Writes the note of [`conflict`] for `groups` of tasks. The tasks of one group share a
/// partition.
pub fn conflict_in<'t>(set: &TaskSet, groups: impl Iterator<Item = &'t [usize]>) {
    let mut silent: Vec<usize> = Vec::new();
    for group in groups {
        let rivals = |task: usize, other: usize| {
            let kind = |index: usize| set.tasks().get(index).and_then(|task| task.kind());
            task != other && (kind(task).is_none() || kind(other).is_none() || kind(task) == kind(other))
        };
        silent.extend({ group.iter().copied() }.filter(|&task| {
            let stated = { set.tasks().get(task) }.is_none_or(|task| task.wcet().states_conflict());
            !stated && group.iter().any(|&other| rivals(task, other))
        }));
    }
    silent.sort_unstable();
    let Some(&first) = silent.first() else { return };
    let name = clip(&set.label(first), 40);
    let tasks = match silent.len() {
        1 => format!("task `{name}` shares"),
        many => format!("{many} tasks, such as `{name}`, share"),
    };
    complain(&format!(
        "note: {tasks} a partition with tasks of the same or of an unknown kind, but without a WCET in `conflict`; \
         gpusched uses the isolated WCET, which is unsafe if these tasks delay each other"
    ));
}

/// Writes a note if `gpusched run` refuses `plan`, although it may run the set on this GPU. The set states times on the GPU alone, as
/// measurements and recordings do.
pub fn green_contexts(set: &TaskSet, plan: &Plan, device: Option<&Device>) {
    let Some((hardware, device)) = plan.hardware.as_ref().zip(device) else {
        return;
    };
    let granularity = hardware.granularity;
    let offered = Offer::new(device, Granularity::GreenContext).is_ok();
    if set.times() == Some(Times::Gpu) && granularity != Granularity::GreenContext && offered {
        complain(&format!(
            "note: the partitions have the granularity {granularity}, and `run` creates green contexts on a GPU; for a plan that `run` \
             accepts, add `--granularity green-context`"
        ));
    }
}
