//! Assumptions of results on kernels whose best-effort co-runners have a memory bandwidth budget.

use super::basis::{add, dispatch, preemption};
use super::{Assumption, AssumptionId, sentences};
use crate::policy::Policy;
use crate::time::Time;
use crate::{Bound, Cluster, Factor, Kernel, Straddling};

/// The inputs of a WCET bound or of a simulation under a memory bandwidth budget that determine its assumptions.
#[derive(Clone, Debug)]
pub struct BudgetBasis<'a> {
    /// Kernels of the result, each with its memory bandwidth budget Q. The budget is `None` for a result on many budgets.
    pub kernels: Vec<(&'a Kernel, Option<Factor>)>,
    /// Whether the kernel starts at the start of a regulation period.
    pub sync: bool,
    /// Rule for blocks that overlap the memory time of best-effort cores only in part.
    pub straddling: Straddling,
}

/// The inputs of simulated runs that determine their additional assumptions.
#[derive(Copy, Clone, Debug)]
pub struct Runs {
    /// Whether a process changes the budget at run time.
    pub dynamic: bool,
    /// Memory requests of this process per millisecond.
    pub process_requests: u64,
    /// Time from the computation of a budget to the period that uses it [ns].
    pub lead: Time,
    /// Non-preemptive policy of several kernels; `None` for one kernel with one release.
    pub dispatch: Option<Policy>,
}

impl<'a> BudgetBasis<'a> {
    /// Returns the inputs that determine the assumptions of `bound` on `kernel`.
    pub fn of_bound(bound: &Bound, kernel: &'a Kernel) -> BudgetBasis<'a> {
        BudgetBasis {
            kernels: vec![(kernel, Some(bound.q))],
            sync: bound.sync,
            straddling: bound.straddling,
        }
    }

    /// Returns the assumptions of a WCET bound.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let mut list = self.of_blocks();
        if self.delays() {
            add(&mut list, Some(worst_burst()));
        }
        if self.delays() && self.straddling == Straddling::End {
            add(&mut list, Some(block_progress()));
        }
        if self.delays() && self.sync {
            let text = "The kernel starts at the start of a regulation period.";
            add(&mut list, Some((AssumptionId::SynchronousStart, text.to_owned())));
        }
        list
    }

    /// Returns the assumptions of simulated runs. Under both rules for bounds, the simulator slows down only the part of
    /// a block that overlaps memory time.
    pub fn of_runs(&self, runs: Runs) -> Vec<Assumption> {
        let mut list = match runs.dispatch {
            None => Vec::new(),
            Some(policy) => of_releases(policy),
        };
        for assumption in self.assumptions() {
            if !list.contains(&assumption) {
                list.push(assumption);
            }
        }
        if self.delays() || runs.dynamic {
            add(&mut list, Some(block_progress()));
        }
        if runs.dynamic {
            let text = sentences::budget_process(runs.process_requests, runs.lead);
            add(&mut list, Some((AssumptionId::BudgetProcess, text)));
        }
        let text = "The real system behaves like these simulated runs. With other block times or accesses, a run may take longer.";
        add(&mut list, Some((AssumptionId::OneRun, text.to_owned())));
        list
    }

    /// Whether memory accesses of best-effort cores delay blocks. For Q = 0, the bound counts no block as delayed, and
    /// the start of the kernel has no effect.
    fn delays(&self) -> bool {
        self.kernels.iter().any(|(_, q)| *q != Some(Factor::ZERO))
    }

    /// Returns the assumptions on the blocks of the kernels and on the budgets.
    fn of_blocks(&self) -> Vec<Assumption> {
        let mut list = Vec::new();
        let blocks = match self.kernels.as_slice() {
            [(kernel, _)] => sentences::active_blocks(kernel.active_blocks()),
            _ => "While blocks of a kernel wait, at least its `active_blocks` run. No other kernel uses their SMs.".to_owned(),
        };
        add(&mut list, Some((AssumptionId::ActiveBlocks, blocks)));
        add(&mut list, Some(block_times()));
        let clusters = self.kernels.iter().flat_map(|(kernel, _)| kernel.clusters());
        add(&mut list, estimated(clusters));
        let budget = match self.kernels.as_slice() {
            [(_, Some(Factor::ZERO))] => "Best-effort cores do not access memory while the kernel runs.".to_owned(),
            [(kernel, Some(q))] => sentences::memory_budget(*q, kernel.regulation_period()),
            _ => "While a kernel runs, best-effort cores access memory for at most its budget Q of each regulation period.".to_owned(),
        };
        add(&mut list, Some((AssumptionId::MemoryBudget, budget)));
        list
    }
}

/// Returns the assumptions on kernels with a profile in a system. `clusters` are all their clusters.
pub(crate) fn of_profiles<'a>(clusters: impl Iterator<Item = &'a Cluster> + Clone) -> Vec<Assumption> {
    let mut list = Vec::new();
    let text = "While blocks of a kernel with a profile wait, each SM of its partition runs at least `blocks_per_sm` of them.";
    add(&mut list, Some((AssumptionId::ActiveBlocks, text.to_owned())));
    add(&mut list, Some(block_times()));
    add(&mut list, estimated(clusters));
    add(&mut list, Some(worst_burst()));
    add(&mut list, Some(block_progress()));
    list
}

fn block_times() -> (AssumptionId, String) {
    let text = "No block takes longer than its `e0` in isolation, or than its `e1` under memory accesses of best-effort cores.";
    (AssumptionId::BlockTimes, text.to_owned())
}

/// Returns the assumption on clusters with estimated times; `None` without such a cluster.
fn estimated<'a>(clusters: impl Iterator<Item = &'a Cluster> + Clone) -> Option<(AssumptionId, String)> {
    let estimated = clusters.clone().filter(|cluster| {
        let distributions = [
            cluster.isolated_distribution(),
            cluster.interference_distribution(),
        ];
        distributions
            .into_iter()
            .flatten()
            .any(|found| found.tail.is_some())
    });
    let (estimated, of) = (estimated.count(), clusters.count());
    (estimated > 0).then(|| {
        (
            AssumptionId::BlockTimesEstimated,
            sentences::block_times_estimated(estimated, of),
        )
    })
}

/// Returns the assumptions on the dispatcher of several kernels, and on their starts.
fn of_releases(policy: Policy) -> Vec<Assumption> {
    let mut list = Vec::new();
    add(&mut list, dispatch(policy));
    add(&mut list, preemption(policy));
    add(
        &mut list,
        Some((AssumptionId::SporadicReleases, sentences::releases(false))),
    );
    let text = "When a kernel starts, the regulation limits best-effort cores to its budget at once, including requests in flight.";
    add(&mut list, Some((AssumptionId::CoresLocked, text.to_owned())));
    list
}

/// Hypothesis 1 of [Aghilinasab20].
fn worst_burst() -> (AssumptionId, String) {
    let text =
        "No access pattern delays blocks more than one burst of all best-effort cores per regulation period.";
    (AssumptionId::WorstBurst, text.to_owned())
}

fn block_progress() -> (AssumptionId, String) {
    let text = "Memory accesses slow down only the part of a block that they overlap. A block overlapped in part takes less than `e1`.";
    (AssumptionId::BlockProgress, text.to_owned())
}
