//! Threads of a model, and the cores on which they execute.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;

use super::places::Place;
use super::segments::{FULL, utilization};
use super::threads::{Job, Part, Threads};
use crate::amalthea::activation::{Timing, timing};
use crate::amalthea::hardware::{Hardware, missing};
use crate::amalthea::model::{Model, kind, owner};
use crate::amalthea::reference::references;
use crate::amalthea::software::{Software, Walk};

/// A task with the tasks that it triggers.
pub struct Thread<'a> {
    /// Name of the task.
    pub name: &'a str,
    /// The task, and the tasks that it triggers.
    pub tasks: Vec<&'a str>,
    pub timing: Timing,
    /// Cores on which the thread may execute.
    pub candidates: Vec<String>,
    pub core: Option<String>,
    pub job: Job<'a>,
}

impl Thread<'_> {
    /// Whether at least one part of the job executes on a core.
    pub fn uses_core(&self) -> bool {
        self.job.parts.iter().any(|part| matches!(part, Part::Core(_)))
    }
}

/// Returns one thread per task with a timed stimulus, in the order of the file.
pub fn all_threads<'a>(
    model: &Model<'a>,
    software: &Software<'a>,
    threads: &Threads<'_, 'a>,
    gpu_runnables: &BTreeSet<&str>,
) -> Result<Vec<Thread<'a>>, Refusal> {
    let stimuli = model.by_name(model.elements("stimuliModel", "stimuli"))?;
    let mut walk = Walk::new(model, software, gpu_runnables);
    let mut triggers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (&task, &node) in &software.processes {
        triggers.insert(task, walk.starts(node)?.triggers.into_iter().collect());
    }
    let triggered: BTreeSet<&String> = triggers.values().flatten().collect();
    let mut found = Vec::new();
    for &task in &software.order {
        let node = software.processes.get(task).copied();
        let node = node.ok_or_else(|| missing(model, "task", task))?;
        let field = format!("{}.stimuli", owner(node));
        let (mut timings, mut triggers_of) = (Vec::new(), 0);
        for stimulus in references(node, "stimuli") {
            let stimulus_node = stimuli.get(stimulus.name.as_str()).copied();
            let stimulus_node = stimulus_node.ok_or_else(|| missing(model, "stimulus", &stimulus.name))?;
            if kind(stimulus_node) != "InterProcessStimulus" {
                timings.push(timing(model, stimulus_node)?);
            } else if triggered.contains(&stimulus.name) {
                triggers_of += 1;
            } else {
                let expected = "at least one task that triggers the stimulus";
                let field = format!("stimuli {:?}", stimulus.name);
                let found = "no task that triggers the stimulus";
                return Err(model.refuse(stimulus_node, field, found, expected));
            }
        }
        match (timings.as_slice(), triggers_of) {
            (&[timing], 0) => found.push(Thread {
                name: task,
                tasks: threads.tree(task, &triggers),
                timing,
                candidates: Vec::new(),
                core: None,
                job: Job::default(),
            }),
            ([], 1..) => {}
            ([], 0) => return Err(model.refuse(node, field, "no stimulus", "one stimulus")),
            _ => {
                let found = format!("{} stimuli", timings.len() + triggers_of);
                return Err(model.refuse(node, field, found, "one stimulus with a period, or triggers"));
            }
        }
    }
    let covered: BTreeSet<&str> = found.iter().flat_map(|thread| &thread.tasks).copied().collect();
    if let Some(task) = software.order.iter().find(|task| !covered.contains(**task)) {
        let found = format!("{task:?} in a cycle of triggers");
        let refusal = model.refuse_all(found, "triggers whose first task has a period");
        return Err(refusal.of_field(format!("tasks {task:?}")));
    }
    Ok(found)
}

/// Chooses the core of each thread, and computes its job.
///
/// gpusched first places the threads that have at most one possible core. Every other thread executes on the first
/// possible core whose CPU utilization stays at most 1. The CPU utilization always uses the maximum number of ticks.
pub fn place<'a>(
    model: &Model<'a>,
    hardware: &Hardware<'a>,
    threads: &mut Threads<'_, 'a>,
    found: &mut [Thread<'a>],
) -> Result<(), Refusal> {
    for thread in found.iter_mut() {
        thread.candidates = candidates(model, threads, &thread.tasks)?;
    }
    let mut load: BTreeMap<String, u128> = BTreeMap::new();
    for several in [false, true] {
        for thread in found.iter_mut() {
            if (thread.candidates.len() > 1) != several {
                continue;
            }
            let mut best: Option<(u128, Option<String>, Job<'a>)> = None;
            for core in &thread.candidates {
                let job = threads.job(thread.name, Some(core))?;
                let frequency = hardware.frequency(model, core)?;
                let busy = utilization(&job, frequency, thread.timing.period);
                let sum = load.get(core).copied().unwrap_or(0).saturating_add(busy);
                if best.as_ref().is_none_or(|(least, ..)| sum < *least) {
                    best = Some((sum, Some(core.clone()), job));
                }
                if sum <= FULL {
                    break;
                }
            }
            let (sum, core, job) = match best {
                Some(best) => best,
                None => (0, None, threads.job(thread.name, None)?),
            };
            if let Some(core) = &core {
                load.insert(core.clone(), sum);
            }
            (thread.core, thread.job) = (core, job);
        }
    }
    Ok(())
}

/// Returns the cores on which all of `tasks` may execute, except for tasks on the GPU.
fn candidates(model: &Model<'_>, threads: &Threads<'_, '_>, tasks: &[&str]) -> Result<Vec<String>, Refusal> {
    let mut moved: BTreeSet<&String> = BTreeSet::new();
    let mut common: Option<BTreeSet<&String>> = None;
    for task in tasks {
        match threads.places.get(task) {
            Some(Place::Moved(core)) => {
                moved.insert(core);
            }
            Some(Place::Cores(cores)) => {
                let cores: BTreeSet<&String> = cores.iter().collect();
                common = Some(match common {
                    Some(common) => common.intersection(&cores).copied().collect(),
                    None => cores,
                });
            }
            Some(Place::Gpu(_)) | None => {}
        }
    }
    let chosen = if moved.is_empty() {
        common
    } else {
        Some(moved.clone())
    };
    let several = moved.len() > 1;
    match chosen {
        None => Ok(Vec::new()),
        Some(cores) if cores.is_empty() || several => {
            let found = format!("different cores for {}", tasks.join(", "));
            let expected = "one core for a task and the tasks that it triggers on cores";
            let name = tasks.first().copied().unwrap_or_default();
            Err(model
                .refuse_all(found, expected)
                .of_field(format!("tasks {name:?}")))
        }
        Some(cores) => Ok(cores.into_iter().cloned().collect()),
    }
}
