//! Contexts of a time-sliced partition. The full number of systems is a documented command: `gpusched validate --end-to-end
//! --time-sliced --systems 1000000`.
//!
//! * `choices`: choices of contexts against all choices;
//! * `reference`: a slow implementation of the equations, with wrong variants;
//! * `wrong`: runs of random systems above the wrong variants;
//! * `traps`: systems for the variants that random systems rarely exceed.

mod choices;
pub mod reference;
mod traps;
mod wrong;

use gpusched::end_to_end::analyze;
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use gpusched::verification::verify_system;
use rayon::prelude::*;

use crate::support::rounds;

#[test]
fn no_run_exceeds_a_bound() {
    let report = Campaign::new(rounds(3000), 26, Sharing::Time)
        .run(None, |_| ())
        .unwrap();
    assert_eq!(report.excess, None);
    assert!(
        report.tally.bounds > rounds(6000) && report.tally.attained > rounds(1000),
        "{:?}",
        report.tally
    );
}

#[test]
fn the_verifier_confirms_every_answer() {
    let campaign = Campaign::new(0, 27, Sharing::Time);
    (0..rounds(3000)).into_par_iter().for_each(|index| {
        let (system, _) = campaign.system(index).unwrap();
        if let Err(fault) = verify_system(&analyze(&system), &system) {
            panic!("system {index}: {fault}\n{system:#?}");
        }
    });
}
