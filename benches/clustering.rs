//! Measures the clustering of block traces with the numbers of blocks in [Aghilinasab20]. Run
//! with `cargo bench --bench clustering`.
//!
//! The benchmark first reconstructs Table I with all its blocks, for 20 seeds. After that, it
//! measures the time and the number of misplaced blocks for 40,000 blocks in 4, 8 and 20 clusters
//! with 200 runs. The times include only the printed steps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::time::Instant;

use gpusched::kernel_wcet::clustering::{Clustering, Options};
use gpusched::model::Kernel;

#[path = "../tests/analysis/block_traces/scenario.rs"]
#[allow(dead_code)]
mod scenario;

use scenario::{groups, histo, kernel, trace, truth};

fn main() {
    println!("Table I, 37,626 blocks in 14 intervals, 40 runs: seeds 1 to 20");
    let histo = histo(12_542);
    let mut worst = 0;
    for seed in 1..=20 {
        worst = worst.max(measure(&histo, 40, seed, false));
    }
    println!("  3 clusters and 14 intervals each time, at most {worst} blocks misplaced\n");
    println!("40,000 blocks, 200 runs");
    for (count, intervals) in [(4, 14), (8, 29), (20, 40)] {
        let moments: Vec<(f64, f64)> = (0..count)
            .map(|index| (2_000.0 + 90.0 * f64::from(index), 30.0))
            .collect();
        let blocks = 40_000 / u64::from(count as u32);
        measure(&kernel(&groups(blocks, &moments), intervals), 200, 1, true);
    }
}

/// Number of blocks outside their true cluster.
fn measure(kernel: &Kernel, runs: u64, seed: u64, show: bool) -> usize {
    let start = Instant::now();
    let trace = trace(kernel, runs, 256, seed);
    let drawn = start.elapsed();
    let start = Instant::now();
    let found = Clustering::new(&trace, &Options::default()).unwrap();
    let clustered = start.elapsed();
    assert_eq!(found.clusters(), kernel.clusters().len(), "seed {seed}");
    let misplaced = found
        .assignment()
        .iter()
        .zip(truth(kernel))
        .filter(|(a, b)| **a != *b)
        .count();
    assert!(misplaced * 1_000 <= trace.blocks(), "seed {seed}: {misplaced}");
    if misplaced == 0 {
        assert_eq!(found.intervals(), kernel.intervals());
    }
    if show {
        println!(
            "  {:>2} clusters: drawn and recorded in {:.1} s, clustered in {:.1} s on {} threads, {misplaced} blocks misplaced",
            found.clusters(),
            drawn.as_secs_f64(),
            clustered.as_secs_f64(),
            rayon::current_num_threads()
        );
    }
    misplaced
}
