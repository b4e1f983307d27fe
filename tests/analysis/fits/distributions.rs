//! Distances of distributions, the test of independence, and the search for the best parameters, against published values and
//! another program.

use gpusched::kernel_wcet::fit::normal::NormalFit;
use gpusched::kernel_wcet::fit::{independence, kolmogorov, simplex};
use gpusched::time::Time;
use rand::RngExt as _;
use statrs::distribution::{ChiSquared, ContinuousCDF as _};
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{KSOneSampleAlternativeMethod, ks_onesample};

use crate::oracle::random_sets::rng;
use crate::support::rounds;

/// The expected values are from the table of the limiting distribution in Smirnov, Annals of
/// Mathematical Statistics 19 (1948).
#[test]
fn the_distribution_is_the_published_one() {
    for (lambda, below) in [
        (0.5, 0.036_055),
        (0.8, 0.455_857),
        (1.0, 0.730_000),
        (1.36, 0.950_514),
        (1.63, 0.990_154),
    ] {
        assert!(
            (1.0 - kolmogorov::survival(lambda) - below).abs() < 5e-6,
            "{lambda}"
        );
    }
    assert!((kolmogorov::critical_value(0.05, 1) - 1.358_099).abs() < 1e-6);
    assert!((kolmogorov::critical_value(0.01, 100) - 0.162_762).abs() < 1e-6);
    assert_eq!(
        (kolmogorov::survival(-1.0), kolmogorov::survival(0.0)),
        (1.0, 1.0)
    );
    // Both series give equal results where the function switches between them.
    let gap = kolmogorov::survival(1.0 - 1e-12) - kolmogorov::survival(1.0);
    assert!(gap.abs() < 1e-11, "{gap}");
}

#[test]
fn d_and_its_probability_are_those_of_statrs() {
    let sample: Vec<u64> = (0..400u64).map(|i| (i * i * 7919) % 100_003).collect();
    let mut sorted = sample.clone();
    sorted.sort_unstable();
    let uniform = statrs::distribution::Uniform::new(0.0, 100_003.0).unwrap();
    let floats: Vec<f64> = sample.iter().map(|&time| time as f64).collect();
    let method = KSOneSampleAlternativeMethod::TwoSidedAsymptotic;
    let (d, p) = ks_onesample(floats, &uniform, method, NaNPolicy::Error).unwrap();
    let own = kolmogorov::distance(&sorted, 0, |time| time / 100_003.0);
    assert!((own - d).abs() < 1e-12, "{own} {d}");
    assert!((kolmogorov::survival(own * 20.0) - p).abs() < 1e-9, "{p}");
}

#[test]
fn ties_jump_once() {
    // All times of the sample are 5. The distribution function is uniform on 0 … 10.
    assert_eq!(kolmogorov::distance(&[5, 5, 5, 5], 0, |time| time / 10.0), 0.5);
    // If the tick is as long as the range of the distribution, the distance is 0.
    assert_eq!(kolmogorov::distance(&[5, 5, 5, 5], 10, |time| time / 10.0), 0.0);
    assert_eq!(kolmogorov::distance(&[], 1, |_| 0.5), 0.0);
}

#[test]
fn the_tick_is_found() {
    let ticks = |tick: u64, count: u64| -> Vec<u64> { (0..count).map(|i| 7 + i * (i + 1) * tick).collect() };
    assert_eq!(kolmogorov::resolution(&ticks(16, 40)), 32);
    assert_eq!(kolmogorov::resolution(&ticks(16, 20)), 32);
    assert_eq!(kolmogorov::resolution(&ticks(16, 19)), 1);
    assert_eq!(
        kolmogorov::resolution(&[[0; 9], [32; 9], [64; 9], [96; 9]].concat()),
        1
    );
    assert_eq!(kolmogorov::resolution(&[5; 100]), 1);
    assert_eq!(kolmogorov::resolution(&(0..100).collect::<Vec<_>>()), 1);
}

/// Returns the p-value of the Ljung–Box test on the ranks of `times` with ten lags. Equal times get the mean of their ranks.
fn ljung_box(times: &[u64]) -> f64 {
    let n = times.len() as f64;
    let rank = |time: &u64| {
        let below = times.iter().filter(|other| *other < time).count() as f64;
        let equal = times.iter().filter(|other| *other == time).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    let centered: Vec<f64> = times.iter().map(|time| rank(time) - (n - 1.0) / 2.0).collect();
    let variance: f64 = centered.iter().map(|x| x * x).sum();
    let term = |lag: usize| {
        let products = (lag..times.len()).map(|run| centered[run] * centered[run - lag]);
        (products.sum::<f64>() / variance).powi(2) / (n - lag as f64)
    };
    let statistic = n * (n + 2.0) * (1..=10).map(term).sum::<f64>();
    ChiSquared::new(10.0).unwrap().sf(statistic)
}

/// Independent times, times with many ties, and times that depend on the previous run.
#[test]
fn the_test_of_independence_is_that_of_statrs() {
    let mut rng = rng(88);
    let mut small = 0;
    for round in 0..rounds(300) {
        let most = [3, 1_000_000][round % 2];
        let memory = [0, 1, 4][round % 3];
        let mut last = 0;
        let times: Vec<u64> = (0..rng.random_range(31..200))
            .map(|_| {
                last = (memory * last + rng.random_range(0..most)) / (memory + 1);
                last
            })
            .collect();
        let Some(own) = independence::p_value(&times) else {
            assert!(times.iter().all(|&time| time == times[0]));
            continue;
        };
        let other = ljung_box(&times);
        assert!(
            (own - other).abs() <= 1e-10 * (1.0 + other),
            "{own} {other} {times:?}"
        );
        small += usize::from(own < 0.01);
    }
    assert!(small > rounds(50), "{small}");
}

#[test]
fn nothing_to_test() {
    assert_eq!(independence::p_value(&[1, 2, 3]), None);
    assert_eq!(independence::p_value(&[7; 1000]), None);
    assert_eq!(independence::p_value(&[]), None);
}

fn fit(times: &[u64]) -> NormalFit {
    NormalFit::of(&times.iter().map(|&ns| Time::from_ns(ns)).collect::<Vec<_>>()).unwrap()
}

#[test]
fn mean_and_deviation() {
    let fit = fit(&[2, 4, 4, 4, 5, 5, 7, 9]);
    assert_eq!((fit.mean_ns(), fit.longest()), (5.0, Time::from_ns(9)));
    assert!((fit.std_ns() - (32.0_f64 / 7.0 - 1.0 / 12.0).sqrt()).abs() < 1e-12);
}

#[test]
fn samples_without_spread_are_defined() {
    assert_eq!(NormalFit::of(&[]), None);
    for times in [vec![700], vec![700; 50]] {
        let fit = fit(&times);
        assert_eq!((fit.mean_ns(), fit.std_ns(), fit.distance()), (700.0, 0.0, None));
        assert_eq!((fit.ks_ratio(0.05), fit.lilliefors_ratio()), (None, None));
        assert_eq!(fit.percentile(Time::from_ns(699)), 0.0);
        assert_eq!(fit.percentile(Time::from_ns(700)), 1.0);
    }
    assert!(fit(&[1, 2, 3, 5]).lilliefors_ratio().is_none());
    let far = fit(&[Time::LIMIT.ns(), Time::LIMIT.ns() - 8]);
    assert!(far.std_ns() > 5.0 && far.std_ns() < 6.0);
}

#[test]
fn a_curved_valley_is_followed() {
    // The test function is from Rosenbrock, The Computer Journal 3 (1960).
    let valley = |&[x, y]: &[f64; 2]| (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2);
    let ([x, y], least) = simplex::minimize(valley, [-1.2, 1.0], 0.5);
    assert!(
        (x - 1.0).abs() < 1e-5 && (y - 1.0).abs() < 1e-5 && least < 1e-10,
        "{x} {y}"
    );
}

#[test]
fn walls_are_respected() {
    let walled = |&[x]: &[f64; 1]| if x < 0.5 { f64::INFINITY } else { x * x };
    let ([x], _) = simplex::minimize(walled, [3.0], 1.0);
    assert!((0.5..0.5001).contains(&x), "{x}");
}
