//! Promise: task sets are drawn from the distributions that the docs name, and the same ones for ever.
//!
//! Seeds are fixed, so nothing here is flaky: a test fails only if the generator changes.

use gpusched::generation::randfixedsum::FixedSum;
use gpusched::generation::streams::{Purpose, stream, unit};
use gpusched::generation::{Generator, Periods, Recipe, Source, WcetModel, uunifast};
use gpusched::model::wcet::Form;
use gpusched::model::{Factor, Kind, TaskSet};
use gpusched::time::Time;

fn source(recipe: &Recipe, tasks: usize, utilization: f64) -> Source {
    Source::new(recipe, tasks, utilization, 1).unwrap()
}

fn recipe(generator: Generator, cap: Option<f64>) -> Recipe {
    Recipe {
        generator,
        cap,
        ..Recipe::default()
    }
}

fn log_uniform(min: &str, max: &str) -> Recipe {
    Recipe {
        periods: format!("log-uniform:{min}:{max}").parse().unwrap(),
        ..Recipe::default()
    }
}

fn vectors(source: &Source, count: u64) -> Vec<Vec<f64>> {
    (0..count)
        .map(|set| source.utilizations(0, set).unwrap())
        .collect()
}

/// Works of the tasks [ns].
fn works(set: &TaskSet) -> Vec<u64> {
    let work = |form: &Form| match form {
        Form::Amdahl(scaling) | Form::Proportional(scaling) => scaling.work.ns(),
        other => panic!("{other:?}"),
    };
    set.tasks().iter().map(|task| work(task.wcet().form())).collect()
}

fn kinds(set: &TaskSet) -> Vec<Kind> {
    set.tasks().iter().filter_map(|task| task.kind()).collect()
}

/// Periods of the tasks [ns].
fn periods(set: &TaskSet) -> Vec<u64> {
    set.tasks().iter().map(|task| task.period().ns()).collect()
}

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

/// A Kolmogorov-Smirnov statistic exceeds this with probability 2·exp(−2·2.2²) = 10⁻⁴.
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

/// The largest |mean share − U/n| of any task, in standard errors.
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

/// The trap of the field: exponents that are one step late give the last task twice the share of the others.
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

#[test]
fn shares_sum_to_the_total_and_stay_below_the_cap() {
    for (generator, n, total, cap) in [
        (Generator::UunifastDiscard, 50, 34.0, None),
        (Generator::UunifastDiscard, 200, 68.0, Some(2.5)),
        (Generator::Randfixedsum, 50, 34.0, None),
        (Generator::Randfixedsum, 50, 34.0, Some(0.7)),
        (Generator::Randfixedsum, 200, 200.0, Some(1.0)),
    ] {
        for vector in vectors(&source(&recipe(generator, cap), n, total), 300) {
            let sum: f64 = vector.iter().sum();
            assert!(
                (sum / total - 1.0).abs() < 1e-13,
                "{generator:?} {n} {total}: {sum}"
            );
            let cap = cap.unwrap_or(total);
            assert!(vector.iter().all(|u| (0.0..=cap).contains(u)), "{vector:?}");
        }
    }
}

/// On the simplex P(u > x) = (1 − x/U)ⁿ⁻¹ for every task; both generators draw from it when there is no cap.
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

/// Under a cap the reference is rejection: UUniFast vectors with a share above the cap thrown away.
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

/// The comparison above can fail: shares that are merely symmetric and below the cap do not pass it.
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

/// Where rejection is hopeless there is symmetry: u → cap − u maps the sum U to n·cap − U.
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

#[test]
fn singh21_sets_follow_the_rules_of_the_paper() {
    const LIST: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];
    let ms = 1_000_000;
    // With U = 0.2 on 50 tasks many periods are lengthened.
    for (tasks, utilization) in [(50, 34.0), (200, 68.0), (50, 0.2)] {
        let source = source(&Recipe::default(), tasks, utilization);
        for index in 0..100 {
            let set = source.draw(3, index).unwrap();
            assert_eq!(set.name(), Some(format!("p3-s{index}").as_str()));
            let shares = source.utilizations(3, index).unwrap();
            for ((task, work), share) in set.tasks().iter().zip(works(&set)).zip(shares) {
                let period = task.period().ns();
                assert!(LIST.contains(&(period / ms)) && period % ms == 0);
                assert_eq!(task.deadline().ns(), period / 4 * 3);
                assert!((work as f64 - share * period as f64).abs() <= 0.5 || work == 1);
                assert!(work >= ms || period == 4000 * ms, "{work} ns in {period} ns");
                assert_eq!(task.name(), None);
            }
        }
    }
}

/// What a recipe changes in one respect it leaves alone in the others.
#[test]
fn streams_are_independent() {
    let base = Recipe::default();
    let draw = |recipe: &Recipe, utilization| source(recipe, 50, utilization).draw(2, 5).unwrap();
    let set = draw(&base, 34.0);

    let proportional = Recipe {
        wcet: WcetModel::Proportional,
        deadline: Factor::ONE,
        ..base.clone()
    };
    let other = draw(&proportional, 34.0);
    assert_eq!(works(&other), works(&set));
    assert_eq!(kinds(&other), kinds(&set));
    assert_eq!(periods(&other), periods(&set));

    let others = log_uniform("10ms", "1s");
    let utilizations = source(&base, 50, 34.0).utilizations(2, 5).unwrap();
    assert_eq!(
        source(&others, 50, 34.0).utilizations(2, 5).unwrap(),
        utilizations
    );
    assert_eq!(kinds(&draw(&others, 34.0)), kinds(&set));
    assert_ne!(periods(&draw(&others, 34.0)), periods(&set));

    let all_memory = Recipe {
        memory_share: 1.0,
        ..base.clone()
    };
    let other = draw(&all_memory, 34.0);
    assert_eq!(works(&other), works(&set));
    assert_eq!(kinds(&other), [Kind::Memory; 50]);
    assert_ne!(kinds(&set), [Kind::Memory; 50]);

    // Another total or generator: the same kinds.
    let fixed = recipe(Generator::Randfixedsum, Some(1.5));
    assert_eq!(kinds(&draw(&fixed, 34.0)), kinds(&set));
    assert_eq!(kinds(&draw(&base, 12.0)), kinds(&set));

    // A cap that discards nothing changes nothing.
    assert_eq!(draw(&recipe(Generator::UunifastDiscard, Some(34.0)), 34.0), set);
}

#[test]
fn sets_do_not_depend_on_what_was_drawn_before() {
    for generator in [Generator::UunifastDiscard, Generator::Randfixedsum] {
        let source = source(&recipe(generator, Some(2.0)), 20, 10.0);
        let draw = |i| source.draw(i % 3, i).unwrap();
        let forth: Vec<_> = (0..30).map(draw).collect();
        let mut back: Vec<_> = (0..30).rev().map(draw).collect();
        back.reverse();
        assert_eq!(forth, back);
        let elsewhere: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..30).map(|i| scope.spawn(move || draw(i))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(forth, elsewhere);
        for (i, set) in forth.iter().enumerate() {
            assert!(forth[..i].iter().all(|other| works(other) != works(set)));
        }
    }
    // Seed, point and set each matter.
    let drawn = |seed, point, set| {
        let source = Source::new(&Recipe::default(), 5, 2.0, seed).unwrap();
        works(&source.draw(point, set).unwrap())
    };
    let all = [drawn(1, 1, 1), drawn(2, 1, 1), drawn(1, 2, 1), drawn(1, 1, 2)];
    for (i, works) in all.iter().enumerate() {
        assert!(!all[..i].contains(works));
    }
}

/// Values of another program, with its own ChaCha8 and exact RandFixedSum tables, from the docs of `generation` alone.
/// Written with the 17 digits that make a float: a change of stream, or of the last bit, is noticed.
#[test]
fn reference_sets() {
    let source = Source::new(&Recipe::default(), 4, 1.5, 42).unwrap();
    assert_eq!(
        source.utilizations(7, 9).unwrap(),
        [
            0.23131940176301624,
            0.3195357311400825,
            0.8378047612812459,
            0.11134010581565533
        ]
    );
    assert_eq!(
        serde_json::to_string(&source.draw(7, 9).unwrap()).unwrap(),
        concat!(
            r#"{"name":"p7-s9","tasks":["#,
            r#"{"period":500000000,"deadline":375000000,"kind":"memory","wcet":{"amdahl":{"work":115659701,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":50000000,"deadline":37500000,"kind":"memory","wcet":{"amdahl":{"work":15976787,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":80000000,"deadline":60000000,"kind":"memory","wcet":{"amdahl":{"work":67024381,"serial":0.1,"conflict":2.3}}},"#,
            r#"{"period":400000000,"deadline":300000000,"kind":"compute","wcet":{"amdahl":{"work":44536042,"serial":0.02,"conflict":1.2}}}"#,
            r#"]}"#
        )
    );
    // Small shares, so that periods are lengthened.
    let set = Source::new(&Recipe::default(), 6, 0.02, 7)
        .unwrap()
        .draw(0, 0)
        .unwrap();
    assert_eq!(
        works(&set),
        [2_199_995, 5_038_281, 16_469_759, 1_024_916, 1_968_490, 1_560_835]
    );
    let ms: Vec<u64> = periods(&set).into_iter().map(|ns| ns / 1_000_000).collect();
    assert_eq!(ms, [4000, 500, 2000, 4000, 4000, 4000]);
}

#[test]
fn reference_vectors() {
    let shares = |generator, cap, n, total, set| {
        source(&recipe(generator, Some(cap)), n, total)
            .utilizations(0, set)
            .unwrap()
    };
    let close = |found: Vec<f64>, expected: &[f64]| {
        let same = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a / b - 1.0).abs() < 1e-14);
        assert!(
            same && found.len() == expected.len(),
            "{found:?}, not {expected:?}"
        );
    };
    close(
        shares(Generator::UunifastDiscard, 0.5, 4, 1.5, 0),
        &[
            0.4961892733047468,
            0.2974326888567934,
            0.21232314404965463,
            0.4940548937888051,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 0.5, 4, 1.5, 0),
        &[
            0.30451383750634303,
            0.4286910550357883,
            0.2743360029651559,
            0.49245910449271274,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 0.5, 4, 1.5, 1),
        &[
            0.46807307595857883,
            0.4350744217757556,
            0.30510362488095305,
            0.29174887738471256,
        ],
    );
    close(
        shares(Generator::Randfixedsum, 1.0, 7, 2.5, 0),
        &[
            0.08716427164027003,
            0.7059759329618165,
            0.010940273278731903,
            0.410202801142976,
            0.26716318531014394,
            0.5806971369957893,
            0.43785639867027254,
        ],
    );
    let set = source(&log_uniform("10ms", "1s"), 4, 1.5).draw(0, 0).unwrap();
    assert_eq!(periods(&set), [45656119, 35730136, 90269392, 30105481]);
}

#[test]
fn the_plain_vector_fills_a_callers_buffer() {
    let source = source(&Recipe::default(), 50, 34.0);
    let mut buffer = [0.0; 50];
    for set in 0..20 {
        uunifast::fill(&mut stream(1, Purpose::Utilizations, 3, set), 34.0, &mut buffer);
        assert_eq!(source.utilizations(3, set).unwrap(), buffer);
    }
}

#[test]
fn periods_are_a_string_in_files() {
    let recipe: Recipe = serde_json::from_str(r#"{"periods":"log-uniform:10ms:1s"}"#).unwrap();
    assert_eq!(recipe, log_uniform("10ms", "1s"));
    assert_ne!(recipe.periods, Periods::Singh21);
}
