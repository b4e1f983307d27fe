//! The online step chooses the memory bandwidth budget for the next regulation period ([Aghilinasab20] §V). The crate
//! `gpusched-budget` executes it, also in programs in C.

use crate::kernel_wcet::{EstimateError, Estimator};
use gpusched_budget::{Cluster, LONGEST, MAX_ACTIVE, MAX_CLUSTERS, Policy, Setting};
use gpusched_model::time::Time;
use gpusched_model::{BudgetPolicy, Factor, Kernel, Straddling, kernel};

// The step accepts each kernel of the model.
const _: () = assert!(MAX_CLUSTERS == kernel::MAX_CLUSTERS && MAX_ACTIVE == kernel::MAX_ACTIVE);
const _: () = assert!(LONGEST == Time::LIMIT.ns());

/// Chooses the memory bandwidth budget of each regulation period during one kernel run. With these budgets, the
/// execution time of the kernel is at most its WCET under the nominal budget Q̄.
///
/// A budget Q grants the memory time Q·T. The best-effort CPU cores may access memory during this time at the start of
/// each regulation period T. [`gpusched_budget::Allocator`] states the steps of a decision.
#[derive(Clone, Debug)]
pub struct Allocator(gpusched_budget::Allocator<Vec<Cluster>>);

impl Allocator {
    /// Creates the allocator for `kernel` under the budget policy `policy`, with the nominal
    /// budget Q̄ = `nominal`.
    ///
    /// # Errors
    /// Returns an [`EstimateError`] if the budget exceeds 1.
    pub fn new(
        kernel: &Kernel,
        nominal: Factor,
        policy: BudgetPolicy,
        straddling: Straddling,
    ) -> Result<Allocator, EstimateError> {
        let (setting, clusters) = parts(kernel, nominal, policy, straddling)?;
        let found = gpusched_budget::Allocator::new(setting, clusters);
        found.map(Allocator).map_err(EstimateError::Allocator)
    }

    /// Returns G(Q̄, 0), an upper bound on the execution time of the kernel under every policy.
    pub fn deadline(&self) -> Time {
        Time::from_ns(self.0.deadline())
    }

    /// Returns the nominal memory time Q̄·T of best-effort cores. The period before the first decision has exactly this
    /// memory time. Each later period has at least this memory time.
    pub fn nominal(&self) -> Time {
        Time::from_ns(self.0.nominal())
    }

    /// Returns the regulation period T.
    pub fn period(&self) -> Time {
        Time::from_ns(self.0.period())
    }

    /// Resets the allocator before a new run of the kernel.
    pub fn restart(&mut self) {
        self.0.restart();
    }

    /// Returns the memory time Q·T of best-effort cores in the regulation period that begins now. The result is at
    /// least Q̄·T.
    ///
    /// `elapsed` is the time since the start of the kernel. `remaining` has the number of unfinished blocks of each
    /// cluster. If `remaining` has no entry for a cluster, all blocks of the cluster count as unfinished.
    pub fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time {
        Time::from_ns(self.0.decide(elapsed.ns(), remaining))
    }

    /// Computes the largest memory time of best-effort cores [ns] with which the remaining blocks end within `window`.
    /// The result is rounded down. Returns `None` if the blocks end within `window` even under full interference.
    pub fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        self.0.memory(window, remaining)
    }
}

/// Returns the constants of the step for `kernel`, and its clusters in the order of the kernel.
///
/// # Errors
/// Returns an [`EstimateError`] if the budget exceeds 1.
pub fn parts(
    kernel: &Kernel,
    nominal: Factor,
    policy: BudgetPolicy,
    straddling: Straddling,
) -> Result<(Setting, Vec<Cluster>), EstimateError> {
    let bound = Estimator::new(kernel)
        .straddling(straddling)
        .bound(nominal, false)?;
    let clusters = kernel.clusters().iter().map(|cluster| Cluster {
        blocks: cluster.blocks(),
        e0: cluster.isolated().ns(),
        e1: cluster.contended().ns(),
        position: 0,
    });
    let period = kernel.regulation_period().ns();
    let (numerator, denominator) = nominal.ratio();
    // The WCET bound rounds the nominal memory time up, so the allocator rounds it up, too.
    let burst = (u128::from(period) * u128::from(numerator)).div_ceil(u128::from(denominator));
    let setting = Setting {
        policy: step_policy(policy),
        active: kernel.active_blocks(),
        period,
        nominal: u64::try_from(burst).unwrap_or(period),
        deadline: bound.wcet_ns.ns(),
        both_ends: straddling == Straddling::Both,
    };
    Ok((setting, clusters.collect()))
}

/// Returns `policy` for the step.
pub fn step_policy(policy: BudgetPolicy) -> Policy {
    match policy {
        BudgetPolicy::Nominal => Policy::Nominal,
        BudgetPolicy::Fair => Policy::Fair,
        BudgetPolicy::Greedy => Policy::Greedy,
        BudgetPolicy::Smooth => Policy::Smooth,
    }
}
