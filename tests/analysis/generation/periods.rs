//! Rules for periods: their distributions, their ranges and their text forms.

use gpusched::generation::{PeriodRange, Periods, Recipe};
use gpusched::model::streams::{Purpose, stream};
use gpusched::time::Time;

use crate::generation::{source, works};

const MS: u64 = 1_000_000;

/// Periods of [Singh21] [ms].
const SINGH21: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];

/// Periods of an engine control [ms], each with its share of the runnables [%].
const WATERS2015: [(u64, usize); 9] = [
    (1, 3),
    (2, 2),
    (5, 2),
    (10, 25),
    (20, 25),
    (50, 3),
    (100, 20),
    (200, 1),
    (1000, 4),
];

/// Returns the periods of many tasks with the utilization `share`, in units.
fn singh21(share: f64) -> Vec<u64> {
    let mut rng = stream(3, Purpose::Periods, 0, 0);
    (0..11_000)
        .map(|_| Periods::Singh21.draw(&mut rng, share).ns() / MS)
        .collect()
}

fn count(periods: &[u64], period: u64) -> usize {
    periods.iter().filter(|&&p| p == period).count()
}

#[test]
fn singh21_chooses_uniformly_from_the_list() {
    let periods = singh21(1.0);
    for period in SINGH21 {
        let found = count(&periods, period);
        assert!((870..=1130).contains(&found), "{found} of 11000 are {period}"); // 1000 ± 4.3σ
    }
}

#[test]
fn singh21_lengthens_periods_until_the_work_is_one_unit() {
    // With u = 0.005, the period 200 gives exactly one unit of work. The period 200 replaces the periods 50, 80 and
    // 100.
    let periods = singh21(0.005);
    assert_eq!(periods.iter().min(), Some(&200));
    assert!((3800..=4200).contains(&count(&periods, 200)));
    assert!((870..=1130).contains(&count(&periods, 250)));
    // With a slightly smaller utilization, the period 200 gives too little work.
    assert_eq!(singh21(0.004_999_9).iter().min(), Some(&250));
    // If the work is less than half a nanosecond below one unit, it rounds to one unit.
    assert_eq!(singh21(0.005 * (1.0 - 0.4e-6)).iter().min(), Some(&200));
    assert_eq!(singh21(0.005 * (1.0 - 0.6e-6)).iter().min(), Some(&250));
    // No period of the list gives one unit of work. The longest period applies, although the work is below one unit.
    for share in [0.000_249, 1e-12, 0.0] {
        assert!(singh21(share).iter().all(|&period| period == 4000), "{share}");
    }
}

#[test]
fn listed_periods_have_their_shares() {
    let counts = |text: &str| {
        let periods: Periods = text.parse().unwrap();
        let mut rng = stream(3, Purpose::Periods, 0, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..8500 {
            *counts
                .entry(periods.draw(&mut rng, 0.1).ns() / MS)
                .or_insert(0_usize) += 1;
        }
        counts
    };
    let near = |found: usize, expected: usize| found.abs_diff(expected).pow(2) < 16 * expected;
    let waters = counts("waters2015");
    for (period, percent) in WATERS2015 {
        assert!(near(waters[&period], 100 * percent), "{period}: {waters:?}");
    }
    let harmonic = counts("harmonic:5ms:50ms");
    assert_eq!(harmonic.keys().copied().collect::<Vec<_>>(), [5, 10, 20, 40]);
    assert!(harmonic.values().all(|&count| near(count, 2125)), "{harmonic:?}");
    let list = counts("list:3ms,7ms,7ms,7ms");
    assert!(near(list[&3], 2125) && near(list[&7], 6375), "{list:?}");
}

#[test]
fn ranges_are_kept() {
    let mut rng = stream(3, Purpose::Periods, 0, 0);
    for (min, max) in [
        (1, 2),
        (10, 10),
        (7, Time::LIMIT.ns()),
        (Time::LIMIT.ns(), Time::LIMIT.ns()),
    ] {
        let (min, max) = (Time::from_ns(min), Time::from_ns(max));
        for _ in 0..1000 {
            let range = PeriodRange { min, max };
            for periods in [
                Periods::Uniform(range),
                Periods::LogUniform(range),
                Periods::Harmonic(range),
            ] {
                let period = periods.draw(&mut rng, 0.1);
                assert!((min..=max).contains(&period), "{period}");
            }
        }
    }
}

#[test]
fn every_rule_reads_one_word_whatever_the_share() {
    for text in [
        "singh21",
        "waters2015",
        "uniform:5ns:1ms",
        "log-uniform:5ns:1ms",
        "harmonic:5ns:1ms",
        "list:5ms,10ms",
    ] {
        let periods: Periods = text.parse().unwrap();
        for share in [1e-9, 2.0] {
            let mut rng = stream(3, Purpose::Periods, 0, 0);
            periods.draw(&mut rng, share);
            assert_eq!(rng.get_word_pos(), 2); // counted in words of 32 bits
        }
    }
}

#[test]
fn work_is_rounded_to_the_nearest_nanosecond() {
    let ns = |utilization, period: u64| {
        let recipe = Recipe {
            periods: format!("list:{period}ns").parse().unwrap(),
            ..Recipe::default()
        };
        works(&source(&recipe, 1, utilization).draw(0, 0).unwrap())
    };
    assert_eq!(ns(0.5, 1001), [501]);
    assert_eq!(ns(0.25, 1001), [250]);
    assert_eq!(ns(1.5, 4_000_000_000), [6_000_000_000]);
    assert_eq!(ns(1e-20, 50), [1]);
}

#[test]
fn text_form_round_trips_and_the_rest_is_refused() {
    for text in [
        "singh21",
        "waters2015",
        "uniform:10ms:1s",
        "log-uniform:10ms:1s",
        "log-uniform:1ns:1ns",
        "harmonic:1ms:32ms",
        "list:5ms,5ms,20ms",
    ] {
        let periods: Periods = text.parse().unwrap();
        assert_eq!(periods.to_string(), text);
        let json = serde_json::to_string(&periods).unwrap();
        assert_eq!(serde_json::from_str::<Periods>(&json).unwrap(), periods);
    }
    for bad in [
        "",
        "singh",
        "Singh21",
        "log-uniform",
        "log-uniform:10ms",
        "log-uniform:1s:10ms",
        "log-uniform:0:1s",
        "log-uniform:1ms:2ms:3ms",
        "log-uniform:-1ms:1s",
        "log-uniform:NaN:1s",
        "uniform:10ms",
        "harmonic:1s:1ms",
        "list",
        "list:",
        "list:1ms,0",
        "list:1ms:2ms",
        "waters2015:1ms:2ms",
    ] {
        let message = bad.parse::<Periods>().unwrap_err().to_string();
        assert!(message.contains(&format!("{bad:?}")), "{message}");
        assert!(message.contains("log-uniform:10ms:1s"), "{message}");
    }
}
