//! Time slices of the generated systems, and of their runs.

use gpusched_model::end_to_end::{ContextDraft, Draft, DraftPolicy, Idle, PartitionDraft, PartitionPolicy};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use rand::Rng;

use crate::end_to_end::{Overruns, Turns};

const POLICIES: [PartitionPolicy; 5] = [
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFp,
    PartitionPolicy::Fp,
    PartitionPolicy::Edf,
    PartitionPolicy::NpEdf,
];

/// Replaces partitions of system `index` by one time-sliced partition. Most tasks have a context of their own. Some contexts
/// serve several tasks, and some tasks use several contexts. In one third of the systems, the other partitions keep their
/// kernels.
pub(super) fn with_time_slices(mut draft: Draft, (seed, index): (u64, u64)) -> Draft {
    let rng = &mut stream(seed, Purpose::TimeSlicedSystems, index, 0);
    let all = below(rng, 3) > 0;
    let names: Vec<String> = draft
        .partitions
        .iter()
        .map(|partition| partition.name.clone())
        .collect();
    let sliced = |name: &str| {
        names
            .iter()
            .take(if all { names.len() } else { 1 })
            .any(|found| found == name)
    };
    let idle = [
        Idle::Skip,
        Idle::Skip,
        Idle::Skip,
        Idle::Skip,
        Idle::Wait,
        Idle::Fixed,
    ][below(rng, 6)];
    // Longer periods, so that more systems have bounds.
    let slower = [1, 3, 6, 12][below(rng, 4)];
    let mut contexts: Vec<ContextDraft> = Vec::new();
    for task in &mut draft.tasks {
        task.period = Time::from_ns(task.period.ns() * slower);
        let mut own = None;
        for segment in &mut task.segments {
            if !sliced(&segment.on) {
                continue;
            }
            let keeps = below(rng, 6) > 0;
            let chosen = match own.filter(|_| keeps) {
                Some(chosen) => chosen,
                None if !contexts.is_empty() && below(rng, 3) == 0 => below(rng, contexts.len()),
                None => {
                    contexts.push(context(rng, contexts.len(), idle));
                    contexts.len() - 1
                }
            };
            own = Some(chosen);
            segment.on.clone_from(&contexts[chosen].name);
        }
    }
    if contexts.is_empty() {
        contexts.push(context(rng, 0, idle));
    }
    let mut turns: Vec<String> = contexts.iter().map(|context| context.name.clone()).collect();
    if below(rng, 4) == 0 {
        for _ in 0..1 + below(rng, 3) {
            let again = contexts[below(rng, contexts.len())].name.clone();
            turns.insert(below(rng, turns.len() + 1), again);
        }
    }
    draft.partitions.retain(|partition| !sliced(&partition.name));
    draft.partitions.push(PartitionDraft {
        name: "gpu".to_owned(),
        sms: Some(1),
        policy: DraftPolicy::TimeSliced,
        switch: Some(Time::from_ns(below(rng, 3) as u64)),
        contexts,
        runlist: Some(turns),
        idle: Some(idle),
    });
    draft
}

fn context(rng: &mut impl Rng, number: usize, idle: Idle) -> ContextDraft {
    let (least, overrun) = match idle {
        Idle::Fixed => (5, 5),
        Idle::Skip | Idle::Wait => (1, [1, 3, 9][below(rng, 3)]),
    };
    ContextDraft {
        name: format!("context{number}"),
        slice: Time::from_ns(least + below(rng, 12) as u64),
        policy: Some(POLICIES[below(rng, POLICIES.len())]),
        overrun: Some(Time::from_ns(below(rng, overrun) as u64)),
    }
}

/// Returns the behavior of the time-sliced partition in run `number`.
pub(super) fn turns((seed, number): (u64, u64)) -> Turns {
    let rng = &mut stream(seed, Purpose::TimeSlicedRuns, number, u64::MAX);
    Turns {
        by_arrival: below(rng, 2) == 0,
        renew: below(rng, 2) == 0,
        overruns: [Overruns::Longest, Overruns::Random][below(rng, 2)],
        numbers: (seed, number),
    }
}
