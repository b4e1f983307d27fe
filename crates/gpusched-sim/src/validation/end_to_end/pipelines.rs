//! Pipelined tasks of the generated systems.

use gpusched_model::WcetFunction;
use gpusched_model::end_to_end::{Draft, DraftPolicy, Jobs, TaskDraft};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use rand::Rng;

/// Makes some tasks of system `index` pipelined, at least one. Their periods are shorter and their deadlines longer, so that
/// several jobs are in flight. Some of their segments move to other resources of the same kind. In some systems, a stage has
/// a utilization of exactly 1. Chains with pipelined tasks are removed.
pub(super) fn with_pipelines(mut draft: Draft, (seed, index): (u64, u64)) -> Draft {
    let rng = &mut stream(seed, Purpose::PipelinedSystems, index, 0);
    let cores: Vec<String> = draft.cores.iter().map(|core| core.name.clone()).collect();
    let kernels = kernels(&draft);
    let certain = below(rng, draft.tasks.len());
    // In some systems, all pipelined tasks are extreme: a stage is busy all the time, or all stages are equal.
    let extreme = below(rng, 6);
    for (position, task) in draft.tasks.iter_mut().enumerate() {
        if position != certain && below(rng, 3) == 0 {
            continue;
        }
        task.jobs = Jobs::Pipelined;
        task.wait = None;
        if below(rng, 2) == 0 {
            move_segments(rng, task, &[&cores, &kernels]);
        }
        times(rng, task, extreme);
        if below(rng, 2) == 0 {
            let slots = (1..task.segments.len()).map(|_| [None, Some(1), Some(2), Some(3)][below(rng, 4)]);
            task.buffers = Some(slots.collect());
        }
    }
    let tasks = draft.tasks.iter();
    let pipelined: Vec<&String> = tasks
        .filter(|task| task.jobs == Jobs::Pipelined)
        .map(|task| &task.name)
        .collect();
    draft
        .chains
        .retain(|chain| chain.tasks.iter().all(|task| !pipelined.contains(&task)));
    draft
}

/// Returns the names of the partitions and contexts of `draft`.
fn kernels(draft: &Draft) -> Vec<String> {
    let mut names = Vec::new();
    for partition in &draft.partitions {
        match partition.policy {
            DraftPolicy::TimeSliced => {
                names.extend(partition.contexts.iter().map(|context| context.name.clone()));
            }
            _ => names.push(partition.name.clone()),
        }
    }
    names
}

/// Moves some segments of `task` to another resource of the list that contains their resource.
fn move_segments(rng: &mut impl Rng, task: &mut TaskDraft, resources: &[&[String]]) {
    for segment in &mut task.segments {
        let mut lists = resources.iter();
        if let Some(list) = lists.find(|list| list.contains(&segment.on))
            && below(rng, 2) == 0
        {
            segment.on.clone_from(&list[below(rng, list.len())]);
        }
    }
}

/// Draws the period, the deadline and the jitter of a pipelined task.
fn times(rng: &mut impl Rng, task: &mut TaskDraft, extreme: usize) {
    let wcet = |task: &TaskDraft| {
        let wcets = task.segments.iter().filter_map(|segment| segment.wcet.as_ref());
        let times = wcets.filter_map(|wcet| wcet.at(1, gpusched_model::Contention::Isolated));
        times.max().unwrap_or_default().ns().max(1)
    };
    let longest = wcet(task);
    let shorter = [1, 2, 3, 5][below(rng, 4)];
    let mut period = (task.period.ns() / shorter).max(longest);
    match extreme {
        0 => period = longest,
        1 => {
            for segment in &mut task.segments {
                segment.wcet = WcetFunction::constant(Time::from_ns(longest)).ok();
                segment.block = segment.block.map(|_| Time::from_ns(longest));
            }
        }
        _ => {}
    }
    let span =
        |rng: &mut _, most: u64| Time::from_ns(below(rng, usize::try_from(most).unwrap_or(0) + 1) as u64);
    let several = [1, 2, 4, 8][below(rng, 4)];
    task.period = Time::from_ns(period);
    task.deadline = match below(rng, 3) {
        0 => None,
        1 => Some(Time::from_ns(period * several)),
        _ => Some(Time::from_ns(1 + span(rng, period * several).ns())),
    };
    task.jitter = match below(rng, 4) {
        0 => Some(span(rng, 3 * period)),
        1 => Some(span(rng, period / 4)),
        _ => None,
    };
}
