//! Contexts of a time-sliced partition.

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
    println!("{:?}", report.tally);
}

#[test]
fn the_verifier_confirms_every_answer() {
    let campaign = Campaign::new(0, 27, Sharing::Time);
    let faults: Vec<String> = (0..rounds(3000))
        .into_par_iter()
        .filter_map(|index| {
            let (system, _) = campaign.system(index).unwrap();
            let fault = verify_system(&analyze(&system), &system).err()?;
            Some(format!("{index}: {fault}"))
        })
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}
