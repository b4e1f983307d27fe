//! Response times under EDF, compared with an enumeration of all arrivals.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::edf::{Edf, Source};
use super::super::memory::Lost;

/// Reference implementation: examines every arrival up to `horizon`. Each fixed point starts from its initial value.
fn enumerated(sources: &[Source], index: usize, horizon: i128) -> i128 {
    let own = sources[index];
    let signed = |value: u128| value as i128;
    let ends = (-signed(own.jitter)..horizon).map(|arrival| {
        let due = arrival + signed(own.deadline);
        let others = || {
            sources
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != index)
                .map(|(_, other)| other)
        };
        let blocking = others()
            .filter(|other| signed(other.deadline) > due)
            .map(|other| other.blocking)
            .max();
        let base = signed(blocking.unwrap_or(0))
            + (arrival + signed(own.jitter)) / signed(own.period) * signed(own.cost)
            + signed(own.cost);
        let mut end = base;
        loop {
            let work = others().map(|other| {
                let released = (end as u128 + other.jitter).div_ceil(other.period);
                let room = due + signed(other.jitter) - signed(other.deadline);
                let urgent = (room.div_euclid(signed(other.period)) + 1).max(0);
                signed(released).min(urgent) * signed(other.cost)
            });
            match base + work.sum::<i128>() {
                next if next == end => break end - arrival,
                next => end = next,
            }
        }
    });
    ends.max().unwrap_or(0).max(signed(own.jitter + own.cost))
}

#[test]
fn selected_arrivals_suffice() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut compared = 0;
    for _ in 0..3000 {
        let count = random.random_range(1..5);
        let sources: Vec<Source> = (0..count)
            .map(|_| {
                let period = random.random_range(4..30);
                let cost = random.random_range(1..=period / 3 + 1);
                let deadline = random.random_range(cost..=period + 5);
                let jitter = random.random_range(0..=deadline.min(8));
                let blocking = random.random_range(0..=cost - 1);
                Source {
                    period,
                    cost,
                    jitter,
                    deadline,
                    blocking,
                }
            })
            .collect();
        // 1,000 ns are longer than the busy periods of these tasks.
        let mut edf = Edf::new(Some(sources.clone()), Lost::default());
        for (index, source) in sources.iter().enumerate() {
            let Some(found) = edf.response(index, source.cost, 1000) else {
                continue;
            };
            compared += 1;
            assert_eq!(
                found as i128,
                enumerated(&sources, index, 1000),
                "{index} of {sources:?}"
            );
        }
    }
    assert!(compared > 2000, "{compared}");
}
