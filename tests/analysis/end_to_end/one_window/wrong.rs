//! The equations of the page against the analysis, and wrong variants of the equations. A simulated run exceeds each variant.

use gpusched::Time;
use gpusched::end_to_end::{Baseline, analyze, baseline};
use gpusched::model::end_to_end::{Answer, System};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Analyze, Campaign, Sharing};
use gpusched::verification::verify_system;
use rayon::prelude::*;

use super::reference::{Reference, Wrong};
use crate::support::rounds;

/// Returns the answer of the analysis with the ends of a wrong variant, as far as they are smaller. The other values of the table
/// stay correct. A table that solves all wrong equations is never above these ends, because the equations are monotone.
fn wrong(system: &System, wrong: Wrong) -> Answer {
    let mut answer = analyze(system);
    let bounds = answer.evidence.bounds.clone();
    let reference = Reference {
        system,
        bounds: &bounds,
        wrong,
    };
    for (task, row) in answer.evidence.bounds.0.iter_mut().enumerate() {
        for (segment, end) in row.ends_ns.iter_mut().enumerate() {
            if let (Some(correct), Some(found)) = (end, reference.windows(task, segment)) {
                *correct = (*correct).min(Time::from_ns(u64::try_from(found).unwrap()));
            }
        }
    }
    answer
}

/// Compares each end with the smallest result of all equations. Returns the number of ends, and the number of ends that a window
/// over several segments determines.
fn compared(sharing: Sharing, seed: u64) -> (usize, usize) {
    let campaign = Campaign::new(0, seed, sharing);
    let one = |index| {
        let (system, _) = campaign.system(index).unwrap();
        let bounds = analyze(&system).evidence.bounds;
        let reference = Reference {
            system: &system,
            bounds: &bounds,
            wrong: Wrong::Nothing,
        };
        let (mut all, mut smaller) = (0, 0);
        for (task, found) in system.tasks().iter().enumerate() {
            for segment in 0..found.segments.len() {
                let Some(end) = bounds.end(task, segment).map(|end| u128::from(end.ns())) else {
                    continue;
                };
                let windows = reference.windows(task, segment);
                let expected = match reference.single(task, segment) {
                    Some(single) => single.into_iter().chain(windows).min(),
                    None => Some(windows.map_or(end, |windows| windows.min(end))),
                };
                assert_eq!(
                    Some(end),
                    expected,
                    "system {index}, task {task}, segment {segment}: {system:#?}"
                );
                all += 1;
                let single = reference.single(task, segment);
                smaller += usize::from(single.is_some_and(|single| single != Some(end)));
            }
        }
        (all, smaller)
    };
    let sum = |left: (usize, usize), right: (usize, usize)| (left.0 + right.0, left.1 + right.1);
    (0..rounds(3000)).into_par_iter().map(one).reduce(|| (0, 0), sum)
}

#[test]
fn the_reference_implementation_finds_the_same_ends() {
    let (all, smaller) = compared(Sharing::Nothing, 41);
    assert!(all > rounds(10_000) && smaller > rounds(400), "{all} {smaller}");
}

#[test]
fn the_reference_implementation_finds_the_same_ends_with_time_slices() {
    let (all, smaller) = compared(Sharing::Time, 42);
    assert!(all > rounds(6000) && smaller > rounds(100), "{all} {smaller}");
}

/// With more windows, no bound is larger.
#[test]
fn no_bound_is_above_the_bound_of_single_windows() {
    let counts = [Sharing::Nothing, Sharing::Time].map(|sharing| {
        let campaign = Campaign::new(0, 43, sharing);
        let one = |index| {
            let (system, _) = campaign.system(index).unwrap();
            let bounds = analyze(&system).evidence.bounds;
            let single = baseline(&system, Baseline::SingleWindows);
            let (mut all, mut smaller) = (0, 0);
            for (task, found) in system.tasks().iter().enumerate() {
                for segment in 0..found.segments.len() {
                    for (found, single) in [
                        (bounds.end(task, segment), single.end(task, segment)),
                        (bounds.delay(task, segment), single.delay(task, segment)),
                    ] {
                        assert!(
                            single.is_none_or(|single| found.is_some_and(|found| found <= single)),
                            "system {index}, task {task}, segment {segment}: {system:#?}"
                        );
                        all += 1;
                        smaller += usize::from(found != single);
                    }
                }
            }
            (all, smaller)
        };
        let sum = |left: (usize, usize), right: (usize, usize)| (left.0 + right.0, left.1 + right.1);
        let systems = (0..rounds(3000)).into_par_iter();
        systems.map(one).reduce(|| (0, 0), sum)
    });
    assert!(
        counts.iter().all(|(all, smaller)| *smaller * 100 > *all),
        "{counts:?}"
    );
}

/// Checks that a run exceeds an end of the variant, and that the verifier refuses the answer for this system.
fn exceeded(name: Wrong, analysis: Analyze, sharing: Sharing, (systems, seed): (u64, u64)) {
    let campaign = Campaign {
        analysis,
        ..Campaign::new(systems, seed, sharing)
    };
    let report = campaign.run(None, |_| ()).unwrap();
    let Some(excess) = report.excess else {
        panic!("{name:?}: no run exceeds an end");
    };
    let (system, _) = campaign.system(excess.system).unwrap();
    assert!(verify_system(&analysis(&system), &system).is_err(), "{name:?}");
}

macro_rules! exceeded {
    ($($test:ident: $wrong:ident, $sharing:ident, $systems:literal, $seed:literal;)*) => {$(
        #[test]
        fn $test() {
            exceeded(Wrong::$wrong, |system| wrong(system, Wrong::$wrong), Sharing::$sharing, ($systems, $seed));
        }
    )*};
}

exceeded! {
    work_before_the_window_counts: Released, Nothing, 3000, 40;
    inverted_priorities_open_the_window: Closed, Nothing, 3000, 40;
    each_kernel_is_blocked: BlockedOnce, Nothing, 3000, 40;
    busy_waiting_tasks_are_blocked: BusyBlocking, Nothing, 3000, 40;
    less_urgent_kernels_delay_busy_waiting_tasks: OwnLevel, Nothing, 3000, 40;
    a_suspension_is_jitter: AllCosts, Nothing, 3000, 40;
    early_ends_make_jitter: BestCase, Nothing, 3000, 40;
    tasks_of_equal_priority_may_be_ready: Equal, Nothing, 3000, 40;
    requests_of_busy_waiting_tasks_wait: BusyRequests, Nothing, 3000, 40;
    busy_waiting_tasks_wait_for_turns: BusyTurns, Time, 3000, 40;
}
