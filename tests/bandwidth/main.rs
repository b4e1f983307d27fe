//! Promise: dynamic budgets are those of [Aghilinasab20] §V, and never more than the kernel can bear.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[allow(dead_code, reason = "the tests of bounds need more of it")]
#[path = "../kernel_wcet/random.rs"]
mod random;
#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

mod cases;
#[cfg(feature = "cli")]
mod commands;
mod histo;
mod lemma;
mod twin;

use gpusched::bandwidth::inverse::{largest_burst, memory_time};
use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::kernel_wcet::{Exposure, Program};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::time::Time;
use rand::RngExt;

/// 10^5 random values: no larger burst has that little memory time, and the burst itself does.
#[test]
fn inverse_of_memory_time_is_exact() {
    let mut rng = random::rng(31);
    for _ in 0..100_000 {
        let period = random::magnitude(&mut rng, 30);
        let window = random::magnitude(&mut rng, 40);
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

/// What is left of `kernel`, as a kernel; `None` if nothing is.
fn rest(kernel: &Kernel, remaining: &[u64]) -> Option<Kernel> {
    let clusters = kernel.clusters().iter().zip(remaining).filter(|pair| *pair.1 > 0);
    let clusters: Vec<Cluster> = clusters
        .map(|(cluster, &blocks)| Cluster::new(blocks, cluster.isolated(), cluster.contended()).unwrap())
        .collect();
    Kernel::new(kernel.active_blocks(), kernel.regulation_period(), clusters).ok()
}

/// Algorithm 2 by bisection with the exact solver: the most memory time within which the rest ends in `window`; `None` if it
/// ends under any traffic.
fn algorithm_2(kernel: &Kernel, window: u64) -> Option<u64> {
    let program = Program::new(kernel);
    let periods = window.div_ceil(kernel.regulation_period().ns()) + 1;
    let active = u64::from(kernel.active_blocks());
    let fits = |memory: u64| {
        let exposure = Exposure {
            memory_ns: memory.saturating_mul(active),
            partial_blocks: periods * active,
        };
        program.solve(exposure).wcet.ns() <= window
    };
    let all = Exposure {
        memory_ns: u64::MAX,
        partial_blocks: u64::MAX,
    };
    if program.solve(all).wcet.ns() <= window {
        return None;
    }
    if !fits(0) {
        return Some(0);
    }
    let (mut good, mut bad) = (0, window + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fits(middle) {
            true => good = middle,
            false => bad = middle,
        }
    }
    Some(good)
}

/// Algorithm 4 never allows more memory time than Algorithm 2, and says the same where no budget is needed.
#[test]
fn algorithm_4_is_below_algorithm_2() {
    let mut rng = random::rng(32);
    let (mut equal, mut positive) = (0, 0);
    for _ in 0..20_000 {
        let kernel = random::kernel(&mut rng, 12);
        let q = Factor::from_billionths(rng.random_range(1..=1_000_000_000)).unwrap();
        let allocator = Allocator::new(&kernel, q, BudgetPolicy::Fair, Straddling::End).unwrap();
        let remaining: Vec<u64> = kernel
            .clusters()
            .iter()
            .map(|cluster| rng.random_range(0..=cluster.blocks()))
            .collect();
        let Some(rest) = rest(&kernel, &remaining) else {
            continue;
        };
        let window = rng.random_range(0..=allocator.deadline().ns());
        let (found, most) = (allocator.memory(window, &remaining), algorithm_2(&rest, window));
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
    assert!(positive > 500, "{positive}");
}

/// Budgets are between the nominal one and a whole period, for any state.
#[test]
fn budgets_are_within_their_limits() {
    let mut rng = random::rng(33);
    for _ in 0..20_000 {
        let kernel = random::kernel(&mut rng, 12);
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
