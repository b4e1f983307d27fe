//! Bounds on response times, and issue budgets that meet deadlines by these bounds.

use gpusched_analysis::warp_bounds::{Unmet, bounds, smallest_budgets};
use gpusched_model::Scheduler;
use gpusched_model::error::{Error, Result};
use gpusched_model::warp_scenario::WarpScenarioShape;

/// Bounds and deadlines of the kernels of a scenario, in the order of the scenario.
pub struct Guarantees {
    /// Bound of each kernel [cycles].
    pub bounds: Vec<u64>,
    /// Deadline of each kernel after its launch [cycles], if the kernel has a deadline.
    pub deadlines: Vec<Option<u64>>,
}

impl Guarantees {
    pub fn new(scenario: &WarpScenarioShape, deadlines: Vec<Option<u64>>) -> Guarantees {
        Guarantees {
            bounds: bounds(scenario),
            deadlines,
        }
    }

    /// Returns whether the bounds meet all deadlines.
    pub fn met(&self) -> bool {
        let mut all = self.bounds.iter().zip(&self.deadlines);
        all.all(|(bound, deadline)| deadline.is_none_or(|deadline| *bound <= deadline))
    }

    /// Returns whether a kernel has a deadline.
    pub fn has_deadlines(&self) -> bool {
        self.deadlines.iter().any(Option::is_some)
    }
}

/// Returns the deadline of each kernel of `scenario`. With a deadline and a scheduler that [`bounds`] knows by its issue
/// budgets, the function sets the smallest issue budgets that meet all deadlines. If no budgets meet all deadlines, it sets
/// the budgets of [`Unmet`].
///
/// # Errors
/// Fails for a kernel that `scenario` does not contain, and for a kernel with two deadlines.
pub fn deadlines(scenario: &mut WarpScenarioShape, named: &[(String, u64)]) -> Result<Vec<Option<u64>>> {
    let mut deadlines = vec![None; scenario.kernels.len()];
    for (name, deadline) in named {
        let index = named_kernel(scenario, "deadline", name)?;
        if deadlines[index].replace(*deadline).is_some() {
            let found = format!("the kernel {name:?} a second time");
            return Err(Error::parameter("deadline", found, "one deadline per kernel"));
        }
    }
    let by_turns = matches!(scenario.scheduler, Scheduler::Qaws | Scheduler::RtPaws);
    if by_turns && !named.is_empty() {
        let budgets = smallest_budgets(scenario, &deadlines);
        let budgets = budgets.unwrap_or_else(|Unmet { budgets, .. }| budgets);
        for (kernel, budget) in scenario.kernels.iter_mut().zip(budgets) {
            kernel.budget = Some(budget);
        }
    }
    Ok(deadlines)
}

/// Returns the index of the kernel `name`.
///
/// # Errors
/// Fails if `scenario` has no such kernel. The error names `option`.
pub fn named_kernel(scenario: &WarpScenarioShape, option: &str, name: &str) -> Result<usize> {
    let found = scenario.kernels.iter().position(|kernel| kernel.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = scenario
            .kernels
            .iter()
            .map(|kernel| kernel.name.as_str())
            .collect();
        let expected = format!("one of {}", names.join(", "));
        Error::parameter(option, format!("the kernel {name:?}"), expected)
    })
}
