//! Memory bandwidth budgets of the CPU cores, one for each regulation period. A budget policy
//! protects the deadline of one kernel.

use crate::regulation::Governor;
use gpusched_analysis::bandwidth::{Allocator, RemainingTable};
use gpusched_model::error::{Error, Result};
use gpusched_model::scenario::{CpuTraffic, ScenarioShape};
use gpusched_model::time::Time;
use gpusched_model::{Kernel, Straddling};

/// Computes the budget of each regulation period.
pub(super) struct Budgets {
    /// Nominal budget Q̄·T per regulation period.
    nominal: Time,
    protected: Option<Protected>,
}

/// The kernel that the budget policy protects.
struct Protected {
    /// Index of the kernel in the scenario.
    kernel: usize,
    governor: Box<dyn Governor>,
    table: RemainingTable,
    /// Start of the first block of the kernel.
    started: Option<Time>,
    /// Number of incomplete blocks in each cluster.
    remaining: Vec<u64>,
    /// Number of incomplete blocks in all clusters.
    left: u64,
}

impl Budgets {
    /// Creates the budgets of the CPU cores `cpu` in `scenario`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the budget policy cannot decide on budgets for the
    /// protected kernel.
    pub fn new(cpu: &CpuTraffic, scenario: &ScenarioShape) -> Result<Budgets> {
        let protected = cpu
            .protected(scenario)?
            .map(|(position, kernel)| {
                let allocator = Allocator::new(&kernel, cpu.budget, cpu.policy, Straddling::default());
                let allocator = allocator.map_err(|error| {
                    Error::from(error).map_refusal(|refusal| refusal.of_field("cpu.budget"))
                })?;
                Ok::<_, Error>(Protected::new(position, &kernel, Box::new(allocator)))
            })
            .transpose()?;
        let (numerator, denominator) = cpu.budget.ratio();
        let period = cpu.regulation_period.ns();
        // The nominal budget is rounded up, as in the WCET bound.
        let burst = (u128::from(period) * u128::from(numerator)).div_ceil(u128::from(denominator));
        let burst = u64::try_from(burst).unwrap_or(period).min(period);
        Ok(Budgets {
            nominal: Time::from_ns(burst),
            protected,
        })
    }

    /// Returns the budget for the regulation period that starts at `now`. The caller records the block ends at `now`
    /// before this call, and the block starts at `now` after this call.
    pub fn decide(&mut self, now: Time) -> Time {
        match &mut self.protected {
            Some(protected) => protected.decide(now).unwrap_or(self.nominal),
            None => self.nominal,
        }
    }

    /// Returns whether all further periods have the nominal budget.
    pub fn is_settled(&self) -> bool {
        self.protected
            .as_ref()
            .is_none_or(|protected| protected.left == 0)
    }

    /// Records the start of a block of `kernel`.
    pub fn block_started(&mut self, now: Time, kernel: usize) {
        if let Some(protected) = self.of(kernel) {
            protected.started.get_or_insert(now);
        }
    }

    /// Records the end of block `block` of `kernel`.
    pub fn block_ended(&mut self, kernel: usize, block: u32) {
        if let Some(protected) = self.of(kernel) {
            protected.end(block);
        }
    }

    fn of(&mut self, kernel: usize) -> Option<&mut Protected> {
        self.protected
            .as_mut()
            .filter(|protected| protected.kernel == kernel)
    }
}

impl Protected {
    fn new(position: usize, kernel: &Kernel, governor: Box<dyn Governor>) -> Protected {
        Protected {
            kernel: position,
            governor,
            table: RemainingTable::new(kernel),
            started: None,
            remaining: kernel.clusters().iter().map(|cluster| cluster.blocks()).collect(),
            left: kernel.blocks(),
        }
    }

    /// Returns the decision of the policy while the kernel runs, or `None` if the kernel does not
    /// run.
    fn decide(&mut self, now: Time) -> Option<Time> {
        let started = self.started.filter(|_| self.left > 0)?;
        let elapsed = now.ns().saturating_sub(started.ns());
        Some(self.governor.decide(Time::from_ns(elapsed), &self.remaining))
    }

    fn end(&mut self, block: u32) {
        let cluster = self.table.cluster_of(block.into());
        if let Some(count) = cluster.and_then(|cluster| self.remaining.get_mut(cluster)) {
            *count = count.saturating_sub(1);
        }
        self.left = self.left.saturating_sub(1);
    }
}
