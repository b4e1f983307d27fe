//! Bytes and lost time within a window, against all legal arrivals and requests, one by one.

use std::collections::HashMap;

use gpusched::interference::bandwidth::fair::Level;
use gpusched::interference::bandwidth::{Delay, Load, Source};
use gpusched::kernel_wcet::Regulation;
use gpusched::model::{Bandwidth, Factor, Kernel, Task};
use gpusched::time::Time;

use crate::shared_memory::{BYTE_PER_NS, between, capacity, loads, ns, rng, source};
use crate::support::rounds;

/// Returns the maximum number of bytes that a job with arrival `arrival` transfers within [0, window).
fn moved(arrival: i64, (bytes, rate, span): (u64, u64, u64), window: i64) -> u64 {
    let (from, to) = (arrival.max(0), (arrival + span as i64).min(window));
    u64::try_from((to - from).max(0))
        .unwrap()
        .saturating_mul(rate)
        .min(bytes)
}

/// Returns the maximum over all arrivals of a first job and all gaps up to `slack` larger than T.
fn most(job: (u64, u64, u64), period: u64, window: i64, from: i64, slack: u64) -> u64 {
    let mut best = 0;
    for arrival in from..window {
        let mut sum = moved(arrival, job, window);
        if sum > 0 {
            let later =
                (0..=slack).map(|late| most(job, period, window, arrival + (period + late) as i64, slack));
            // Only the next arrivals matter, so the recursion starts there.
            sum += later.max().unwrap_or(0);
        }
        best = best.max(sum);
        if from >= 0 {
            break; // the first job is as early as possible or later by `slack`
        }
    }
    best
}

/// Returns the maximum over all first arrivals of jobs with distance T.
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
    for _ in 0..rounds(4_000) {
        let (rate, period) = (between(&mut rng, 1, 4), between(&mut rng, 2, 12));
        let deadline = between(&mut rng, 1, 20);
        let bytes = rate * between(&mut rng, 0, 8); // whole nanoseconds of traffic
        let batch = between(&mut rng, 0, 1) == 0;
        let span = if batch { deadline } else { period + deadline };
        let job = (bytes.min(rate * span), rate, span);
        let source = source(bytes, rate, period, deadline, batch);
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
    assert!(tight > rounds(50_000), "{tight}");
}

#[test]
fn gaps_do_not_help() {
    let mut rng = rng(2);
    for _ in 0..rounds(300) {
        let (rate, period) = (between(&mut rng, 1, 3), between(&mut rng, 2, 5));
        let deadline = between(&mut rng, 1, 8);
        let bytes = rate * between(&mut rng, 1, 4);
        let job = (bytes.min(rate * deadline), rate, deadline);
        for window in 1..12u64 {
            let bound = source(bytes, rate, period, deadline, true).within(window);
            let found = most(job, period, window as i64, -(deadline as i64), 2).min(rate * window);
            assert!(
                u128::from(found) * u128::from(BYTE_PER_NS) <= bound,
                "{job:?} T={period} t={window}"
            );
        }
    }
}

/// A source with arbitrary legal behavior, byte by byte.
#[derive(Clone, Copy, Debug)]
struct Requests {
    bytes: u64,
    rate: u64,
    period: u64,
    deadline: u64,
    batch: bool,
}

/// A state of the source.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Moment {
    /// Time since the start of the period; one more than the period for all later times.
    age: u64,
    /// Bytes that may still be requested in the period.
    left: u64,
    /// Bytes that are not transferred yet, by the time since their request.
    waiting: Vec<u64>,
}

impl Requests {
    /// Returns all possible steps of 1 ns: the transferred bytes and the next state.
    fn steps(&self, now: &Moment) -> Vec<(u64, Moment)> {
        let mut steps = Vec::new();
        let old = if self.batch || now.age > self.period {
            0
        } else {
            now.left
        };
        for late in 0..=old {
            self.go_on(now, late, None, &mut steps);
            if now.age >= self.period {
                for early in 0..=self.bytes {
                    self.go_on(now, late, Some(early), &mut steps);
                }
            }
        }
        steps
    }

    /// Requests `late` bytes of the current period and `early` bytes of a new period.
    fn go_on(&self, now: &Moment, late: u64, early: Option<u64>, steps: &mut Vec<(u64, Moment)>) {
        let mut waiting = now.waiting.clone();
        waiting[0] = late + early.unwrap_or(0);
        let (age, left) = match early {
            Some(early) => (0, self.bytes - early),
            None => (now.age, now.left - late),
        };
        for moved in 0..=self.rate.min(waiting.iter().sum()) {
            let (mut rest, mut after) = (moved, waiting.clone());
            for bytes in after.iter_mut().rev() {
                let part = rest.min(*bytes);
                (*bytes, rest) = (*bytes - part, rest - part);
            }
            // Waiting bytes must still be transferred in time.
            let mut due = 0;
            let in_time = after.iter().rev().zip(0..).all(|(bytes, time)| {
                due += bytes;
                due <= self.rate * time
            });
            if in_time {
                after.rotate_right(1);
                let age = (age + 1).min(self.period + 1);
                steps.push((
                    moved,
                    Moment {
                        age,
                        left,
                        waiting: after,
                    },
                ));
            }
        }
    }

    /// Returns the maximum number of bytes in each window, from 0 to `longest`.
    fn most(&self, longest: usize) -> Vec<u64> {
        let first = Moment {
            age: self.period + 1,
            left: 0,
            waiting: vec![0; self.deadline as usize],
        };
        let mut places = HashMap::from([(first.clone(), 0)]);
        let mut moments = vec![first];
        let mut steps: Vec<Vec<(u64, usize)>> = Vec::new();
        while let Some(now) = moments.get(steps.len()).cloned() {
            let ways = self.steps(&now).into_iter().map(|(moved, next)| {
                let place = *places.entry(next.clone()).or_insert(moments.len());
                if place == moments.len() {
                    moments.push(next);
                }
                (moved, place)
            });
            let ways = ways.collect();
            steps.push(ways);
        }
        let mut best = vec![0; moments.len()];
        let mut most = vec![0];
        for _ in 0..longest {
            let longer = steps.iter().map(|ways| {
                ways.iter()
                    .map(|&(moved, place)| moved + best[place])
                    .max()
                    .unwrap()
            });
            best = longer.collect();
            most.push(*best.iter().max().unwrap());
        }
        most
    }
}

/// All requests at all times, transferred at all times: bounds hold, and are reached if V takes a whole number of
/// nanoseconds.
#[test]
fn no_legal_requests_move_more_and_some_move_as_much() {
    let mut tight = [0, 0];
    for number in 0..4 * 4 * 2 * 4 * 2 {
        let digit = |divisor: u64, base: u64| number / divisor % base;
        let requests = Requests {
            bytes: digit(1, 4) + 1,
            period: digit(4, 4) + 1,
            rate: digit(16, 2) + 1,
            deadline: digit(32, 4) + 1,
            batch: digit(128, 2) == 0,
        };
        let Requests {
            bytes,
            rate,
            period,
            deadline,
            batch,
        } = requests;
        let source = source(bytes, rate, period, deadline, batch);
        let task: Task = serde_json::from_str(&format!(
            r#"{{"period":{period},"deadline":{deadline},"traffic":{bytes},"bandwidth":{},"wcet":{{"affine":{{"isolated":{{"a":0,"b":9}}}}}}}}"#,
            rate * BYTE_PER_NS
        ))
        .unwrap();
        for (window, most) in requests.most(14).into_iter().enumerate() {
            let (window, most) = (window as u64, u128::from(most) * u128::from(BYTE_PER_NS));
            let bound = source.within(window);
            assert!(most <= bound, "{requests:?} t={window}: {most} > {bound}");
            if bytes % rate == 0 {
                assert_eq!(most, bound, "{requests:?} t={window}");
                tight[usize::from(batch)] += 1;
            }
            // The jobs of a task are batches: all bytes are transferred between arrival and deadline.
            if batch {
                let of_task = Source::of_task(&task, 1, None, Bandwidth::LIMIT);
                assert_eq!(of_task.within(window), bound, "{requests:?} t={window}");
            }
        }
    }
    assert!(tight.iter().all(|&tight| tight > 1_000), "{tight:?}");
}

/// CPU cores whose budget expires at the end of each period are batches with D = T ([Aghilinasab20] Eqs 5–7).
#[test]
fn budgets_that_expire_are_batches() {
    let kernel = r#"{"active_blocks":4,"regulation_period":1000,"clusters":[{"blocks":2,"e0":1,"e1":2}]}"#;
    let kernel: Kernel = serde_json::from_str(kernel).unwrap();
    for permille in [1, 250, 499, 500, 501, 990, 1000] {
        let budget: Factor = serde_json::from_str(&format!("{}", permille as f64 / 1000.0)).unwrap();
        let regulation = Regulation::new(&kernel, budget, false).unwrap();
        let source = source(permille, 1, 1000, 1000, true);
        for window in 0..5_000 {
            let expected = regulation.memory_time(ns(window)).ns();
            let found = source.within(window);
            assert_eq!(
                found,
                u128::from(expected) * u128::from(BYTE_PER_NS),
                "{permille} {window}"
            );
        }
    }
}

/// One kernel runs at a time, so a partition transfers at most its peak. The lost time of other partitions is bytes
/// divided by capacity.
#[test]
fn lost_time_is_bytes_by_capacity() {
    let mut rng = rng(3);
    for _ in 0..rounds(2_000) {
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

/// Numbers at the limits neither overflow nor lose their meaning.
#[test]
fn absurd_numbers_are_all_of_the_window() {
    let huge = source(1_000_000_000_000_000, 1_000_000, 1, (1 << 62) - 1, false);
    let delay = Delay::new(capacity(1), [Load::new([huge]), Load::new([huge])]);
    for window in [1, 1000, 1 << 40, u64::MAX] {
        assert_eq!(delay.within(window), window);
    }
    let rare = source(1, 1, (1 << 62) - 1, 1, true);
    assert_eq!(
        Delay::new(capacity(1_000_000), [Load::new([rare])]).within(u64::MAX),
        1
    );
}

fn beside(capacity: u64, peaks: &[u128]) -> Level {
    Level::beside(Bandwidth::new(capacity).unwrap(), peaks.to_vec())
}

/// Max-min fair arbitration guarantees a level, and a kernel with a higher rate takes rate/level times as long.
#[test]
fn levels_are_those_of_filling_by_hand() {
    let is = |level: Level, (numerator, denominator): (u128, u128)| {
        (0..200).all(|rate| {
            let stretched = (1_000_003 * rate * denominator)
                .div_ceil(numerator)
                .max(1_000_003);
            level.stretch(ns(1_000_003), rate) == Some(ns(stretched as u64))
        })
    };
    assert!(is(beside(90, &[]), (90, 1)));
    assert!(is(beside(90, &[10, 20]), (60, 1)));
    assert!(is(beside(90, &[10, 80]), (40, 1)));
    assert!(is(beside(100, &[80, 80]), (100, 3)));
    assert!(is(beside(90, &[30, 30]), (30, 1)));
    let left = |peaks: &[u128]| Level::left(Bandwidth::new(90).unwrap(), peaks);
    assert!(is(left(&[30, 40]).unwrap(), (20, 1)));
    // A kernel without memory traffic is never slowed down.
    let nothing = left(&[30, 60]).unwrap();
    assert_eq!(nothing.stretch(ns(1000), 0), Some(ns(1000)));
    assert_eq!(nothing.stretch(ns(1000), 1), None);
    assert_eq!((left(&[30, 61]), left(&[u128::MAX, 1])), (None, None));
}

#[test]
fn only_who_wants_more_than_the_level_is_slower() {
    let third = beside(100, &[80, 80]);
    let stretch = |level: &Level, rate| level.stretch(Time::from_ns(1000), rate).map(Time::ns);
    assert_eq!(stretch(&third, 33), Some(1000));
    assert_eq!(stretch(&third, 34), Some(1020));
    assert_eq!(stretch(&third, 100), Some(3000));
    assert_eq!(third.stretch(Time::LIMIT, 100), None);
    // Without other partitions, no kernel is slowed down.
    assert_eq!(stretch(&beside(100, &[]), 100), Some(1000));
}
