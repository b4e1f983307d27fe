//! Definition 1 of [Singh21]: the criterion for memory-intensive kernels.

use gpusched::kernel_wcet::fit::saturation::{Saturation, accepts, saturation, speed_up};
use gpusched::model::{Factor, Kind};
use gpusched::time::Time;

fn table(sms: u32, ns: impl Fn(f64) -> f64) -> Vec<(u32, Time)> {
    (1..=sms)
        .map(|m| (m, Time::from_ns(ns(f64::from(m)).round() as u64)))
        .collect()
}

fn classify(table: &[(u32, Time)], epsilon: f64) -> (u32, Kind) {
    let Saturation { sms, kind, .. } = saturation(table, Factor::from_f64(epsilon).unwrap()).unwrap();
    (sms, kind)
}

#[test]
fn planted_classes() {
    // [Singh21] Figs 3.1 and 3.2: memory-intensive kernels saturate at 40 of 68 SMs, and the other kernels do not
    // saturate.
    assert_eq!(
        classify(&table(68, |m| 7.6e8 / m.min(40.0)), 0.05),
        (39, Kind::Memory)
    );
    assert_eq!(classify(&table(68, |m| 1e9 / m), 0.05), (65, Kind::Compute));
    // §3.6.1: b = β·a.
    assert_eq!(
        classify(&table(68, |m| 1e9 * (1.0 / m + 0.1)), 0.05),
        (49, Kind::Memory)
    );
    assert_eq!(
        classify(&table(68, |m| 1e9 * (1.0 / m + 0.02)), 0.05),
        (61, Kind::Compute)
    );
    // Additional SMs do not reduce the time.
    assert_eq!(classify(&table(68, |_| 1e9), 0.05), (1, Kind::Memory));
    assert_eq!(classify(&table(1, |_| 1e9), 0.05), (1, Kind::Compute));
}

/// The definition, literally, over thresholds and sparse measurements.
#[test]
fn the_definition_literally() {
    for epsilon in [0.01, 0.05, 0.1, 0.249] {
        for limit in 1..=32 {
            let all = table(32, |m| 1e6 / m.min(f64::from(limit)) + 1e4);
            for step in [1, 3, 7] {
                let table: Vec<_> = all.iter().copied().step_by(step).collect();
                let &(largest, last) = table.last().unwrap();
                let gain = |time: Time| (time.ns() - last.ns()) as f64 / time.ns() as f64;
                let expected = table.iter().find(|&&(_, time)| gain(time) < epsilon).unwrap().0;
                let memory = f64::from(expected) <= (1.0 - 4.0 * epsilon) * f64::from(largest);
                let kind = if memory { Kind::Memory } else { Kind::Compute };
                assert_eq!(
                    classify(&table, epsilon),
                    (expected, kind),
                    "{epsilon} {limit} {step}"
                );
            }
        }
    }
}

#[test]
fn ends() {
    assert_eq!(saturation(&[], Factor::from_f64(0.05).unwrap()), None);
    for (epsilon, good) in [
        (0.0, false),
        (1e-9, true),
        (0.249, true),
        (0.25, false),
        (1.0, false),
    ] {
        assert_eq!(accepts(Factor::from_f64(epsilon).unwrap()), good, "{epsilon}");
    }
    let speed_up = speed_up(&[(2, Time::from_ns(300)), (4, Time::from_ns(150))]);
    assert_eq!(speed_up, [(2, 1.0), (4, 2.0)]);
}
