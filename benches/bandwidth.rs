//! Measures the execution time of one budget decision at run time. Run with
//! `cargo bench --bench bandwidth`.
//!
//! All solvers decide about the same states, one solver after the other, on one thread. Every
//! figure is a median over batches in one run. To count instructions, use
//! `valgrind --tool=callgrind` on the benchmark with `--decisions N` as its only argument, for
//! two values of N.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::hint::black_box;
use std::time::Instant;

use gpusched::bandwidth::{Allocator, BudgetPolicy, MemoryLimit};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(count) = arguments.iter().position(|word| word == "--decisions") {
        let count: usize = arguments[count + 1].parse().unwrap();
        let (mut allocator, states) = (allocator(&kernel(3), BudgetPolicy::Smooth), states(3));
        for (elapsed, remaining) in states.iter().cycle().take(count) {
            black_box(allocator.decide(*elapsed, remaining));
        }
        return;
    }
    println!("One decision: median [ns]\n");
    println!(
        "{:>8} {:>8} {:>8} {:>8} {:>14} {:>12}",
        "clusters", "fair", "greedy", "smooth", "Algorithm 2", "good_lp"
    );
    for clusters in [1, 3, 6, 20, 100] {
        row(clusters);
    }
}

/// Returns a kernel of about 40,000 blocks. A block takes 1 to 5 µs, and up to three times this
/// time under interference.
fn kernel(clusters: u64) -> Kernel {
    let mut rng = ChaCha8Rng::seed_from_u64(clusters);
    let clusters = (0..clusters).map(|_| {
        let alone = rng.random_range(1_000..=5_000);
        let contended = alone + rng.random_range(0..=2 * alone);
        Cluster::new(40_000 / clusters, Time::from_ns(alone), Time::from_ns(contended)).unwrap()
    });
    Kernel::new(4, Time::from_ns(1_000_000), clusters.collect()).unwrap()
}

fn allocator(kernel: &Kernel, policy: BudgetPolicy) -> Allocator {
    Allocator::new(kernel, Factor::from_f64(0.13).unwrap(), policy, Straddling::End).unwrap()
}

/// Returns 64 states of a kernel that is slightly ahead of its worst case.
fn states(clusters: u64) -> Vec<(Time, Vec<u64>)> {
    let kernel = kernel(clusters);
    let deadline = allocator(&kernel, BudgetPolicy::Fair).deadline().ns();
    (0..64)
        .map(|step| {
            let elapsed = deadline * step / 80;
            let left = 1.0 - 1.15 * elapsed as f64 / deadline as f64;
            let remaining = kernel.clusters().iter();
            let remaining = remaining.map(|cluster| (cluster.blocks() as f64 * left.max(0.0)) as u64);
            (Time::from_ns(elapsed), remaining.collect())
        })
        .collect()
}

fn row(clusters: u64) {
    let (kernel, states) = (kernel(clusters), states(clusters));
    let mut times: [Vec<f64>; 5] = Default::default();
    let dynamic = [BudgetPolicy::Fair, BudgetPolicy::Greedy, BudgetPolicy::Smooth];
    let mut allocators = dynamic.map(|policy| allocator(&kernel, policy));
    let limit = |elapsed: Time, remaining: &[u64]| {
        let window = allocators[0].deadline().checked_sub(elapsed).unwrap();
        MemoryLimit::new(&kernel, remaining, window, Straddling::End).unwrap()
    };
    let limits: Vec<MemoryLimit> = states
        .iter()
        .map(|(elapsed, remaining)| limit(*elapsed, remaining))
        .collect();
    for _ in 0..21 {
        for (allocator, times) in allocators.iter_mut().zip(&mut times) {
            times.push(per_state(&states, 50, |(elapsed, remaining)| {
                black_box(allocator.decide(*elapsed, remaining));
            }));
        }
        times[3].push(per_state(&limits, 1, |limit| {
            black_box(limit.exact());
        }));
    }
    times[4].push(per_state(&limits, 1, |limit| {
        black_box(limit.by_linear_program().unwrap());
    }));
    let [fair, greedy, smooth, exact, lp] = times.map(median);
    println!("{clusters:>8} {fair:>8.0} {greedy:>8.0} {smooth:>8.0} {exact:>14.0} {lp:>12.0}");
}

/// Returns the mean execution time of `decide` over the states [ns].
fn per_state<T>(states: &[T], repetitions: usize, mut decide: impl FnMut(&T)) -> f64 {
    let start = Instant::now();
    for _ in 0..repetitions {
        states.iter().for_each(&mut decide);
    }
    start.elapsed().as_secs_f64() * 1e9 / (repetitions * states.len()) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
