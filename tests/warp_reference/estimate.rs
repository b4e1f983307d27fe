//! The estimate from a few rounds of blocks on one SM, on all rows of the isolation table.

use crate::reference::table;

/// Mean and largest absolute error with `rounds` rounds.
fn errors(rounds: u32) -> (f64, f64) {
    let rows = table("isolation");
    let errors = rows.iter().map(|row| {
        let estimate = row.estimate(rounds);
        assert!(estimate.simulated_blocks <= 4 * u64::from(rounds));
        (estimate.cycles as f64 / row.real("cycles") - 1.0).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (mean, errors.into_iter().fold(0.0, f64::max))
}

#[test]
fn more_rounds_come_nearer() {
    let (two, worst) = errors(2);
    assert!(two < 0.15 && worst < 1.2, "{two} {worst}");
    let (eight, worst) = errors(8);
    assert!(eight < two && worst < 0.45, "{eight} {worst}");
}

#[test]
fn what_fits_in_two_rounds_on_one_sm_is_simulated_whole() {
    let rows = table("micro");
    let row = rows.iter().find(|row| row.text("kernel") == "pc:1:64:256");
    let row = row.expect("the table has it");
    let estimate = row.estimate(2);
    assert_eq!(estimate.simulated_blocks, 1);
    assert_eq!(estimate.alone, row.run().cycles);
    assert!(estimate.memory < estimate.alone / 50);
}
