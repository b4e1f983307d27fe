//! Distributions of factors: their moments, their text forms and their random numbers.

use gpusched::generation::Distribution;
use gpusched::model::Factor;
use gpusched::model::streams::{Purpose, stream};

fn draws(text: &str) -> Vec<f64> {
    let distribution: Distribution = text.parse().unwrap();
    let mut rng = stream(1, Purpose::Deadlines, 0, 0);
    let draws = (0..20_000).map(|_| distribution.draw(&mut rng));
    draws.map(Factor::as_f64).collect()
}

/// Textbook formulas give the expected moments. The normal distribution is symmetric and cut at ±2 σ, so its
/// standard deviation is 0.8796 σ.
#[test]
fn draws_have_the_moments_of_the_distribution() {
    for (text, mean, std) in [
        ("uniform:0.5:1.5", 1.0, 0.288_7),
        ("triangular:0:1:2", 1.0, 0.408_2),
        ("triangular:0:0:2", 0.666_667, 0.471_4),
        ("normal:1:0.25:0.5:1.5", 1.0, 0.219_9),
        ("beta:2:3:1:2", 1.4, 0.2),
        ("beta:0.5:0.5:0:1", 0.5, 0.353_6),
    ] {
        let draws = draws(text);
        let count = draws.len() as f64;
        let found = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|draw| (draw - found).powi(2)).sum::<f64>() / count;
        assert!((found - mean).abs() < 4.0 * std / count.sqrt(), "{text}: {found}");
        assert!(
            (variance.sqrt() / std - 1.0).abs() < 0.02,
            "{text}: {}",
            variance.sqrt()
        );
    }
}

/// The random words and the results of `libm` are equal on every machine, so these generated numbers are equal,
/// too.
#[test]
fn draws_are_pinned() {
    let texts = [
        "uniform:0:1",
        "triangular:0:1:2",
        "normal:1:0.5:0:2",
        "beta:2:3:0:1",
    ];
    let first = texts.map(|text| [draws(text)[0], draws(text)[1]]);
    let pinned = [
        [0.655_029_579, 0.813_969_147],
        [1.169_373_223, 1.390_031_389],
        [1.159_243_588, 1.950_647_648],
        [0.503_578_199, 0.095_248_303],
    ];
    assert_eq!(first, pinned);
}

#[test]
fn draws_stay_in_the_range_and_constants_read_no_word() {
    for text in ["uniform:0.1:0.100000001", "normal:5:5:5:10", "beta:0.01:100:3:4"] {
        let distribution: Distribution = text.parse().unwrap();
        let range = distribution.min().as_f64()..=distribution.max().as_f64();
        assert!(draws(text).iter().all(|draw| range.contains(draw)), "{text}");
    }
    let mut rng = stream(1, Purpose::Deadlines, 0, 0);
    let constant: Distribution = "0.75".parse().unwrap();
    assert_eq!(constant.draw(&mut rng).ratio(), (3, 4));
    assert_eq!(rng.get_word_pos(), 0);
}

#[test]
fn text_forms_round_trip_and_the_rest_is_refused() {
    for text in [
        "0.75",
        "3",
        "uniform:0.5:1",
        "triangular:0:0.2:1",
        "normal:1:0.1:0.5:1.5",
        "beta:2:3:0:1",
    ] {
        let distribution: Distribution = text.parse().unwrap();
        assert_eq!(distribution.to_string(), text);
        let json = serde_json::to_string(&distribution).unwrap();
        assert_eq!(serde_json::from_str::<Distribution>(&json).unwrap(), distribution);
    }
    assert_eq!(
        serde_json::to_string(&Distribution::Constant(Factor::ONE)).unwrap(),
        "1.0"
    );
    for bad in [
        "",
        "x",
        "-1",
        "0.5:1",
        "uniform:1",
        "uniform:1:1",
        "uniform:2:1",
        "uniform:1:2:3",
        "uniform:-1:1",
        "triangular:0:2:1",
        "normal:3:0.1:0:1",
        "normal:0.5:0:0:1",
        "normal:0.5:2:0:1",
        "beta:0:1:0:1",
        "beta:101:1:0:1",
        "gamma:1:2",
    ] {
        assert!(bad.parse::<Distribution>().is_err(), "{bad}");
    }
    assert!(serde_json::from_str::<Distribution>("-1").is_err());
    assert!(serde_json::from_str::<Distribution>("0.5").is_ok());
}
