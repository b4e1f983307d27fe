//! The schedulers `qaws-printed` and `rt-paws-printed` on the reconstructed figures. They do not give the finish times
//! that follow from the text around the figures, so docs/errata.md has another interpretation.

use std::num::NonZeroU32;

use gpusched::model::Scheduler;
use gpusched::model::warp_scenario::{LatencyInstruction, WarpKernel};
use gpusched::simulator::warps::subcore::{Overview, simulate};

use crate::warp_policies::random::scenario;

/// Returns the finish times of kernels with two warps each. All kernels execute a program with these latencies. Kernel
/// number k (from 0) starts in cycle k and has budget `budgets[k]`.
fn finish(scheduler: Scheduler, latencies: &[u32], budgets: &[u32]) -> Vec<u64> {
    let program = latencies.iter().map(|&latency| LatencyInstruction {
        latency: NonZeroU32::new(latency).unwrap(),
    });
    let program: Vec<LatencyInstruction> = program.collect();
    let kernels = budgets.iter().enumerate().map(|(index, &budget)| WarpKernel {
        name: format!("K{}", index + 1),
        warps: NonZeroU32::new(2).unwrap(),
        launch: index as u64,
        budget: Some(budget),
        program: program.clone(),
    });
    let mut overview = Overview::default();
    simulate(&scenario(scheduler, &kernels.collect::<Vec<_>>()), &mut overview).unwrap();
    overview.kernels().iter().map(|kernel| kernel.finish).collect()
}

const FIG3: [u32; 9] = [2, 1, 2, 1, 1, 1, 5, 1, 1];
const FIG41: [u32; 6] = [1, 6, 3, 1, 1, 1];

#[test]
fn the_listings_as_printed_give_other_numbers() {
    let qaws = |budgets| finish(Scheduler::QawsPrinted, &FIG3, budgets);
    assert_eq!(qaws(&[1, 4]), [38, 29]); // from the text: 38, 28
    assert_eq!(qaws(&[1, 6]), [39, 23]); // from the text: 38, 24
    let rt_paws = |priorities| finish(Scheduler::RtPawsPrinted, &FIG41, priorities);
    assert_eq!(rt_paws(&[1, 8]), [27, 19]); // from the text: 25, 20
    assert_eq!(rt_paws(&[0, 8]), [27, 19]); // from the text: K2 earlier with 0 than with 1
}

#[test]
fn priorities_0_and_1_differ_under_the_printed_listing() {
    let latencies = [2, 2, 2, 8, 1, 5, 1, 3];
    let rt_paws = |priorities| finish(Scheduler::RtPawsPrinted, &latencies, priorities);
    assert_eq!(rt_paws(&[0, 8]), [36, 26]);
    assert_eq!(rt_paws(&[1, 8]), [38, 29]);
}

#[test]
fn kernels_with_equal_budgets_share_a_turn() {
    // With equal budgets only, the variants are GTO.
    for scheduler in [
        Scheduler::QawsByBudget,
        Scheduler::RtPawsByPriority,
        Scheduler::QawsPrinted,
        Scheduler::RtPawsPrinted,
    ] {
        for budget in [0, 1, 3] {
            assert_eq!(
                finish(scheduler, &FIG3, &[budget; 3]),
                finish(Scheduler::Gto, &FIG3, &[budget; 3]),
                "{scheduler}"
            );
        }
    }
    assert_ne!(
        finish(Scheduler::Qaws, &FIG3, &[1; 3]),
        finish(Scheduler::Gto, &FIG3, &[1; 3])
    );
}

#[test]
fn long_stalls_are_skipped() {
    // In each of 10⁹ idle cycles, `qaws-printed` counts a switch, and `rt-paws-printed` with priorities 0 and 1 may
    // change the turn.
    let latencies = [2, 1_000_000_000, 3, 1_000_000_000, 1];
    for (budgets, scheduler) in [
        ([1, u32::MAX], Scheduler::QawsPrinted),
        ([0, 1], Scheduler::RtPawsPrinted),
    ] {
        let ends = finish(scheduler, &latencies, &budgets);
        assert!(
            ends.iter()
                .all(|end| (2_000_000_000..2_000_000_100).contains(end))
        );
    }
}
