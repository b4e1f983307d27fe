//! All tasks of a model as an end-to-end system.
//!
//! Each periodic or sporadic stimulus of a task starts one thread. The thread also executes each task that it triggers
//! and for which it waits. Ticks on a processing unit become segments on a core or on the GPU. Runnables of the GPU
//! with label accesses and without ticks become copies. Chains follow the labels between tasks.

mod chains;
mod copies;
mod flow;
mod notes;
mod placement;
mod places;
mod segments;
mod steps;
mod threads;

pub use chains::chains;
pub use flow::Flows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpusched_model::end_to_end::{
    Arrivals, CopyEngine, Draft, EnginePolicy, Jobs, PartitionDraft, PartitionPolicy, System, TaskDraft, Wait,
};
use gpusched_model::time::Time;
use gpusched_model::{Interference, Refusal};

use super::Imported;
use super::activation::{Release, Timing};
use super::hardware::Hardware;
use super::mapping::{Mapping, Placement};
use super::model::{Model, owner};
use super::requirements::Deadlines;
use super::software::Software;
use crate::xml::stem;
use copies::{Labels, Rate};
use notes::Told;
use placement::{Thread, all_threads, place};
use places::{Place, cores, places};
use segments::{ENGINE, PARTITION, Resources};
use threads::{Part, Threads};

/// Number of ticks that counts as the WCET.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Times {
    /// Maximum number of ticks.
    #[default]
    Max,
    /// Average number of ticks, which is not a bound.
    Average,
}

/// Decisions that a model leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Number of SMs of the GPU. If it is `None`, a feature of the GPU in the file must state the number.
    pub sms: Option<u32>,
    /// Number of ticks that counts as the WCET.
    pub times: Times,
    /// Scheduling rule of the GPU.
    pub gpu_policy: PartitionPolicy,
    /// Waiting mode of all tasks. If it is `None`, the file must state the waiting modes.
    pub wait: Option<Wait>,
    /// Pairs of a task and a core that replace the allocation of the task. If another task triggers a moved task, the
    /// other task moves, too.
    pub moves: Vec<(String, String)>,
}

/// Derives the system of `model`, which was read from the file at `path`.
pub fn convert(path: &Path, model: &Model<'_>, options: &Options) -> Result<Imported, Refusal> {
    let hardware = Hardware::read(model)?;
    let software = Software::read(model)?;
    let labels = Labels::read(model)?;
    check_tasks(model, &software)?;
    let places = places(model, &hardware, &software, &options.moves)?;
    let gpu_runnables = gpu_runnables(model, &hardware, &software)?;
    let unit = gpu_unit(model, &places, &gpu_runnables)?;
    let gpu = unit
        .map(|unit| hardware.gpu(model, unit, options.sms))
        .transpose()?;

    let runnables: BTreeSet<&str> = gpu_runnables.keys().copied().collect();
    let definition = gpu.as_ref().map(|gpu| gpu.definition.clone());
    let mut threads = Threads::new(
        (model, &hardware, &software),
        &labels,
        &places,
        (definition, &runnables),
        options.times == Times::Average,
    );
    let mut found = all_threads(model, &software, &threads, &runnables)?;
    place(model, &hardware, &mut threads, &mut found)?;

    let releases: Vec<Release> = found.iter().map(release).collect();
    let mut deadlines = Deadlines::read(model)?;
    let contradictions = deadlines.decide(&releases);
    let shortest = deadlines.shortest();
    let has_copies = { found.iter() }.any(|thread| {
        let mut parts = thread.job.parts.iter();
        parts.any(|part| matches!(part, Part::Copy(read, written) if read + written > 0))
    });
    let unit = hardware.units().find(|(name, _)| Some(*name) == unit);
    let rate = unit
        .filter(|_| has_copies)
        .map(|(_, node)| Rate::read(model, node));
    let resources = Resources {
        model,
        hardware: &hardware,
        gpu: gpu.as_ref(),
        rate: rate.transpose()?,
        wait: options.wait,
    };
    let mut tasks: Vec<(Time, TaskDraft)> = Vec::new();
    for thread in &found {
        let limits = thread.tasks.iter().filter_map(|task| shortest.get(task)).copied();
        let deadline = limits.min().unwrap_or(thread.timing.period);
        tasks.push((deadline, task(&resources, thread, deadline)?));
    }
    // The sort is stable: ties follow the order of the file.
    tasks.sort_by_key(|(deadline, _)| *deadline);
    let mut tasks: Vec<TaskDraft> = tasks.into_iter().map(|(_, task)| task).collect();
    for (task, priority) in tasks.iter_mut().zip(0..) {
        task.priority = Some(priority);
    }

    let used = found.iter().filter(|thread| thread.uses_core());
    let used: BTreeSet<String> = used.filter_map(|thread| thread.core.clone()).collect();
    let mut by_core: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for thread in &found {
        let allocated = thread.tasks.iter().copied();
        let allocated = allocated.filter(|task| matches!(places.get(task), Some(Place::Cores(_))));
        if let Some(core) = thread.core.as_deref().filter(|_| thread.uses_core()) {
            by_core.entry(core).or_default().extend(allocated);
        }
    }
    let cores = cores(model, &hardware, &used, &by_core)?;
    let segments = tasks.iter().flat_map(|task| &task.segments);
    let resources: BTreeSet<String> = segments.map(|segment| segment.on.clone()).collect();
    let engine = CopyEngine {
        name: ENGINE.to_owned(),
        policy: EnginePolicy::Fifo,
        bandwidth: None,
        contended_bandwidth: None,
    };
    let sms = gpu.as_ref().map(|gpu| gpu.sms);
    let partition = PartitionDraft::new(PARTITION, sms, options.gpu_policy);
    let flows: Vec<_> = found
        .iter()
        .map(|thread| (thread.name, &thread.job.flows))
        .collect();
    let chains = chains::chains(&flows);
    let draft = Draft {
        name: stem(path),
        cores: cores.cores.clone(),
        copy_engines: Some(engine)
            .filter(|_| resources.contains(ENGINE))
            .into_iter()
            .collect(),
        partitions: Some(partition)
            .filter(|_| resources.contains(PARTITION))
            .into_iter()
            .collect(),
        tasks,
        chains: chains.clone().unwrap_or_default(),
        budgets: None,
    };
    // This call checks the names of the resources and tasks, and all times.
    System::new(&draft, Interference::Conflict).map_err(|refusal| refusal.at(path, None))?;
    let told = Told {
        model,
        hardware: &hardware,
        options,
        threads: &found,
        cores: &cores,
        has_chains: chains.is_some(),
        has_copies,
        gpu: gpu.as_ref().filter(|_| resources.contains(PARTITION)),
    };
    let mut warnings = contradictions;
    warnings.extend(told.warnings());
    Ok(Imported {
        result: draft,
        notes: told.notes(),
        assumptions: told.assumptions(),
        warnings,
        ignored: told.ignored(&deadlines, &releases, &threads),
        gpu: told.gpu.cloned(),
    })
}

/// Checks that `software` contains only preemptive tasks.
fn check_tasks(model: &Model<'_>, software: &Software<'_>) -> Result<(), Refusal> {
    if software.order.is_empty() {
        let refusal = model.refuse_all("no task", "at least one task");
        return Err(refusal.hint(super::hardware::MERGE));
    }
    for node in software.processes.values() {
        let field = owner(*node);
        if node.tag_name().name() == "isrs" {
            let found = "an interrupt service routine";
            return Err(model.refuse(
                *node,
                field,
                found,
                "tasks, because routines have no priority among tasks",
            ));
        }
        let preemption = node.attribute("preemption").unwrap_or("preemptive");
        if !["preemptive", "_undefined_"].contains(&preemption) {
            return Err(model.refuse(*node, format!("{field}.preemption"), preemption, "preemptive"));
        }
    }
    Ok(())
}

/// Returns the GPU of each runnable that the file allocates to a GPU.
fn gpu_runnables<'a>(
    model: &Model<'a>,
    hardware: &Hardware<'a>,
    software: &Software<'a>,
) -> Result<BTreeMap<&'a str, String>, Refusal> {
    let mapping = Mapping::read(model);
    let mut found = BTreeMap::new();
    for &name in software.runnables.keys() {
        if let Placement::Gpu(unit) = mapping.runnable(hardware, model, name)? {
            found.insert(name, unit);
        }
    }
    Ok(found)
}

/// Returns the only GPU of tasks and runnables, or `None` if there is no GPU.
fn gpu_unit<'p>(
    model: &Model<'_>,
    places: &'p BTreeMap<&str, Place>,
    runnables: &'p BTreeMap<&str, String>,
) -> Result<Option<&'p str>, Refusal> {
    let of_tasks = places.values().filter_map(|place| match place {
        Place::Gpu(unit) => Some(unit),
        Place::Cores(_) | Place::Moved(_) => None,
    });
    let units: BTreeSet<&str> = of_tasks.chain(runnables.values()).map(String::as_str).collect();
    if units.len() > 1 {
        let list: Vec<&str> = units.into_iter().collect();
        let found = format!("tasks on several GPUs: {}", list.join(", "));
        return Err(model.refuse_all(found, "tasks on one GPU"));
    }
    Ok(units.into_iter().next())
}

fn release(thread: &Thread<'_>) -> Release {
    Release {
        period: thread.timing.period,
        path: thread.tasks.iter().map(|&task| task.to_owned()).collect(),
    }
}

/// Returns `thread` as a task of the system, without a priority.
fn task(resources: &Resources<'_, '_>, thread: &Thread<'_>, deadline: Time) -> Result<TaskDraft, Refusal> {
    let segments = resources.segments(thread.name, thread.core.as_deref(), &thread.job)?;
    let Timing {
        period,
        jitter,
        longest,
    } = thread.timing;
    if segments.len() > 1 && deadline > period {
        let found = format!("a deadline of {deadline} and a period of {period}");
        let expected = "a deadline of at most the period, for a task that also uses a GPU";
        let refusal = resources.model.refuse_all(found, expected);
        return Err(refusal.of_field(format!("tasks {:?}", thread.name)));
    }
    Ok(TaskDraft {
        name: thread.name.to_owned(),
        period,
        deadline: Some(deadline),
        jitter: Some(jitter).filter(|&jitter| jitter > Time::ZERO),
        arrivals: if longest.is_some() {
            Arrivals::Sporadic
        } else {
            Arrivals::Periodic
        },
        max_interarrival: longest,
        phase: None,
        priority: None,
        gpu_priority: None,
        wait: resources.wait(thread.name, &thread.job, &segments)?,
        segments,
        jobs: Jobs::Sequential,
        buffers: None,
        alternatives: Vec::new(),
    })
}
