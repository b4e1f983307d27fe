//! The normal fit of [Aghilinasab20] Table I and its goodness of fit.

use gpusched::kernel_wcet::fit::kolmogorov::{critical_value, distance, resolution};
use gpusched::kernel_wcet::fit::normal::NormalFit;
use gpusched::model::normal::cdf;
use gpusched::time::Time;

use crate::fits::streams::Stream;

/// Returns exact times as measured by a clock with ticks of `tick` ns.
fn clock(exact: &[f64], tick: f64) -> Vec<Time> {
    let ns = |time: &f64| (tick * (time / tick).round()) as u64;
    exact.iter().map(|time| Time::from_ns(ns(time))).collect()
}

/// The test uses the three clusters of Table I for Q = 0, with clocks of 1 ns and 32 ns. The
/// normality test accepts a normal sample of every size, because it accounts for rounding.
/// Without this correction, it rejects the sample.
#[test]
fn rounding_is_no_lack_of_fit() {
    for (seed, (mean, std)) in (1..).zip([(1610.0, 35.0), (2300.0, 67.0), (3210.0, 39.0)]) {
        let exact = Stream::new(seed).normal(mean, std, 400_000);
        for tick in [1.0, 32.0] {
            let times = clock(&exact, tick);
            let fit = NormalFit::of(&times).unwrap();
            assert!(
                (fit.mean_ns() - mean).abs() < 1.0 && (fit.std_ns() - std).abs() < 0.5,
                "{fit:?}"
            );
            let (ks, lilliefors) = (fit.ks_ratio(0.05).unwrap(), fit.lilliefors_ratio().unwrap());
            assert!(
                ks < lilliefors && lilliefors < 1.0,
                "tick {tick}: {ks} {lilliefors}"
            );
            let mut sorted: Vec<u64> = times.iter().map(|time| time.ns()).collect();
            sorted.sort_unstable();
            assert_eq!(resolution(&sorted), tick as u64);
            let naive = distance(&sorted, 0, |time| cdf((time - fit.mean_ns()) / fit.std_ns()));
            assert!(naive > critical_value(0.05, 400_000), "tick {tick}: {naive}");
        }
    }
}

/// At a nominal level of 5 %, Lilliefors rejects 5 % of normal samples, and the plain test rejects almost none.
#[test]
fn the_plain_test_is_lenient() {
    let mut stream = Stream::new(7);
    let (samples, mut plain, mut right) = (4000, 0, 0);
    for _ in 0..samples {
        let fit = NormalFit::of(&clock(&stream.normal(1e9, 1e7, 100), 1.0)).unwrap();
        plain += usize::from(fit.ks_ratio(0.05).unwrap() > 1.0);
        right += usize::from(fit.lilliefors_ratio().unwrap() > 1.0);
    }
    assert!(plain <= samples / 1000, "{plain} of {samples}");
    assert!((160..=240).contains(&right), "{right} of {samples}");
}

#[test]
fn what_is_not_normal_is_rejected() {
    let mut stream = Stream::new(3);
    let exponential: Vec<f64> = (0..2000).map(|_| 1000.0 - 50.0 * stream.unit().ln()).collect();
    let mut two = stream.normal(1000.0, 10.0, 1000);
    two.extend(stream.normal(1100.0, 10.0, 1000));
    for exact in [exponential, two] {
        assert!(
            NormalFit::of(&clock(&exact, 1.0))
                .unwrap()
                .ks_ratio(0.05)
                .unwrap()
                > 2.0
        );
    }
}

#[test]
fn order_does_not_matter_and_the_file_gets_it_all() {
    let mut times = clock(&Stream::new(9).normal(5000.0, 80.0, 500), 1.0);
    let fit = NormalFit::of(&times).unwrap();
    times.reverse();
    assert_eq!(NormalFit::of(&times).unwrap(), fit);
    let file = fit.distribution(fit.longest());
    assert_eq!(
        (file.samples, file.mean_ns, file.std_ns),
        (Some(500), fit.mean_ns(), fit.std_ns())
    );
    assert_eq!(
        (file.goodness_of_fit, file.lilliefors),
        (fit.ks_ratio(0.05), fit.lilliefors_ratio())
    );
    assert!(file.percentile.unwrap() > 0.99 && file.tail.is_none());
}
