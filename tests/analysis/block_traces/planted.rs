//! The clustering finds the planted clusters.

use gpusched::kernel_wcet::clustering::two_sample::{critical_factor, distance};
use gpusched::kernel_wcet::clustering::{Clustering, Options, Wcets};
use gpusched::kernel_wcet::trace::{Level, Trace};
use gpusched::model::streams::{Purpose, below, stream, unit};
use rand::Rng as _;

use crate::block_traces::scenario::{clustering, groups, histo, kernel, trace, trace_of, truth};

/// Returns the number of blocks outside their planted cluster. Clusters are ordered by mean on both sides.
fn misplaced(found: &Clustering, truth: &[usize]) -> usize {
    assert_eq!(found.assignment().len(), truth.len());
    found
        .assignment()
        .iter()
        .zip(truth)
        .filter(|(a, b)| a != b)
        .count()
}

#[test]
fn histo_comes_back() {
    // A tenth of the blocks; benches/clustering.rs uses all blocks.
    let kernel = histo(1_254);
    let mut split = Vec::new();
    for seed in 1..=20 {
        let trace = trace(&kernel, 40, 256, seed);
        let found = clustering(&trace);
        // At α = 0.05, the clustering may split one of 20 kernels on average.
        if found.clusters() > 3 {
            split.push(seed);
            continue;
        }
        assert_eq!((found.clusters(), found.rejected()), (3, 0), "seed {seed}");
        assert_eq!(misplaced(&found, &truth(&kernel)), 0, "seed {seed}");
        let profile = found
            .profile(&trace, 4, kernel.regulation_period(), Wcets::Longest)
            .unwrap()
            .kernel;
        assert_eq!(profile.intervals(), kernel.intervals(), "seed {seed}");
        assert_eq!(trace.active, Some(4));
        for (found, planted) in profile.clusters().iter().zip(kernel.clusters()) {
            assert!(found.isolated() <= planted.isolated() && found.contended() <= planted.contended());
            let (found, planted) = (
                found.isolated_distribution().unwrap(),
                planted.isolated_distribution().unwrap(),
            );
            assert!((found.mean_ns - planted.mean_ns).abs() < 2.0, "{found:?}");
            assert!((found.std_ns - planted.std_ns).abs() < 2.0, "{found:?}");
            assert_eq!(found.samples, Some(1_254 * 40));
        }
    }
    assert_eq!(split, [18]);
}

#[test]
fn six_clusters_three_sigma_apart_are_found() {
    let moments: Vec<(f64, f64)> = (0..6)
        .map(|index| (2_000.0 + 90.0 * f64::from(index), 30.0))
        .collect();
    let kernel = kernel(&groups(100, &moments), 21);
    for seed in 1..=10 {
        let found = clustering(&trace(&kernel, 60, 256, seed));
        assert_eq!(found.clusters(), 6, "seed {seed}");
        assert_eq!(misplaced(&found, &truth(&kernel)), 0, "seed {seed}");
    }
}

#[test]
fn equal_means_with_different_spread_are_told_apart() {
    let kernel = kernel(&groups(150, &[(2_000.0, 20.0), (2_000.0, 80.0)]), 6);
    let mut split = Vec::new();
    for seed in 1..=10 {
        let found = clustering(&trace(&kernel, 200, 256, seed));
        if found.clusters() > 2 {
            split.push(seed);
            continue;
        }
        assert_eq!(found.clusters(), 2, "seed {seed}");
        // The means are equal, so the clusters may have either order.
        let wrong = misplaced(&found, &truth(&kernel));
        assert!(wrong.min(300 - wrong) == 0, "seed {seed}: {wrong}");
    }
    assert_eq!(split, [4]);
}

#[test]
fn a_single_odd_block_is_found() {
    let kernel = kernel(
        &[
            (999, [1_700.0, 1_610.0, 35.0], [3_690.0, 3_440.0, 90.0]),
            (1, [2_500.0, 2_300.0, 67.0], [6_520.0, 6_270.0, 99.0]),
        ],
        2,
    );
    let found = clustering(&trace(&kernel, 40, 256, 1));
    assert_eq!(found.sizes(), [999, 1]);
    assert_eq!(misplaced(&found, &truth(&kernel)), 0);
}

/// Returns a trace of blocks with one common distribution; each duration is from `draw`.
fn alike(seed: u64, blocks: usize, runs: u64, draw: impl Fn(f64) -> f64) -> Trace {
    let rows: Vec<Vec<u64>> = (0..runs)
        .map(|run| {
            let mut rng = stream(seed, Purpose::BlockTimes, 9, run);
            (0..blocks).map(|_| draw(unit(&mut rng)).round() as u64).collect()
        })
        .collect();
    trace_of(&rows)
}

#[test]
fn blocks_that_are_alike_stay_together() {
    // With 3 × 200 kernels at α = 0.05, the clustering may split 30 kernels on average. With
    // these seeds, it splits 16 kernels.
    let uniform = |u: f64| 1_000_000.0 + 1_000_000.0 * u;
    let heavy = |u: f64| 1_000.0 / u.max(1e-6).sqrt();
    let coarse = |u: f64| 1_000.0 + 32.0 * (5.0 * u).ceil();
    let mut split = 0;
    for seed in 0..200 {
        for trace in [
            alike(seed, 120, 40, uniform),
            alike(seed, 120, 40, heavy),
            alike(seed, 120, 40, coarse),
        ] {
            split += usize::from(clustering(&trace).clusters() > 1);
        }
    }
    assert!(split <= 30, "{split} of 600 kernels were split");
}

#[test]
fn level_decides() {
    // At α = 0.9, the clustering often splits kernels, so the comparison at α = 0.05 is
    // effective.
    let options = Options {
        alpha: 0.9,
        ..Options::default()
    };
    let split = (0..60).filter(|&seed| {
        let trace = alike(seed, 10, 60, |u| 1_000.0 + 1_000.0 * u);
        Clustering::new(&trace, &options).unwrap().clusters() > 1
    });
    let split = split.count();
    assert!(split > 6, "{split} of 60");
}

/// The result satisfies the rule with the exact statistic on sorted samples. No block is rejected by the other blocks
/// of its cluster. Each union of two clusters rejects at least one block.
#[test]
fn the_result_is_a_fixed_point_of_the_rule() {
    let mut merges_refused = 0;
    for seed in 0..40 {
        let mut rng = stream(seed, Purpose::BlockTimes, 8, 0);
        let count = 1 + below(&mut rng, 4);
        let moments: Vec<(f64, f64)> = (0..count)
            .map(|_| (2_000.0 + 400.0 * unit(&mut rng), 20.0 + 60.0 * unit(&mut rng)))
            .collect();
        let kernel = kernel(
            &groups(5 + rng.next_u64() % 20, &moments),
            if count == 1 { 1 } else { count + 2 },
        );
        let trace = trace(&kernel, 60, 256, seed);
        let found = clustering(&trace);
        assert_eq!(found.rejected(), 0);
        let factor = critical_factor(0.05 / trace.blocks() as f64);
        let rejected = |blocks: &[usize], block: usize| -> bool {
            let sorted = |blocks: &[usize]| {
                let mut values: Vec<u64> = blocks
                    .iter()
                    .flat_map(|&block| trace.isolated.sample(block))
                    .collect();
                values.sort_unstable();
                values
            };
            let others: Vec<usize> = blocks.iter().copied().filter(|&other| other != block).collect();
            let (one, rest) = (sorted(&[block]), sorted(&others));
            distance(&one, &rest).is_some_and(|distance| {
                let critical = factor * (1.0 / one.len() as f64 + 1.0 / rest.len() as f64).sqrt();
                distance.as_f64() > critical * (1.0 + 1e-12)
            })
        };
        let members = |of: &[usize]| -> Vec<usize> {
            (0..trace.blocks())
                .filter(|&block| of.contains(&found.assignment()[block]))
                .collect()
        };
        for cluster in 0..found.clusters() {
            let blocks = members(&[cluster]);
            assert!(!blocks.is_empty());
            assert!(
                blocks.iter().all(|&block| !rejected(&blocks, block)),
                "seed {seed}"
            );
            for other in 0..cluster {
                let blocks = members(&[cluster, other]);
                assert!(
                    blocks.iter().any(|&block| rejected(&blocks, block)),
                    "seed {seed}"
                );
                merges_refused += 1;
            }
        }
    }
    assert!(merges_refused > 20, "{merges_refused}");
}

#[test]
fn threads_do_not_show() {
    let kernel = histo(100);
    let trace = trace(&kernel, 40, 30, 3);
    let found: Vec<Clustering> = [1, 2, 7]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| clustering(&trace))
        })
        .into();
    assert!(found.iter().all(|other| *other == found[0]));
    assert_eq!(found[0].clusters(), 3);
}

#[test]
fn pooled_samples_are_those_of_the_cluster() {
    let kernel = histo(20);
    let trace = trace(&kernel, 40, 256, 3);
    let found = clustering(&trace);
    for cluster in 0..3 {
        let pooled = found.pooled(&trace, cluster, Level::Isolated);
        assert_eq!(pooled.len(), 20 * 40);
        assert!(pooled.is_sorted());
        assert_eq!(
            pooled.last(),
            Some(&found.summaries(&trace.isolated)[cluster].max)
        );
        assert_eq!(found.pooled(&trace, cluster, Level::Interference).len(), 20);
    }
}

#[test]
fn limits_are_kept_and_said() {
    let moments: Vec<(f64, f64)> = (0..6)
        .map(|index| (2_000.0 + 300.0 * f64::from(index), 30.0))
        .collect();
    let trace = trace(&kernel(&groups(40, &moments), 6), 60, 256, 1);
    let found = Clustering::new(
        &trace,
        &Options {
            most: 4,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(found.clusters(), 4);
    assert!(found.rejected() >= 40, "{}", found.rejected());

    for (alpha, most) in [
        (0.0, 4),
        (1.0, 4),
        (-0.1, 4),
        (f64::NAN, 4),
        (0.05, 0),
        (0.05, 1_000_000),
    ] {
        assert!(
            Clustering::new(&trace, &Options { alpha, most }).is_err(),
            "{alpha} {most}"
        );
    }
}

#[test]
fn too_few_runs_are_refused_with_the_number_that_is_needed() {
    let kernel = histo(100);
    let few = trace(&kernel, 18, 256, 1);
    let message = Clustering::new(&few, &Options::default())
        .unwrap_err()
        .to_string();
    // 2·ln(2·300/0.05) = 18.8
    assert!(
        message.contains("found 18 measurements") && message.contains("expected at least 19"),
        "{message}"
    );
    let enough = clustering(&trace(&kernel, 19, 256, 1));
    assert_eq!(misplaced(&enough, &truth(&kernel)), 0);
    // A single block forms one cluster.
    assert_eq!(clustering(&trace_of(&[vec![5]])).clusters(), 1);
}
