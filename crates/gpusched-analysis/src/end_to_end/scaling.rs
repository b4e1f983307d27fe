//! Sensitivity: factors by which WCETs may grow while the system stays schedulable.

use gpusched_model::end_to_end::{Answer, System};
use serde::Serialize;

/// Largest factor that the search examines [thousandths].
const LARGEST: u64 = 1_000_000;

/// Factors by which WCETs may grow [thousandths], rounded down. `None` if the system is not schedulable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "EndToEndScaling")]
pub struct Scaling {
    /// Common factor for all WCETs.
    pub all_permille: Option<u64>,
    /// Factors for the WCETs of one resource, in the order of cores, copy engines and partitions.
    pub resources_permille: Vec<Option<u64>>,
    /// Factors for the WCETs of one task.
    pub tasks_permille: Vec<Option<u64>>,
}

/// Searches the factors of `system`. `test` is the analysis, for example [`super::analyze`].
pub fn scaling(system: &System, test: impl Fn(&System) -> Answer) -> Scaling {
    let resources = system.resources();
    Scaling {
        all_permille: factor(|permille| system.scaled(permille, |_, _| true), &test),
        resources_permille: resources
            .map(|resource| {
                factor(
                    |permille| system.scaled(permille, |_, segment| segment.on == resource),
                    &test,
                )
            })
            .collect(),
        tasks_permille: (0..system.tasks().len())
            .map(|task| {
                factor(
                    |permille| system.scaled(permille, |index, _| index == task),
                    &test,
                )
            })
            .collect(),
    }
}

/// Returns the largest factor whose system passes, by bisection: longer WCETs never make a system schedulable.
fn factor(scaled: impl Fn(u64) -> Option<System>, test: impl Fn(&System) -> Answer) -> Option<u64> {
    let passes = |permille: u64| scaled(permille).is_some_and(|system| test(&system).schedulable);
    if !passes(1000) {
        return None;
    }
    let (mut good, mut bad) = (1000, 2000);
    while bad < LARGEST && passes(bad) {
        (good, bad) = (bad, 2 * bad);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match passes(middle) {
            true => good = middle,
            false => bad = middle,
        }
    }
    Some(good)
}
