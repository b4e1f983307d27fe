//! Compares the model `fluid` with cases computed by hand and with a reference implementation,
//! and checks the model `naive`.

use gpusched::prediction::fluid::max_min;
use gpusched::prediction::{Model, predict};

use crate::prediction::{group, near};
use crate::support::rounds;

/// Kernels of (SMs, time [ns], GB/s).
fn kernels(kernels: &[(u64, u64, u64)]) -> String {
    let kernel = |(sms, time, bandwidth): &(u64, u64, u64)| {
        let point = format!(r#"{{"sms":{sms},"time":{time},"bandwidth":{bandwidth}}}"#);
        format!(r#"{{"sms":{sms},"profile":{{"name":"k","points":[{point}]}}}}"#)
    };
    let kernels: Vec<String> = kernels.iter().map(kernel).collect();
    format!(r#"{{"kernels":[{}]}}"#, kernels.join(","))
}

fn times(model: Model, given: &[(u64, u64, u64)]) -> Vec<f64> {
    let found = predict(model, &group(&kernels(given))).unwrap();
    found.kernels.iter().map(|kernel| kernel.predicted).collect()
}

#[test]
fn shares_are_max_min_fair() {
    assert_eq!(max_min(330.0, &[250.33, 291.77]), [165.0, 165.0]);
    assert_eq!(max_min(330.0, &[300.0, 30.0, 200.0]), [150.0, 30.0, 150.0]);
    assert_eq!(max_min(330.0, &[100.0, 0.0, 200.0]), [100.0, 0.0, 200.0]);
    assert_eq!(max_min(330.0, &[]), [] as [f64; 0]);
}

/// Both kernels get 165 GB/s until COPY ends. SAXPY then gets its full demand.
#[test]
fn windows_end_when_a_kernel_does() {
    let given = [(15, 300_000, 250), (15, 420_000, 300)];
    let found = predict(Model::Fluid, &group(&kernels(&given))).unwrap();
    let copy = 300e3 * 250.0 / 165.0;
    near(found.windows[0].end, copy, 1e-12);
    let saxpy = copy + 420e3 - copy * 165.0 / 300.0;
    near(found.kernels[0].predicted, copy, 1e-12);
    near(found.kernels[1].predicted, saxpy, 1e-12);
    assert_eq!(found.windows.len(), 2);
    assert_eq!(found.windows[0].parts[1].share, Some(165.0));
    let done: f64 = found
        .windows
        .iter()
        .flat_map(|window| &window.parts)
        .filter(|part| part.kernel == 1)
        .map(|part| part.progress)
        .sum();
    near(done, 1.0, 1e-12);
}

/// No kernel is slowed down while the bandwidth suffices for all kernels, and a single kernel is never slowed down.
#[test]
fn enough_is_enough() {
    assert_eq!(
        times(Model::Fluid, &[(10, 500, 130), (10, 700, 200)]),
        [500.0, 700.0]
    );
    assert_eq!(times(Model::Fluid, &[(30, 500, 347)]), [500.0]);
    assert_eq!(
        times(Model::Fluid, &[(5, 500, 0), (10, 500, 330), (10, 900, 330)]),
        [500.0, 1000.0, 1400.0]
    );
}

/// Reference implementation with small time steps and shares from a bisection of the level.
fn twin(given: &[(u64, u64, u64)], step: f64) -> Vec<f64> {
    let demand = |k: usize| (given[k].2 as f64).min(330.0);
    let mut left: Vec<f64> = given.iter().map(|kernel| kernel.1 as f64).collect();
    let mut end = vec![0.0; given.len()];
    let mut now = 0.0;
    while left.iter().any(|&left| left > 0.0) {
        let active: Vec<usize> = (0..given.len()).filter(|&k| left[k] > 0.0).collect();
        let (mut low, mut high) = (0.0, 330.0);
        for _ in 0..50 {
            let level: f64 = (low + high) / 2.0;
            let used: f64 = active.iter().map(|&k| demand(k).min(level)).sum();
            if used <= 330.0 { low = level } else { high = level }
        }
        now += step;
        for &k in &active {
            let rate = if demand(k) > low { low / demand(k) } else { 1.0 };
            left[k] -= step * rate;
            if left[k] <= 0.0 {
                end[k] = now;
            }
        }
    }
    end
}

#[test]
fn fluids_are_their_integration() {
    let mut state = 7u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut slowed = 0;
    for _ in 0..rounds(200) {
        let count = 2 + draw(5);
        let given: Vec<_> = (0..count)
            .map(|_| (1 + draw(30 / count), 1000 * (1 + draw(20)), draw(348)))
            .collect();
        let found = times(Model::Fluid, &given);
        for ((found, slow), kernel) in found.iter().zip(twin(&given, 5.0)).zip(&given) {
            assert!((found - slow).abs() <= 100.0, "{given:?}: {found} {slow}");
            assert!(*found >= kernel.1 as f64 * (1.0 - 1e-12));
            slowed += usize::from(*found > 1.1 * kernel.1 as f64);
        }
    }
    assert!(slowed > rounds(200), "{slowed}");
}

/// [Masola23] §7.2: each time increases by 73 %, without the part where the longest kernel runs in isolation.
#[test]
fn naive_is_a_margin() {
    let naive = |times_alone: &[u64]| {
        let given: Vec<_> = times_alone.iter().map(|&time| (5, time, 1)).collect();
        times(Model::Naive, &given)
    };
    for (alone, expected) in [
        (&[1000, 2000, 5000][..], &[1730.0, 3460.0, 6460.0][..]),
        (&[1000, 1000], &[1730.0, 1730.0]),
        (&[1000], &[1000.0]),
    ] {
        for (found, &expected) in naive(alone).iter().zip(expected) {
            near(*found, expected, 1e-12);
        }
    }
}
