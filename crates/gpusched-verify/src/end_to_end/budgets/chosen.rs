//! Results of `budget nominal --deadlines`: the chosen budgets, the verdict, and why the next larger budgets fail.
//!
//! The check of `next` starts with the table of the verdict, and evaluates each equation with the larger budget until no value
//! changes. All equations grow with the table and with the budget, so this table has the least bounds.

use gpusched_model::end_to_end::{
    Answer, BudgetsDraft, ChosenBudgets, ChosenGroup, Draft, Environment, Group, NextBudget, share,
};
use gpusched_model::time::Time;

use super::super::chain;
use super::super::compare::same_length;
use super::super::segments;
use super::super::table::Table;
use super::super::{VerifiedSystem, verify_draft};
use super::{Stated, fault};
use crate::fault::Fault;
use crate::premises::check_input;

/// Recomputes and checks every statement of `found` about the system in `draft`, except `upper_bound` and `optimal`: that no
/// other budgets have a larger value. The budgets in `draft` have no effect, except for the regulation period. If the result states
/// its identity, it must have been computed for `draft`, including its budgets.
///
/// # Errors
/// Returns the first [`Fault`] of the result.
pub fn verify_chosen(
    found: &ChosenBudgets,
    draft: &Draft,
    environment: Environment,
) -> Result<VerifiedSystem, Fault> {
    check_input(found.identity.as_ref(), draft)?;
    let stated = check_system(found, draft)?;
    let verified = verify_draft(&found.verdict, &found.system, environment);
    let verified = verified.map_err(|fault| fault.inside("verdict"))?;
    let budgeted = Stated::new(&found.verdict, &found.system, environment);
    let budgeted = budgeted.map_err(|fault| fault.inside("verdict"))?;
    let groups = found.per.groups(&budgeted.alone);
    same_length("groups", found.groups.len(), groups.len(), "group")?;
    for (index, (claim, group)) in found.groups.iter().zip(&groups).enumerate() {
        check_group(claim, group, &budgeted).map_err(|fault| fault.inside(&format!("groups[{index}]")))?;
    }
    check_value(found)?;
    let chosen: Vec<u64> = found
        .groups
        .iter()
        .map(|group| group.memory_time_ns.ns())
        .collect();
    if found.system.budgets != Some(stated.with_bursts(found.per, &groups, &chosen)) {
        let message = "found other budgets than in `groups`";
        return Err(Fault::new("system.budgets", message));
    }
    if !found.verdict.schedulable && chosen.iter().any(|&burst| burst > 0) {
        let message = "found a positive budget with which the system fails, expected 0";
        return Err(Fault::new("groups", message));
    }
    for (index, claim) in found.groups.iter().enumerate() {
        let field = format!("groups[{index}].next");
        let expects = found.verdict.schedulable && claim.memory_time_ns < found.regulation_period_ns;
        let Some(stated_next) = claim.next.as_ref().filter(|_| expects) else {
            if expects == claim.next.is_some() {
                continue;
            }
            let (found, expected) = if expects {
                ("none", "the next larger budget")
            } else {
                ("a next budget", "none")
            };
            return Err(Fault::new(field, format!("found {found}, expected {expected}")));
        };
        let mut bursts = chosen.clone();
        bursts[index] += 1;
        let larger = Draft {
            budgets: Some(stated.with_bursts(found.per, &groups, &bursts)),
            ..found.system.clone()
        };
        let expected = next(&larger, &found.verdict, Time::from_ns(bursts[index]), environment);
        let expected = expected.map_err(|fault| fault.inside(&field))?;
        check_next(stated_next, &expected).map_err(|fault| fault.inside(&field))?;
    }
    Ok(verified)
}

/// Checks the reason why the next larger budget fails.
fn check_next(found: &NextBudget, expected: &NextBudget) -> Result<(), Fault> {
    same(
        "memory_time_ns",
        &found.memory_time_ns.ns(),
        &expected.memory_time_ns.ns(),
    )?;
    same("late_tasks", &found.late_tasks, &expected.late_tasks)?;
    same("late_chains", &found.late_chains, &expected.late_chains)
}

/// Checks that `found` is about the system in `draft`. Returns the budgets of `draft`.
fn check_system<'a>(found: &ChosenBudgets, draft: &'a Draft) -> Result<&'a BudgetsDraft, Fault> {
    let Some(budgets) = &draft.budgets else {
        let message = "found budgets, expected none, because the system has no budgets";
        return Err(Fault::new("system.budgets", message));
    };
    let without = |draft: &Draft| Draft {
        budgets: None,
        ..draft.clone()
    };
    if without(&found.system) != without(draft) {
        return Err(Fault::new("system", "found another system"));
    }
    let period = budgets.regulation_period;
    if found.regulation_period_ns != period {
        let message = format!("found {}, expected {period}", found.regulation_period_ns);
        return Err(Fault::new("regulation_period_ns", message));
    }
    Ok(budgets)
}

/// Checks the name, the budget and the weight of a group.
fn check_group(claim: &ChosenGroup, group: &Group, stated: &Stated<'_>) -> Result<(), Fault> {
    same("name", &claim.name, &group.name)?;
    let period = stated.found.regulation_period_ns;
    let burst = claim.memory_time_ns;
    if burst > period {
        return Err(Fault::new(
            "memory_time_ns",
            format!("found {burst}, expected at most {period}"),
        ));
    }
    let q = share(burst.ns(), period);
    if claim.q != q {
        return Err(Fault::new("q", format!("found {}, expected {q}", claim.q)));
    }
    let weights = group.segments.iter().map(|&place| {
        let isolated = u128::from(stated.isolated(place)?.ns());
        let period = u128::from(stated.alone.tasks()[place.0].period.ns());
        Ok(isolated * 1_000_000_000 / period)
    });
    let weight = weights.sum::<Result<u128, Fault>>()?;
    same(
        "weight_ppb",
        &claim.weight_ppb,
        &u64::try_from(weight).unwrap_or(u64::MAX),
    )
}

/// Checks the value of the budgets, and that the upper bound and `optimal` do not contradict it.
fn check_value(found: &ChosenBudgets) -> Result<(), Fault> {
    let products = { found.groups.iter() }
        .map(|group| u128::from(group.weight_ppb) * u128::from(group.memory_time_ns.ns()));
    let value = products.fold(0, u128::saturating_add);
    same("value", &found.value, &u64::try_from(value).unwrap_or(u64::MAX))?;
    if found.upper_bound < found.value {
        let message = format!(
            "found {}, expected at least {}, the value",
            found.upper_bound, found.value
        );
        return Err(Fault::new("upper_bound", message));
    }
    if found.optimal && found.upper_bound != found.value {
        return Err(Fault::new(
            "optimal",
            "found true, but the upper bound is above the value",
        ));
    }
    Ok(())
}

/// Largest number of evaluations of the table for one budget.
const STEPS: u32 = 100_000;

/// Returns the tasks and chains that fail in the system `draft`. `start` is the verdict with smaller budgets. `burst` is the larger
/// memory time.
fn next(draft: &Draft, start: &Answer, burst: Time, environment: Environment) -> Result<NextBudget, Fault> {
    let invalid = NextBudget {
        memory_time_ns: burst,
        late_tasks: Vec::new(),
        late_chains: Vec::new(),
    };
    let mut answer = start.clone();
    for _ in 0..STEPS {
        let Ok(stated) = Stated::new(&answer, draft, environment) else {
            return Ok(invalid); // the larger WCETs are no valid system
        };
        let table = Table::new(&stated.system, &answer.evidence)?;
        let bounds = segments::next_bounds(&table);
        let mut segments = stated.found.segments.clone();
        for (task, segments) in segments.iter_mut().enumerate() {
            for (position, segment) in segments.iter_mut().enumerate() {
                let place = (task, position);
                segment.memory_time_ns = Time::from_ns(stated.bursts[task][position]);
                segment.window_ns = stated.window(&answer, place);
                segment.wcet_ns = stated.wcet(place, segment.window_ns)?;
            }
        }
        if bounds == answer.evidence.bounds && segments == stated.found.segments {
            let late = |task: &usize| {
                let deadline = u128::from(table.task(*task).deadline.ns());
                table.response(*task).is_none_or(|response| response > deadline)
            };
            let chains = table.system.chains().iter().enumerate();
            let chains = chains.filter(|(_, chain)| chain::meets(chain, &table) == Some(false));
            let late_chains: Vec<usize> = chains.map(|(index, _)| index).collect();
            let late_tasks: Vec<usize> = (0..table.system.tasks().len()).filter(late).collect();
            if late_tasks.is_empty() && late_chains.is_empty() {
                let message = format!("found a reason, but the system meets its deadlines with {burst}");
                return Err(Fault::new("memory_time_ns", message));
            }
            return Ok(NextBudget {
                memory_time_ns: burst,
                late_tasks,
                late_chains,
            });
        }
        answer.evidence.bounds = bounds;
        if let Some(budgets) = &mut answer.budgets {
            budgets.segments = segments;
        }
    }
    let message = format!("not checked, because the table changes for more than {STEPS} steps");
    Err(Fault::new("", message))
}

/// Checks that `found` equals the recomputed value.
fn same<T: PartialEq + std::fmt::Debug>(field: &str, found: &T, expected: &T) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(Fault::new(
        field,
        format!("found {found:?}, expected {expected:?}"),
    ))
}

impl Stated<'_> {
    /// e⁰ of a segment: its WCET without memory accesses of best-effort cores.
    fn isolated(&self, (task, segment): (usize, usize)) -> Result<Time, Fault> {
        let alone = &self.alone.tasks()[task].segments[segment];
        let Some(profile) = &self.segment((task, segment)).profile else {
            return Ok(alone.wcet);
        };
        let gpusched_model::end_to_end::Resource::Partition(partition) = alone.on else {
            return Ok(alone.wcet); // refused before
        };
        let kernel = profile.kernel(self.alone.partitions()[partition].sms, Time::from_ns(1));
        Ok(Time::from_ns(super::of_kernel(
            &kernel.map_err(fault)?,
            0,
            false,
            0,
        )))
    }
}
