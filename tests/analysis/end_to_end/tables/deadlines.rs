//! Response times under EDF, compared with an enumeration of all arrivals.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::support::rounds;

/// Jobs of one kernel. All times are in ns.
#[derive(Copy, Clone, Debug)]
struct Source {
    period: i128,
    cost: i128,
    jitter: i128,
    deadline: i128,
    /// Longest time for which a job that has just started blocks jobs with earlier deadlines.
    blocking: i128,
}

/// Reference implementation: examines every arrival up to `horizon`. Each fixed point starts from its initial value.
fn enumerated(sources: &[Source], index: usize, horizon: i128) -> i128 {
    let own = sources[index];
    let ends = (-own.jitter..horizon).map(|arrival| {
        let due = arrival + own.deadline;
        let others = || {
            sources
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != index)
                .map(|(_, other)| other)
        };
        let blocking = others()
            .filter(|other| other.deadline > due)
            .map(|other| other.blocking)
            .max();
        let base = blocking.unwrap_or(0) + (arrival + own.jitter) / own.period * own.cost + own.cost;
        let mut end = base;
        loop {
            let work = others().map(|other| {
                let released = (end + other.jitter + other.period - 1) / other.period;
                let room = due + other.jitter - other.deadline;
                let urgent = (room.div_euclid(other.period) + 1).max(0);
                released.min(urgent) * other.cost
            });
            match base + work.sum::<i128>() {
                next if next == end => break end - arrival,
                next => end = next,
            }
        }
    });
    ends.max().unwrap_or(0).max(own.jitter + own.cost)
}

/// Under non-preemptive EDF, a job that has started at least 1 ns earlier blocks all other jobs.
#[test]
fn selected_arrivals_suffice() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut compared = 0;
    for round in 0..rounds(3000) {
        let (policy, blocks) = [("edf", false), ("np-edf", true)][round % 2];
        let count = random.random_range(1..5);
        let sources: Vec<Source> = (0..count)
            .map(|_| {
                let period = random.random_range(4..30);
                let cost = random.random_range(1..=period / 3 + 1);
                let deadline = random.random_range(cost..=period + 5);
                Source {
                    period,
                    cost,
                    jitter: random.random_range(0..=deadline.min(8)),
                    deadline,
                    blocking: if blocks { cost - 1 } else { 0 },
                }
            })
            .collect();
        let utilization: f64 = sources
            .iter()
            .map(|source| source.cost as f64 / source.period as f64)
            .sum();
        if utilization > 0.95 {
            continue; // the busy period may be longer than 1,000 ns
        }
        let tasks = sources.iter().enumerate().map(|(index, source)| {
            let Source {
                period,
                cost,
                jitter,
                deadline,
                ..
            } = source;
            format!(
                r#"{{"name":"t{index}","period":{period},"deadline":{deadline},"jitter":{jitter},
                "segments":[{{"on":"gpu","wcet":{cost}}}]}}"#
            )
        });
        let system = system(&format!(
            r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],"tasks":[{}]}}"#,
            tasks.collect::<Vec<_>>().join(",")
        ));
        let bounds: Vec<Row> = (0..count)
            .map(|index| {
                let found = u64::try_from(enumerated(&sources, index, 1000)).unwrap();
                // A job that is longer than the period may delay the next job of its task.
                let bound = Some(found).filter(|&found| i128::from(found) <= sources[index].period);
                compared += usize::from(bound.is_some());
                // One thread waits for nothing, so its delay is its WCET.
                let cost = u64::try_from(sources[index].cost).unwrap();
                let delay = bound.map(|bound| if count == 1 { cost } else { bound });
                (vec![bound], vec![delay])
            })
            .collect();
        tight_with(&system, &bounds, None);
    }
    assert!(compared > rounds(2000), "{compared}");
}
