//! Measures the time to solve the WCET program, by the exact solver and by a linear-program
//! solver. Run with `cargo bench --bench kernel_wcet`.
//!
//! The two solvers solve the same programs, one solver after the other, on one thread. Every
//! figure is a median over batches in one run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::hint::black_box;
use std::time::Instant;

use gpusched::kernel_wcet::{Estimator, Exposure, Program, linear_program};
use gpusched::model::{Cluster, Factor, Kernel};
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    println!("One solution of Eqs 8-12: median [µs]\n");
    println!("{:>8} {:>8} {:>8} {:>7}", "clusters", "exact", "good_lp", "ratio");
    for clusters in [1, 3, 6, 20, 100] {
        compare(clusters);
    }
    println!("\nOne bound G(Q), Algorithm 1 with the exact solver: median [µs]\n");
    println!("{:>8} {:>8} {:>8}", "clusters", "µs", "steps");
    for clusters in [1, 3, 6, 20, 100] {
        bounds(clusters);
    }
}

/// Returns a kernel similar to [Aghilinasab20] Tables I and II. The kernel has about 40,000
/// blocks of 1 to 10 µs, and ten concurrent blocks.
fn kernel(rng: &mut ChaCha8Rng, clusters: u64) -> Kernel {
    let clusters = (0..clusters).map(|_| {
        let alone = rng.random_range(1_000..=5_000);
        let contended = alone + rng.random_range(0..=2 * alone);
        let blocks = rng.random_range(1..=80_000 / clusters);
        Cluster::new(blocks, Time::from_ns(alone), Time::from_ns(contended)).unwrap()
    });
    Kernel::new(4, Time::from_ns(1_000_000), clusters.collect()).unwrap()
}

fn exposure(rng: &mut ChaCha8Rng, kernel: &Kernel) -> Exposure {
    let clusters = kernel.clusters().iter();
    let work: u64 = clusters
        .map(|cluster| cluster.blocks() * cluster.contended().ns())
        .sum();
    Exposure {
        memory_ns: rng.random_range(0..=work),
        partial_blocks: rng.random_range(0..=kernel.blocks() / 10),
    }
}

fn compare(clusters: u64) {
    const PROGRAMS: usize = 64;
    let mut rng = ChaCha8Rng::seed_from_u64(clusters);
    let kernels: Vec<Kernel> = (0..PROGRAMS).map(|_| kernel(&mut rng, clusters)).collect();
    let programs: Vec<(Program, Exposure)> = kernels
        .iter()
        .map(|kernel| (Program::new(kernel), exposure(&mut rng, kernel)))
        .collect();
    let (mut exact, mut lp) = (Vec::new(), Vec::new());
    let (repetitions, inner) = (if clusters > 20 { 5 } else { 31 }, 20);
    for _ in 0..repetitions {
        let start = Instant::now();
        for _ in 0..inner {
            for (program, exposure) in &programs {
                black_box(program.solve(black_box(*exposure)));
            }
        }
        exact.push(start.elapsed().as_secs_f64() * 1e6 / (PROGRAMS * inner) as f64);
        let start = Instant::now();
        for (kernel, (program, exposure)) in kernels.iter().zip(&programs) {
            let delay = linear_program::solve(kernel, *exposure).unwrap().delay;
            let expected = program.solve(*exposure).delay.as_f64();
            assert!(
                (delay - expected).abs() <= 1e-9 * expected.max(1e6),
                "{delay} {expected}"
            );
        }
        lp.push(start.elapsed().as_secs_f64() * 1e6 / PROGRAMS as f64);
    }
    let (exact, lp) = (median(exact), median(lp));
    println!("{clusters:>8} {exact:>8.2} {lp:>8.1} {:>7.0}", lp / exact);
}

fn bounds(clusters: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(clusters);
    let kernels: Vec<Kernel> = (0..64).map(|_| kernel(&mut rng, clusters)).collect();
    let q = Factor::from_f64(0.13).unwrap();
    let (mut times, mut steps) = (Vec::new(), Vec::new());
    for kernel in &kernels {
        let estimator = Estimator::new(kernel);
        let start = Instant::now();
        let bound = black_box(estimator.bound(q, false).unwrap());
        times.push(start.elapsed().as_secs_f64() * 1e6);
        steps.push(f64::from(bound.iterations));
    }
    println!("{clusters:>8} {:>8.1} {:>8.0}", median(times), median(steps));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
