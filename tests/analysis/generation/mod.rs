//! Promise: task sets are drawn by the rules and from the distributions that the docs name, and the same ones for ever.
//!
//! Seeds are fixed, so nothing here is flaky: a test fails only if the generator changes.

#![cfg(test)] // helpers may unwrap, too

mod blocks;
mod distributions;
mod reference;
mod refusals;
mod rules;

use gpusched::generation::{Generator, Recipe, Source};
use gpusched::model::wcet::Form;
use gpusched::model::{Kind, TaskSet};

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
