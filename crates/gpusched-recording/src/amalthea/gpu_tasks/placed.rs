//! Tasks and runnables, divided by the place of execution: on the GPU, or elsewhere.

use std::collections::BTreeSet;

use gpusched_model::Refusal;

use crate::amalthea::hardware::{Hardware, MERGE, UnitType};
use crate::amalthea::mapping::{Mapping, Placement};
use crate::amalthea::model::{Model, Node, name};
use crate::amalthea::software::{Software, definitions};

/// Tasks and runnables, by the place of execution.
pub struct Placed<'a> {
    /// Tasks on a GPU, in the order of the file.
    pub gpu_tasks: Vec<&'a str>,
    /// Runnables that the file allocates to a GPU.
    pub gpu_runnables: BTreeSet<&'a str>,
    /// Other tasks, in the order of the file.
    pub other_tasks: Vec<&'a str>,
    /// Names of the GPUs on which tasks or runnables execute.
    units: BTreeSet<String>,
    /// Warning about processing units without a type.
    pub warning: Option<String>,
}

impl<'a> Placed<'a> {
    /// Determines the place of each task and runnable.
    ///
    /// Fails if a task without an allocation, or a task on another processing unit, has ticks for a GPU.
    pub fn new(
        model: &Model<'a>,
        hardware: &Hardware<'a>,
        software: &Software<'a>,
    ) -> Result<Placed<'a>, Refusal> {
        let mapping = Mapping::read(model);
        let mut placed = Placed {
            gpu_tasks: Vec::new(),
            gpu_runnables: BTreeSet::new(),
            other_tasks: Vec::new(),
            units: BTreeSet::new(),
            warning: None,
        };
        let (mut allocated, mut unallocated) = (Vec::new(), Vec::new());
        for &name in &software.order {
            match mapping.process(hardware, model, name)? {
                Placement::Gpu(unit) => {
                    placed.units.insert(unit);
                    placed.gpu_tasks.push(name);
                    continue;
                }
                Placement::Other => allocated.push(name),
                Placement::Unknown => unallocated.push(name),
            }
            placed.other_tasks.push(name);
        }
        for &name in software.runnables.keys() {
            if let Placement::Gpu(unit) = mapping.runnable(hardware, model, name)? {
                placed.units.insert(unit);
                placed.gpu_runnables.insert(name);
            }
        }
        // A task set without this GPU work would be too optimistic.
        let is_gpu = |definition: &String| hardware.definition_type(definition) == UnitType::Gpu;
        let only = |(definitions, has_default): (BTreeSet<String>, bool)| {
            !has_default && !definitions.is_empty() && definitions.iter().all(is_gpu)
        };
        let any = |(definitions, _): (BTreeSet<String>, bool)| definitions.iter().any(is_gpu);
        let refuse = |node: Node<'a>, callers: &str| {
            let owner = format!("{} {:?}", node.tag_name().name(), name(node));
            let found = format!("ticks for a GPU in work of {callers}");
            let expected = "an allocation of the task or of the runnable to a processing unit";
            Err(model.refuse(node, owner, found, expected))
        };
        for node in software.nodes(&unallocated, &placed.gpu_runnables) {
            if any(definitions(node)) {
                return refuse(node, "a task without an allocation");
            }
        }
        for node in software.nodes(&allocated, &placed.gpu_runnables) {
            if only(definitions(node)) {
                return refuse(node, "a task on another processing unit");
            }
        }
        let untyped = hardware
            .units()
            .filter(|(unit, _)| hardware.unit_type(unit) == UnitType::Unknown);
        let untyped: Vec<&str> = untyped.map(|(unit, _)| unit).collect();
        if !untyped.is_empty() {
            let list = untyped.join(", ");
            placed.warning = Some(format!("processing units without a type count as CPUs: {list}"));
        }
        Ok(placed)
    }

    /// Returns the name of the only GPU with tasks or runnables.
    pub fn unit(&self, model: &Model<'_>) -> Result<&str, Refusal> {
        let mut units = self.units.iter();
        match (units.next(), units.next()) {
            (Some(unit), None) => Ok(unit),
            (None, _) => {
                let expected = "at least one task that is allocated to a processing unit of the type GPU";
                let refusal = model.refuse_all("no task on a GPU", expected);
                let has = |part| model.parts().any(|found| found.tag_name().name() == part);
                match ["swModel", "hwModel", "mappingModel"].into_iter().all(has) {
                    true => Err(refusal),
                    false => Err(refusal.hint(MERGE)),
                }
            }
            (Some(_), Some(_)) => {
                let list: Vec<&str> = self.units.iter().map(String::as_str).collect();
                let found = format!("tasks on several GPUs: {}", list.join(", "));
                let refusal = model.refuse_all(found, "tasks on one GPU");
                Err(refusal.hint("write one file per GPU"))
            }
        }
    }
}
