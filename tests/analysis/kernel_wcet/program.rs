//! Compares the exact solution of the WCET program with a linear program, with all vertices of
//! the dual, and with primal points.

use gpusched::kernel_wcet::{Exposure, Optimum, Program, linear_program};
use gpusched::model::Kernel;
use num_bigint::BigUint;
use rand::RngExt;

use super::random;

use crate::support::rounds;

/// For 10^5 kernels, the optimum equals the result of the LP solver to 1e-9.
#[test]
fn exact_solution_is_that_of_the_linear_program() {
    let mut rng = random::rng(1);
    let mut worst: f64 = 0.0;
    for _ in 0..rounds(100_000) {
        let kernel = random::kernel(&mut rng, 20);
        let exposure = random::exposure(&mut rng, &kernel);
        // The bound is M times Eq. 8.
        let bound = |delay: f64| constant(&kernel) + delay;
        let exact = bound(Program::new(&kernel).solve(exposure).delay.as_f64());
        let lp = bound(linear_program::solve(&kernel, exposure).unwrap().delay);
        let error = (exact - lp).abs() / exact;
        assert!(error <= 1e-9, "{exact} {lp}\n{exposure:?}\n{kernel:?}");
        worst = worst.max(error);
    }
    println!("largest relative difference: {worst:e}");
}

/// Returns e¹_max·(M − 1) + Σ Ne⁰.
fn constant(kernel: &Kernel) -> f64 {
    let longest = clusters(kernel).iter().map(|&(_, time, _)| time).max().unwrap();
    let work = clusters(kernel)
        .iter()
        .map(|&(delay, time, blocks)| (time - delay) as f64 * blocks as f64)
        .sum::<f64>();
    longest as f64 * f64::from(kernel.active_blocks() - 1) + work
}

/// No vertex of the dual program lies below the optimum, and one vertex equals the optimum exactly.
#[test]
fn exact_solution_is_the_least_vertex_of_the_dual() {
    let mut rng = random::rng(2);
    for round in 0..rounds(20_000) {
        let kernel = random::kernel(&mut rng, if round % 2 == 0 { 20 } else { 3 });
        let exposure = random::exposure(&mut rng, &kernel);
        let found = Program::new(&kernel).solve(exposure).delay.parts();
        let found = (BigUint::from(found.0), BigUint::from(found.1));
        let least = vertices(&kernel)
            .into_iter()
            .map(|vertex| dual(&kernel, exposure, vertex))
            .min_by(|a, b| (&a.0 * &b.1).cmp(&(&b.0 * &a.1)))
            .unwrap();
        assert_eq!(
            &found.0 * &least.1,
            &least.0 * &found.1,
            "{exposure:?}\n{kernel:?}"
        );
    }
}

/// The multipliers (λ, µ), each as a fraction.
type Vertex = [(u64, u64, u64); 2];

/// (e¹ − e⁰, e¹, N) of each cluster.
fn clusters(kernel: &Kernel) -> Vec<(u64, u64, u64)> {
    let clusters = kernel.clusters().iter();
    clusters
        .map(|cluster| {
            let (alone, contended) = (cluster.isolated().ns(), cluster.contended().ns());
            (contended - alone, contended, cluster.blocks())
        })
        .collect()
}

/// All crossings of λw = d, µ = d, λw = µ, λ = 0 and µ = 0. A multiplier (a, b, c) is a·b/c.
fn vertices(kernel: &Kernel) -> Vec<Vertex> {
    let clusters = clusters(kernel);
    let mut lambdas = vec![(0, 1, 1)];
    for &(delay, ..) in &clusters {
        lambdas.extend(clusters.iter().map(|&(_, time, _)| (delay, 1, time)));
    }
    let mut all = Vec::new();
    for lambda in lambdas {
        all.push([lambda, (0, 1, 1)]);
        for &(delay, time, _) in &clusters {
            all.push([lambda, (delay, 1, 1)]);
            all.push([lambda, (lambda.0, time, lambda.2)]);
        }
    }
    all
}

/// λB + µK + Σ N·max(0, d − min(λw, µ)) as a fraction.
fn dual(kernel: &Kernel, exposure: Exposure, vertex: Vertex) -> (BigUint, BigUint) {
    let [(a, b, c), (e, f, g)] =
        vertex.map(|(a, b, c)| (BigUint::from(a), BigUint::from(b), BigUint::from(c)));
    // All terms are multiplied by c·g.
    let (lambda, mu, unit) = (&a * &b * &g, &e * &f * &c, &c * &g);
    let mut sum = &lambda * exposure.memory_ns + &mu * exposure.partial_blocks;
    for (delay, time, blocks) in clusters(kernel) {
        let price = (&lambda * time).min(mu.clone());
        let delay = &unit * delay;
        if delay > price {
            sum += (delay - price) * blocks;
        }
    }
    (sum, unit)
}

/// Weak duality in the other direction: no selection of blocks has a larger delay than the optimum.
#[test]
fn no_choice_of_blocks_exceeds_the_optimum() {
    let mut rng = random::rng(3);
    for _ in 0..rounds(100_000) {
        let kernel = random::kernel(&mut rng, 20);
        let exposure = random::exposure(&mut rng, &kernel);
        let (mut memory, mut partial) = (exposure.memory_ns, exposure.partial_blocks);
        let mut suffered = 0u128;
        let mut order = clusters(&kernel);
        let turn = rng.random_range(0..order.len());
        order.rotate_left(turn);
        for (delay, time, blocks) in order {
            let covered = rng.random_range(0..=blocks.min(memory / time));
            memory -= covered * time;
            let touched = (blocks - covered).min(partial);
            partial -= touched;
            suffered += u128::from(covered + touched) * u128::from(delay);
        }
        let (numerator, denominator) = Program::new(&kernel).solve(exposure).delay.parts();
        assert!(
            suffered * u128::from(denominator) <= numerator,
            "{exposure:?}\n{kernel:?}"
        );
    }
}

/// A case by hand: one cluster, N = 10, e⁰ = 3, e¹ = 5, M = 2.
#[test]
fn small_programs_by_hand() {
    use gpusched::{model::Cluster, time::Time};
    let [alone, contended] = [3, 5].map(Time::from_ns);
    let kernel = Kernel::new(
        2,
        Time::from_ns(100),
        vec![Cluster::new(10, alone, contended).unwrap()],
    )
    .unwrap();
    let solve = |memory_ns, partial_blocks| {
        let optimum = Program::new(&kernel).solve(Exposure {
            memory_ns,
            partial_blocks,
        });
        let Optimum { wcet, delay, .. } = optimum;
        (wcet.ns(), delay.to_string())
    };
    // Without memory time: (5·1 + 30)/2 = 17.5.
    assert_eq!(solve(0, 0), (18, "0".to_owned()));
    // 7 ns of memory time cover 7/5 blocks, and each block is delayed by 2 ns.
    assert_eq!(solve(7, 0), (19, "14/5".to_owned()));
    assert_eq!(solve(7, 3), (22, "44/5".to_owned()));
    // All ten blocks are covered: (5·1 + 50)/2 = 27.5, as in Eq. 4.
    assert_eq!(solve(50, 0), (28, "20".to_owned()));
    assert_eq!(solve(7, 10), (28, "20".to_owned()));
    assert_eq!(solve(u64::MAX, u64::MAX), (28, "20".to_owned()));
}
