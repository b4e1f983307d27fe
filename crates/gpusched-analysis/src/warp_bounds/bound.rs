//! Bounds on response times. docs/explanation/warp-bounds.md proves them and defines the symbols.

use gpusched_model::Scheduler;
use gpusched_model::warp_scenario::WarpScenarioShape;

use super::outline::Outline;

/// Returns, for each kernel of `scenario`, an upper bound on the time from its launch to the cycle after its last issue
/// \[cycles\]. The bounds hold for all launch times, so the function ignores `launch`. Each kernel runs once.
///
/// Under `lrr`, `qaws` and `rt-paws`, the bound uses the rules of the scheduler. Under all other schedulers, the bound
/// assumes that all instructions of all warps can delay the kernel. A bound above [`u64::MAX`] is [`u64::MAX`].
pub fn bounds(scenario: &WarpScenarioShape) -> Vec<u64> {
    let outlines: Vec<Outline> = scenario.kernels.iter().map(Outline::of).collect();
    let budgets: Vec<u32> = scenario
        .kernels
        .iter()
        .map(|kernel| kernel.budget.unwrap_or(0))
        .collect();
    (0..outlines.len())
        .map(|kernel| bound(scenario.scheduler, &outlines, &budgets, kernel))
        .collect()
}

/// Returns the bound of kernel `index`. The bound never grows with the budget of this kernel, and never shrinks with
/// the budget of another kernel.
pub fn bound(scheduler: Scheduler, kernels: &[Outline], budgets: &[u32], index: usize) -> u64 {
    let own = &kernels[index];
    let delays = others(kernels, index).map(|(other, kernel)| match scheduler {
        Scheduler::Lrr => kernel
            .warps
            .saturating_mul(own.instructions.min(kernel.instructions)),
        Scheduler::Qaws | Scheduler::RtPaws => delay_by_turns(scheduler, kernels, budgets, index, other),
        _ => kernel.work(),
    });
    let own_warps = own.work().saturating_sub(own.instructions);
    delays.fold(own.length.saturating_add(own_warps), u64::saturating_add)
}

/// Returns the largest number of cycles when kernel `other` issues although the warp of kernel `index` that finishes last
/// could issue.
fn delay_by_turns(
    scheduler: Scheduler,
    kernels: &[Outline],
    budgets: &[u32],
    index: usize,
    other: usize,
) -> u64 {
    let (own, kernel) = (&kernels[index], &kernels[other]);
    let rounds = rounds(scheduler, own, budgets[index]);
    let stalls = rounds.saturating_mul(u64::from(budgets[other]) + 1);
    // In the current group.
    let runs = stalls.saturating_add(match counts_all_stalls(scheduler, budgets[other]) {
        true => 0,
        false => {
            let fillers = others(kernels, index).filter(|&(filler, _)| filler != other);
            let issues = fillers
                .map(|(_, filler)| filler.work())
                .fold(own.work(), u64::saturating_add);
            issues.min(kernel.idle())
        }
    });
    // While the current group is another one and cannot issue.
    let idle = others(kernels, index).filter(|&(current, _)| current != other);
    let idle = idle.map(
        |(current, kernel)| match counts_all_stalls(scheduler, budgets[current]) {
            true => {
                let waits = rounds.saturating_mul(u64::from(budgets[current]) + 1);
                kernel.idle().min(waits.saturating_mul(kernel.longest - 1))
            }
            false => kernel.idle(),
        },
    );
    let issues = idle.fold(kernel.longest_runs(runs), u64::saturating_add);
    issues.min(kernel.work())
}

/// Returns the largest number of turns of each other kernel while the kernel `own` has warps.
fn rounds(scheduler: Scheduler, own: &Outline, budget: u32) -> u64 {
    if scheduler == Scheduler::Qaws && own.warps == 1 && budget > 0 {
        // A single warp never switches to another warp of its kernel.
        return 1;
    }
    (own.all_runs() - 1) / (u64::from(budget) + 1) + 1
}

/// Returns the smallest budget of the kernel `own` with the smallest bound of this kernel.
pub fn largest_useful_budget(scheduler: Scheduler, own: &Outline) -> u32 {
    let stalls = own.all_runs() - 1;
    let most = match scheduler {
        Scheduler::Qaws if own.warps == 1 => stalls.min(1),
        _ => stalls,
    };
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// Returns whether each stall of the current group counts against its budget. Under `qaws`, a stall does not count if no
/// other warp of the group can issue. With budget 0, the first stall ends the turn.
fn counts_all_stalls(scheduler: Scheduler, budget: u32) -> bool {
    scheduler == Scheduler::RtPaws || budget == 0
}

fn others(kernels: &[Outline], index: usize) -> impl Iterator<Item = (usize, &Outline)> {
    kernels
        .iter()
        .enumerate()
        .filter(move |&(other, _)| other != index)
}
