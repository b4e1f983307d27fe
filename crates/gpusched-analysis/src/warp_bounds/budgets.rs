//! Smallest issue budgets for given deadlines.

use gpusched_model::Scheduler;
use gpusched_model::warp_scenario::WarpScenarioShape;

use super::bound::{bound, largest_useful_budget};
use super::outline::Outline;

/// Deadlines that the bounds meet under no issue budgets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// Index of a kernel whose bound under `budgets` exceeds its deadline.
    pub kernel: usize,
    /// Issue budgets of all kernels. A larger budget of `kernel` does not shrink its bound, and smaller budgets of the other
    /// kernels violate their deadlines.
    pub budgets: Vec<u32>,
}

/// Returns the smallest issue budgets of the kernels of `scenario` such that [`bounds`](super::bounds) meets all
/// `deadlines`, which count from the launch of the kernel \[cycles\]. All other budgets that meet the deadlines are at
/// least as large for each kernel. The function ignores the budgets in `scenario`. Under a scheduler without budgets,
/// all budgets are 0.
///
/// # Errors
/// Fails if no budgets meet all deadlines by the bounds.
pub fn smallest_budgets(scenario: &WarpScenarioShape, deadlines: &[Option<u64>]) -> Result<Vec<u32>, Unmet> {
    let scheduler = scenario.scheduler;
    let outlines: Vec<Outline> = scenario.kernels.iter().map(Outline::of).collect();
    // All budgets that meet the deadlines are at least `budgets`. A larger budget of one kernel makes no bound of
    // another kernel smaller. So each step is necessary, and the last step leaves the smallest budgets.
    let mut budgets = vec![0; outlines.len()];
    loop {
        let before = budgets.clone();
        for (kernel, deadline) in deadlines.iter().enumerate() {
            let Some(deadline) = *deadline else { continue };
            let (budget, met) = smallest(scheduler, &outlines, &budgets, kernel, deadline);
            budgets[kernel] = budget;
            if !met {
                return Err(Unmet { kernel, budgets });
            }
        }
        if budgets == before {
            return Ok(budgets);
        }
    }
}

/// Returns the smallest budget of `kernel` that meets `deadline`, but at least its present budget. Otherwise, returns a
/// budget with the smallest bound, and `false`.
fn smallest(
    scheduler: Scheduler,
    outlines: &[Outline],
    budgets: &[u32],
    kernel: usize,
    deadline: u64,
) -> (u32, bool) {
    let mut low = budgets[kernel];
    let mut high = match scheduler.has_budgets() {
        true => largest_useful_budget(scheduler, &outlines[kernel]).max(low),
        false => 0,
    };
    let mut budgets = budgets.to_vec();
    let mut bound_with = |budget: u32| {
        budgets[kernel] = budget;
        bound(scheduler, outlines, &budgets, kernel)
    };
    if bound_with(high) > deadline {
        return (high, false);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if bound_with(middle) <= deadline {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (high, true)
}
