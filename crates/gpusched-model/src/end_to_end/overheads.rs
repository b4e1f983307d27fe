//! Overheads of dispatchers in the segments of a task.

use super::{CopyEngine, EnginePolicy, Resource, Segment, Task};
use crate::time::Time;
use crate::{Bytes, Overheads, Refusal};

/// Adds `overheads` to the kernels of `task`: o to each WCET, and w before each kernel. In a task that consists of one kernel,
/// w is release jitter, so its deadline may be above its period. In other tasks, a segment of 0 to w represents the wake-up of
/// the dispatcher, because a busy-waiting task occupies its core during the wake-up. Each such segment has an engine of its
/// own, so the wake-up takes at most w. The positions of these engines start at `engine`. Returns the engines.
///
/// In a pipelined task, this segment is a thread like all others. No proof covers wake-ups before or after slots of a buffer,
/// so a pipelined task with kernels must have no slots.
pub(super) fn add(
    overheads: Overheads,
    task: &mut Task,
    mut engine: usize,
) -> Result<Vec<CopyEngine>, Refusal> {
    let kernel = |segment: &Segment| matches!(segment.on, Resource::Partition(_));
    let wake = overheads.wake_ns;
    if task.buffers.iter().any(Option::is_some) && task.segments.iter().any(kernel) {
        let expected =
            "only null with overheads, because no analysis counts wake-ups of dispatchers and slots";
        Refusal::refuse("buffers", "slots", expected)?;
    }
    let alone = task.segments.len() == 1;
    if alone && task.segments.iter().all(kernel) {
        task.jitter = sum(task.jitter, wake, "jitter")?;
    }
    let mut engines = Vec::new();
    let mut segments = Vec::with_capacity(2 * task.segments.len());
    for (position, mut segment) in std::mem::take(&mut task.segments).into_iter().enumerate() {
        if kernel(&segment) {
            if !alone && wake > Time::ZERO {
                segments.push(wake_up(wake, engine));
                engine += 1;
                engines.push(CopyEngine {
                    name: format!("wake-up for {}", task.name),
                    policy: EnginePolicy::Fifo,
                    bandwidth: None,
                    contended_bandwidth: None,
                });
            }
            let field = format!("segments[{position}].wcet");
            segment.wcet = sum(segment.wcet, overheads.occupancy_ns, &field)?;
            segment.block = segment.wcet; // no dispatcher with overheads preempts a kernel
        }
        segments.push(segment);
    }
    // Without wake-ups, the segments and the slots of their buffers stay as they are.
    if task.is_pipelined() && !engines.is_empty() {
        task.buffers = vec![None; segments.len().saturating_sub(1)];
    }
    task.segments = segments;
    Ok(engines)
}

fn wake_up(wake: Time, engine: usize) -> Segment {
    Segment {
        on: Resource::Engine(engine),
        wcet: wake,
        bcet: Time::ZERO,
        block: wake,
        traffic: Some(Bytes::default()),
        bandwidth: None,
    }
}

/// Returns `time` plus `overhead`.
fn sum(time: Time, overhead: Time, field: &str) -> Result<Time, Refusal> {
    match time.checked_add(overhead).filter(|&sum| sum <= Time::LIMIT) {
        Some(sum) => Ok(sum),
        None => {
            let found = format!("{time}, plus an overhead of {overhead}");
            Refusal::refuse(field, found, "a sum of less than 2^63 ns")
        }
    }
}
