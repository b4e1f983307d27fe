//! The processing units on which tasks and runnables execute.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;

use super::hardware::{Hardware, UnitType};
use super::model::{Model, Node, child};
use super::reference::{Reference, reference, references};

/// Maximum number of schedulers that are ancestors of a scheduler.
const MAX_PARENTS: usize = 100;

/// Processing units of tasks and runnables.
pub struct Mapping {
    /// Processing units, by name of the task or interrupt service routine.
    pub processes: BTreeMap<String, BTreeSet<String>>,
    /// Processing units, by name of the runnable.
    pub runnables: BTreeMap<String, BTreeSet<String>>,
}

/// Place where a task or runnable executes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Placement {
    /// On a GPU with this name.
    Gpu(String),
    /// On other processing units.
    Other,
    /// The file does not state the place.
    Unknown,
}

impl Mapping {
    /// Reads the allocations of `model`.
    pub fn read(model: &Model<'_>) -> Mapping {
        let mut schedulers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for allocation in model.elements("mappingModel", "schedulerAllocation") {
            if let Some(scheduler) = reference(allocation, "scheduler") {
                let units = schedulers.entry(scheduler).or_default();
                units.extend(names(allocation, "responsibility"));
            }
        }
        let parents = parents(model);
        let units_of = |scheduler: Option<String>| -> BTreeSet<String> {
            let mut next = scheduler;
            // The limit also ends the loop if the parents form a cycle.
            for _ in 0..=MAX_PARENTS {
                let Some(scheduler) = next else { break };
                if let Some(units) = schedulers.get(&scheduler) {
                    return units.clone();
                }
                next = parents.get(&scheduler).cloned();
            }
            BTreeSet::new()
        };
        let mut mapping = Mapping {
            processes: BTreeMap::new(),
            runnables: BTreeMap::new(),
        };
        for (tag, subject, scheduler) in [
            ("taskAllocation", "task", "scheduler"),
            ("isrAllocation", "isr", "controller"),
            ("runnableAllocation", "entity", "scheduler"),
        ] {
            let target = match subject {
                "entity" => &mut mapping.runnables,
                _ => &mut mapping.processes,
            };
            for allocation in model.elements("mappingModel", tag) {
                let Some(name) = reference(allocation, subject) else {
                    continue;
                };
                let affinity: Vec<String> = names(allocation, "affinity").collect();
                let units = target.entry(name).or_default();
                match affinity.is_empty() {
                    true => units.extend(units_of(reference(allocation, scheduler))),
                    false => units.extend(affinity),
                }
            }
        }
        mapping
    }

    /// Returns the place of the task or interrupt service routine `name`.
    pub fn process(
        &self,
        hardware: &Hardware<'_>,
        model: &Model<'_>,
        name: &str,
    ) -> Result<Placement, Refusal> {
        place(&self.processes, hardware, model, name)
    }

    /// Returns the place of the runnable `name`.
    pub fn runnable(
        &self,
        hardware: &Hardware<'_>,
        model: &Model<'_>,
        name: &str,
    ) -> Result<Placement, Refusal> {
        place(&self.runnables, hardware, model, name)
    }
}

fn names(node: Node<'_>, tag: &'static str) -> impl Iterator<Item = String> {
    references(node, tag)
        .into_iter()
        .map(|Reference { name, .. }| name)
}

/// Returns the parent of each scheduler that has a parent.
fn parents(model: &Model<'_>) -> BTreeMap<String, String> {
    let systems = model.elements("osModel", "operatingSystems");
    let schedulers = systems.flat_map(|system| super::model::children(system, "taskSchedulers"));
    let pairs = schedulers.filter_map(|scheduler| {
        let parent = reference(child(scheduler, "parentAssociation")?, "parent")?;
        Some((super::model::name(scheduler).to_owned(), parent))
    });
    pairs.collect()
}

fn place(
    allocations: &BTreeMap<String, BTreeSet<String>>,
    hardware: &Hardware<'_>,
    model: &Model<'_>,
    name: &str,
) -> Result<Placement, Refusal> {
    let Some(units) = allocations.get(name) else {
        return Ok(Placement::Unknown);
    };
    let is_gpu = |unit: &&String| hardware.unit_type(unit) == UnitType::Gpu;
    let gpus: Vec<&String> = units.iter().filter(is_gpu).collect();
    match gpus.as_slice() {
        [] if units.is_empty() => Ok(Placement::Unknown),
        [] => Ok(Placement::Other),
        [gpu] if units.len() == 1 => Ok(Placement::Gpu((*gpu).clone())),
        _ => {
            let units: Vec<&str> = units.iter().map(String::as_str).collect();
            let found = format!(
                "{name:?} on several processing units with a GPU: {}",
                units.join(", ")
            );
            Err(model.refuse_all(found, "one GPU, or processing units of other types"))
        }
    }
}
