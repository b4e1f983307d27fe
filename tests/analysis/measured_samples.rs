//! Guarantee: a measurement keeps every sample in order, drops only the jobs that it must drop, and finds trends, dependence and kernels
//! that are slower on more SMs.

use gpusched::Time;
use gpusched::error::Result;
use gpusched::kernel_wcet::fit::trend::{Direction, trend};
use gpusched::model::Times;
use gpusched::runtime::measure::{
    Cache, Conditions, Contention, Executor, Measured, Neighbor, Protocol, Range, Sample, Series, envelope,
    measure, statistics,
};
use rand::RngExt as _;
use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::oracle::random_sets::rng;
use crate::support::rounds;

/// The test by its definition: all pairs, and the variance with ties.
fn by_pairs(times: &[u64]) -> Option<(Direction, f64)> {
    let n = times.len();
    let mut s = 0i64;
    for i in 0..n {
        for j in i + 1..n {
            s += (times[j] > times[i]) as i64 - (times[j] < times[i]) as i64;
        }
    }
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    let mut distinct = times.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let ties =
        { distinct.iter() }.map(|time| term(times.iter().filter(|other| *other == time).count() as f64));
    let variance = term(n as f64) - ties.sum::<f64>();
    if n < 10 || distinct.len() < 2 {
        return None;
    }
    let z = (s.abs() as f64 - 1.0).max(0.0) / variance.sqrt();
    let direction = if s >= 0 {
        Direction::Rising
    } else {
        Direction::Falling
    };
    let p = 2.0 * Normal::new(0.0, 1.0).unwrap().cdf(-z);
    Some((direction, p.min(1.0)))
}

#[test]
fn the_trend_is_that_of_all_pairs() {
    let mut rng = rng(510);
    let mut found = [0; 2];
    for round in 0..rounds(600) {
        let (most, slope) = ([2, 5, 1_000_000][round % 3], [0, 0, 3][round / 3 % 3]);
        let times: Vec<u64> = (0..rng.random_range(0..80u64))
            .map(|index| rng.random_range(0..most) + slope * index * most / 100)
            .collect();
        match (trend(&times), by_pairs(&times)) {
            (None, None) => found[0] += 1,
            (Some((direction, p)), Some((expected, other))) => {
                assert_eq!(direction, expected, "{times:?}");
                assert!((p - other).abs() < 1e-9, "{p} {other} {times:?}");
                found[1] += usize::from(p < 0.01);
            }
            (own, other) => panic!("{own:?} {other:?} {times:?}"),
        }
    }
    assert!(found[0] > rounds(30) && found[1] > rounds(100), "{found:?}");
}

#[test]
fn trends_at_the_edges() {
    assert_eq!(trend(&[]), None);
    assert_eq!(trend(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), None);
    assert_eq!(trend(&[5; 1000]), None);
    let rising: Vec<u64> = (0..100_000).collect();
    assert!(matches!(trend(&rising), Some((Direction::Rising, p)) if p < 1e-9));
    let falling: Vec<u64> = rising
        .iter()
        .rev()
        .map(|time| u64::MAX - 100_000 + time)
        .collect();
    assert!(matches!(trend(&falling), Some((Direction::Falling, p)) if p < 1e-9));
}

/// An executor whose jobs have the numbers of their calls as times.
struct Counter {
    sizes: Vec<u32>,
    calls: Vec<(Series, u64)>,
    jobs: u64,
    missing: u64,
    zero: bool,
}

impl Counter {
    fn new(sizes: &[u32]) -> Counter {
        Counter {
            sizes: sizes.to_vec(),
            calls: Vec::new(),
            jobs: 0,
            missing: 0,
            zero: false,
        }
    }
}

impl Executor for Counter {
    fn names(&self) -> (String, Vec<String>) {
        ("counter".to_owned(), Vec::new())
    }

    fn sizes(&self) -> Vec<u32> {
        self.sizes.clone()
    }

    fn times(&self) -> Times {
        Times::Occupancy
    }

    fn run(&mut self, series: &Series, count: u64, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Sample>> {
        self.calls.push((*series, count));
        let samples = (0..count - self.missing).map(|_| {
            self.jobs += 1;
            done(1);
            Sample {
                time_ns: if self.zero { 0 } else { self.jobs },
                gpu_ns: None,
            }
        });
        Ok(samples.collect())
    }

    fn conditions(&self) -> Conditions {
        Conditions::default()
    }
}

fn protocol() -> Protocol {
    Protocol {
        sizes: Vec::new(),
        discarded: 3,
        samples: 5,
        cold: false,
        neighbors: Vec::new(),
    }
}

#[test]
fn a_series_drops_its_first_jobs_and_keeps_all_others() {
    let mut executor = Counter::new(&[8, 16, 132]);
    let done = std::sync::atomic::AtomicU64::new(0);
    let count = |jobs| {
        done.fetch_add(jobs, std::sync::atomic::Ordering::Relaxed);
    };
    let wanted = Protocol {
        cold: true,
        neighbors: vec![Neighbor::Inside(0, Contention::Alternate)],
        ..protocol()
    };
    let all = measure(&mut executor, &wanted, &count).unwrap();
    let keys: Vec<_> = { all.iter() }
        .map(|one| (one.series.sms, one.series.cache, one.series.neighbor.is_some()))
        .collect();
    let of = |sms| {
        [
            (sms, Cache::Warm, false),
            (sms, Cache::Cold, false),
            (sms, Cache::Warm, true),
        ]
    };
    assert_eq!(keys, [8, 16, 132].into_iter().flat_map(of).collect::<Vec<_>>());
    for (index, one) in all.iter().enumerate() {
        let times: Vec<u64> = one.samples.iter().map(|sample| sample.time_ns).collect();
        let first = 8 * index as u64 + 4;
        assert_eq!(times, (first..first + 5).collect::<Vec<_>>());
    }
    assert_eq!((done.into_inner(), executor.jobs), (72, 72));
}

#[test]
fn sizes_are_sorted_once_and_must_be_granted() {
    let executor = Counter::new(&[8, 16, 132]);
    let series = |sizes: &[u32], neighbors: Vec<Neighbor>| {
        let protocol = Protocol {
            sizes: sizes.to_vec(),
            neighbors,
            ..protocol()
        };
        let series = protocol.series(&executor)?;
        Ok::<_, gpusched::Error>(series.iter().map(|series| series.sms).collect::<Vec<_>>())
    };
    assert_eq!(series(&[132, 8, 8], Vec::new()).unwrap(), [8, 132]);
    let refused = series(&[8, 9], Vec::new()).unwrap_err().to_string();
    assert_eq!(
        refused,
        "sms: found 9, expected sizes that the GPU grants: 8, 16, 132"
    );
    // A kernel on all SMs has no kernel beside it.
    let beside = || vec![Neighbor::Beside(0)];
    assert_eq!(series(&[], beside()).unwrap(), [8, 8, 16, 16]);
    let refused = series(&[132], beside()).unwrap_err().to_string();
    assert!(
        refused.starts_with("sms: found 132, expected fewer SMs"),
        "{refused}"
    );
    let none = protocol().series(&Counter::new(&[])).unwrap();
    assert!(none.is_empty());
}

#[test]
fn missing_samples_and_impossible_times_are_no_result() {
    for (missing, zero) in [(1, false), (0, true)] {
        let mut executor = Counter {
            missing,
            zero,
            ..Counter::new(&[8])
        };
        let failed = measure(&mut executor, &protocol(), &|_| {});
        assert!(matches!(failed, Err(gpusched::Error::Internal(_))), "{failed:?}");
    }
    let none = Protocol {
        samples: 0,
        ..protocol()
    };
    assert!(measure(&mut Counter::new(&[8]), &none, &|_| {}).is_err());
}

fn measured(sms: u32, cache: Cache, neighbor: Option<Neighbor>, times: &[u64]) -> Measured {
    let sample = |&time_ns: &u64| Sample {
        time_ns,
        gpu_ns: None,
    };
    Measured {
        series: Series { sms, cache, neighbor },
        samples: times.iter().map(sample).collect(),
    }
}

#[test]
fn the_envelope_is_the_longest_isolated_time_on_as_many_or_more_sms() {
    let other = Some(Neighbor::Inside(0, Contention::Alternate));
    let all = [
        measured(16, Cache::Warm, None, &[7, 60]),
        measured(8, Cache::Warm, None, &[100, 90]),
        measured(8, Cache::Cold, None, &[110]),
        measured(8, Cache::Warm, other, &[1000]),
        measured(32, Cache::Warm, None, &[70]),
        measured(64, Cache::Warm, None, &[50]),
    ];
    let found: Vec<_> = { envelope(&all).into_iter() }
        .map(|point| (point.sms, point.longest_ns, point.envelope_ns, point.rises))
        .collect();
    assert_eq!(
        found,
        [
            (8, 110, 110, false),
            (16, 60, 70, false),
            (32, 70, 70, true),
            (64, 50, 50, false)
        ]
    );
    assert!(envelope(&[]).is_empty());
}

#[test]
fn extreme_values_are_fitted_only_for_independent_jobs() {
    let mut rng = rng(511);
    let mut draw = |most: u64| rng.random_range(0..most);
    let independent: Vec<u64> = (0..2000)
        .map(|_| 1000 + draw(100) + draw(100) + draw(100))
        .collect();
    let of = |times: &[u64]| measured(8, Cache::Warm, None, times);
    let fit = |times: &[u64]| {
        let measured = of(times);
        let found = statistics(&measured).unwrap();
        (found.extreme(&measured, 1e-6).unwrap(), found)
    };
    let (fitted, found) = fit(&independent);
    let longest = *independent.iter().max().unwrap();
    assert!(fitted.unwrap().wcet >= Time::from_ns(longest));
    assert_eq!(
        (found.samples, found.longest_ns, found.is_dependent()),
        (2000, longest, false)
    );
    // Long times follow each other: the same times, in clusters of 20.
    let mut clustered = independent.clone();
    clustered.sort_unstable();
    let clustered: Vec<u64> = (0..2000)
        .map(|index| clustered[index % 100 * 20 + index / 100])
        .collect();
    let mut blocks: Vec<Vec<u64>> = clustered.chunks(5).map(<[u64]>::to_vec).collect();
    blocks.iter_mut().for_each(|block| block.sort_unstable());
    for (times, reason) in [
        (blocks.concat(), "depend"),
        ((0..2000).collect(), "depend"),
        (vec![5; 2000], "equal"),
        (vec![5, 6, 7], "too few"),
    ] {
        let (fitted, _) = fit(&times.iter().map(|time| time + 1).collect::<Vec<_>>());
        assert!(
            fitted.as_ref().is_err_and(|text| text.contains(reason)),
            "{fitted:?} {reason}"
        );
    }
    assert!(statistics(&of(&[])).is_none());
    let one = statistics(&of(&[7])).unwrap();
    assert_eq!(
        (
            one.shortest_ns,
            one.median_ns,
            one.longest_ns,
            one.spread_percent()
        ),
        (7, 7, 7, 0.0)
    );
}

#[test]
fn a_clock_that_changes_is_no_clock() {
    let mut range = None;
    Range::add(&mut range, 1_000_000);
    assert_eq!(range.and_then(Range::steady), Some(1_000_000));
    Range::add(&mut range, 980_000);
    assert_eq!(range.and_then(Range::steady), Some(1_000_000));
    Range::add(&mut range, 979_999);
    assert_eq!(range.and_then(Range::steady), None);
    let zero = Range { least: 0, most: 0 };
    assert_eq!(zero.steady(), Some(0));
}
