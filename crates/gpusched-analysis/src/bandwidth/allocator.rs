//! The online step chooses the memory bandwidth budget for the next regulation period ([Aghilinasab20] §V).

use super::chooser::Chooser;
use crate::kernel_wcet::{EstimateError, Estimator};
use gpusched_model::time::Time;
use gpusched_model::{BudgetPolicy, Factor, Kernel, Straddling};

/// Chooses the memory bandwidth budget of each regulation period during one kernel run. With these budgets, the
/// execution time of the kernel is at most its WCET under the nominal budget Q̄.
///
/// A budget Q grants the memory time Q·T. The best-effort CPU cores may access memory during this time at the start of
/// each regulation period T.
///
/// For a kernel with C clusters, a decision takes O(C) steps. The allocator uses only integers, and allocates no
/// memory.
#[derive(Clone, Debug)]
pub struct Allocator {
    /// Clusters in ascending order of e¹/(e¹ − e⁰).
    clusters: Vec<Share>,
    active: i128,
    period: u64,
    ends: i128,
    chooser: Chooser,
    /// Q̄·T: memory time of best-effort cores in a regulation period under the nominal budget [ns].
    nominal: u64,
    /// G(Q̄, 0): WCET under the nominal budget Q̄, for every start time within a regulation period [ns].
    deadline: u64,
}

/// Values of one cluster for a decision. `e0` and `e1` are the isolated and the contended block time [ns].
#[derive(Copy, Clone, Debug)]
struct Share {
    /// Position of the cluster in the kernel.
    cluster: usize,
    /// N: number of blocks that the cluster has in a complete run of the kernel.
    blocks: u64,
    e0: u64,
    e1: u64,
}

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
        let bound = Estimator::new(kernel)
            .straddling(straddling)
            .bound(nominal, false)?;
        let mut clusters: Vec<Share> = kernel
            .clusters()
            .iter()
            .enumerate()
            .map(|(cluster, times)| Share {
                cluster,
                blocks: times.blocks(),
                e0: times.isolated().ns(),
                e1: times.contended().ns(),
            })
            .collect();
        // e¹/(e¹ − e⁰) increases with e⁰/e¹, so a sort by e⁰/e¹ gives the required order.
        clusters.sort_by(|a, b| {
            let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
            product(a.e0, b.e1).cmp(&product(b.e0, a.e1))
        });
        let period = kernel.regulation_period().ns();
        let (numerator, denominator) = nominal.ratio();
        // The WCET bound rounds the nominal memory time up, so the allocator rounds it up, too.
        let burst = (u128::from(period) * u128::from(numerator)).div_ceil(u128::from(denominator));
        let nominal = u64::try_from(burst).unwrap_or(period);
        Ok(Allocator {
            clusters,
            active: i128::from(kernel.active_blocks()),
            period,
            ends: match straddling {
                Straddling::End => 1,
                Straddling::Both => 2,
            },
            chooser: Chooser::new(policy, nominal, period),
            nominal,
            deadline: bound.wcet_ns.ns(),
        })
    }

    /// Returns G(Q̄, 0), an upper bound on the execution time of the kernel under every policy.
    pub fn deadline(&self) -> Time {
        Time::from_ns(self.deadline)
    }

    /// Returns the nominal memory time Q̄·T of best-effort cores. The period before the first decision has exactly this
    /// memory time. Each later period has at least this memory time.
    pub fn nominal(&self) -> Time {
        Time::from_ns(self.nominal)
    }

    /// Returns the regulation period T.
    pub fn period(&self) -> Time {
        Time::from_ns(self.period)
    }

    /// Resets the allocator before a new run of the kernel.
    pub fn restart(&mut self) {
        self.chooser.restart();
    }

    /// Returns the memory time Q·T of best-effort cores in the regulation period that begins now. The result is at
    /// least Q̄·T.
    ///
    /// `elapsed` is the time since the start of the kernel. `remaining` has the number of unfinished blocks of each
    /// cluster. If `remaining` has no entry for a cluster, all blocks of the cluster count as unfinished.
    pub fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time {
        let Some(window) = self.deadline.checked_sub(elapsed.ns()) else {
            self.restart();
            return self.nominal();
        };
        let memory = self.memory(window, remaining);
        Time::from_ns(self.chooser.choose(memory, window, self.period))
    }

    /// Computes the largest memory time of best-effort cores [ns] with which the remaining blocks end within `window`.
    /// The result is rounded down. Returns `None` if the blocks end within `window` even under full interference.
    ///
    /// The computation is Algorithm 4 of [Aghilinasab20], with ⌈t/T⌉ instead of the printed
    /// ⌈t/P⌉.
    pub fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        let of = |share: &Share| remaining.get(share.cluster).copied().unwrap_or(share.blocks);
        let left = || self.clusters.iter().filter(|share| of(share) > 0);
        let longest = left().map(|share| share.e1).max().unwrap_or(0);
        let alone: i128 = left()
            .map(|share| i128::from(of(share)) * i128::from(share.e0))
            .sum();
        let delays: i128 = left()
            .map(|share| i128::from(of(share)) * i128::from(share.e1 - share.e0))
            .sum();
        // Eq. 31, multiplied by M: the largest permitted sum of the delays of all blocks.
        let allowed = self.active * i128::from(window) - (self.active - 1) * i128::from(longest) - alone;
        if delays <= allowed {
            return None;
        }
        let periods = i128::from(window.div_ceil(self.period)) + 1;
        let largest = left().map(|share| share.e1 - share.e0).max().unwrap_or(0);
        let partial = self.active * self.ends * periods * i128::from(largest);
        let mut allowed = allowed - partial;
        let mut memory = 0;
        for share in left() {
            let (blocks, delay) = (i128::from(of(share)), i128::from(share.e1 - share.e0));
            if allowed <= 0 || delay == 0 {
                break; // all later clusters have a delay of 0, too
            }
            if blocks * delay <= allowed {
                allowed -= blocks * delay;
                memory += blocks * i128::from(share.e1);
            } else {
                memory += allowed * i128::from(share.e1) / delay;
                allowed = 0;
            }
        }
        u64::try_from(memory / self.active).ok().or(Some(u64::MAX))
    }
}
