//! Checks of the issue budgets of a kernel for several warp schedulers.

use gpusched_model::error::Refusal;
use gpusched_model::{Factor, Scheduler};
use gpusched_study::Values;
use gpusched_study::measures::limits::combinations;

/// Returns the values of `budgets`, which must be integers. Rejects the budgets if all `schedulers` together require
/// more than `most` simulations.
pub(super) fn budgets(budgets: &Values, schedulers: &[Scheduler], most: usize) -> Result<Vec<u32>, Refusal> {
    if schedulers.is_empty() {
        return Err(Refusal::new(
            "schedulers",
            "an empty list",
            "at least one scheduler",
        ));
    }
    let budgets: Result<Vec<u32>, Refusal> = budgets.as_slice().iter().map(|&budget| whole(budget)).collect();
    let budgets = budgets?;
    combinations(
        "budgets",
        "combinations of a scheduler and a budget",
        &[schedulers.len(), budgets.len()],
        most,
    )?;
    Ok(budgets)
}

fn whole(budget: Factor) -> Result<u32, Refusal> {
    let (numerator, denominator) = budget.ratio();
    match u32::try_from(numerator / denominator) {
        Ok(quotient) if numerator % denominator == 0 => Ok(quotient),
        _ => Err(Refusal::new("budgets", budget, "whole numbers")),
    }
}
