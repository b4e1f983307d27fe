//! Bytes and lost time within a window, against all legal arrivals one by one.

use gpusched::interference::bandwidth::{Delay, Load};

use crate::shared_memory::{BYTE_PER_NS, between, capacity, loads, rng, source};

/// What a job that arrives at `arrival` moves within [0, window) at most [bytes].
fn moved(arrival: i64, (bytes, rate, deadline): (u64, u64, u64), window: i64) -> u64 {
    let (from, to) = (arrival.max(0), (arrival + deadline as i64).min(window));
    u64::try_from((to - from).max(0))
        .unwrap()
        .saturating_mul(rate)
        .min(bytes)
}

/// The most over all arrivals of a first job, and all gaps up to `slack` larger than T.
fn most(job: (u64, u64, u64), period: u64, window: i64, from: i64, slack: u64) -> u64 {
    let mut best = 0;
    for arrival in from..window {
        let mut sum = moved(arrival, job, window);
        if sum > 0 {
            let later =
                (0..=slack).map(|late| most(job, period, window, arrival + (period + late) as i64, slack));
            // Only the next arrivals matter: the recursion starts there.
            sum += later.max().unwrap_or(0);
        }
        best = best.max(sum);
        if from >= 0 {
            break; // the first is as early as possible or later by `slack`
        }
    }
    best
}

/// The most over all first arrivals of jobs T apart.
fn most_periodic(job: (u64, u64, u64), period: u64, window: i64) -> u64 {
    let sum = |first: i64| {
        let arrivals = (0..)
            .map(|k| first + k * period as i64)
            .take_while(|&arrival| arrival < window);
        arrivals.map(|arrival| moved(arrival, job, window)).sum::<u64>()
    };
    let most = (-(job.2 as i64)..window).map(sum).max().unwrap_or(0);
    // Jobs of one source run one after another.
    most.min(job.1 * window as u64)
}

#[test]
fn no_legal_arrivals_move_more_and_some_move_as_much() {
    let mut rng = rng(1);
    let mut tight = 0;
    for _ in 0..4_000 {
        let (rate, period) = (between(&mut rng, 1, 4), between(&mut rng, 2, 12));
        let deadline = between(&mut rng, 1, 20);
        let bytes = rate * between(&mut rng, 0, 8); // whole nanoseconds of traffic
        let job = (bytes.min(rate * deadline), rate, deadline);
        let source = source(bytes, rate, period, deadline);
        for window in 0..40u64 {
            let bound = source.within(window);
            let found = u128::from(most_periodic(job, period, window as i64)) * u128::from(BYTE_PER_NS);
            assert!(found <= bound, "{job:?} T={period} t={window}: {found} > {bound}");
            if job.0 <= rate * period {
                assert_eq!(found, bound, "{job:?} T={period} t={window}");
                tight += usize::from(found > 0);
            }
        }
    }
    assert!(tight > 50_000, "{tight}");
}

#[test]
fn gaps_do_not_help() {
    let mut rng = rng(2);
    for _ in 0..300 {
        let (rate, period) = (between(&mut rng, 1, 3), between(&mut rng, 2, 5));
        let deadline = between(&mut rng, 1, 8);
        let bytes = rate * between(&mut rng, 1, 4);
        let job = (bytes.min(rate * deadline), rate, deadline);
        for window in 1..12u64 {
            let bound = source(bytes, rate, period, deadline).within(window);
            let found = most(job, period, window as i64, -(deadline as i64), 2).min(rate * window);
            assert!(
                u128::from(found) * u128::from(BYTE_PER_NS) <= bound,
                "{job:?} T={period} t={window}"
            );
        }
    }
}

/// One kernel at a time: a partition moves no more than its peak allows, and the others cost that by the capacity.
#[test]
fn lost_time_is_bytes_by_capacity() {
    let mut rng = rng(3);
    for _ in 0..2_000 {
        let loads = loads(&mut rng, 60);
        let memory = between(&mut rng, 1, 12);
        let delay = Delay::new(capacity(memory), loads.clone());
        let mut last = 0;
        for window in 0..60u64 {
            let bytes: u128 = loads.iter().map(|load: &Load| load.within(window)).sum();
            let lost = bytes
                .div_ceil(u128::from(memory * BYTE_PER_NS))
                .min(window.into());
            assert_eq!(u128::from(delay.within(window)), lost);
            assert!(delay.within(window) >= last, "more is lost in a longer window");
            last = delay.within(window);
        }
    }
}

/// Numbers at the limits neither overflow nor lose their sense.
#[test]
fn absurd_numbers_are_all_of_the_window() {
    let huge = source(1_000_000_000_000_000, 1_000_000, 1, (1 << 62) - 1);
    let delay = Delay::new(capacity(1), [Load::new([huge]), Load::new([huge])]);
    for window in [1, 1000, 1 << 40, u64::MAX] {
        assert_eq!(delay.within(window), window);
    }
    let rare = source(1, 1, (1 << 62) - 1, 1);
    assert_eq!(
        Delay::new(capacity(1_000_000), [Load::new([rare])]).within(u64::MAX),
        1
    );
}
