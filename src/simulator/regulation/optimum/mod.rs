//! How much could budgets give away that knew the run beforehand?
//!
//! * [`limit`]: more is not possible, whatever the budgets;
//! * [`Simulator::optimum`]: budgets planned in advance ([`flow`]), and what they come to. So the optimum is between the two.
//!
//! A plan is no policy: it needs the times of all blocks, and it is safe in the run it was made for alone.

pub mod knapsack;
mod limit;
mod plan;
mod summary;

pub use limit::{demand_limit, limit};
pub use plan::{Plan, Segment, by_period, flow, segments};
pub use summary::{OptimumSummary, OptimumTally};

use super::{Execution, Process, Run, Simulator};
use crate::bandwidth::BudgetPolicy;
use crate::time::Time;

/// The most that any budgets can do in a run, and what planned ones do.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimum {
    /// The most memory requests of best-effort cores while the kernel runs, if it ends in time.
    pub limit: f64,
    /// The run with the best plan that ends in time, or the last plan if none does. Its policy is meaningless.
    pub run: Run,
    /// Whether the fluid's own plan, which knows neither blocks nor bursts, ends late.
    pub fluid_late: bool,
}

/// How many plans are tried, and how many more until one ends in time. Each aims at a deadline that makes up for how early the
/// one before was, or twice for how late.
const PLANS: (u32, u32) = (6, 24);

impl Simulator {
    /// The most memory time [ns] of best-effort cores in run `execution` if it ends within `deadline`, whatever the budgets.
    pub fn memory_limit(&self, execution: &Execution, deadline: Time) -> f64 {
        let demand = demand_limit(self.wanted(), execution.offset, deadline, self.period);
        limit(&execution.blocks, self.active, deadline.ns() as f64).min(demand as f64)
    }

    /// What best-effort cores use of a whole period [ns], rounded up.
    fn wanted(&self) -> u64 {
        self.cores.spend(self.period.ns(), &mut Vec::new()).ceil() as u64
    }

    /// What is possible in run `execution` if it has to end within `deadline`; with `record`, each period of the planned run.
    /// No process computes budgets.
    pub fn optimum(&self, execution: &Execution, deadline: Time, record: bool) -> Optimum {
        let run = |plan: &Plan, record| {
            let policy = BudgetPolicy::Nominal;
            self.simulate(execution, policy, &mut plan.clone(), Process::default(), record)
        };
        let segments = segments(&execution.blocks, &self.table, self.active);
        let demand = self.cores.spend(self.period.ns(), &mut Vec::new()) / self.period.ns() as f64;
        let due = deadline.ns() as f64;
        let mut target = due;
        let mut best: Option<(Plan, Run)> = None;
        let mut fluid_late = false;
        for attempt in 0..PLANS.1 {
            if attempt >= PLANS.0 && best.as_ref().is_some_and(|(_, best)| !best.late) {
                break;
            }
            let flow = flow(&segments, target, demand);
            let memory = by_period(&flow, execution.offset, self.period);
            let budgets = memory.into_iter().map(|memory| self.budget_for(memory));
            let plan = Plan::new(budgets.collect(), deadline);
            let found = run(&plan, false);
            fluid_late |= attempt == 0 && found.late;
            target += (due - found.finish) * if found.late { 2.0 } else { 1.0 };
            let better = |best: &Run| best.late || (!found.late && found.requests > best.requests);
            if best.as_ref().is_none_or(|(_, best)| better(best)) {
                best = Some((plan, found));
            }
        }
        let (plan, found) = best.unwrap_or_else(|| {
            let plan = Plan::new(Vec::new(), deadline);
            let found = run(&plan, false);
            (plan, found)
        });
        Optimum {
            limit: self.memory_limit(execution, deadline) * super::REQUESTS_PER_NS,
            run: if record { run(&plan, true) } else { found },
            fluid_late,
        }
    }

    /// The least budget of which best-effort cores use `memory` [ns], or a whole period.
    fn budget_for(&self, memory: u64) -> u64 {
        let uses = |budget: u64| self.cores.spend(budget, &mut Vec::new()) >= memory as f64;
        if uses(memory) {
            return memory.min(self.period.ns()); // where no budget is lost, none is needed beyond that
        }
        let (mut short, mut enough) = (memory, self.period.ns());
        while enough.saturating_sub(short) > 1 {
            let middle = short + (enough - short) / 2;
            match uses(middle) {
                true => enough = middle,
                false => short = middle,
            }
        }
        enough
    }
}
