//! How long CPU cores may access memory in each regulation period: a policy beside the kernel that it protects.

use crate::regulation::Governor;
use gpusched_analysis::bandwidth::{Allocator, RemainingTable};
use gpusched_model::error::{Error, Result};
use gpusched_model::scenario::{CpuTraffic, ScenarioShape};
use gpusched_model::time::Time;
use gpusched_model::{Kernel, Straddling};

/// The budgets of regulation periods.
pub(super) struct Budgets {
    /// Q̄·T.
    nominal: Time,
    protected: Option<Protected>,
}

/// A kernel for whose sake budgets are decided.
struct Protected {
    /// Its position in the scenario.
    kernel: usize,
    governor: Box<dyn Governor>,
    table: RemainingTable,
    /// When its first block started.
    started: Option<Time>,
    /// The blocks of each cluster that have not ended.
    remaining: Vec<u64>,
    /// All of these.
    left: u64,
}

impl Budgets {
    /// Those of `cpu` in `scenario`.
    ///
    /// # Errors
    /// [`Error::Refused`] for a policy that cannot decide.
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
        // Rounded up, as in the bound.
        let burst = (u128::from(period) * u128::from(numerator)).div_ceil(u128::from(denominator));
        let burst = u64::try_from(burst).unwrap_or(period).min(period);
        Ok(Budgets {
            nominal: Time::from_ns(burst),
            protected,
        })
    }

    /// The memory time of the period that begins at `now`. All that ends at `now` has ended, nothing has started.
    pub fn decide(&mut self, now: Time) -> Time {
        match &mut self.protected {
            Some(protected) => protected.decide(now).unwrap_or(self.nominal),
            None => self.nominal,
        }
    }

    /// Whether all later budgets are nominal.
    pub fn is_settled(&self) -> bool {
        self.protected
            .as_ref()
            .is_none_or(|protected| protected.left == 0)
    }

    /// A block of `kernel` starts.
    pub fn block_started(&mut self, now: Time, kernel: usize) {
        if let Some(protected) = self.of(kernel) {
            protected.started.get_or_insert(now);
        }
    }

    /// Block `block` of `kernel` has ended.
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

    /// The decision, while the kernel runs.
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
