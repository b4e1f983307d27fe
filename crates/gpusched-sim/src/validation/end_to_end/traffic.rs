//! Memory traffic of the generated systems, and of their runs.

use gpusched_model::end_to_end::{Draft, DraftPolicy, Environment, System};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::{Bandwidth, Bytes, Interference};

use crate::end_to_end::{Burst, Channels};

/// Memory bandwidth [bytes per ns].
const BYTES_PER_NS: u64 = 6;

/// Returns the environment of all systems with a shared memory.
pub(super) fn environment() -> Environment {
    Environment {
        overheads: None,
        interference: Interference::ConflictBandwidth,
        memory: Bandwidth::new(BYTES_PER_NS * 1_000_000_000),
    }
}

/// Adds memory traffic to system `index`. Replaces preemption at block boundaries by other policies. The memory has one
/// to three channels, and a segment uses at most one channel. Some segments do not state their traffic.
pub(super) fn with_traffic(mut draft: Draft, (seed, index): (u64, u64)) -> (Draft, usize) {
    let rng = &mut stream(seed, Purpose::SharedMemorySystems, index, 1);
    let channels = [1, 1, 2, 3][below(rng, 4)];
    let rate = BYTES_PER_NS / channels as u64;
    for partition in &mut draft.partitions {
        partition.policy = match partition.policy {
            DraftPolicy::LpFp => DraftPolicy::Fp,
            DraftPolicy::LpEdf => DraftPolicy::NpEdf,
            other => other,
        };
    }
    // One half of the systems has less traffic, so more of these systems have bounds.
    let most = [4, 40][below(rng, 2)];
    for segment in draft.tasks.iter_mut().flat_map(|task| &mut task.segments) {
        if below(rng, 12) > 0 {
            let time = [0, 0, below(rng, most) as u64][below(rng, 3)];
            segment.traffic = Bytes::new(time * rate);
        }
        if below(rng, 6) > 0 {
            segment.bandwidth = Bandwidth::new(rate * 1_000_000_000);
        }
    }
    (draft, channels)
}

/// Returns the memory of run `number` of `system`. The memory has `count` channels. The order of the resources is
/// random. Each segment transfers all its traffic in the first or last part of each execution.
pub(super) fn memory(system: &System, count: usize, (seed, number): (u64, u64)) -> Channels {
    let rng = &mut stream(seed, Purpose::SharedMemoryRuns, number, 1);
    let mut rest: Vec<usize> = (0..system.resources().count()).collect();
    let order = (0..rest.len())
        .map(|_| rest.swap_remove(below(rng, rest.len())))
        .collect();
    let rate = BYTES_PER_NS / count as u64;
    let tasks = system.tasks().iter().map(|task| {
        let bursts = task.segments.iter().map(|segment| Burst {
            time: segment
                .traffic
                .map_or(segment.wcet.ns(), |traffic| traffic.bytes() / rate),
            last: below(rng, 2) == 0,
        });
        bursts.collect()
    });
    let bursts = tasks.collect();
    Channels { count, order, bursts }
}
