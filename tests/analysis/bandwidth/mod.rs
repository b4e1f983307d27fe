//! Guarantee: dynamic budgets equal [Aghilinasab20] §V and never exceed the limit of the kernel.

mod cases;
mod commands;
mod histo;
mod lemma;
mod optimum;
mod profile;
mod replay;
mod runs;
mod sharing;
mod step;
mod throttle_fair;
mod twin;

use gpusched::bandwidth::inverse::{largest_burst, memory_time};
use gpusched::bandwidth::{Allocator, BudgetPolicy, MemoryLimit, RemainingTable};
use gpusched::kernel_wcet::list_scheduling;
use gpusched::model::{Factor, Kernel, Straddling};
use gpusched::time::Time;
use rand::RngExt;

use crate::support::rounds;

/// For 10^5 random values, the returned burst has the given memory time, and every larger burst has more.
#[test]
fn inverse_of_memory_time_is_exact() {
    let mut rng = crate::kernel_wcet::random::rng(31);
    for _ in 0..rounds(100_000) {
        let period = crate::kernel_wcet::random::magnitude(&mut rng, 30);
        let window = crate::kernel_wcet::random::magnitude(&mut rng, 40);
        let memory = rng.random_range(0..=window);
        let burst = largest_burst(memory, window, period);
        assert!(burst <= period);
        assert!(
            memory_time(burst, window, period) <= memory,
            "{memory} {window} {period}"
        );
        assert!(
            burst == period || memory_time(burst + 1, window, period) > memory,
            "{memory} {window} {period}: {burst}"
        );
    }
    assert_eq!(largest_burst(5, 10, 0), 0);
}

/// For Algorithm 2 line 4, the exact solver and the linear program agree to a nanosecond and a
/// relative error of 1e-6. The result is the largest memory time that fits, and the least memory
/// time where Eq. 8 reaches the window.
#[test]
fn algorithm_2_is_the_linear_program() {
    let mut rng = crate::kernel_wcet::random::rng(34);
    let mut compared = 0;
    for _ in 0..rounds(20_000) {
        let kernel = crate::kernel_wcet::random::kernel(&mut rng, 16);
        let remaining: Vec<u64> = kernel
            .clusters()
            .iter()
            .map(|cluster| rng.random_range(0..=cluster.blocks()))
            .collect();
        let alone = list_scheduling::isolated(&kernel).ns();
        let window = Time::from_ns(rng.random_range(alone / 2..=2 * alone));
        let Some(limit) = MemoryLimit::new(&kernel, &remaining, window, Straddling::End) else {
            continue;
        };
        let Some(lp) = limit.by_linear_program().unwrap() else {
            continue;
        };
        let exact = limit.exact().ns() as f64;
        // The exact result is rounded down. A flat delay per memory time amplifies the tolerance of the solver.
        assert!(
            exact <= lp * (1.0 + 1e-6) + 1.0,
            "{exact} {lp} {window} {remaining:?} {kernel:?}"
        );
        assert!(
            exact + 1.0 >= lp * (1.0 - 1e-6),
            "{exact} {lp} {window} {remaining:?} {kernel:?}"
        );
        compared += 1;
    }
    println!("{compared} compared");
    assert!(compared > rounds(1_000), "{compared}");
}

/// Algorithm 4 never permits more memory time than Algorithm 2. The algorithms agree if no budget
/// is necessary.
#[test]
fn algorithm_4_is_below_algorithm_2() {
    let mut rng = crate::kernel_wcet::random::rng(32);
    let (mut equal, mut positive) = (0, 0);
    for _ in 0..rounds(20_000) {
        let kernel = crate::kernel_wcet::random::kernel(&mut rng, 12);
        let q = Factor::from_billionths(rng.random_range(1..=1_000_000_000)).unwrap();
        let allocator = Allocator::new(&kernel, q, BudgetPolicy::Fair, Straddling::End).unwrap();
        let remaining: Vec<u64> = kernel
            .clusters()
            .iter()
            .map(|cluster| rng.random_range(0..=cluster.blocks()))
            .collect();
        let window = rng.random_range(0..=allocator.deadline().ns());
        let limit = MemoryLimit::new(&kernel, &remaining, Time::from_ns(window), Straddling::End);
        let Some(limit) = limit else { continue };
        let most = (!limit.is_free()).then(|| limit.exact().ns());
        let found = allocator.memory(window, &remaining);
        match (found, most) {
            (None, None) => {}
            (Some(found), Some(most)) => {
                assert!(found <= most, "{found} {most} {window} {remaining:?} {kernel:?}");
                equal += u32::from(found == most && found > 0);
                positive += u32::from(found > 0);
            }
            other => panic!("{other:?} {window} {remaining:?} {kernel:?}"),
        }
    }
    println!("{positive} positive, {equal} equal");
    assert!(positive > rounds(500), "{positive}");
}

/// In every state, the budget is at least the nominal budget and at most a whole period.
#[test]
fn budgets_are_within_their_limits() {
    let mut rng = crate::kernel_wcet::random::rng(33);
    for _ in 0..rounds(20_000) {
        let kernel = crate::kernel_wcet::random::kernel(&mut rng, 12);
        let q = Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap();
        for policy in BudgetPolicy::ALL {
            let mut allocator = Allocator::new(&kernel, q, policy, Straddling::Both).unwrap();
            for _ in 0..3 {
                let remaining: Vec<u64> = kernel
                    .clusters()
                    .iter()
                    .map(|cluster| rng.random_range(0..=cluster.blocks()))
                    .collect();
                let elapsed = Time::from_ns(rng.random_range(0..=2 * allocator.deadline().ns()));
                let budget = allocator.decide(elapsed, &remaining);
                assert!((allocator.nominal()..=allocator.period()).contains(&budget));
            }
        }
    }
}

/// A cluster that is missing in the list of remaining blocks counts as not started. The budget is
/// at most the budget for an explicit entry.
#[test]
fn what_is_left_out_is_not_done() {
    let mut rng = crate::kernel_wcet::random::rng(35);
    let mut told_apart = 0;
    for _ in 0..rounds(2_000) {
        let kernel = crate::kernel_wcet::random::kernel(&mut rng, 6);
        let all: Vec<u64> = kernel.clusters().iter().map(|cluster| cluster.blocks()).collect();
        let short = &all[..rng.random_range(0..all.len())];
        let q = Factor::from_billionths(rng.random_range(1..=1_000_000_000)).unwrap();
        let allocator = Allocator::new(&kernel, q, BudgetPolicy::Fair, Straddling::End).unwrap();
        let window = rng.random_range(0..=allocator.deadline().ns());
        let memory = allocator.memory(window, &all);
        assert_eq!(allocator.memory(window, short), memory);
        let limit = |remaining: &[u64]| {
            MemoryLimit::new(&kernel, remaining, Time::from_ns(window), Straddling::End)
                .map(|limit| limit.exact())
        };
        assert_eq!(limit(short), limit(&all));
        let done: Vec<u64> = short
            .iter()
            .copied()
            .chain(all[short.len()..].iter().map(|_| 0))
            .collect();
        told_apart += u32::from(limit(&done) != limit(&all));
    }
    assert!(told_apart > rounds(100), "{told_apart}");
}

#[test]
fn remaining_blocks_are_counted() {
    let kernel: Kernel = serde_json::from_str(
        r#"{"active_blocks":2,"regulation_period":"1ms","clusters":[{"blocks":3,"e0":1,"e1":2},{"blocks":4,"e0":1,"e1":2}],
        "intervals":[{"first":0,"last":1,"cluster":0},{"first":2,"last":5,"cluster":1},{"first":6,"last":6,"cluster":0}]}"#,
    )
    .unwrap();
    let table = RemainingTable::new(&kernel);
    let clusters = [0, 0, 1, 1, 1, 1, 0];
    for next in 0..=7u64 {
        assert_eq!(table.cluster_of(next), clusters.get(next as usize).copied());
        for running in [vec![], vec![0], vec![next.saturating_sub(1)]] {
            let running: Vec<u64> = running.into_iter().filter(|&block| block < next).collect();
            let mut expected = [0u64; 2];
            let not_done = (next..7).chain(running.iter().copied());
            not_done.for_each(|block| expected[clusters[block as usize]] += 1);
            let mut found = [9; 2];
            table.remaining(next, running.iter().copied(), &mut found);
            assert_eq!(found, expected, "{next} {running:?}");
        }
    }
}
