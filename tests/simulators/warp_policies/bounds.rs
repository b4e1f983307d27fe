//! Bounds on response times (docs/explanation/warp-bounds.md) against simulations with many launch times.

use std::num::NonZeroU32;

use gpusched::model::Scheduler;
use gpusched::model::warp_scenario::{LatencyInstruction, WarpKernel};
use gpusched::warp_bounds::{bounds, smallest_budgets};
use rand::RngExt;
use rand::seq::IndexedRandom as _;

use crate::support::rounds;
use crate::warp_policies::random::{rng, scenario};
use crate::warp_policies::scenarios::fast;

/// Draws a kernel. Some kernels have one warp, one instruction, equal latencies, or latencies of 1 only.
fn kernel(rng: &mut impl RngExt, name: usize) -> WarpKernel {
    let latencies: &[u32] = [&[1, 1, 1, 1, 2, 3, 5, 14][..], &[1], &[2], &[1, 60], &[1, 2, 9]]
        .choose(rng)
        .unwrap();
    let length = *[1, 2, 5, 9, 20].choose(rng).unwrap();
    WarpKernel {
        name: format!("K{name}"),
        warps: NonZeroU32::new(*[1, 1, 2, 3, 5].choose(rng).unwrap()).unwrap(),
        launch: 0,
        budget: Some(*[0, 0, 1, 2, 3, 7, u32::MAX].choose(rng).unwrap()),
        program: (0..length)
            .map(|_| LatencyInstruction {
                latency: NonZeroU32::new(*latencies.choose(rng).unwrap()).unwrap(),
            })
            .collect(),
    }
}

fn draw(rng: &mut impl RngExt, count: usize) -> Vec<WarpKernel> {
    let mut kernels: Vec<WarpKernel> = (0..count).map(|name| kernel(rng, name)).collect();
    if rng.random_bool(0.2) {
        // Equal programs.
        let program = kernels[0].program.clone();
        kernels
            .iter_mut()
            .for_each(|kernel| kernel.program = program.clone());
    }
    kernels
}

fn response_times(scheduler: Scheduler, kernels: &[WarpKernel]) -> Vec<u64> {
    let finish = fast(scheduler, kernels).1;
    finish
        .iter()
        .zip(kernels)
        .map(|(finish, kernel)| finish - kernel.launch)
        .collect()
}

fn bounds_of(scheduler: Scheduler, kernels: &[WarpKernel]) -> Vec<u64> {
    bounds(scenario(scheduler, kernels).shape())
}

#[test]
fn no_response_exceeds_its_bound() {
    const SYSTEMS: usize = 10_000;
    let mut rng = rng(54);
    let (mut reached, mut by_turns) = ([0; 3], 0);
    for system in 0..rounds(SYSTEMS) {
        let count = *[1, 2, 2, 3, 4].choose(&mut rng).unwrap();
        let mut kernels = draw(&mut rng, count);
        let all: Vec<Vec<u64>> = Scheduler::ALL
            .iter()
            .map(|&scheduler| bounds_of(scheduler, &kernels))
            .collect();
        by_turns += usize::from(all[3] != all[1] && all[4] != all[1]);
        for latest in [0, 5, 40, 40, 200] {
            kernels
                .iter_mut()
                .for_each(|kernel| kernel.launch = rng.random_range(0..=latest));
            for (scheduler, bounds) in Scheduler::ALL.into_iter().zip(&all) {
                let found = response_times(scheduler, &kernels);
                for (index, (found, bound)) in found.iter().zip(bounds).enumerate() {
                    assert!(
                        found <= bound,
                        "system {system}, {scheduler}, kernel {index}: {found} > {bound}: {kernels:#?}"
                    );
                }
                let of = [Scheduler::Lrr, Scheduler::RtPaws, Scheduler::Qaws]
                    .iter()
                    .position(|&other| other == scheduler);
                if let (Some(of), true) = (of, count > 1) {
                    reached[of] += usize::from(found.iter().zip(bounds).any(|(found, bound)| found == bound));
                }
            }
        }
    }
    println!("{reached:?} runs reach a bound, turns matter in {by_turns} systems");
    assert!(
        reached.iter().all(|&runs| runs >= rounds(SYSTEMS) / 50),
        "{reached:?}"
    );
    assert!(by_turns > rounds(SYSTEMS) / 4, "{by_turns}");
}

/// For pairs, each launch of one kernel relative to the other is simulated.
#[test]
fn all_launches_of_pairs() {
    const PAIRS: usize = 1_000;
    let mut rng = rng(55);
    for scheduler in [Scheduler::Lrr, Scheduler::RtPaws, Scheduler::Qaws, Scheduler::Gto] {
        let (mut ratios, mut exact) = (Vec::new(), 0);
        for _ in 0..rounds(PAIRS) {
            let mut kernels = draw(&mut rng, 2);
            kernels.iter_mut().for_each(|kernel| kernel.program.truncate(9));
            let bounds = bounds_of(scheduler, &kernels);
            let alone = |kernel: usize| bounds_of(scheduler, &kernels[kernel..=kernel])[0];
            let spans = [alone(1), alone(0)];
            let mut worst = [0; 2];
            for first in 0..2 {
                kernels[1 - first].launch = 0;
                for launch in 0..=spans[first].min(150) {
                    kernels[first].launch = launch;
                    for (worst, found) in worst.iter_mut().zip(response_times(scheduler, &kernels)) {
                        *worst = found.max(*worst);
                    }
                }
            }
            for (worst, bound) in worst.into_iter().zip(bounds) {
                assert!(worst <= bound, "{scheduler}: {worst} > {bound}: {kernels:#?}");
                exact += usize::from(worst == bound);
                ratios.push(bound as f64 / worst as f64);
            }
        }
        ratios.sort_by(f64::total_cmp);
        let (median, last) = (ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
        println!(
            "{scheduler}: bound / worst response: median {median:.2}, largest {last:.2}; equal in {exact} of {}",
            ratios.len()
        );
        assert!(median < 1.6, "{scheduler}: {median}");
    }
}

#[test]
fn budgets_order_the_bounds() {
    let mut rng = rng(56);
    for _ in 0..rounds(20_000) {
        let count = rng.random_range(2..=4);
        let mut kernels = draw(&mut rng, count);
        let index = rng.random_range(0..count);
        for scheduler in [Scheduler::RtPaws, Scheduler::Qaws] {
            let before = bounds_of(scheduler, &kernels);
            let budget = kernels[index].budget.unwrap();
            kernels[index].budget = Some(budget.saturating_add(rng.random_range(1..=3)));
            for (other, (before, after)) in before.into_iter().zip(bounds_of(scheduler, &kernels)).enumerate()
            {
                assert!(if other == index {
                    after <= before
                } else {
                    after >= before
                });
            }
        }
    }
}

/// The budgets are the smallest: no other budgets meet the deadlines with a smaller budget of any kernel.
#[test]
fn the_smallest_budgets() {
    let mut rng = rng(57);
    let mut found = [0; 2];
    for _ in 0..rounds(2_000) {
        let count = rng.random_range(2..=3u32);
        let mut kernels = draw(&mut rng, count as usize);
        for kernel in &mut kernels {
            kernel.warps = NonZeroU32::new(rng.random_range(1..=2)).unwrap();
            kernel.program.truncate(4);
        }
        let scheduler = *[Scheduler::RtPaws, Scheduler::Qaws].choose(&mut rng).unwrap();
        // More than 7 stalls are impossible, so larger budgets have the same bounds.
        let with = |kernels: &[WarpKernel], budgets: &[u32]| {
            let mut kernels = kernels.to_vec();
            kernels
                .iter_mut()
                .zip(budgets)
                .for_each(|(kernel, &budget)| kernel.budget = Some(budget));
            kernels
        };
        let all: Vec<Vec<u32>> = (0..8u32.pow(count))
            .map(|code| (0..count).map(|kernel| code / 8u32.pow(kernel) % 8).collect())
            .collect();
        let target = bounds_of(scheduler, &with(&kernels, all.choose(&mut rng).unwrap()));
        let deadlines: Vec<Option<u64>> = target
            .iter()
            .map(|&bound| {
                rng.random_bool(0.8)
                    .then(|| bound.saturating_sub(rng.random_range(0..=1)))
            })
            .collect();
        let meets = |budgets: &&Vec<u32>| {
            let bounds = bounds_of(scheduler, &with(&kernels, budgets));
            bounds
                .iter()
                .zip(&deadlines)
                .all(|(bound, deadline)| deadline.is_none_or(|deadline| *bound <= deadline))
        };
        let possible: Vec<&Vec<u32>> = all.iter().filter(meets).collect();
        let answer = smallest_budgets(scenario(scheduler, &kernels).shape(), &deadlines);
        match answer {
            Ok(budgets) => {
                assert!(possible.contains(&&budgets), "{budgets:?}");
                let least = |other: &&Vec<u32>| other.iter().zip(&budgets).all(|(other, own)| other >= own);
                assert!(possible.iter().all(least), "{budgets:?}: {possible:?}");
                found[1] += 1;
            }
            Err(unmet) => {
                assert!(possible.is_empty(), "{possible:?}");
                let bounds = bounds_of(scheduler, &with(&kernels, &unmet.budgets));
                assert!(bounds[unmet.kernel] > deadlines[unmet.kernel].unwrap());
                found[0] += 1;
            }
        }
    }
    assert!(found.iter().all(|&cases| cases > rounds(200)), "{found:?}");
}

/// Sums of the largest latencies and budgets do not overflow.
#[test]
fn extreme_values() {
    let longest = LatencyInstruction {
        latency: NonZeroU32::MAX,
    };
    let kernels: Vec<WarpKernel> = (0..2)
        .map(|index| WarpKernel {
            name: format!("K{index}"),
            warps: NonZeroU32::new(32).unwrap(),
            launch: 0,
            budget: Some(u32::MAX),
            program: vec![longest; 100_000],
        })
        .collect();
    for scheduler in Scheduler::ALL {
        for bound in bounds_of(scheduler, &kernels) {
            assert!(bound > 99_999 * u64::from(u32::MAX), "{scheduler}: {bound}");
        }
    }
    let shape = scenario(Scheduler::RtPaws, &kernels);
    assert!(smallest_budgets(shape.shape(), &[Some(0), Some(u64::MAX)]).is_err());
    assert_eq!(
        smallest_budgets(shape.shape(), &[None, Some(u64::MAX)]),
        Ok(vec![0, 0])
    );
}
