//! Values in recordings: jobs and their rhythm, statistics, names, dates and numbers.

use std::io::{self, Read as _};
use std::path::Path;

use gpusched::model::time::decimal::Rounding;
use gpusched::recording::activity::{Rhythm, natural_gap};
use gpusched::recording::block_trace::Format;
use gpusched::recording::model::{Recording, Side};
use gpusched::recording::readers::{Cleaned, Locale, of_epoch_ns, signed};
use gpusched::recording::summary::{Statistics, union_ns};
use gpusched::recording::tasks::Counters;

#[test]
fn the_largest_step_separates_jobs() {
    let jobs: Vec<(i64, i64)> = (0..20)
        .flat_map(|job| (0..3).map(move |kernel| (job * 10_000_000 + kernel * 52_000, kernel)))
        .map(|(start, kernel)| (start, start + 50_000 - 100 * kernel))
        .collect();
    let gap = natural_gap(&jobs).unwrap();
    assert!(gap > 9_000_000 && gap < 10_000_000, "{gap}");
    assert_eq!(natural_gap(&[(0, 10), (10, 20), (5, 15)]), None);
    assert_eq!(natural_gap(&[]), None);
}

#[test]
fn jitter_covers_every_release() {
    let found = Rhythm::of(&[0, 100, 205, 300, 500, 601]).unwrap();
    assert_eq!(
        (found.period_ns, found.periodic, found.least_distance_ns),
        (100, true, 95)
    );
    assert_eq!(found.jitter_ns, 5);
    let sporadic = Rhythm::of(&[0, 10, 100, 450]).unwrap();
    assert_eq!(
        (sporadic.period_ns, sporadic.jitter_ns, sporadic.periodic),
        (10, 0, false)
    );
    assert_eq!(Rhythm::of(&[5]), None);
    assert_eq!(Rhythm::of(&[5, 5]), None);
}

#[test]
fn a_stated_period_has_a_jitter() {
    assert_eq!(Rhythm::jitter_for(&[0, 100, 205, 300, 500, 601], 100), 5);
    assert_eq!(Rhythm::jitter_for(&[0, 90, 180], 100), 20);
    assert_eq!(Rhythm::jitter_for(&[0, 150, 240], 100), 10);
    assert_eq!(Rhythm::jitter_for(&[], 100), 0);
}

/// A task with period P and jitter J can have the observed releases: any k + 1 consecutive releases span at least
/// k·P − J.
#[test]
fn every_window_is_covered() {
    for seed in 0..200i64 {
        let releases: Vec<i64> = (0..40)
            .map(|job| job * 1000 + (job * 7919 + seed * 104_729) % 400)
            .collect();
        let mut sorted = releases.clone();
        sorted.sort_unstable();
        let Some(Rhythm {
            period_ns, jitter_ns, ..
        }) = Rhythm::of(&sorted)
        else {
            continue;
        };
        for (i, early) in sorted.iter().enumerate() {
            for (k, late) in sorted.iter().skip(i).enumerate() {
                let least = k as i128 * i128::from(period_ns) - i128::from(jitter_ns);
                assert!(i128::from(late - early) >= least, "{i} {k}");
            }
        }
    }
}

#[test]
fn endings_come_first() {
    let of = |path: &str, start: &str| Format::of(Path::new(path), start.as_bytes());
    assert_eq!(of("a.csv", "{"), Format::Csv);
    assert_eq!(of("a.jsonl", "run,block"), Format::Jsonl);
    assert_eq!(of("-", "run,block\n"), Format::Csv);
    assert_eq!(of("a.json", "\n {\"run\":0,\"block\":1}\n{"), Format::Jsonl);
    assert_eq!(of("a.json", "{\n\"times\": [{},"), Format::Examiner);
    assert_eq!(of("a", "{\"times\": [{}]}"), Format::Examiner);
}

#[test]
fn instances_share_a_name() {
    for (name, expected) in [
        ("ProfilerStep#6", "ProfilerStep"),
        ("frame #12", "frame"),
        ("#pragma", "#pragma"),
        ("plain", "plain"),
    ] {
        let mut recording = Recording::default();
        recording.range(name, Side::Host, (Some(1), Some(2)), None);
        assert_eq!(recording.names.get(recording.ranges[0].name), expected);
    }
}

#[test]
fn dates_are_those_of_the_calendar() {
    for (seconds, date) in [
        (1, "1970-01-01"),
        (951_782_400, "2000-02-29"),
        (1_610_035_543, "2021-01-07"),
        (1_709_164_799, "2024-02-28"),
        (1_735_689_599, "2024-12-31"),
        (4_107_542_400, "2100-03-01"),
    ] {
        assert_eq!(
            of_epoch_ns(seconds * 1_000_000_000).as_deref(),
            Some(date),
            "{seconds}"
        );
    }
    assert_eq!(of_epoch_ns(0), None);
    assert_eq!(of_epoch_ns(i64::MIN), None);
}

#[test]
fn only_values_are_replaced() {
    let text = "\u{feff}{\"NaN \\\" -Infinity\": [NaN, Infinity,-Infinity, -1, -I], \"x\": NaN}";
    let expected = "{\"NaN \\\" -Infinity\": [[] , null    ,null     , -1, -I], \"x\": [] }";
    for size in [3, 4, 5, 7, 11, 1000] {
        let input = io::BufReader::with_capacity(size, text.as_bytes());
        let mut cleaned = String::new();
        Cleaned::new(input).read_to_string(&mut cleaned).unwrap();
        assert_eq!(cleaned, expected, "{size}");
    }
}

fn read(texts: &[&str]) -> Result<String, &'static str> {
    let mut locale = Locale::default();
    texts.iter().for_each(|text| locale.see(text));
    locale.plain(texts[0])
}

#[test]
fn marks_are_learned_from_the_file() {
    assert_eq!(read(&["1,234", "2.33"]).unwrap(), "1234");
    assert_eq!(read(&["1.234", "2,33"]).unwrap(), "1234");
    assert_eq!(read(&["1.234", "2.33"]).unwrap(), "1.234");
    assert_eq!(read(&["1.234.567"]).unwrap(), "1234567");
    assert_eq!(read(&["1,234.5"]).unwrap(), "1234.5");
    assert_eq!(read(&["0.125"]).unwrap(), "0.125");
    assert_eq!(read(&["77"]).unwrap(), "77");
    assert!(read(&["1.234"]).is_err());
    assert!(read(&["1.23", "4,56"]).is_err());
}

#[test]
fn negative_times_round_in_the_same_direction() {
    assert_eq!(signed("1.6129", 3, Rounding::Down), Some(1_612));
    assert_eq!(signed("-1.6129", 3, Rounding::Down), Some(-1_613));
    assert_eq!(signed("-1.6129", 3, Rounding::Up), Some(-1_612));
    assert_eq!(signed("--1", 0, Rounding::Up), None);
    assert_eq!(signed("", 0, Rounding::Up), None);
}

#[test]
fn common_time_counts_once() {
    assert_eq!(union_ns([].into_iter()), 0);
    assert_eq!(
        union_ns([(5, 9), (-3, 2), (6, 7), (9, 12), (1, 1)].into_iter()),
        5 + 4 + 3
    );
}

#[test]
fn percentiles_are_measured_times() {
    let times: Vec<u64> = (1..=200).collect();
    let found = Statistics::sorted(&times, |&time| time);
    assert_eq!(
        (found.min_ns, found.median_ns, found.p99_ns, found.max_ns),
        (Some(1), Some(100), Some(198), Some(200))
    );
    assert_eq!(Statistics::sorted(&[7], |&time| time).p99_ns, Some(7));
    assert_eq!(Statistics::sorted(&[], |&time: &u64| time), Statistics::default());
}

#[test]
fn functions_are_found() {
    for (name, expected) in [
        ("void cutlass::Kernel2<a::b<c>>(T1::Params)", "Kernel2"),
        ("void Kernel2<cutlass_80>(Params)", "Kernel2"),
        ("vecCopy(double*, int) [clone .kd]", "vecCopy"),
        ("void at::native::(anonymous namespace)::multi<x, y>(z)", "multi"),
        ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"),
        (
            "std::enable_if<!T7, void>::type internal::gemvx::kernel<int>(T13)",
            "kernel",
        ),
    ] {
        let mut recording = Recording::default();
        let written = recording.names.intern(name);
        recording.traffic.push((written, 7));
        let mut counters = Counters::default();
        counters.add(&recording);
        // The other name has another result type, another namespace and other parameters.
        assert_eq!(
            counters.traffic(&format!("int other::{expected}<3>(float)")),
            Some(7),
            "{name}"
        );
        assert_eq!(counters.traffic("other"), None);
    }
}
