//! Sensitivity: factors by which WCETs may grow while the system stays schedulable.

use gpusched_model::end_to_end::{Answer, Scaling, System};

/// The search does not double a factor that exceeds this limit [thousandths].
const LARGEST: u64 = 1_000_000;

/// Searches for the largest factors on the WCETs of `system`. `test` is the analysis, for example [`super::analyze`];
/// If it returns `None`, the system counts as not schedulable.
pub fn scaling(system: &System, test: impl Fn(&System) -> Option<Answer>) -> Scaling {
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

/// Returns the largest factor with which the system passes. The search uses bisection, because longer WCETs never make
/// an unschedulable system schedulable.
fn factor(scaled: impl Fn(u64) -> Option<System>, test: impl Fn(&System) -> Option<Answer>) -> Option<u64> {
    let passes = |permille: u64| {
        scaled(permille).is_some_and(|system| test(&system).is_some_and(|answer| answer.schedulable))
    };
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
