//! Wrong variants of the equations: a simulated run exceeds each of them.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::{Answer, System};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Analyze, Campaign, Sharing};
use gpusched::verification::verify_system;
use rayon::prelude::*;

use super::reference::{Reference, Wrong};
use crate::support::rounds;

/// Returns the answer of the analysis with the delays of a wrong variant, as far as they are smaller. The other values of the
/// table stay correct. A table that solves all wrong equations is never above these delays, because the equations are monotone.
fn wrong(system: &System, wrong: Wrong) -> Answer {
    let mut answer = analyze(system);
    let bounds = answer.evidence.bounds.clone();
    let reference = Reference {
        system,
        bounds: &bounds,
        wrong,
    };
    for (task, row) in answer.evidence.bounds.0.iter_mut().enumerate() {
        for (segment, delay) in row.delays_ns.iter_mut().enumerate() {
            if let (Some(correct), Some(Some(found))) = (delay, reference.delay(task, segment)) {
                *correct = (*correct).min(Time::from_ns(u64::try_from(found).unwrap()));
            }
        }
    }
    answer
}

/// The equations of the page give the delays of the analysis.
#[test]
fn the_reference_implementation_finds_the_same_delays() {
    let campaign = Campaign::new(0, 31, Sharing::Time);
    let compared: usize = (0..rounds(3000))
        .into_par_iter()
        .map(|index| {
            let (system, _) = campaign.system(index).unwrap();
            let bounds = analyze(&system).evidence.bounds;
            let reference = Reference {
                system: &system,
                bounds: &bounds,
                wrong: Wrong::Nothing,
            };
            let mut compared = 0;
            for (task, found) in system.tasks().iter().enumerate() {
                for segment in 0..found.segments.len() {
                    let Some(delay) = reference.delay(task, segment) else {
                        continue;
                    };
                    let delay = delay.map(|delay| Time::from_ns(u64::try_from(delay).unwrap()));
                    assert_eq!(
                        bounds.delay(task, segment),
                        delay,
                        "system {index}, task {task}, segment {segment}: {system:#?}"
                    );
                    compared += 1;
                }
            }
            compared
        })
        .sum();
    assert!(compared > rounds(6000), "{compared}");
}

/// Checks that a run exceeds a delay of the variant, and that the verifier refuses the answer for this system.
fn exceeded(name: Wrong, analysis: Analyze, seed: u64) {
    let campaign = Campaign {
        analysis,
        ..Campaign::new(192, seed, Sharing::Time)
    };
    let report = campaign.run(None, |_| ()).unwrap();
    let Some(excess) = report.excess else {
        panic!("{name:?}: no run exceeds a delay");
    };
    let (system, _) = campaign.system(excess.system).unwrap();
    assert!(verify_system(&analysis(&system), &system).is_err(), "{name:?}");
}

macro_rules! exceeded {
    ($($test:ident: $wrong:ident, $seed:literal;)*) => {$(
        #[test]
        fn $test() {
            exceeded(Wrong::$wrong, |system| wrong(system, Wrong::$wrong), $seed);
        }
    )*};
}

exceeded! {
    switches_back_count: SwitchesBack, 40;
    own_overruns_count: OwnOverruns, 40;
    a_shared_context_may_start_with_an_own_overrun: FirstOverrun, 40;
    overruns_of_other_contexts_count: OtherOverruns, 40;
    the_last_interval_counts: Intervals, 40;
    the_switch_after_an_idle_gpu_counts: FirstSwitch, 40;
    turns_of_idle_contexts_count: WorkConserving, 40;
    overruns_shorten_fixed_turns: FixedOverruns, 40;
    other_tasks_have_as_many_jobs_as_their_deadlines_permit: LaterSegments, 40;
}
