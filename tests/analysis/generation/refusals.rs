//! Invalid points and recipes are rejected by field and value. All other points and recipes give a task set.

use gpusched::error::Error;
use gpusched::generation::{
    Distribution, Generator, MAX_BLOCKS, MAX_TASKS, PeriodRange, Periods, Recipe, Source, WcetModel,
};
use gpusched::model::Factor;
use gpusched::time::Time;

fn refusal(recipe: &Recipe, tasks: usize, utilization: f64) -> String {
    match Source::new(recipe, tasks, utilization, 1) {
        Err(Error::Refused(refusal)) => refusal.to_string(),
        other => panic!("{recipe:?}, n = {tasks}, U = {utilization}: {other:?}"),
    }
}

#[test]
fn impossible_points_are_refused() {
    let recipe = Recipe::default();
    let capped = Recipe {
        cap: Some(0.5),
        ..Recipe::default()
    };
    for (recipe, tasks, utilization, field, value) in [
        (&recipe, 0, 1.0, "tasks", "0"),
        (&recipe, MAX_TASKS + 1, 1.0, "tasks", "100001"),
        (&recipe, usize::MAX, 1.0, "tasks", "18446744073709551615"),
        (&recipe, 5, 0.0, "utilization", "0.0"),
        (&recipe, 5, -1.0, "utilization", "-1.0"),
        (&recipe, 5, f64::NAN, "utilization", "NaN"),
        (&recipe, 5, f64::INFINITY, "utilization", "inf"),
        (&recipe, 5, f64::NEG_INFINITY, "utilization", "-inf"),
        (&recipe, 5, 5e-324, "utilization", "5e-324"),
        (&recipe, 5, 1e308, "utilization", "1e308"),
        (&capped, 5, 2.6, "utilization", "2.6"),
    ] {
        let message = refusal(recipe, tasks, utilization);
        assert!(
            message.starts_with(&format!("{field}: found {value}, expected ")),
            "{message}"
        );
    }
}

#[test]
fn impossible_recipes_are_refused() {
    let range = |min, max| {
        Periods::LogUniform(PeriodRange {
            min: Time::from_ns(min),
            max: Time::from_ns(max),
        })
    };
    let with = |change: &dyn Fn(&mut Recipe)| {
        let mut recipe = Recipe::default();
        change(&mut recipe);
        recipe
    };
    let cap = |cap| with(&|recipe| recipe.cap = Some(cap));
    let periods = |min, max| with(&|recipe| recipe.periods = range(min, max));
    let memory_share = |share| with(&|recipe| recipe.memory_share = share);
    let deadline = |factor, periods: Periods| {
        with(&|recipe| {
            recipe.deadline = Factor::from_f64(factor).unwrap().into();
            recipe.periods = periods.clone();
        })
    };
    let jitter = |factor, deadline| {
        with(&|recipe| {
            recipe.jitter = Factor::from_f64(factor).map(Distribution::from);
            recipe.deadline = Factor::from_f64(deadline).unwrap().into();
        })
    };
    let blocks = |blocks| with(&|recipe| recipe.blocks = Some(blocks));
    let saturation = |sms| with(&|recipe| recipe.saturation = Some(sms));
    for (recipe, field, value) in [
        (saturation(0), "saturation", "0"),
        (cap(0.0), "cap", "0.0"),
        (cap(-1.0), "cap", "-1.0"),
        (cap(f64::NAN), "cap", "NaN"),
        (cap(f64::INFINITY), "cap", "inf"),
        (cap(1e-320), "cap", "1e-320"),
        (periods(0, 10), "periods", "log-uniform:0ns:10ns"),
        (periods(11, 10), "periods", "log-uniform:11ns:10ns"),
        (
            periods(1, u64::MAX),
            "periods",
            "log-uniform:1ns:18446744073.709551615s",
        ),
        (memory_share(-0.1), "memory-share", "-0.1"),
        (memory_share(1.1), "memory-share", "1.1"),
        (memory_share(f64::NAN), "memory-share", "NaN"),
        (deadline(0.0, Periods::Singh21), "deadline", "0"),
        (deadline(2.0, range(1, 1 << 62)), "deadline", "2"),
        (jitter(0.75, 0.75), "jitter", "0.75"),
        (jitter(1e6, 1.5), "jitter", "1000000"),
        (
            with(&|recipe| recipe.deadline = "uniform:0:1".parse().unwrap()),
            "deadline",
            "uniform:0:1",
        ),
        (
            with(&|recipe| recipe.jitter = "uniform:0.5:0.75".parse().ok()),
            "jitter",
            "uniform:0.5:0.75",
        ),
        (
            with(&|recipe| recipe.memory_conflict = "uniform:0.9:2".parse().ok()),
            "memory-conflict",
            "uniform:0.9:2",
        ),
        (blocks(0), "blocks", "0"),
        (blocks(MAX_BLOCKS + 1), "blocks", "2147483648"),
        (blocks(u32::MAX), "blocks", "4294967295"),
    ] {
        for generator in [Generator::UunifastDiscard, Generator::Randfixedsum] {
            let recipe = Recipe {
                generator,
                ..recipe.clone()
            };
            let message = refusal(&recipe, 5, 0.1);
            assert!(
                message.starts_with(&format!("{field}: found {value}, expected ")),
                "{message}"
            );
        }
    }
}

#[test]
fn tables_too_large_for_memory_are_refused() {
    let recipe = Recipe {
        generator: Generator::Randfixedsum,
        cap: Some(1.0),
        ..Recipe::default()
    };
    let message = refusal(&recipe, 50_000, 20_000.0);
    assert!(message.starts_with("tasks: found 50000, expected "), "{message}");
    assert!(Source::new(&recipe, 5_000, 2_500.0, 1).is_ok());
    assert!(Source::new(&recipe, 50_000, 20.0, 1).is_ok());
}

#[test]
fn hopeless_discarding_names_the_way_out() {
    let recipe = Recipe {
        cap: Some(1.0),
        ..Recipe::default()
    };
    let source = Source::new(&recipe, 40, 39.5, 1).unwrap();
    let message = source.draw(0, 0).unwrap_err().to_string();
    assert!(
        message.starts_with(
            "cap: found 1.0 for 40 tasks of total utilization 39.5, expected a larger cap, because 1000000 random vectors"
        ),
        "{message}"
    );
    assert!(message.contains("randfixedsum"), "{message}");
}

#[test]
fn whatever_new_accepts_can_be_drawn() {
    let limit = Time::LIMIT.ns();
    for (min, max, deadline, utilization, jitter, blocks) in [
        (1, 1, 1e-9, 1e-300, Some(0.0), Some(1)),
        (1, 1, 1e6, 1e18, Some(999_999.0), Some(MAX_BLOCKS)),
        (1, limit, 1.0, 0.25, None, Some(1)),
        (limit, limit, 0.75, 0.25, Some(0.749_999_999), None),
        (limit / 2, limit / 2, 2.0, 0.5, Some(1.999_999_999), Some(7)),
    ] {
        for wcet in [WcetModel::Amdahl, WcetModel::Proportional] {
            for generator in [Generator::UunifastDiscard, Generator::Randfixedsum] {
                let recipe = Recipe {
                    generator,
                    wcet,
                    periods: Periods::LogUniform(PeriodRange {
                        min: Time::from_ns(min),
                        max: Time::from_ns(max),
                    }),
                    deadline: Factor::from_f64(deadline).unwrap().into(),
                    jitter: jitter.map(|jitter| Factor::from_f64(jitter).unwrap().into()),
                    blocks,
                    ..Recipe::default()
                };
                for tasks in [1, 2, 20] {
                    let source = Source::new(&recipe, tasks, utilization, 1).unwrap();
                    for set in 0..20 {
                        let set = source.draw(u64::MAX, set).unwrap();
                        assert_eq!(set.tasks().len(), tasks);
                        assert!(set.tasks().iter().all(|task| task.jitter() < task.deadline()));
                    }
                }
            }
        }
    }
}
