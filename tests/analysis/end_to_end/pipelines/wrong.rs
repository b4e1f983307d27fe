//! Wrong variants of the equations: a simulated run exceeds each of them.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::{Answer, System};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Analyze, Campaign, Sharing};
use rayon::prelude::*;

use super::reference::{Reference, Wrong};
use crate::support::rounds;

fn campaign(systems: u64, seed: u64) -> Campaign {
    Campaign {
        pipelined: true,
        ..Campaign::new(systems, seed, Sharing::Nothing)
    }
}

/// Returns the answer of the analysis with the bounds of a wrong variant, as far as they are smaller. The other values of the
/// table stay correct. A table that solves all wrong equations is never above these bounds, because the equations are monotone.
fn wrong(system: &System, wrong: Wrong) -> Answer {
    let mut answer = analyze(system);
    let bounds = answer.evidence.bounds.clone();
    let reference = Reference {
        system,
        bounds: &bounds,
        wrong,
    };
    for (task, row) in answer.evidence.bounds.0.iter_mut().enumerate() {
        if !system.tasks()[task].is_pipelined() {
            continue;
        }
        for (segment, end) in row.ends_ns.iter_mut().enumerate() {
            if let (Some(correct), Some(Some(found))) = (end, reference.end(task, segment)) {
                *correct = (*correct).min(Time::from_ns(u64::try_from(found).unwrap()));
            }
        }
    }
    answer
}

/// The equations of the page give the bounds of the analysis.
#[test]
fn the_reference_implementation_finds_the_same_bounds() {
    let campaign = campaign(0, 51);
    let compared: u64 = (0..rounds(3000))
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
                if !found.is_pipelined() || bounds.response_time(task).is_none() {
                    continue;
                }
                for segment in 0..found.segments.len() {
                    let Some(end) = reference.end(task, segment) else {
                        continue;
                    };
                    let end = end.map(|end| Time::from_ns(u64::try_from(end).unwrap()));
                    assert_eq!(
                        bounds.end(task, segment),
                        end,
                        "system {index}, task {task}, segment {segment}: {system:#?}\n{bounds:?}"
                    );
                    compared += 1;
                }
            }
            compared
        })
        .sum();
    assert!(compared > rounds(2500), "{compared}");
}

/// Checks that a run exceeds a bound of the variant.
fn exceeded(name: Wrong, analysis: Analyze, seed: u64) {
    let campaign = Campaign {
        analysis,
        ..campaign(192, seed)
    };
    let report = campaign.run(None, |_| ()).unwrap();
    assert!(report.excess.is_some(), "{name:?}: no run exceeds a bound");
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
    all_jobs_of_a_window_count: FirstActivation, 52;
    each_segment_has_its_own_jitter: FirstJitter, 52;
    later_own_segments_count: LaterOwn, 52;
    a_pipelined_task_has_several_requests: OneRequest, 52;
    buffers_delay_segments: Buffers, 52;
}
