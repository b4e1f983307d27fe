//! Compares the two-sample statistic with another program, and its fast version on a grid with
//! its simple version.

use gpusched::kernel_wcet::clustering::two_sample::{Distance, critical_factor, distance};
use gpusched::kernel_wcet::clustering::{CELLS, Grid, Pool};
use gpusched::model::streams::{Purpose, below, stream};
use rand::Rng as _;
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{KSTwoSampleAlternativeMethod, ks_twosample};

use crate::block_traces::scenario::trace_of;

/// Returns samples with and without ties, of equal and of very different sizes.
fn samples(case: u64) -> (Vec<u64>, Vec<u64>) {
    let mut rng = stream(case, Purpose::BlockTimes, 7, 0);
    let spread = [3, 20, 1_000, 1 << 40][below(&mut rng, 4)];
    let mut sample = |shift: usize| {
        let count = 1 + below(&mut rng, 60);
        let mut values: Vec<u64> = (0..count)
            .map(|_| (1 + shift + below(&mut rng, spread)) as u64)
            .collect();
        values.sort_unstable();
        values
    };
    (sample(0), sample(spread / 4))
}

#[test]
fn statrs_agrees() {
    for case in 0..3_000 {
        let (a, b) = samples(case);
        let ours = distance(&a, &b).unwrap().as_f64();
        let floats = |values: &[u64]| -> Vec<f64> { values.iter().map(|&value| value as f64).collect() };
        // The two-sided methods take minutes for a p-value if the distance is tiny. Their statistic is the maximum of
        // the one-sided statistics.
        let one_sided = |method| {
            ks_twosample(floats(&a), floats(&b), method, NaNPolicy::Error)
                .unwrap()
                .0
        };
        let theirs = one_sided(KSTwoSampleAlternativeMethod::LessAsymptotic)
            .max(one_sided(KSTwoSampleAlternativeMethod::GreaterAsymptotic));
        assert!((ours - theirs).abs() < 1e-12, "{a:?} {b:?}: {ours} {theirs}");
    }
}

#[test]
fn every_definition_of_the_distance_agrees() {
    for case in 0..300 {
        let (a, b) = samples(case);
        let upto = |values: &[u64], x: u64| values.iter().filter(|&&value| value <= x).count();
        let (n, m) = (a.len(), b.len());
        let slow = a
            .iter()
            .chain(&b)
            .map(|&x| (upto(&a, x) * m).abs_diff(upto(&b, x) * n));
        let fast = distance(&a, &b).unwrap();
        assert_eq!(fast.numerator, slow.max().unwrap() as u64);
        assert_eq!(distance(&b, &a), Some(fast));
    }
}

/// Compares the distances of each block to a pool of the first blocks, on the grid and by the simple version.
fn compare(runs: &[Vec<u64>], pooled: usize, tolerance: f64) -> bool {
    let trace = trace_of(runs);
    let grid = Grid::new(&trace.isolated);
    let mut pool = Pool::new(grid.cells(), grid.per_block());
    // Adding and removing a block leaves the pool unchanged.
    pool.add(grid.block(pooled));
    (0..pooled).for_each(|block| pool.add(grid.block(block)));
    pool.remove(grid.block(pooled));
    pool.settle();
    let sorted = |blocks: &mut dyn Iterator<Item = usize>| {
        let mut values: Vec<u64> = blocks.flat_map(|block| trace.isolated.sample(block)).collect();
        values.sort_unstable();
        values
    };
    let all = sorted(&mut (0..pooled));
    assert_eq!(pool.size(), all.len() as u64);
    for block in 0..trace.blocks() {
        let plain = distance(&sorted(&mut [block].into_iter()), &all).unwrap();
        let fast = pool.distance(grid.block(block));
        assert!(fast <= plain, "coarser never means farther");
        assert!(plain.as_f64() - fast.as_f64() <= tolerance, "{plain:?} {fast:?}");
        assert_eq!(fast.denominator, plain.denominator);
        if grid.is_exact() {
            assert_eq!(fast.numerator, plain.numerator);
        }
        assert_eq!(pool.distance_upto(grid.block(block), fast), Some(fast));
        if fast.numerator > 0 {
            let closer = gpusched::kernel_wcet::clustering::two_sample::Distance {
                numerator: fast.numerator - 1,
                denominator: fast.denominator,
            };
            assert_eq!(pool.distance_upto(grid.block(block), closer), None);
        }
    }
    grid.is_exact()
}

fn runs(seed: u64, blocks: usize, runs: u64, spread: usize) -> Vec<Vec<u64>> {
    (0..runs)
        .map(|run| {
            let mut rng = stream(seed, Purpose::BlockTimes, 6, run);
            (0..blocks)
                .map(|block| (1 + block * spread / 100 + below(&mut rng, spread)) as u64)
                .collect()
        })
        .collect()
}

#[test]
fn the_grid_is_exact_where_it_says_so() {
    for seed in 0..50 {
        assert!(compare(
            &runs(seed, 12, 25, [2, 10, 300, 1 << 38][seed as usize % 4]),
            7,
            0.0
        ));
    }
}

#[test]
fn the_grid_errs_by_what_it_says_at_most() {
    // 100,000 different values in 65,536 cells: a cell holds at most two values, so at most two of the 200 measurements
    // of a block.
    let runs = runs(1, 500, 200, 1 << 38);
    assert!(runs.concat().len() > CELLS);
    assert!(!compare(&runs, 300, 0.01 + 2.0 / 60_000.0));
}

#[test]
fn the_critical_distance_is_hardly_ever_exceeded() {
    // The test compares a block of 25 measurements with 75 other measurements of the same
    // distribution, at level 0.05. The share of rejected blocks is at most 0.05.
    let factor = critical_factor(0.05);
    let critical = factor * (1.0_f64 / 25.0 + 1.0 / 75.0).sqrt();
    let mut rejected = 0;
    for case in 0..20_000 {
        let mut rng = stream(case, Purpose::BlockTimes, 5, 0);
        let mut sample = |count: usize| {
            let mut values: Vec<u64> = (0..count).map(|_| rng.next_u64() >> 1).collect();
            values.sort_unstable();
            values
        };
        rejected += u32::from(distance(&sample(25), &sample(75)).unwrap().as_f64() > critical);
    }
    assert!((400..=1_000).contains(&rejected), "{rejected} of 20,000");
}

/// Returns the distance as a fraction.
fn fraction(a: &[u64], b: &[u64]) -> (u64, u64) {
    let distance = distance(a, b).unwrap();
    (distance.numerator, distance.denominator)
}

#[test]
fn distances_by_hand() {
    assert_eq!(fraction(&[1, 2], &[1, 2]), (0, 4));
    assert_eq!(fraction(&[1, 2], &[3, 4, 5]), (6, 6));
    assert_eq!(fraction(&[1, 1, 2], &[1, 2, 2]), (3, 9));
    assert_eq!(fraction(&[5, 5, 5], &[5]), (0, 3));
    assert_eq!(fraction(&[1, 4], &[2, 3]), (2, 4));
    assert!(distance(&[], &[1]).is_none());
}

#[test]
fn distances_are_ordered_as_fractions() {
    let of = |numerator, denominator| Distance {
        numerator,
        denominator,
    };
    assert_eq!(of(1, 2), of(2, 4));
    assert!(of(1, 3) < of(u64::MAX / 2, u64::MAX));
}
