//! Compares the warp-level simulator with GPGPU-Sim, for each row of
//! `tasksets/reference/gpgpusim/isolation.csv`. The output has the simulated cycles and the
//! seconds on one core of each simulator. It has the same columns for the estimate from at least
//! four rounds of blocks. The last lines contain the errors, and the speed-ups by kernel.
//!
//! Run with `cargo bench --bench warps`. An argument after `--` selects the rows whose names contain it (`vadd`, `30 SMs`, `gto`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "failing loudly is a bench's job"
)]

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/simulators/warp_reference/reference.rs"]
mod reference;

use std::collections::BTreeMap;
use std::time::Instant;

use reference::Row;

/// Number of runs of a row. The fastest run counts.
const RUNS: usize = 3;

type Mode = fn(&Row) -> u64;

/// Methods that compute the cycles of a row: simulation and estimate.
const MODES: [(&str, Mode); 2] = [
    ("full", |row| row.run().cycles),
    ("estimate", |row| row.estimate(4).cycles),
];

/// Returns the cycles that `mode` computes for `row`, and the seconds that `mode` takes.
fn measure(mode: Mode, row: &Row) -> (u64, f64) {
    let mut best = f64::INFINITY;
    let mut cycles = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        cycles = mode(row);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (cycles, best)
}

fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        f64::midpoint(sorted[half - 1], sorted[half])
    }
}

/// Results of one mode.
#[derive(Default)]
struct Tally {
    errors: Vec<f64>,
    ratios: BTreeMap<String, Vec<f64>>,
}

impl Tally {
    fn print(&self, mode: &str) {
        let exact = self.errors.iter().filter(|error| **error == 0.0).count();
        let mean = self.errors.iter().sum::<f64>() / self.errors.len() as f64;
        let worst = self.errors.iter().copied().fold(0.0, f64::max);
        println!(
            "{mode}: {} rows, {exact} to the cycle; mean absolute error {:.2}%, largest {:.2}%",
            self.errors.len(),
            100.0 * mean,
            100.0 * worst
        );
        for (kernel, ratios) in &self.ratios {
            let mut ratios = ratios.clone();
            ratios.sort_by(f64::total_cmp);
            println!(
                "  {kernel}: {:.0} times as fast at least, median {:.0}",
                ratios[0],
                median(&ratios)
            );
        }
    }
}

fn main() {
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    println!(
        "{:<36} {:>9} {:>8}   {:>8} {:>8} {:>9} {:>6}   {:>8} {:>8} {:>9} {:>6}",
        "",
        "reference",
        "seconds",
        "full",
        "error",
        "seconds",
        "ratio",
        "estimate",
        "error",
        "seconds",
        "ratio"
    );
    let mut tallies = [Tally::default(), Tally::default()];
    for row in reference::table("isolation") {
        let kernel = row.text("kernel");
        let name = format!(
            "{kernel}, {:>2} SMs, {}, {}",
            row.text("sms"),
            row.text("scheduler"),
            if row.number("l2_warm") == 1 {
                "warm"
            } else {
                "cold"
            }
        );
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted)) {
            continue;
        }
        let seconds = row.real("cpu_s");
        print!("{name:<36} {:>9} {seconds:>8.3}", row.number("cycles"));
        for ((_, mode), tally) in MODES.into_iter().zip(&mut tallies) {
            let (cycles, time) = measure(mode, &row);
            let error = cycles as f64 / row.real("cycles") - 1.0;
            let ratio = seconds / time;
            print!("   {cycles:>8} {:>7.2}% {time:>9.5} {ratio:>6.0}", 100.0 * error);
            tally.errors.push(error.abs());
            tally.ratios.entry(kernel.to_owned()).or_default().push(ratio);
        }
        println!();
    }
    if tallies[0].errors.is_empty() {
        println!("no row has {:?}", wanted.unwrap_or_default());
        return;
    }
    println!();
    for ((mode, _), tally) in MODES.into_iter().zip(&tallies) {
        tally.print(mode);
    }
}
