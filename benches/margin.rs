//! Measures the objective `margin` on generated sets of 50 tasks: the time of each search, and the gap between the factor of
//! the plan and the proven limit. Run with `cargo bench --bench margin`.
//!
//! An argument selects one policy, e.g., `cargo bench --bench margin -- np-edf`. Every search uses `auto` with its default
//! search effort, on one thread. The sets have the default WCETs of `gpusched generate`, D = 0.75 T, and fixed seeds, so the
//! factors and the gaps are equal on every machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a benchmark may panic

use std::time::Instant;

use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::model::Policy;
use gpusched::partitioning::{HeuristicKind, Objective, Options, Problem, partition};

/// Utilization of the sets and SMs of the GPU.
const SYSTEMS: [(f64, u32); 10] = [
    (8.0, 32),
    (12.0, 24),
    (12.0, 40),
    (20.0, 40),
    (20.0, 60),
    (20.0, 80),
    (34.0, 68),
    (40.0, 80),
    (34.0, 132),
    (60.0, 132),
];

/// Sets per utilization.
const SETS: u64 = 6;

const POLICIES: [&str; 3] = ["edf", "np-edf", "dm"];

/// Gap that the project accepts [%].
const ACCEPTED: f64 = 2.0;

fn main() {
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| POLICIES.contains(&&arg[..]))
        .collect();
    for policy in POLICIES {
        if only.is_empty() || only.iter().any(|only| only == policy) {
            measure(policy);
        }
    }
}

fn measure(name: &str) {
    let policy: Policy = name.parse().expect("a policy");
    println!(
        "\n{name}\n{:>5} {:>4} {:>4} {:>8} {:>8} {:>7} {:>9}",
        "U", "M", "set", "factor", "limit", "gap [%]", "time [s]"
    );
    let (mut gaps, mut times, mut impossible) = (Vec::new(), Vec::new(), 0);
    for (utilization, sms) in SYSTEMS {
        let source = Source::new(&Recipe::default(), 50, utilization, 77).expect("a valid recipe");
        for number in 0..SETS {
            let set = source.draw(0, number).expect("a task set");
            let options = Options {
                objective: Some(Objective::Margin),
                ..Options::default()
            };
            let heuristic = HeuristicKind::Auto
                .with(&options)
                .expect("options with an effect");
            let start = Instant::now();
            let problem =
                Problem::new(&set, sms, policy, model_of(Interference::Conflict)).expect("a problem");
            let plan = partition(&problem, &heuristic);
            let time = start.elapsed().as_secs_f64();
            let Some(margin) = plan.margin else {
                impossible += 1;
                println!(
                    "{utilization:>5} {sms:>4} {number:>4} {:>8} {:>8} {:>7} {time:>9.2}",
                    "-", "-", "-"
                );
                continue;
            };
            let gap = margin.gap_thousandths_of_percent() as f64 / 1000.0;
            println!(
                "{utilization:>5} {sms:>4} {number:>4} {:>8} {:>8} {gap:>7.2} {time:>9.2}",
                margin.wcet_scaling_permille, margin.at_most_permille
            );
            gaps.push(gap);
            times.push(time);
        }
    }
    gaps.sort_by(f64::total_cmp);
    times.sort_by(f64::total_cmp);
    let (Some(worst), Some(longest)) = (gaps.last(), times.last()) else {
        return;
    };
    println!(
        "{name}: {} sets with a plan, {impossible} without; gap at most {ACCEPTED} % for {}, median {:.2} %, largest {worst:.2} %; \
         time median {:.2} s, longest {longest:.2} s",
        gaps.len(),
        gaps.iter().filter(|&&gap| gap <= ACCEPTED).count(),
        gaps[gaps.len() / 2],
        times[times.len() / 2],
    );
}
