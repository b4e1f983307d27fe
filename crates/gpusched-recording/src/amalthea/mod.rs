//! Task models of APP4MC (Amalthea, `.amxmi`): the work on the GPU as a task set.
//!
//! A model describes hardware, tasks, stimuli, requirements and allocations. The task set contains one task for each release of
//! work on the GPU. Such work is a task that is allocated to a processing unit of the type GPU, or a call of a runnable that is
//! allocated to such a unit. The period is the period of the stimulus, also if a task on a CPU triggers the GPU task. The WCET is the maximum
//! number of ticks, divided by the frequency of the GPU. [`Imported`] lists the parts of the model without an effect.

mod activation;
mod hardware;
mod ignored;
mod mapping;
mod model;
mod placed;
mod quantity;
mod reference;
mod requirements;
mod software;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpusched_model::error::Result;
use gpusched_model::{Refusal, TaskSet};

use activation::{Activations, Release};
pub use hardware::Gpu;
use hardware::Hardware;
pub use ignored::Ignored;
use model::Model;
use placed::Placed;
pub use quantity::Frequency;
use requirements::Deadlines;
use software::{Body, Purpose, Software, Walk};
use work::Work;

/// A task set from a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The work on the GPU.
    pub set: TaskSet,
    /// The GPU.
    pub gpu: Gpu,
    /// Assumptions without which the task set would not describe the model. If one is false, a result may be unsafe.
    pub assumptions: Vec<String>,
    /// Contradictions in the model, with the decision of gpusched.
    pub warnings: Vec<String>,
    /// Parts of the model without an effect on the task set.
    pub ignored: Vec<Ignored>,
}

/// Reads the model at `path` and derives the task set of its GPU. The path `-` is standard input. `sms` is the number of SMs of the
/// GPU. If `sms` is `None`, a feature of the GPU in the file must state the number.
///
/// # Errors
/// Returns [`Error::Refused`](gpusched_model::error::Error::Refused) for a file that is not a model, and for a model without work on
/// one GPU. It also refuses a model without a necessary value, such as a period or a number of ticks. Returns
/// [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read.
pub fn import(path: impl AsRef<Path>, sms: Option<u32>) -> Result<Imported> {
    let path = path.as_ref();
    let text = model::read_text(path)?;
    let document = model::parse(path, &text)?;
    let model = Model::new(path, &document)?;
    Ok(convert(path, &model, sms)?)
}

fn convert(path: &Path, model: &Model<'_>, sms: Option<u32>) -> Result<Imported, Refusal> {
    let hardware = Hardware::read(model)?;
    let software = Software::read(model)?;
    let placed = Placed::new(model, &hardware, &software)?;
    let gpu = hardware.gpu(model, placed.unit(model)?, sms)?;

    // What each process triggers, and which GPU runnables it calls.
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
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = name.filter(|name| name != "-");
    let set = TaskSet::new(name, tasks).map_err(|_| {
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
    let ignored = ignored(model, &software, &placed, &deadlines, &releases, &walk, &gpu);
    Ok(Imported {
        set,
        assumptions: assumptions(&releases),
        warnings,
        ignored,
        gpu,
    })
}

/// Maximum number of calls of a GPU runnable per period.
const MAX_CALLS: usize = 1000;

/// Returns a warning if the structure of the version of the file may differ from the known structure.
fn version_warning(model: &Model<'_>) -> Option<String> {
    let version = model.version();
    let known = version.starts_with("1.") || version.starts_with("0.9.");
    (!known).then(|| format!("version {version:?} of the format is unknown; gpusched reads it as version 1"))
}

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
fn ignored(
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
    ignored.extend(ignored::unread(model));
    ignored
}
