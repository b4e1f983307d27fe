//! Processing units of tasks, and the scheduling rules of cores.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;
use gpusched_model::end_to_end::{Core, CorePolicy};

use crate::amalthea::hardware::{Hardware, MERGE, UnitType, missing};
use crate::amalthea::mapping::{Mapping, Placement};
use crate::amalthea::model::{Model, Node, child, children, kind, name};
use crate::amalthea::reference::{reference, references};
use crate::amalthea::software::Software;

/// Place of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// On the GPU with this name.
    Gpu(String),
    /// On one of these cores.
    Cores(BTreeSet<String>),
    /// On this core, which the caller of the conversion requires.
    Moved(String),
}

/// Returns the place of each task. `moves` contains pairs of a task and a core that replace the allocation of the file.
pub fn places<'a>(
    model: &Model<'a>,
    hardware: &Hardware<'a>,
    software: &Software<'a>,
    moves: &[(String, String)],
) -> Result<BTreeMap<&'a str, Place>, Refusal> {
    let mapping = Mapping::read(model);
    let mut places = BTreeMap::new();
    for (task, core) in moves {
        let (&task, _) = software.processes.get_key_value(task.as_str()).ok_or_else(|| {
            let expected = format!("a task of the file: {}", software.order.join(", "));
            Refusal::new("move", format!("{task:?}"), expected)
        })?;
        let is_core = |unit: &str| hardware.unit_type(unit) != UnitType::Gpu;
        if !hardware.units().any(|(unit, _)| unit == core && is_core(unit)) {
            let cores = hardware
                .units()
                .map(|(unit, _)| unit)
                .filter(|unit| is_core(unit));
            let cores: Vec<&str> = cores.collect();
            let expected = format!("a core of the file: {}", cores.join(", "));
            return Refusal::refuse("move", format!("{core:?}"), expected);
        }
        if places.insert(task, Place::Moved(core.clone())).is_some() {
            return Refusal::refuse("move", format!("{task:?} twice"), "each task once");
        }
    }
    for &task in &software.order {
        if places.contains_key(task) {
            continue;
        }
        let place = match mapping.process(hardware, model, task)? {
            Placement::Gpu(unit) => Place::Gpu(unit),
            Placement::Other => Place::Cores(mapping.processes.get(task).cloned().unwrap_or_default()),
            Placement::Unknown => {
                let node = software.processes.get(task).copied();
                let node = node.ok_or_else(|| missing(model, "task", task))?;
                let field = format!("{} {task:?}", node.tag_name().name());
                let refusal =
                    model.refuse(node, field, "no allocation", "an allocation to a processing unit");
                let is_part = model.parts().any(|part| part.tag_name().name() == "mappingModel");
                return Err(if is_part { refusal } else { refusal.hint(MERGE) });
            }
        };
        places.insert(task, place);
    }
    Ok(places)
}

/// Cores with their scheduling rules.
pub struct Cores {
    pub cores: Vec<Core>,
    /// Names of the schedulers that decided the rules.
    pub schedulers: BTreeSet<String>,
    /// Names of the cores without a scheduler in the file.
    pub unknown: Vec<String>,
}

/// Returns the cores `used`. `tasks` contains, for each core, the tasks that the file allocates to it.
pub fn cores(
    model: &Model<'_>,
    hardware: &Hardware<'_>,
    used: &BTreeSet<String>,
    tasks: &BTreeMap<&str, BTreeSet<&str>>,
) -> Result<Cores, Refusal> {
    let mut algorithms: BTreeMap<&str, (&str, Node<'_>)> = BTreeMap::new();
    let systems = model.elements("osModel", "operatingSystems");
    for scheduler in systems.flat_map(|system| children(system, "taskSchedulers")) {
        if let Some(algorithm) = child(scheduler, "schedulingAlgorithm") {
            algorithms.insert(name(scheduler), (kind(algorithm), algorithm));
        }
    }
    let mut found = Cores {
        cores: Vec::new(),
        schedulers: BTreeSet::new(),
        unknown: Vec::new(),
    };
    for core in used {
        let mut policy: Option<CorePolicy> = None;
        for scheduler in schedulers(model, core, tasks.get(core.as_str())) {
            let Some(&(algorithm, node)) = algorithms.get(scheduler.as_str()) else {
                continue;
            };
            let next = match algorithm {
                "FixedPriorityPreemptive" | "OSEK" | "DeadlineMonotonic" => CorePolicy::Fp,
                "EarliestDeadlineFirst" => CorePolicy::Edf,
                _ => {
                    let expected = "FixedPriorityPreemptive, OSEK, DeadlineMonotonic or EarliestDeadlineFirst \
                                    as the scheduler of a core";
                    let field = format!("taskSchedulers {scheduler:?}.schedulingAlgorithm");
                    return Err(model.refuse(node, field, format!("{algorithm:?}"), expected));
                }
            };
            if let Some(first) = policy.filter(|first| *first != next) {
                let field = format!("taskSchedulers {scheduler:?}.schedulingAlgorithm");
                let expected = format!("{first} as for the other schedulers of the core {core:?}");
                return Err(model.refuse(node, field, next, expected));
            }
            policy = Some(next);
            found.schedulers.insert(scheduler);
        }
        if policy.is_none() {
            found.unknown.push(core.clone());
        }
        found.cores.push(Core {
            name: core.clone(),
            kind: Some(hardware.definition(core)).filter(|definition| !definition.is_empty()),
            policy: policy.unwrap_or(CorePolicy::Fp),
        });
    }
    Ok(found)
}

/// Returns the schedulers that are responsible for `core`, together with the schedulers of `tasks`.
fn schedulers(model: &Model<'_>, core: &str, tasks: Option<&BTreeSet<&str>>) -> BTreeSet<String> {
    let responsible = model
        .elements("mappingModel", "schedulerAllocation")
        .filter(|allocation| {
            let units = references(*allocation, "responsibility");
            units.iter().any(|unit| unit.name == core)
        });
    let of_tasks = model
        .elements("mappingModel", "taskAllocation")
        .filter(|allocation| {
            let task = reference(*allocation, "task");
            task.is_some_and(|task| tasks.is_some_and(|tasks| tasks.contains(task.as_str())))
        });
    let allocations = responsible.chain(of_tasks);
    allocations
        .filter_map(|allocation| reference(allocation, "scheduler"))
        .collect()
}
