//! Guarantee: the schedulability experiment of [Singh21] agrees with an independent implementation.
//!
//! The reference schedulability ratios are from another program. Its generator is different, but
//! follows the same rules. The reference has 200 sets per point at n = 50 and 10 sets at n = 200.
//! It uses M = 68, D = 0.75 T, the singh21 periods, prm = 0.5 and no cap. The ratios of gpusched
//! must lie within 3σ of the difference of the two samples.

use gpusched::generation::{Recipe, Source, WcetModel};
use gpusched::interference::Conflict;
use gpusched::model::{Plan, Policy};
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::order::{BfDirection, SmsTies};
use gpusched::partitioning::{Heuristic, HeuristicKind, Options, Problem, partition};
use rayon::prelude::*;

const SMS: u32 = 68;

#[derive(Copy, Clone, Debug)]
enum Reading {
    Literal,
    Proportional,
    WorkCapacity,
}

fn plans(reading: Reading, tasks: usize, utilization: f64, sets: u64, heuristic: &Heuristic) -> Vec<Plan> {
    let (wcet, policy) = match reading {
        Reading::Literal => (WcetModel::Amdahl, Policy::Edf),
        Reading::Proportional => (WcetModel::Proportional, Policy::Edf),
        Reading::WorkCapacity => (WcetModel::Amdahl, Policy::WorkCapacity),
    };
    let recipe = Recipe {
        wcet,
        ..Recipe::default()
    };
    let source = Source::new(&recipe, tasks, utilization, 1).unwrap();
    (0..sets)
        .into_par_iter()
        .map(|set| {
            let set = source.draw(utilization as u64, set).unwrap();
            partition(&Problem::new(&set, SMS, policy, &Conflict).unwrap(), heuristic)
        })
        .collect()
}

fn share(plans: &[Plan]) -> f64 {
    plans.iter().filter(|plan| plan.schedulable).count() as f64 / plans.len() as f64
}

/// Returns the distance of two sample ratios in standard deviations of their difference. The
/// function adds one success and one failure to each sample, so that ratios of 0 and 1 also have
/// a deviation.
fn sigmas(ours: f64, sets: f64, golden: f64, golden_sets: f64) -> f64 {
    let smooth = |p: f64, n: f64| (p * n + 1.0) / (n + 2.0);
    let (p, q) = (smooth(ours, sets), smooth(golden, golden_sets));
    let variance = p * (1.0 - p) / (sets + 2.0) + q * (1.0 - q) / (golden_sets + 2.0);
    (ours - golden).abs() / variance.sqrt()
}

fn compare(
    tasks: usize,
    sets: u64,
    golden_sets: f64,
    name: &str,
    reading: Reading,
    heuristic: Heuristic,
    golden: &[(f64, f64)],
) {
    let mut wrong = Vec::new();
    for &(utilization, golden) in golden {
        let ours = share(&plans(reading, tasks, utilization, sets, &heuristic));
        let distance = sigmas(ours, sets as f64, golden, golden_sets);
        println!(
            "{name} {reading:?} n={tasks} U={utilization}: ours {ours:.3}, golden {golden:.3}, {distance:.1}σ"
        );
        if distance > 3.0 {
            wrong.push((utilization, ours, golden));
        }
    }
    assert!(
        wrong.is_empty(),
        "{name} {reading:?}, n = {tasks}: (U, ours, golden) = {wrong:?}"
    );
}

fn sms(forbidden: Forbidden) -> Heuristic {
    let options = Options {
        forbidden: Some(forbidden),
        ..Options::default()
    };
    HeuristicKind::Sms.with(&options).unwrap()
}

fn bf(direction: BfDirection) -> Heuristic {
    let options = Options {
        bf_direction: Some(direction),
        ..Options::default()
    };
    HeuristicKind::Bf.with(&options).unwrap()
}

fn one_gpu() -> Heuristic {
    HeuristicKind::OneGpu.into()
}

/// Compares with independent figures for n = 50, with 200 sets per point as in the table.
fn compare_50(name: &str, reading: Reading, heuristic: Heuristic, shares: [f64; 14]) {
    const U: [f64; 14] = [6., 8., 10., 30., 34., 36., 38., 42., 46., 48., 50., 52., 54., 58.];
    let golden: Vec<(f64, f64)> = U.into_iter().zip(shares).collect();
    compare(50, 200, 200.0, name, reading, heuristic, &golden);
}

#[test]
fn literal_1g() {
    compare_50(
        "1G",
        Reading::Literal,
        one_gpu(),
        [0.69, 0.065, 0.015, 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.],
    );
}

#[test]
fn literal_sms_ina() {
    compare_50(
        "SMS-INA",
        Reading::Literal,
        sms(Forbidden::Ina),
        [
            1., 1., 1., 1., 0.99, 0.975, 0.965, 0.765, 0.155, 0.02, 0., 0., 0., 0.,
        ],
    );
}

#[test]
fn literal_bf_ina_ascending() {
    compare_50(
        "BF-INA",
        Reading::Literal,
        bf(BfDirection::Ascending),
        [1., 1., 1., 1., 0.99, 0.955, 0.875, 0.57, 0.03, 0., 0., 0., 0., 0.],
    );
}

#[test]
fn proportional_1g() {
    compare_50(
        "1G",
        Reading::Proportional,
        one_gpu(),
        [
            1., 1., 1., 0.995, 0.73, 0.465, 0.155, 0.005, 0., 0., 0., 0., 0., 0.,
        ],
    );
}

#[test]
fn proportional_sms_ina() {
    compare_50(
        "SMS-INA",
        Reading::Proportional,
        sms(Forbidden::Ina),
        [
            1., 1., 1., 1., 1., 1., 1., 0.995, 0.83, 0.63, 0.37, 0.13, 0.025, 0.,
        ],
    );
}

#[test]
fn proportional_sms_act() {
    compare_50(
        "SMS-ACT",
        Reading::Proportional,
        sms(Forbidden::Act),
        [
            1., 1., 1., 1., 1., 1., 1., 0.995, 0.87, 0.655, 0.405, 0.15, 0.005, 0.,
        ],
    );
}

#[test]
fn proportional_bf_ina_ascending() {
    compare_50(
        "BF-INA",
        Reading::Proportional,
        bf(BfDirection::Ascending),
        [1., 1., 1., 1., 1., 1., 1., 0.98, 0.685, 0.445, 0.22, 0.04, 0., 0.],
    );
}

#[test]
fn proportional_bf_ina_descending() {
    compare_50(
        "BF-INA-descending",
        Reading::Proportional,
        bf(BfDirection::Descending),
        [
            1., 1., 1., 1., 1., 1., 1., 0.995, 0.805, 0.585, 0.31, 0.12, 0.01, 0.,
        ],
    );
}

#[test]
fn work_capacity_1g() {
    compare_50(
        "1G",
        Reading::WorkCapacity,
        one_gpu(),
        [1., 1., 1., 1., 0.815, 0.59, 0.235, 0.015, 0., 0., 0., 0., 0., 0.],
    );
}

#[test]
fn work_capacity_sms_ina() {
    compare_50(
        "SMS-INA",
        Reading::WorkCapacity,
        sms(Forbidden::Ina),
        [1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 0.99, 0.875],
    );
}

/// With 200 tasks, the choice among merges with equally many SMs decides ([docs/errata.md], §3.5.2).
#[test]
fn ties_of_sms_decide_with_200_tasks() {
    let ratio = |ties| {
        let options = Options {
            sms_ties: Some(ties),
            ..Options::default()
        };
        let sms = HeuristicKind::Sms.with(&options).unwrap();
        share(&plans(Reading::Proportional, 200, 46.0, 20, &sms))
    };
    let ratios = [SmsTies::Saving, SmsTies::Position].map(ratio);
    println!(
        "SMS, n=200 U=46: saving {:.2}, position {:.2}",
        ratios[0], ratios[1]
    );
    assert!(sigmas(ratios[0], 20.0, 0.8, 100.0) < 3.0, "{ratios:?}");
    assert!(sigmas(ratios[1], 20.0, 0.1, 100.0) < 3.0, "{ratios:?}");
}

/// Compares with independent figures for n = 200, proportional/EDF.
#[test]
fn two_hundred_tasks() {
    let compare_200 = |name, heuristic, golden: &[(f64, f64)]| {
        compare(200, 20, 10.0, name, Reading::Proportional, heuristic, golden)
    };
    compare_200("1G", one_gpu(), &[(34., 0.8), (38., 0.)]);
    compare_200(
        "SMS-INA",
        sms(Forbidden::Ina),
        &[(42., 1.), (46., 0.9), (50., 0.1)],
    );
    compare_200("BF-INA", bf(BfDirection::Ascending), &[(38., 0.7), (42., 0.)]);
    compare_200(
        "BF-INA-descending",
        bf(BfDirection::Descending),
        &[(38., 1.), (42., 0.9), (46., 0.2)],
    );
}

/// Compares with independent figures: the number of tested merges per run at U = 50, proportional/EDF. The pre-fill is exactly
/// n(n−1)/2. The means must agree within 3σ of their difference, with the deviation of gpusched's sample for both. The
/// reference means are over 200 and 10 runs.
#[test]
fn merges_tested_per_run() {
    for (tasks, sets, forbidden, golden, golden_sets) in [
        (50, 200, Forbidden::Ina, 1390.0, 200.0),
        (50, 200, Forbidden::Act, 220.0, 200.0),
        (200, 20, Forbidden::Ina, 24_900.0, 10.0),
        (200, 20, Forbidden::Act, 9_700.0, 10.0),
    ] {
        let plans = plans(Reading::Proportional, tasks, 50.0, sets, &sms(forbidden));
        let merges: Vec<f64> = plans.iter().map(|plan| plan.stats.merges_tested as f64).collect();
        let mean = merges.iter().sum::<f64>() / sets as f64;
        let variance = merges.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (sets - 1) as f64;
        let distance = (mean - golden).abs() / (variance / sets as f64 + variance / golden_sets).sqrt();
        println!("n = {tasks}, SMS {forbidden:?}: {mean:.0} merges per run, golden {golden}, {distance:.1}σ");
        assert!(
            distance < 3.0,
            "n = {tasks}, {forbidden:?}: {mean} merges, golden {golden}"
        );
        let prefill = if forbidden == Forbidden::Act {
            tasks * (tasks - 1) / 2
        } else {
            0
        };
        assert!(
            plans
                .iter()
                .all(|plan| plan.stats.prefill_merges == prefill as u64)
        );
    }
}
