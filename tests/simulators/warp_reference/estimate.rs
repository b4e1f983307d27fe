//! The estimate from a few rounds of blocks on one SM, for all rows of the isolation table.

use crate::warp_reference::reference::table;

/// Returns the mean and the largest absolute error with `rounds` rounds.
fn errors(rounds: u32) -> (f64, f64) {
    let rows = table("isolation");
    let errors = rows.iter().map(|row| {
        let estimate = row.estimate(rounds);
        // The estimate simulates at least `rounds` rounds of four blocks, more rounds for short blocks, and at most the
        // blocks of the busiest SM.
        let busiest = row.run_blocks().div_ceil(row.number("sms"));
        assert!(estimate.simulated_blocks >= busiest.min(4 * u64::from(rounds)));
        assert!(estimate.simulated_blocks <= busiest.min(28.max(4 * u64::from(rounds))));
        (estimate.cycles as f64 / row.real("cycles") - 1.0).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (mean, errors.into_iter().fold(0.0, f64::max))
}

#[test]
fn errors_are_small() {
    let (two, worst) = errors(2);
    assert!(two < 0.075 && worst < 0.3, "{two} {worst}");
    let (three, worst) = errors(3);
    assert!(three < 0.065 && three < two && worst < 0.26, "{three} {worst}");
    let (eight, worst) = errors(8);
    assert!(eight < three && worst < 0.26, "{eight} {worst}");
}

/// Rows that fit into the first round and have long loops of 24 rounds; the estimate simulates 6 rounds.
#[test]
fn few_rounds_of_loops_stand_for_many() {
    let rows = table("isolation").into_iter();
    let rows = rows.filter(|row| row.text("kernel").starts_with("matmul") && row.number("sms") == 15);
    for row in rows {
        let (full, estimate) = (row.run(), row.estimate(3));
        let near = |estimate: u64, full: u64| estimate.abs_diff(full) * 100 < full;
        assert!(near(estimate.cycles, full.cycles), "{}", estimate.cycles);
        // Every block issues the same instructions.
        let of = |results: &gpusched::warp::gpu::Results| {
            (
                results.kernels[0].warp_instructions,
                results.kernels[0].thread_instructions,
            )
        };
        assert_eq!(of(&estimate.results), of(&full));
        assert!(near(
            estimate.results.traffic.l1_accesses,
            full.traffic.l1_accesses
        ));
    }
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
