//! Utilizations and periods have the documented distributions.

use gpusched::generation::Generator;
use gpusched::generation::randfixedsum::FixedSum;
use gpusched::model::streams::{Purpose, stream, unit};
use gpusched::time::Time;

use crate::generation::{log_uniform, periods, recipe, source, vectors};

fn largest(vector: &[f64]) -> f64 {
    vector.iter().copied().fold(0.0, f64::max)
}

fn smallest(vector: &[f64]) -> f64 {
    vector.iter().copied().fold(f64::INFINITY, f64::min)
}

fn sorted(mut sample: Vec<f64>) -> Vec<f64> {
    sample.sort_by(f64::total_cmp);
    sample
}

/// Critical value. A Kolmogorov-Smirnov statistic exceeds it with probability 2·exp(−2·2.2²) =
/// 10⁻⁴.
const CRITICAL: f64 = 2.2;

/// Kolmogorov-Smirnov, one sample: √N · sup |F_N − F|.
fn ks_one(sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    let sample = sorted(sample);
    let n = sample.len() as f64;
    let distance = sample.iter().enumerate().fold(0.0, |d: f64, (i, &x)| {
        let f = cdf(x);
        d.max(f - i as f64 / n).max((i + 1) as f64 / n - f)
    });
    distance * n.sqrt()
}

/// Kolmogorov-Smirnov, two samples: √(NM/(N+M)) · sup |F_N − G_M|.
fn ks_two(a: Vec<f64>, b: Vec<f64>) -> f64 {
    let (a, b) = (sorted(a), sorted(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let distance = a.iter().chain(&b).fold(0.0, |d: f64, &x| {
        let up_to = |sample: &[f64]| sample.partition_point(|&y| y <= x) as f64;
        d.max((up_to(&a) / n - up_to(&b) / m).abs())
    });
    distance * (n * m / (n + m)).sqrt()
}

/// Returns the largest |mean share − U/n| of any task, in standard errors.
fn worst_mean(vectors: &[Vec<f64>], total: f64) -> f64 {
    let (count, n) = (vectors.len() as f64, vectors[0].len());
    (0..n)
        .map(|i| {
            let mean = vectors.iter().map(|v| v[i]).sum::<f64>() / count;
            let variance = vectors.iter().map(|v| (v[i] - mean).powi(2)).sum::<f64>() / (count - 1.0);
            (mean - total / n as f64).abs() / (variance / count).sqrt()
        })
        .fold(0.0, f64::max)
}

#[test]
fn every_task_has_the_same_mean_share() {
    for (generator, cap) in [
        (Generator::UunifastDiscard, None),
        (Generator::UunifastDiscard, Some(0.9)),
        (Generator::Randfixedsum, None),
        (Generator::Randfixedsum, Some(0.9)),
        (Generator::Randfixedsum, Some(0.36)),
    ] {
        for n in [2, 10, 50] {
            let total = 0.3 * n as f64;
            let vectors = vectors(&source(&recipe(generator, cap), n, total), 8000);
            let worst = worst_mean(&vectors, total);
            assert!(
                worst < 4.5,
                "{generator:?}, cap {cap:?}, n = {n}: {worst} standard errors"
            );
        }
    }
}

/// A common error: exponents that lag by one step give the last task twice the share of the other tasks.
#[test]
fn the_test_of_the_means_notices_an_off_by_one() {
    let (n, total) = (50, 34.0);
    let off_by_one = |set| {
        let mut rng = stream(1, Purpose::Utilizations, 0, set);
        let mut rest = total;
        let mut shares = Vec::new();
        for i in 0..n - 1 {
            let next = rest * libm::pow(unit(&mut rng), 1.0 / (n - i) as f64);
            shares.push(rest - next);
            rest = next;
        }
        shares.push(rest);
        shares
    };
    let vectors: Vec<_> = (0..8000).map(off_by_one).collect();
    assert!(worst_mean(&vectors, total) > 20.0);
}

/// On the simplex, P(u > x) = (1 − x/U)ⁿ⁻¹ for every task. Without a cap, both generators sample from the simplex.
#[test]
fn without_a_cap_a_share_has_the_marginal_of_the_simplex() {
    for generator in [Generator::UunifastDiscard, Generator::Randfixedsum] {
        for (n, total) in [(2, 1.0), (3, 0.5), (10, 4.0), (50, 34.0), (200, 68.0)] {
            let vectors = vectors(&source(&recipe(generator, None), n, total), 4000);
            for task in [0, n / 2, n - 1] {
                let share = vectors.iter().map(|v| v[task]).collect();
                let d = ks_one(share, |x| 1.0 - (1.0 - x / total).max(0.0).powi(n as i32 - 1));
                assert!(
                    d < CRITICAL,
                    "{generator:?}, n = {n}, U = {total}, task {task}: {d}"
                );
            }
        }
    }
}

/// With a cap, the reference is rejection sampling: UUniFast vectors with a share above the cap are discarded.
#[test]
fn randfixedsum_is_uniform_under_a_cap() {
    type Statistic = (&'static str, fn(&[f64]) -> f64);
    let statistics: [Statistic; 5] = [
        ("first", |v| v[0]),
        ("last", |v| v[v.len() - 1]),
        ("largest", largest),
        ("smallest", smallest),
        ("sum of squares", |v| v.iter().map(|u| u * u).sum()),
    ];
    for (n, total, cap) in [
        (2, 1.0, 0.6),
        (3, 1.0, 0.45),
        (3, 1.0, 0.35),
        (4, 2.0, 0.9),
        (5, 1.0, 0.4),
        (8, 4.0, 1.0),
        (20, 6.0, 1.0),
        (50, 10.0, 0.7),
    ] {
        let of = |generator| vectors(&source(&recipe(generator, Some(cap)), n, total), 4000);
        let (drawn, rejected) = (of(Generator::Randfixedsum), of(Generator::UunifastDiscard));
        for (name, statistic) in statistics {
            let d = ks_two(
                drawn.iter().map(|v| statistic(v)).collect(),
                rejected.iter().map(|v| statistic(v)).collect(),
            );
            assert!(d < CRITICAL, "{name} at n = {n}, U = {total}, cap {cap}: {d}");
        }
    }
}

/// The comparison above is effective: symmetric shares below the cap with another distribution fail.
#[test]
fn the_test_of_uniformity_notices_another_distribution() {
    let (n, total, cap) = (8, 4.0, 1.0);
    let rescaled = |set| {
        let mut rng = stream(1, Purpose::Utilizations, 1, set);
        loop {
            let raw: Vec<f64> = (0..n).map(|_| unit(&mut rng)).collect();
            let sum: f64 = raw.iter().sum();
            if largest(&raw) * total / sum <= cap {
                return largest(&raw) * total / sum;
            }
        }
    };
    let source = source(&recipe(Generator::Randfixedsum, Some(cap)), n, total);
    let drawn = vectors(&source, 4000).iter().map(|v| largest(v)).collect();
    assert!(ks_two(drawn, (0..4000).map(rescaled).collect()) > 2.0 * CRITICAL);
}

/// If rejection sampling is infeasible, this test checks symmetry: u → cap − u maps the sum U to
/// n·cap − U.
#[test]
fn randfixedsum_is_symmetric_in_the_cap() {
    for (n, total, cap) in [(10, 1.5, 1.0), (50, 8.0, 1.0), (200, 60.0, 1.0)] {
        let draw = |total, point| -> Vec<Vec<f64>> {
            let fixed = FixedSum::new(n, total, cap).unwrap();
            (0..4000)
                .map(|set| fixed.draw(&mut stream(2, Purpose::Utilizations, point, set)))
                .collect()
        };
        let (low, high) = (draw(total, 0), draw(n as f64 * cap - total, 1));
        let first = ks_two(
            low.iter().map(|v| v[0]).collect(),
            high.iter().map(|v| cap - v[0]).collect(),
        );
        let extreme = ks_two(
            low.iter().map(|v| largest(v)).collect(),
            high.iter().map(|v| cap - smallest(v)).collect(),
        );
        assert!(
            first < CRITICAL && extreme < CRITICAL,
            "n = {n}: {first} {extreme}"
        );
    }
}

/// A closed form for few tasks: with s = U/cap, u/cap has the density fₙ₋₁(s − x) over 0 … 1, up to a factor.
#[test]
fn randfixedsum_has_the_marginal_of_the_cut_cube() {
    for (total, cap) in [(1.5, 1.0), (3.0, 2.0)] {
        // n = 3, s = 1.5: f₂(1.5 − x) = 1 − |0.5 − x|, whose integral over 0 … 1 is 3/4.
        let share = |v: &Vec<f64>| v[1] / cap;
        let fixed = source(&recipe(Generator::Randfixedsum, Some(cap)), 3, total);
        let d = ks_one(vectors(&fixed, 8000).iter().map(share).collect(), |x| {
            let below = (0.5 - x).abs() * (0.5 - x) / 2.0; // ∫ |0.5 − t| from x to 0.5
            (x - (0.125 - below)) / 0.75
        });
        assert!(d < CRITICAL, "n = 3, U = {total}, cap {cap}: {d}");
        // n = 2, s = 1.5: uniform over 0.5 … 1.
        let fixed = source(&recipe(Generator::Randfixedsum, Some(cap)), 2, total);
        let d = ks_one(vectors(&fixed, 8000).iter().map(share).collect(), |x| {
            (x - 0.5) / 0.5
        });
        assert!(d < CRITICAL, "n = 2, U = {total}, cap {cap}: {d}");
    }
}

#[test]
fn log_uniform_periods_are_log_uniform() {
    for (min, max) in [("10ms", "1s"), ("1us", "100s"), ("7ms", "8ms")] {
        let set = source(&log_uniform(min, max), 20_000, 68.0).draw(0, 0).unwrap();
        let ln = |text: &str| (text.parse::<Time>().unwrap().ns() as f64).ln();
        let sample = periods(&set).into_iter().map(|ns| (ns as f64).ln()).collect();
        let d = ks_one(sample, |x| (x - ln(min)) / (ln(max) - ln(min)));
        assert!(d < CRITICAL, "{min} to {max}: {d}");
    }
}
