//! How much could budgets give away that knew the run beforehand?
//!
//! * [`limit`]: more is not possible, whatever the budgets;
//! * [`Simulator::optimum`]: budgets planned in advance ([`flow`]), and what they come to. So the optimum is between the two.
//!
//! A plan is no policy: it needs the times of all blocks, and it is safe in the run it was made for alone.

pub mod knapsack;
mod limit;
mod plan;

pub use limit::{demand_limit, limit};
pub use plan::{Cut, Plan, Segment, by_period, flow, segments};

use super::{Execution, Process, Run, Simulator};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

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

/// How many plans are tried of each kind, and how many more until one ends in time. Each aims at a deadline that makes up for
/// how early the one before was, or twice for how late.
const PLANS: (u32, u32) = (6, 24);

/// How early is as good as just in time [ns].
const EARLY: f64 = 1.0;

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
        let segments = segments(&execution.blocks, &self.table, self.active);
        let demand = self.cores.spend(self.period.ns(), &mut Vec::new()) / self.period.ns() as f64;
        let plan = |target: f64, cut: Cut| {
            let flow = flow(&segments, target, demand);
            let memory = by_period(&flow, execution.offset, self.period, cut);
            let budgets = memory.into_iter().map(|memory| self.budget_for(memory));
            Plan::new(budgets.collect(), deadline)
        };
        let due = deadline.ns() as f64;
        let first = plan(due, Cut::Part);
        let found = self.planned(execution, &first, false);
        let fluid_late = found.late;
        let mut best = (first, found);
        for cut in Cut::ALL {
            let mut target = due;
            for attempt in 0..PLANS.1 {
                let plan = plan(target, cut);
                let found = self.planned(execution, &plan, false);
                let (late, early) = (found.late, due - found.finish);
                target += if late { 2.0 * early } else { early };
                if best.1.late || (!late && found.requests > best.1.requests) {
                    best = (plan, found);
                }
                let enough = attempt + 1 >= PLANS.0 && !best.1.late;
                if enough || (!late && early < EARLY) {
                    break;
                }
            }
        }
        let (plan, run) = best;
        Optimum {
            limit: self.memory_limit(execution, deadline) * super::REQUESTS_PER_NS,
            run: match record {
                true => self.planned(execution, &plan, true),
                false => run,
            },
            fluid_late,
        }
    }

    /// Run `execution` by `plan`.
    fn planned(&self, execution: &Execution, plan: &Plan, record: bool) -> Run {
        let policy = BudgetPolicy::Nominal; // plays no part
        self.simulate(execution, policy, &mut plan.clone(), Process::default(), record)
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
