//! Pipelined tasks of the generated systems.

use std::collections::HashMap;

use gpusched_model::end_to_end::{Draft, DraftPolicy, Jobs, PartitionPolicy, SegmentDraft, TaskDraft};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use gpusched_model::{Contention, WcetFunction};
use rand::Rng;

/// Policies of partitions where pipelined tasks meet.
const POLICIES: [PartitionPolicy; 4] = [
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFp,
    PartitionPolicy::Fp,
];

/// Makes some tasks of system `index` pipelined, at least one. Some of their segments move to other resources of the same kind.
/// The periods give the busiest resource a certain utilization, so that several jobs are in flight. In some systems, a stage or a resource has a utilization of exactly 1, or all segments are equal.
pub(super) fn with_pipelines(mut draft: Draft, (seed, index): (u64, u64)) -> Draft {
    let rng = &mut stream(seed, Purpose::PipelinedSystems, index, 0);
    if below(rng, 2) == 0 {
        for partition in &mut draft.partitions {
            if partition.policy != DraftPolicy::TimeSliced {
                partition.policy = POLICIES[below(rng, POLICIES.len())].into();
            }
        }
    }
    let cores: Vec<String> = draft.cores.iter().map(|core| core.name.clone()).collect();
    let kernels = kernels(&draft);
    let certain = below(rng, draft.tasks.len());
    let extreme = below(rng, 8);
    let all = extreme == 0 || below(rng, 3) == 0;
    for (position, task) in draft.tasks.iter_mut().enumerate() {
        if position != certain && !all && below(rng, 3) == 0 {
            continue;
        }
        task.jobs = Jobs::Pipelined;
        task.wait = None;
        if below(rng, 2) == 0 {
            move_segments(rng, task, &[&cores, &kernels]);
        }
        task.period = Time::from_ns((task.period.ns() / [1, 2, 3, 5][below(rng, 4)]).max(1));
    }
    match extreme {
        0 => make_equal(rng, &mut draft),
        1 => {}
        _ => load(rng, &mut draft),
    }
    for task in draft.tasks.iter_mut().filter(|task| task.jobs == Jobs::Pipelined) {
        let longest = task.segments.iter().map(wcet).max().unwrap_or(1);
        if extreme == 1 {
            task.period = Time::from_ns(longest); // this stage is always busy
        }
        task.period = task.period.max(Time::from_ns(longest));
        times(rng, task);
    }
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

/// WCET of a segment of a generated system [ns].
fn wcet(segment: &SegmentDraft) -> u64 {
    let function = segment.wcet.as_ref();
    let time = function.and_then(|function| function.at(1, Contention::Isolated));
    time.map_or(1, Time::ns)
}

/// Gives all segments one WCET and all tasks one period, so that the busiest resource has a utilization of exactly 1.
fn make_equal(rng: &mut impl Rng, draft: &mut Draft) {
    let common = Time::from_ns(1 + below(rng, 6) as u64);
    let mut counts: HashMap<String, u64> = HashMap::new();
    for segment in draft.tasks.iter_mut().flat_map(|task| &mut task.segments) {
        *counts.entry(segment.on.clone()).or_default() += 1;
        segment.wcet = WcetFunction::constant(common).ok();
        segment.bcet = segment.bcet.map(|bcet| bcet.min(common));
        segment.block = segment.block.map(|block| block.min(common));
    }
    let most = counts.into_values().max().unwrap_or(1);
    for task in &mut draft.tasks {
        task.period = Time::from_ns(common.ns() * most);
    }
}

/// Multiplies all periods by one factor that gives the busiest resource a random utilization. Contexts share their GPU, so
/// they have less load.
fn load(rng: &mut impl Rng, draft: &mut Draft) {
    let mut loads: HashMap<&str, u64> = HashMap::new();
    for task in &draft.tasks {
        for segment in &task.segments {
            *loads.entry(&segment.on).or_default() += (1000 * wcet(segment)).div_ceil(task.period.ns());
        }
    }
    let load = loads.into_values().max().unwrap_or(1).max(1);
    let partitions = draft.partitions.iter();
    let sliced = partitions.filter(|partition| partition.policy == DraftPolicy::TimeSliced);
    let shared = 1 + sliced.count() as u64;
    let target = [400, 600, 750, 900, 1000][below(rng, 5)] / shared;
    for task in &mut draft.tasks {
        task.period = Time::from_ns((task.period.ns() * load).div_ceil(target));
    }
}

/// Draws the deadline, the jitter and the buffers of a pipelined task.
fn times(rng: &mut impl Rng, task: &mut TaskDraft) {
    let period = task.period.ns();
    let span =
        |rng: &mut _, most: u64| Time::from_ns(below(rng, usize::try_from(most).unwrap_or(0) + 1) as u64);
    let several = [1, 2, 4, 8][below(rng, 4)];
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
    if below(rng, 2) == 0 {
        let slots = (1..task.segments.len()).map(|_| [None, Some(1), Some(2), Some(3)][below(rng, 4)]);
        task.buffers = Some(slots.collect());
    }
}
