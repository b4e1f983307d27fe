//! The process that chooses budgets at run time. It is a task of the system, so each analysis counts its execution time.

use super::super::{Arrivals, Draft, TaskDraft};
use super::BudgetsDraft;
use crate::assumptions::{Assumption, AssumptionId};
use crate::{BudgetPolicy, Refusal};

impl BudgetsDraft {
    /// Returns the budget policy at run time, and the task that chooses budgets under it. Constant budgets need no such task, and the
    /// task of other policies is stated in each valid system.
    pub fn at_run_time(&self) -> Option<(BudgetPolicy, &str)> {
        let policy = self.policy.filter(|&policy| policy != BudgetPolicy::Nominal)?;
        Some((policy, self.process.as_deref().unwrap_or_default()))
    }

    /// Checks that a policy other than `nominal` names its process, and that the process is a task which is able to choose one budget
    /// in each regulation period. A missing process is an error, because its execution time is not 0.
    pub(super) fn check_process(&self, draft: &Draft) -> Result<(), Refusal> {
        let Some(name) = &self.process else {
            let Some((policy, _)) = self.at_run_time() else {
                return Ok(());
            };
            let found = format!("no task, but the policy `{policy}`");
            let refusal = Refusal::new(
                "budgets.process",
                found,
                "the name of the task that chooses budgets",
            );
            return Err(refusal.hint(format!(
                "add a task with one segment on its core and the period {}, and state its name here",
                self.regulation_period
            )));
        };
        let mut tasks = draft.tasks.iter().enumerate();
        let Some((index, task)) = tasks.find(|(_, task)| task.name == *name) else {
            return Refusal::refuse("budgets.process", format!("{name:?}"), "the name of a task");
        };
        self.check_task(draft, task)
            .map_err(|refusal| refusal.within(&format!("tasks[{index}]")))
    }

    fn check_task(&self, draft: &Draft, task: &TaskDraft) -> Result<(), Refusal> {
        let period = self.regulation_period;
        let [segment] = task.segments.as_slice() else {
            let found = format!("{} segments", task.segments.len());
            return Refusal::refuse(
                "segments",
                found,
                "one segment on a core, because the task chooses budgets",
            );
        };
        if draft.cores.iter().all(|core| core.name != segment.on) {
            let found = format!("{:?}", segment.on);
            Refusal::refuse(
                "segments[0].on",
                found,
                "the name of a core, because the task chooses budgets",
            )?;
        }
        if task.period != period || task.arrivals != Arrivals::Periodic {
            let found = format!("{} ({})", task.period, task.arrivals);
            let expected =
                format!("{period} (periodic), because the task chooses one budget per regulation period");
            Refusal::refuse("period", found, expected)?;
        }
        if let Some(deadline) = task.deadline.filter(|&deadline| deadline > period) {
            let expected =
                format!("at most {period}, because the task ends before the regulation period of its budget");
            Refusal::refuse("deadline", deadline, expected)?;
        }
        if !task.alternatives.is_empty() {
            Refusal::refuse(
                "alternatives",
                "other segments",
                "no such field, because the task chooses budgets",
            )?;
        }
        Ok(())
    }

    /// Returns the assumption on the budgets at run time: constant budgets, or budgets that a process chooses.
    pub(in crate::end_to_end) fn assumptions(&self) -> Vec<Assumption> {
        let period = self.regulation_period;
        let Some((policy, process)) = self.at_run_time() else {
            let text = format!(
                "While a segment is in progress, best-effort cores access memory for at most its budget of each regulation period of {period}."
            );
            return vec![Assumption::new(AssumptionId::MemoryBudget, text)];
        };
        let budget = format!(
            "While a segment is in progress, best-effort cores access memory for at most the budget that `{policy}` chooses for each \
             regulation period of {period}."
        );
        let process = format!(
            "By its deadline, each job of `{process}` sets the budget of the next regulation period. Its memory accesses count as accesses of \
             best-effort cores."
        );
        vec![
            Assumption::new(AssumptionId::MemoryBudget, budget),
            Assumption::new(AssumptionId::BudgetProcess, process),
        ]
    }
}
