//! Fits find the distribution of a generated sample, in every unit.

use gpusched::kernel_wcet::fit::gev::Gev;
use gpusched::kernel_wcet::fit::goodness::{ExtremeValue as _, p_value};
use gpusched::kernel_wcet::fit::gpd::Gpd;

use crate::fits::data::{PORT_PIRIE, RAIN};
use crate::fits::streams::Stream;
use crate::support::rounds;

const SHAPES: [f64; 7] = [-0.4, -0.2, -1e-9, 0.0, 1e-7, 0.15, 0.4];

/// Returns the quantiles at the middles of `count` equal shares, as a sample without randomness.
fn ideal(count: usize, quantile: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count)
        .map(|i| quantile((i as f64 + 0.5) / count as f64))
        .collect()
}

#[test]
fn planted_gev() {
    for (seed, shape) in (1..).zip(SHAPES) {
        let truth = Gev {
            location: 1700.0,
            scale: 35.0,
            shape,
        };
        let fitted = Gev::fit(&ideal(4000, |p| truth.quantile(p))).unwrap();
        assert!((fitted.shape - shape).abs() < 0.01, "{truth:?} {fitted:?}");
        assert!(
            (fitted.location - 1700.0).abs() < 0.5 && (fitted.scale - 35.0).abs() < 0.5,
            "{fitted:?}"
        );
        let mut stream = Stream::new(seed);
        let drawn: Vec<f64> = (0..2000).map(|_| truth.quantile(stream.unit())).collect();
        let fitted = Gev::fit(&drawn).unwrap();
        // The tolerance exceeds four standard errors (Prescott & Walden 1980).
        assert!((fitted.shape - shape).abs() < 0.08, "{truth:?} {fitted:?}");
        assert!(
            (fitted.location - 1700.0).abs() < 4.0 && (fitted.scale - 35.0).abs() < 3.0,
            "{fitted:?}"
        );
        assert!(fitted.log_likelihood(&drawn) >= truth.log_likelihood(&drawn));
    }
}

#[test]
fn planted_gpd() {
    for (seed, shape) in (1..).zip(SHAPES) {
        let truth = Gpd { scale: 35.0, shape };
        let fitted = Gpd::fit(&ideal(4000, |p| truth.quantile(p))).unwrap();
        assert!((fitted.shape - shape).abs() < 0.01, "{truth:?} {fitted:?}");
        assert!((fitted.scale - 35.0).abs() < 0.5, "{fitted:?}");
        let mut stream = Stream::new(100 + seed);
        let drawn: Vec<f64> = (0..2000).map(|_| truth.quantile(stream.unit())).collect();
        let fitted = Gpd::fit(&drawn).unwrap();
        assert!((fitted.shape - shape).abs() < 0.12, "{truth:?} {fitted:?}");
        assert!((fitted.scale - 35.0).abs() < 6.0, "{fitted:?}");
        assert!(fitted.log_likelihood(&drawn) >= truth.log_likelihood(&drawn));
    }
}

/// P(X > quantile(p)) = p, far into the tail, and continuous in ξ at 0.
#[test]
fn quantiles_invert_the_distribution() {
    for shape in SHAPES {
        let gev = Gev {
            location: 3.0,
            scale: 2.0,
            shape,
        };
        let gpd = Gpd { scale: 2.0, shape };
        for p in [0.999, 0.5, 0.01, 1e-6, 1e-12] {
            let tail = |log_survival: f64| (log_survival.exp() / p - 1.0).abs();
            assert!(tail(gev.log_survival(gev.quantile(p))) < 1e-6, "{gev:?} {p}");
            assert!(tail(gpd.log_survival(gpd.quantile(p))) < 1e-6, "{gpd:?} {p}");
            let both = gpd.log_cdf(gpd.quantile(p)).exp() + gpd.log_survival(gpd.quantile(p)).exp();
            assert!((both - 1.0).abs() < 1e-9);
        }
    }
    for p in [0.9, 1e-9] {
        let at = |shape| {
            Gev {
                location: 0.0,
                scale: 1.0,
                shape,
            }
            .quantile(p)
        };
        assert!((at(1e-10) - at(0.0)).abs() < 1e-6 && (at(-1e-10) - at(0.0)).abs() < 1e-6);
    }
}

/// A change of unit and origin does not change the fit.
#[test]
fn fits_do_not_depend_on_the_unit() {
    let gev = Gev::fit(&PORT_PIRIE).unwrap();
    let excesses: Vec<f64> = RAIN.iter().map(|rain| rain - 30.0).collect();
    let gpd = Gpd::fit(&excesses).unwrap();
    for (factor, offset) in [(1e-6, 0.0), (1e9, 0.0), (1.0, 1e4), (250.0, -3e4)] {
        let moved: Vec<f64> = PORT_PIRIE.iter().map(|x| factor * x + offset).collect();
        let own = Gev::fit(&moved).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-4 * factor * gev.scale;
        assert!(close(own.location, factor * gev.location + offset), "{own:?}");
        assert!(
            close(own.scale, factor * gev.scale) && (own.shape - gev.shape).abs() < 1e-4,
            "{own:?}"
        );
        let scaled: Vec<f64> = excesses.iter().map(|y| factor * y).collect();
        let own = Gpd::fit(&scaled).unwrap();
        assert!((own.scale / factor / gpd.scale - 1.0).abs() < 1e-5, "{own:?}");
        assert!((own.shape - gpd.shape).abs() < 1e-5, "{own:?}");
    }
}

/// Samples without a fit give an error, and all other samples give a valid fit.
#[test]
fn strange_samples() {
    for sample in [
        &[][..],
        &[1.0],
        &[1.0, 2.0],
        &[5.0; 40],
        &[1.0, 2.0, 1.0, 2.0],
        &[1.0, 2.0, f64::NAN],
        &[1.0, 2.0, f64::INFINITY],
    ] {
        assert_eq!(Gev::fit(sample), None, "{sample:?}");
    }
    for sample in [
        &[][..],
        &[1.0],
        &[5.0; 40],
        &[0.0, 1.0, 2.0],
        &[-1.0, 1.0],
        &[1.0, f64::NAN],
        &[1.0, f64::INFINITY],
    ] {
        assert_eq!(Gpd::fit(sample), None, "{sample:?}");
    }
    let mut stream = Stream::new(5);
    for size in [3, 4, 5, 10, 30] {
        for _ in 0..rounds(200) {
            let power = 1.0 + 8.0 * stream.unit();
            let sample: Vec<f64> = (0..size).map(|_| stream.unit().powf(-power)).collect();
            let Gev {
                location,
                scale,
                shape,
            } = Gev::fit(&sample).unwrap();
            assert!(
                location.is_finite() && scale > 0.0 && scale.is_finite() && shape > -1.0,
                "{sample:?}"
            );
            let Gpd { scale, shape } = Gpd::fit(&sample).unwrap();
            assert!(scale > 0.0 && scale.is_finite() && shape > -1.0, "{sample:?}");
        }
    }
}

/// The bootstrap has its nominal level, or a lower level for rounded samples. It detects samples that are not from a
/// GPD.
#[test]
fn goodness_of_fit_has_its_level_and_power() {
    let truth = Gpd {
        scale: 20.0,
        shape: 0.1,
    };
    let mut stream = Stream::new(11);
    let mut p = |round: bool, draw: &dyn Fn(&Gpd, f64) -> f64| {
        let exact = (0..60).map(|_| draw(&truth, stream.unit()));
        let sample: Vec<f64> = exact
            .map(|y| if round { (y / 8.0).floor() * 8.0 + 4.0 } else { y })
            .collect();
        p_value(
            &sample,
            &Gpd::fit(&sample).unwrap(),
            if round { 8.0 } else { 0.0 },
        )
    };
    // The midpoints of ticks differ from the exact values, so rounding makes the test more conservative.
    for (round, samples, expected) in [(false, 150, 5..=26), (true, 50, 0..=10)] {
        let rejected = (0..samples)
            .filter(|_| p(round, &|truth, u| truth.quantile(u)) <= 0.1)
            .count();
        assert!(
            expected.contains(&rejected),
            "rounded: {round}, {rejected} of {samples}"
        );
    }
    let two_kinds = |_: &Gpd, u: f64| if u < 0.5 { 2.0 * u } else { 50.0 + u };
    assert!(p(false, &two_kinds) <= 0.01);
}
