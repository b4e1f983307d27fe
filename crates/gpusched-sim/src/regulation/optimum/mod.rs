//! Best possible budgets for a run whose block times are all known before the run.
//!
//! * [`limit`] computes an upper bound on the memory time of best-effort cores under all possible budgets.
//! * [`Simulator::optimum`] simulates budgets that are planned before the run ([`flow`]). The
//!   best possible memory time is between the memory time in the simulation and the upper bound.
//!
//! A plan is not a budget policy. A plan requires the times of all blocks, and it is safe only in
//! the run for which it was computed.

pub mod knapsack;
mod limit;
mod plan;

pub use limit::{demand_limit, limit};
pub use plan::{Cut, Plan, Segment, by_period, flow, segments};

use super::{Execution, Process, Run, Simulator};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;

/// Result of planned budgets in one run, and an upper bound on the results of all budgets in this run.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimum {
    /// Upper bound on the memory requests of best-effort cores while the kernel runs, for all
    /// runs that meet the deadline.
    pub limit: f64,
    /// Run with the best plan that meets the deadline. If no plan meets the deadline, the field
    /// contains the run with the last plan. The policy of this run has no meaning.
    pub run: Run,
    /// Whether the first plan misses the deadline. The first plan treats the blocks as a fluid
    /// and ignores bursts.
    pub fluid_late: bool,
}

/// Number of plans for each [`Cut`], and maximum number of plans if all previous plans miss the deadline. Each plan has
/// a corrected target time. If the previous run ended early, the target increases by the remaining time. If the run
/// ended late, the target decreases by twice the lateness.
const PLANS: (u32, u32) = (6, 24);

/// A run that ends less than this time before the deadline counts as exactly on time [ns].
const EARLY: f64 = 1.0;

impl Simulator {
    /// Returns an upper bound on the memory time of best-effort cores [ns] in the run
    /// `execution`, if the run ends within `deadline`.
    pub fn memory_limit(&self, execution: &Execution, deadline: Time) -> f64 {
        let demand = demand_limit(self.wanted(), execution.offset, deadline, self.period);
        limit(&execution.blocks, self.active, deadline.ns() as f64).min(demand as f64)
    }

    /// Returns the memory time that best-effort cores would use in a whole period without
    /// regulation [ns], rounded up.
    fn wanted(&self) -> u64 {
        self.cores.most(self.period.ns()).ceil() as u64
    }

    /// Returns the optimum of the run `execution` for `deadline`. If `record` is true, the result
    /// contains each period of the planned run. The computation of budgets takes no time in this
    /// simulation.
    pub fn optimum(&self, execution: &Execution, deadline: Time, record: bool) -> Optimum {
        let segments = segments(&execution.blocks, &self.table, self.active);
        let demand = self.cores.most(self.period.ns()) / self.period.ns() as f64;
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

    /// Simulates the run `execution` with the budgets of `plan`.
    fn planned(&self, execution: &Execution, plan: &Plan, record: bool) -> Run {
        let policy = BudgetPolicy::Nominal; // The policy has no effect here.
        self.simulate(execution, policy, &mut plan.clone(), Process::default(), record)
    }

    /// Returns the smallest budget with which best-effort cores use `memory` ns of memory time.
    /// The budget is at most a whole period.
    fn budget_for(&self, memory: u64) -> u64 {
        let uses = |budget: u64| self.cores.most(budget) >= memory as f64;
        if uses(memory) {
            return memory.min(self.period.ns()); // The cores use this budget completely.
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
