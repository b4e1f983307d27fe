//! The work on the GPU as a task set.
//!
//! The task set contains one task for each release of work on the GPU. Such work is a task, or a runnable that a task
//! calls. The model allocates it to a processing unit of the type GPU. The period is the period of the stimulus, even
//! if a task on a CPU triggers the GPU task. The WCET is the maximum number of ticks, divided by the frequency of the
//! GPU.

mod placed;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpusched_model::{Refusal, TaskSet};

use super::activation::{Activations, Release};
use super::hardware::{Gpu, Hardware};
use super::model::Model;
use super::requirements::Deadlines;
use super::software::{Body, Purpose, Software, Walk};
use super::{Ignored, Imported, ignored, set_name, version_warning};
use placed::Placed;
use work::Work;

/// Derives the task set of the GPU of `model`, which was read from the file at `path`.
pub fn convert(path: &Path, model: &Model<'_>, sms: Option<u32>) -> Result<Imported<TaskSet>, Refusal> {
    let hardware = Hardware::read(model)?;
    let software = Software::read(model)?;
    let placed = Placed::new(model, &hardware, &software)?;
    let gpu = hardware.gpu(model, placed.unit(model)?, sms)?;

    // The triggers and the GPU runnables of each process.
    let mut walk = Walk::new(model, &software, Purpose::Starts(&placed.gpu_runnables));
    let mut starts: BTreeMap<&str, Body> = BTreeMap::new();
    for (&name, &node) in &software.processes {
        starts.insert(name, walk.body(node)?);
    }
    let mut activations = Activations::read(model, &software, &starts)?;
    let mut walk = Walk::new(model, &software, Purpose::Ticks(&gpu.definition));
    let mut work: Vec<Work<'_>> = Vec::new();
    for &name in &placed.gpu_tasks {
        let node = software.processes.get(name);
        let body = node.map(|node| walk.body(*node)).transpose()?;
        work.push(Work::new(name, body, activations.releases(name)?));
    }
    let mut callers: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for &caller in &placed.other_tasks {
        for (runnable, count) in starts.get(caller).iter().flat_map(|body| &body.offloads) {
            callers.entry(runnable).or_default().push((caller, *count));
        }
    }
    for &name in &placed.gpu_runnables {
        let mut releases = Vec::new();
        for &(caller, count) in callers.get(name).into_iter().flatten() {
            let of_caller = activations.releases(caller)?;
            for _ in 0..count {
                releases.extend(of_caller.iter().cloned());
                if releases.len() > MAX_CALLS {
                    let found =
                        format!("more than {MAX_CALLS} calls of the GPU runnable {name:?} per period");
                    return Err(model.refuse_all(found, "fewer calls"));
                }
            }
        }
        if !releases.is_empty() {
            let node = software.runnables.get(name);
            let body = node.map(|node| walk.body(*node)).transpose()?;
            work.push(Work::new(name, body, releases));
        }
    }

    let releases: Vec<Release> = work
        .iter()
        .flat_map(|work| work.releases.iter().cloned())
        .collect();
    let mut deadlines = Deadlines::read(model)?;
    let mut warnings = deadlines.decide(&releases);
    let shortest = deadlines.shortest();
    let mut tasks = Vec::new();
    for work in &work {
        tasks.extend(work.tasks(model, &gpu, &shortest)?);
    }
    let set = TaskSet::new(set_name(path), tasks).map_err(|_| {
        let expected = "at least one call of a runnable that is allocated to the GPU";
        model.refuse_all("no released work on the GPU", expected)
    })?;

    warnings.extend(version_warning(model));
    warnings.extend(placed.warning.clone());
    warnings.extend(gpu.other_sms.map(|other| {
        format!(
            "the file states {other} SMs for the GPU {:?}; the task set is for {} SMs",
            gpu.name, gpu.sms
        )
    }));
    let ignored = without_effect(model, &software, &placed, &deadlines, &releases, &walk, &gpu);
    Ok(Imported {
        result: set,
        gpu: Some(gpu),
        notes: Vec::new(),
        assumptions: assumptions(&releases),
        warnings,
        ignored,
    })
}

/// Maximum number of calls of a GPU runnable per period.
const MAX_CALLS: usize = 1000;

fn assumptions(releases: &[Release]) -> Vec<String> {
    let mut assumptions =
        vec!["The ticks contain the time of copies and of other memory accesses of the GPU.".to_owned()];
    if releases.iter().any(|release| release.path.len() > 1) {
        let text = "The tasks on CPUs before and after the work on the GPU take no time: the whole deadline is for the GPU, and the \
                    work has no release jitter from CPUs.";
        assumptions.push(text.to_owned());
    }
    assumptions
}

/// Lists the parts of `model` without an effect, starting with the parts that are most important for timing.
fn without_effect(
    model: &Model<'_>,
    software: &Software<'_>,
    placed: &Placed<'_>,
    deadlines: &Deadlines,
    releases: &[Release],
    walk: &Walk<'_, '_>,
    gpu: &Gpu,
) -> Vec<Ignored> {
    let owned = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect::<Vec<String>>();
    let cpu_tasks = owned(&mut placed.other_tasks.iter().copied());
    let around: BTreeSet<&str> = releases
        .iter()
        .flat_map(|release| &release.path)
        .map(String::as_str)
        .collect();
    let others: BTreeSet<&str> = placed.other_tasks.iter().copied().collect();
    let around = around.intersection(&others).copied();
    let around = software.called(around, &placed.gpu_runnables);
    let skipped: usize = walk.skipped.values().sum();
    let kinds = walk.skipped.iter().map(|(kind, count)| format!("{count} {kind}"));
    let mut requirements = deadlines.others(releases);
    requirements.extend(deadlines.unused.iter().cloned());
    let mut ignored = vec![
        Ignored::named("task of processing units other than the GPU", cpu_tasks),
        Ignored::named(
            "runnable of tasks that start work on the GPU",
            owned(&mut around.iter().copied()),
        ),
        Ignored::new("item of GPU tasks", skipped, kinds),
    ];
    ignored.extend(ignored::unused_times(&walk.ticks, &gpu.definition));
    ignored.push(Ignored::named("requirement", requirements));
    ignored.retain(|entry| entry.count > 0);
    ignored.extend(ignored::unread(model, &BTreeSet::new()));
    ignored
}
