//! WCETs from extreme values: close to the planted quantile, never below a measurement, and labeled as estimates.

use gpusched::kernel_wcet::fit::independence;
use gpusched::kernel_wcet::fit::normal::NormalFit;
use gpusched::kernel_wcet::fit::tail::{Estimate, TailError, Warning, estimate};
use gpusched::model::kernel::TailFamily;
use gpusched::model::{Cluster, Kernel};
use gpusched::time::Time;

use crate::fits::streams::Stream;

const FAMILIES: [TailFamily; 2] = [TailFamily::Gev, TailFamily::Gpd];

fn times(ns: impl IntoIterator<Item = f64>) -> Vec<Time> {
    ns.into_iter()
        .map(|ns| Time::from_ns(ns.round() as u64))
        .collect()
}

fn exponential(seed: u64, count: usize) -> Vec<Time> {
    let mut stream = Stream::new(seed);
    times((0..count).map(|_| 2000.0 - 50.0 * stream.unit().ln()))
}

fn longest(times: &[Time]) -> Time {
    times.iter().copied().max().unwrap()
}

/// Exponential times: both families have ξ = 0, and the quantile at p is 2000 + 50 ln(1/p).
#[test]
fn planted_quantiles_are_found() {
    for (family, seed) in FAMILIES.into_iter().zip([1, 2]) {
        let times = exponential(seed, 20_000);
        let mut before = longest(&times);
        for exceedance in [1e-3, 1e-6, 1e-9] {
            let Estimate { wcet, tail, warnings } = estimate(&times, family, exceedance).unwrap();
            let tail = tail.unwrap();
            assert!(warnings.is_empty() && tail.trustworthy, "{warnings:?}");
            assert_eq!((tail.family, tail.exceedance), (family, exceedance));
            assert!(tail.shape.abs() < 0.15 && tail.executions >= 10.0, "{tail:?}");
            let truth = 2000.0 - 50.0 * f64::ln(exceedance);
            let error = (wcet.ns() as f64 - truth).abs() / (truth - 2000.0);
            assert!(
                wcet >= before && (error < 0.35 || wcet == longest(&times)),
                "{family:?} {exceedance}: {wcet} {truth}"
            );
            before = wcet;
        }
    }
}

/// Normal times: ξ < 0 at this depth. The quantile at 1e-6 is 4.753 standard deviations above the mean.
#[test]
fn normal_times() {
    let times = times(Stream::new(4).normal(10_000.0, 100.0, 20_000));
    for family in FAMILIES {
        let wcet = estimate(&times, family, 1e-6).unwrap().wcet;
        assert!(wcet >= longest(&times));
        assert!((10_420..=10_600).contains(&wcet.ns()), "{family:?}: {wcet}");
    }
}

/// The measurements already reach this probability. The WCET is not below the longest measured time.
#[test]
fn never_below_the_longest_time() {
    let mut all = exponential(3, 2000);
    all[77] = Time::from_ns(9_000); // measured once, although very unlikely under the fitted curve
    for family in FAMILIES {
        for exceedance in [0.999, 0.5, 1e-2, 1e-4] {
            assert!(estimate(&all, family, exceedance).unwrap().wcet >= Time::from_ns(9_000));
        }
    }
}

#[test]
fn the_same_times_give_the_same_estimate() {
    let times = exponential(5, 3000);
    let mut reversed = times.clone();
    reversed.reverse();
    for family in FAMILIES {
        assert_eq!(estimate(&times, family, 1e-9), estimate(&times, family, 1e-9));
    }
    let gpd = |times: &[Time]| estimate(times, TailFamily::Gpd, 1e-9).unwrap().wcet;
    assert_eq!(gpd(&times), gpd(&reversed)); // the order of times has no effect
}

/// A coarse clock: ticks of 32 ns change the estimate only slightly and are not reported as a poor fit.
#[test]
fn coarse_clocks() {
    let exact = exponential(6, 20_000);
    let coarse: Vec<Time> = exact
        .iter()
        .map(|time| Time::from_ns((time.ns() + 16) / 32 * 32))
        .collect();
    for family in FAMILIES {
        let (fine, coarse) = (
            estimate(&exact, family, 1e-9).unwrap(),
            estimate(&coarse, family, 1e-9).unwrap(),
        );
        assert!(coarse.warnings.is_empty(), "{:?}", coarse.warnings);
        let ratio = (coarse.wcet.ns() as f64 - 2000.0) / (fine.wcet.ns() as f64 - 2000.0);
        assert!((0.75..1.35).contains(&ratio), "{family:?}: {ratio}");
    }
}

#[test]
fn too_little_to_fit() {
    for family in FAMILIES {
        let few = exponential(7, 200);
        let found = estimate(&few, family, 1e-9).unwrap();
        assert_eq!((found.wcet, found.tail), (longest(&few), None));
        assert!(
            matches!(found.warnings.as_slice(), [Warning::TooFew { .. }]),
            "{:?}",
            found.warnings
        );
        for times in [vec![Time::from_ns(700)], vec![Time::from_ns(700); 5000]] {
            let found = estimate(&times, family, 1e-9).unwrap();
            assert_eq!(
                (found.wcet, found.tail.is_none(), found.warnings.len()),
                (Time::from_ns(700), true, 1)
            );
        }
        let two: Vec<Time> = (0..5000).map(|i| Time::from_ns(700 + i % 2)).collect();
        let found = estimate(&two, family, 1e-9).unwrap();
        assert_eq!(
            (found.wcet, found.tail),
            (Time::from_ns(701), None),
            "{:?}",
            found.warnings
        );
    }
}

#[test]
fn no_estimate_at_all() {
    let times = exponential(8, 2000);
    for family in FAMILIES {
        for exceedance in [0.0, 1.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
            let error = estimate(&times, family, exceedance).unwrap_err();
            assert!(
                error.to_string().contains("a probability above 0 and below 1"),
                "{error}"
            );
        }
        assert_eq!(estimate(&[], family, 0.1), Err(TailError::Empty));
    }
    let mut stream = Stream::new(9);
    let heavy = self::times((0..5000).map(|_| 1000.0 * stream.unit().powf(-2.0)));
    for family in FAMILIES {
        let found = estimate(&heavy, family, 1e-4).unwrap();
        assert!(
            found.warnings.iter().any(|w| matches!(w, Warning::Heavy { .. })),
            "{:?}",
            found.warnings
        );
        assert!(matches!(
            estimate(&heavy, family, 1e-15),
            Err(TailError::Unbounded { .. })
        ));
    }
}

#[test]
fn dependent_runs_are_noticed() {
    let mut stream = Stream::new(10);
    let mut level = 0.0;
    let noise = stream.normal(0.0, 30.0, 3000);
    let correlated = times(noise.iter().map(|noise| {
        level = 0.5 * level + noise;
        5000.0 + level
    }));
    let drift = times(
        noise
            .iter()
            .enumerate()
            .map(|(run, noise)| 5000.0 + run as f64 / 60.0 + noise),
    );
    for dependent in [correlated, drift] {
        let found = estimate(&dependent, TailFamily::Gpd, 1e-6).unwrap();
        assert!(
            found
                .warnings
                .iter()
                .any(|w| matches!(w, Warning::Dependent { .. })),
            "{:?}",
            found.warnings
        );
        assert!(!found.tail.unwrap().trustworthy);
    }
}

/// For independent runs, the share of p-values below p is p.
#[test]
fn the_test_of_independence_has_its_level() {
    let mut stream = Stream::new(12);
    let mut below = [0; 2];
    for _ in 0..2000 {
        let runs: Vec<u64> = (0..200).map(|_| stream.below(500)).collect();
        let p = independence::p_value(&runs).unwrap();
        for (count, level) in below.iter_mut().zip([0.05, 0.2]) {
            *count += usize::from(p <= level);
        }
    }
    assert!(
        (60..=150).contains(&below[0]) && (320..=480).contains(&below[1]),
        "{below:?}"
    );
}

/// Two execution modes with a rare slow mode. No extreme-value distribution fits these times.
#[test]
fn a_poor_fit_is_noticed() {
    let mut stream = Stream::new(13);
    let mixed = times((0..20_000).map(|_| {
        let rare = stream.unit() < 0.015;
        if rare {
            3000.0 + 2.0 * stream.unit()
        } else {
            2000.0 + 50.0 * stream.unit()
        }
    }));
    for family in FAMILIES {
        let found = estimate(&mixed, family, 1e-6).unwrap();
        let distrusted = |w: &Warning| {
            matches!(
                w,
                Warning::PoorFit { .. } | Warning::Abrupt { .. } | Warning::NoSpread
            )
        };
        assert!(found.warnings.iter().any(distrusted), "{family:?}: {found:?}");
        assert!(found.wcet >= longest(&mixed));
    }
}

/// An estimate survives writing and reading a kernel file.
#[test]
fn kernel_files_hold_estimates() {
    let times = exponential(14, 3000);
    let found = estimate(&times, TailFamily::Gpd, 1e-6).unwrap();
    let mut distribution = NormalFit::of(&times).unwrap().distribution(found.wcet);
    distribution.tail = found.tail;
    let cluster = Cluster::new(7, found.wcet, found.wcet).unwrap();
    let cluster = cluster.with_distributions(Some(distribution), None);
    let kernel = Kernel::new(4, Time::from_ns(1_000_000), vec![cluster]).unwrap();
    let json = serde_json::to_string(&kernel).unwrap();
    let back: Kernel = serde_json::from_str(&json).unwrap();
    let tail = |kernel: &Kernel| {
        kernel.clusters()[0]
            .isolated_distribution()
            .unwrap()
            .tail
            .clone()
            .unwrap()
    };
    let (own, back) = (tail(&kernel), tail(&back));
    assert_eq!((own.family, own.trustworthy), (back.family, back.trustworthy));
    for (own, back) in [
        (own.scale_ns, back.scale_ns),
        (own.executions, back.executions),
        (own.fit_p, back.fit_p),
    ] {
        assert!((own - back).abs() <= 1e-12 * own, "{own} {back}");
    }
}
