//! Random systems. The full number is a documented command: `gpusched validate --end-to-end --systems 1000000`.

use gpusched::end_to_end::{analyze, analyze_enforced};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use gpusched::verification::verify_system;
use rayon::prelude::*;

use crate::support::rounds;

#[test]
fn no_run_exceeds_a_bound() {
    let report = Campaign::new(rounds(3000), 26, Sharing::Nothing)
        .run(None, |_| ())
        .unwrap();
    assert_eq!(report.excess, None);
    assert!(
        report.tally.bounds > rounds(3000) && report.tally.attained > rounds(500),
        "{:?}",
        report.tally
    );
    assert!(
        report.tally.chains > rounds(500) && report.tally.enforced_bounds > rounds(100),
        "{:?}",
        report.tally
    );
}

#[test]
fn no_run_with_a_shared_memory_exceeds_a_bound() {
    let report = Campaign::new(rounds(3000), 26, Sharing::Memory)
        .run(None, |_| ())
        .unwrap();
    assert_eq!(report.excess, None);
    assert!(
        report.tally.bounds > rounds(1000) && report.tally.attained > rounds(100),
        "{:?}",
        report.tally
    );
}

#[test]
fn the_verifier_confirms_every_answer() {
    confirmed(Sharing::Nothing);
}

#[test]
fn the_verifier_confirms_every_answer_with_a_shared_memory() {
    confirmed(Sharing::Memory);
}

#[test]
fn the_verifier_confirms_every_answer_with_pipelined_tasks() {
    for sharing in [Sharing::Nothing, Sharing::Time] {
        confirms(&Campaign {
            pipelined: true,
            ..Campaign::new(rounds(3000), 27, sharing)
        });
    }
}

fn confirmed(sharing: Sharing) {
    confirms(&Campaign::new(rounds(3000), 27, sharing));
}

fn confirms(campaign: &Campaign) {
    (0..rounds(3000)).into_par_iter().for_each(|index| {
        let (system, _) = campaign.system(index).unwrap();
        let answers = [Some(analyze(&system)), analyze_enforced(&system).ok()];
        for answer in answers.into_iter().flatten() {
            if let Err(fault) = verify_system(&answer, &system) {
                panic!("system {index}: {fault}\n{system:#?}");
            }
        }
    });
}
