//! Envelopes are above every measurement in the integers that verdicts use, and as low as the envelope of the reference
//! implementation.

use gpusched::kernel_wcet::fit::classification::Reason;
use gpusched::kernel_wcet::fit::envelope::{EnvelopeError, Measured, affine, monotone, table};
use gpusched::kernel_wcet::fit::least_squares;
use gpusched::kernel_wcet::fit::points::{Points, PointsError};
use gpusched::model::wcet::{Form, MAX_SMS};
use gpusched::model::{Contention, WcetFunction};
use gpusched::time::Time;

use crate::fits::streams::Stream;
use crate::support::rounds;

fn points(measurements: &[(u32, u64)]) -> Points {
    Points::new(measurements.iter().map(|&(m, ns)| (m, Time::from_ns(ns)))).unwrap()
}

fn alone(measurements: &[(u32, u64)]) -> Measured {
    Measured {
        isolated: points(measurements),
        conflict: None,
        estimate: None,
        utilization: Err(Reason::NoBandwidth),
        traffic: None,
        sectors: None,
        block: None,
        measured_on: None,
    }
}

fn lines(function: &WcetFunction) -> ((u64, u64), Option<(u64, u64)>) {
    let Form::Affine(pair) = function.form() else {
        panic!("{function:?}")
    };
    (
        (pair.isolated.a.ns(), pair.isolated.b.ns()),
        pair.conflict.map(|line| (line.a.ns(), line.b.ns())),
    )
}

/// Checks that no point is above `function`, and returns the total overshoot over the longest times.
#[track_caller]
fn overshoot(function: &WcetFunction, points: &Points, contention: Contention) -> u128 {
    for (m, time) in points.measurements() {
        assert!(
            function.at(m, contention).unwrap() >= time,
            "{m} SMs: {function:?} below {time}"
        );
    }
    let longest = points.longest().into_iter();
    longest
        .map(|(m, time)| u128::from(function.at(m, contention).unwrap().ns() - time.ns()))
        .sum()
}

/// Reference implementation: the lowest legal line among all lines through two points, lines through the origin, and
/// the horizontal line.
fn least_overshoot(points: &Points) -> f64 {
    let longest: Vec<(f64, f64)> = points
        .longest()
        .iter()
        .map(|&(m, t)| (1.0 / f64::from(m), t.ns() as f64))
        .collect();
    let mut corners = longest.clone();
    corners.push((0.0, 0.0));
    let highest = longest.iter().map(|&(_, y)| y).fold(0.0, f64::max);
    let mut lines = vec![(0.0, highest)];
    for &(x1, y1) in &corners {
        for &(x2, y2) in corners.iter().filter(|&&(x2, _)| x2 > x1) {
            let a = (y2 - y1) / (x2 - x1);
            lines.push((a, y1 - a * x1));
        }
    }
    let total = |(a, b): &(f64, f64)| longest.iter().map(|(x, y)| a * x + b - y).sum::<f64>();
    let legal =
        |(a, b): &&(f64, f64)| *a >= 0.0 && *b >= -1e-6 && longest.iter().all(|(x, y)| a * x + b >= y - 1e-6);
    lines
        .iter()
        .filter(legal)
        .map(total)
        .fold(f64::INFINITY, f64::min)
}

fn random(stream: &mut Stream, most_sms: u64, noise: u64) -> Vec<(u32, u64)> {
    let count = 2 + stream.below(12);
    let (a, b) = (stream.below(1_000_000), stream.below(100_000));
    (0..count)
        .map(|_| {
            let m = 1 + stream.below(most_sms);
            (m as u32, 1 + a / m + b + stream.below(noise))
        })
        .collect()
}

#[test]
fn as_low_as_the_slow_twin() {
    let mut stream = Stream::new(1);
    let mut tried = 0;
    for round in 0..rounds(20_000) {
        let noise = [1, 10, 1000, 1_000_000][round % 4];
        let measured = alone(&random(&mut stream, [3, 8, 68][round % 3], noise));
        let Ok(function) = affine(&measured) else { continue };
        tried += 1;
        let own = overshoot(&function, &measured.isolated, Contention::Isolated) as f64;
        let least = least_overshoot(&measured.isolated);
        let count = measured.isolated.counts().count() as f64;
        // Rounding C(m) up saves at most 1 ns per point, because b may be lower. Rounding a and b costs at most 2 ns.
        assert!(
            own >= least - count && own <= least + 2.0 * count,
            "{own} {least} {measured:?}"
        );
    }
    assert!(tried > rounds(15_000), "{tried}");
}

#[test]
fn by_hand() {
    // Points on one line are fitted exactly.
    assert_eq!(
        lines(&affine(&alone(&[(1, 1100), (2, 600), (4, 350), (8, 225)])).unwrap()),
        ((1000, 100), None)
    );
    // A kernel without speed-up, and a kernel that becomes slower, give a horizontal line.
    assert_eq!(
        lines(&affine(&alone(&[(1, 500), (9, 500)])).unwrap()),
        ((0, 500), None)
    );
    assert_eq!(
        lines(&affine(&alone(&[(1, 500), (9, 700)])).unwrap()),
        ((0, 700), None)
    );
    // A superlinear speed-up gives a line through the origin.
    assert_eq!(
        lines(&affine(&alone(&[(1, 1000), (2, 300)])).unwrap()),
        ((1000, 0), None)
    );
    // Only the longest of several times counts, and a repeated m has no more weight.
    let few = [(1, 1000), (2, 700), (4, 300)];
    let mut many = few.to_vec();
    many.extend([(2, 400); 50]);
    assert_eq!(affine(&alone(&few)).unwrap(), affine(&alone(&many)).unwrap());
    // Times are not whole numbers of ns: 1/3 and 1/7 of primes.
    let odd = alone(&[(3, 1_000_003), (7, 500_009)]);
    assert!(overshoot(&affine(&odd).unwrap(), &odd.isolated, Contention::Isolated) <= 2);
}

#[test]
fn huge_times_and_many_sms() {
    let limit = Time::LIMIT.ns();
    for measured in [
        alone(&[(1, limit), (2, limit / 2), (MAX_SMS, 1)]),
        alone(&[(1, limit), (MAX_SMS, limit)]),
        alone(&[(1, limit), (2, limit - 1), (3, limit - 3), (65_535, limit - 9)]),
        alone(&[(65_535, 70_000), (65_536, 1)]),
    ] {
        overshoot(
            &affine(&measured).unwrap(),
            &measured.isolated,
            Contention::Isolated,
        );
        overshoot(
            &table(&measured).unwrap(),
            &measured.isolated,
            Contention::Isolated,
        );
    }
    // Every non-horizontal line that covers these points on 65536 SMs has a C(1) that is too large, so the horizontal
    // line remains.
    let flat = affine(&alone(&[(60_000, limit), (65_536, limit / 2)])).unwrap();
    assert_eq!(lines(&flat), ((0, limit), None));
    let every: Vec<(u32, u64)> = (1..=MAX_SMS)
        .map(|m| (m, 10_000_000 / u64::from(m) + 777 + u64::from(m * 7919 % 13)))
        .collect();
    let every = alone(&every);
    overshoot(&affine(&every).unwrap(), &every.isolated, Contention::Isolated);
}

#[test]
fn conflict_is_never_faster() {
    let mut stream = Stream::new(2);
    for round in 0..rounds(5000) {
        let (isolated, conflict) = (
            random(&mut stream, 16, 1000),
            random(&mut stream, 16, [10, 1_000_000][round % 2]),
        );
        let measured = Measured {
            isolated: points(&isolated),
            conflict: Some(points(&conflict)),
            estimate: None,
            utilization: Err(Reason::NoBandwidth),
            traffic: None,
            sectors: None,
            block: None,
            measured_on: None,
        };
        for function in [affine(&measured), table(&measured)] {
            let function = match function {
                Ok(function) => function,
                Err(EnvelopeError::OnePoint { .. }) => continue,
                Err(error) => panic!("{measured:?}: {error}"),
            };
            overshoot(&function, &measured.isolated, Contention::Isolated);
            overshoot(
                &function,
                measured.conflict.as_ref().unwrap(),
                Contention::Conflict,
            );
            for m in [1, 2, 3, 7, 16, 17, 1000, MAX_SMS] {
                let (alone, contended) = (
                    function.at(m, Contention::Isolated),
                    function.at(m, Contention::Conflict),
                );
                assert!(
                    alone.is_none() || contended.is_none() || alone <= contended,
                    "{function:?} on {m}"
                );
            }
        }
    }
}

#[test]
fn monotone_tables() {
    let noisy = alone(&[(8, 90), (1, 500), (2, 260), (2, 300), (4, 310), (16, 95)]);
    let expected = [(1, 500), (2, 310), (4, 310), (8, 95), (16, 95)].map(|(m, ns)| (m, Time::from_ns(ns)));
    assert_eq!(monotone(&noisy.isolated), expected);
    let function = table(&noisy).unwrap();
    assert_eq!(
        (
            function.at(3, Contention::Conflict),
            function.at(64, Contention::Isolated)
        ),
        (Some(Time::from_ns(310)), Some(Time::from_ns(95)))
    );
    // The literal definition.
    let mut stream = Stream::new(3);
    for _ in 0..rounds(2000) {
        let points = points(&random(&mut stream, 20, 500_000));
        for (m, time) in monotone(&points) {
            let later = points.measurements().filter(|&(other, _)| other >= m);
            assert_eq!(Some(time), later.map(|(_, time)| time).max());
        }
    }
}

#[test]
fn what_determines_no_line() {
    let one = alone(&[(4, 500), (4, 600)]);
    let message = affine(&one).unwrap_err().to_string();
    assert!(
        message.contains("isolated: found measurements on 4 SMs only"),
        "{message}"
    );
    assert_eq!(
        table(&one).unwrap().at(4, Contention::Isolated),
        Some(Time::from_ns(600))
    );
    assert_eq!(least_squares::line(&one.isolated), None);
    let conflict = Measured {
        isolated: points(&[(1, 9), (2, 8)]),
        conflict: Some(points(&[(2, 9)])),
        estimate: None,
        utilization: Err(Reason::NoBandwidth),
        traffic: None,
        sectors: None,
        block: None,
        measured_on: None,
    };
    assert!(
        affine(&conflict)
            .unwrap_err()
            .to_string()
            .contains("conflict: found")
    );
}

#[test]
fn what_is_no_measurement() {
    let new = |m, ns| Points::new([(m, Time::from_ns(ns))]);
    assert_eq!(Points::new([]), Err(PointsError::Empty));
    assert_eq!(new(0, 5), Err(PointsError::Sms { found: 0 }));
    assert_eq!(new(MAX_SMS + 1, 5), Err(PointsError::Sms { found: MAX_SMS + 1 }));
    for ns in [0, Time::LIMIT.ns() + 1] {
        assert_eq!(
            new(1, ns),
            Err(PointsError::Time {
                found: Time::from_ns(ns)
            })
        );
    }
}

/// The regression is exact on a line, and equals the textbook formula elsewhere.
#[test]
fn least_squares_lines() {
    let line = least_squares::line(&points(&[(1, 1100), (2, 600), (4, 350)])).unwrap();
    assert!(
        (line.a_ns - 1000.0).abs() < 1e-9
            && (line.b_ns - 100.0).abs() < 1e-9
            && (line.r2 - 1.0).abs() < 1e-12
    );
    // x = 1, 1/2, 1/2; y = 10, 4, 8, so a = 8, b = 2 and R² = 1 − 8/(56/3).
    let line = least_squares::line(&points(&[(1, 10), (2, 4), (2, 8)])).unwrap();
    assert!(
        (line.a_ns - 8.0).abs() < 1e-12 && (line.b_ns - 2.0).abs() < 1e-12,
        "{line:?}"
    );
    assert!((line.r2 - (1.0 - 24.0 / 56.0)).abs() < 1e-12, "{line:?}");
    let flat = least_squares::line(&points(&[(1, 10), (2, 10)])).unwrap();
    assert_eq!((flat.a_ns, flat.b_ns, flat.r2), (0.0, 10.0, 1.0));
}
