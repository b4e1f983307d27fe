//! The rules for generating a set, and the dependencies of a set.

use gpusched::generation::{Generator, Periods, Recipe, Source, WcetModel, uunifast};
use gpusched::model::streams::{Purpose, stream};
use gpusched::model::wcet::Form;
use gpusched::model::{Factor, Kind};

use crate::generation::{kinds, log_uniform, periods, recipe, source, vectors, works};

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

#[test]
fn singh21_sets_follow_the_rules_of_the_paper() {
    const LIST: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];
    let ms = 1_000_000;
    // With U = 0.2 on 50 tasks, many periods are lengthened.
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

/// A change of one field of a recipe does not affect the other generated values.
#[test]
fn streams_are_independent() {
    let base = Recipe::default();
    let draw = |recipe: &Recipe, utilization| source(recipe, 50, utilization).draw(2, 5).unwrap();
    let set = draw(&base, 34.0);

    let proportional = Recipe {
        wcet: WcetModel::Proportional,
        deadline: Factor::ONE.into(),
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

    let random = Recipe {
        deadline: "uniform:0.5:1".parse().unwrap(),
        jitter: "uniform:0:0.2".parse().ok(),
        compute_serial: "beta:2:5:0:0.1".parse().ok(),
        memory_conflict: "triangular:1:2:3".parse().ok(),
        ..base.clone()
    };
    let other = draw(&random, 34.0);
    assert_eq!(works(&other), works(&set));
    assert_eq!(kinds(&other), kinds(&set));
    assert_eq!(periods(&other), periods(&set));
    let deadlines: std::collections::BTreeSet<u64> = other
        .tasks()
        .iter()
        .map(|task| {
            let (deadline, period) = (task.deadline().ns(), task.period().ns());
            assert!(
                (period / 2..=period).contains(&deadline),
                "{deadline} of {period}"
            );
            deadline * 1000 / period
        })
        .collect();
    assert!(deadlines.len() > 25, "{deadlines:?}");

    // Another total or generator gives the same kinds.
    let fixed = recipe(Generator::Randfixedsum, Some(1.5));
    assert_eq!(kinds(&draw(&fixed, 34.0)), kinds(&set));
    assert_eq!(kinds(&draw(&base, 12.0)), kinds(&set));

    // A cap that discards no vector has no effect.
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
    // Seed, point and set number each change the result.
    let drawn = |seed, point, set| {
        let source = Source::new(&Recipe::default(), 5, 2.0, seed).unwrap();
        works(&source.draw(point, set).unwrap())
    };
    let all = [drawn(1, 1, 1), drawn(2, 1, 1), drawn(1, 2, 1), drawn(1, 1, 2)];
    for (i, works) in all.iter().enumerate() {
        assert!(!all[..i].contains(works));
    }
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

#[test]
fn the_share_of_memory_intensive_tasks_is_prm() {
    for (memory_share, low, high) in [(0.0, 0, 0), (1.0, 5000, 5000), (0.3, 1370, 1630)] {
        let recipe = Recipe {
            memory_share,
            ..Recipe::default()
        };
        let set = source(&recipe, 5000, 10.0).draw(0, 0).unwrap();
        let memory = set
            .tasks()
            .iter()
            .filter(|task| task.kind() == Some(Kind::Memory))
            .count();
        assert!(
            (low..=high).contains(&memory),
            "{memory} of 5000 at prm = {memory_share}"
        );
        for task in set.tasks() {
            let Form::Amdahl(scaling) = task.wcet().form() else {
                panic!("{task:?}")
            };
            let expected = match task.kind() {
                Some(Kind::Memory) => (0.1, 2.3),
                _ => (0.02, 1.2),
            };
            assert_eq!((scaling.serial.as_f64(), scaling.k().as_f64()), expected);
        }
    }
}
