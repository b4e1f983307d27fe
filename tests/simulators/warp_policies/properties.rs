//! Properties of every run under every policy.

use std::num::NonZeroU32;

use gpusched::model::Scheduler;
use rand::RngExt as _;

use crate::support::rounds;
use crate::warp_policies::random::{kernels, rng};
use crate::warp_policies::scenarios::{State, fast, owners, state};

const ROUNDS: usize = 500;

/// Returns the schedulers with issue budgets.
fn budgeted() -> impl Iterator<Item = Scheduler> {
    Scheduler::ALL
        .into_iter()
        .filter(|scheduler| scheduler.has_budgets())
}

#[test]
fn every_instruction_once_in_its_time_and_no_cycle_wasted() {
    let mut rng = rng(1);
    for _ in 0..rounds(ROUNDS) {
        let count = rng.random_range(1..=4);
        let kernels = kernels(&mut rng, count);
        let owners = owners(&kernels);
        for scheduler in Scheduler::ALL {
            let (order, _) = fast(scheduler, &kernels);
            for (now, who) in (0..).zip(&order) {
                let states: Vec<State> = (0..owners.len())
                    .map(|warp| state(&kernels[owners[warp]], warp, &order, now))
                    .collect();
                match who {
                    Some(warp) => assert_eq!(states[usize::from(*warp)], State::Ready, "{scheduler}"),
                    None => assert!(!states.contains(&State::Ready), "{scheduler}"),
                }
            }
            for (warp, &owner) in owners.iter().enumerate() {
                let issues = order.iter().flatten().filter(|&&who| usize::from(who) == warp);
                assert_eq!(issues.count(), kernels[owner].program.len(), "{scheduler}");
            }
            assert!(order.last().is_some_and(Option::is_some));
        }
    }
}

#[test]
fn a_group_alone_goes_greedy_then_oldest() {
    let mut rng = rng(2);
    for _ in 0..rounds(ROUNDS) {
        // The kernel runs alone; then several kernels run alone, one after the other; then a kernel runs alone until
        // the second arrives.
        let mut kernels = kernels(&mut rng, 3);
        let of = |scheduler, kernels: &[_]| fast(scheduler, kernels).0;
        for budgeted in budgeted() {
            for kernel in &kernels {
                let one = std::slice::from_ref(kernel);
                assert_eq!(of(budgeted, one), of(Scheduler::Gto, one), "{budgeted}");
            }
        }
        // Slots break ties here, and GTO starts with slot 0, so the first kernel issues first.
        let launches = [0, rng.random_range(1..20), rng.random_range(20..40)];
        for (kernel, launch) in kernels.iter_mut().zip(launches) {
            kernel.launch = launch;
        }
        for budgeted in budgeted() {
            let (first, gto) = (of(budgeted, &kernels), of(Scheduler::Gto, &kernels));
            let until = launches[1] as usize;
            assert!(first.iter().take(until).eq(gto.iter().take(until)), "{budgeted}");
        }
        for (kernel, launch) in kernels.iter_mut().zip([0, 1_000, 2_000]) {
            kernel.launch = launch;
        }
        for budgeted in budgeted() {
            assert_eq!(of(budgeted, &kernels), of(Scheduler::Gto, &kernels), "{budgeted}");
        }
    }
}

#[test]
fn one_warp_with_an_unlimited_budget_is_as_if_alone() {
    let mut rng = rng(3);
    for _ in 0..rounds(ROUNDS) {
        let mut kernels = kernels(&mut rng, 4);
        kernels[0].launch = 0;
        kernels[0].warps = NonZeroU32::MIN;
        kernels[0].budget = Some(u32::MAX);
        for budgeted in budgeted() {
            let (_, alone) = fast(budgeted, &kernels[..1]);
            let (_, co_located) = fast(budgeted, &kernels);
            assert_eq!(co_located[0], alone[0], "{budgeted}");
        }
    }
}

#[test]
fn budgets_decide_who_waits() {
    // Two equal kernels whose warps stall at every instruction: the kernel with the larger budget finishes first, in
    // both assignments.
    for budgeted in budgeted() {
        let mut kernels = kernels(&mut rng(4), 2);
        for (kernel, budget) in kernels.iter_mut().zip([0, 6]) {
            kernel.launch = 0;
            kernel.warps = NonZeroU32::new(3).unwrap();
            kernel.program = vec![
                gpusched::model::warp_scenario::LatencyInstruction {
                    latency: NonZeroU32::new(2).unwrap(),
                };
                30
            ];
            kernel.budget = Some(budget);
        }
        let (_, finish) = fast(budgeted, &kernels);
        assert!(finish[1] < finish[0], "{budgeted}: {finish:?}");
        (kernels[0].budget, kernels[1].budget) = (Some(6), Some(0));
        let (_, finish) = fast(budgeted, &kernels);
        assert!(finish[0] < finish[1], "{budgeted}: {finish:?}");
    }
}
