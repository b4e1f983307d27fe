//! Governors, which decide on budgets, and the cost of these decisions.

use gpusched_analysis::bandwidth::Allocator;
use gpusched_model::time::Time;

/// Decides on the budget of each regulation period. An [`Allocator`] is a safe governor. Tests also use unsafe governors.
pub trait Governor {
    /// Returns the deadline of the kernel, counted from its start.
    fn deadline(&self) -> Time;
    /// Returns Q̄·T, the memory time of best-effort cores in each period before the first decision.
    fn nominal(&self) -> Time;
    /// Prepares the governor for the next run.
    fn restart(&mut self);
    /// Returns the budget Q·T of the period that starts `elapsed` after the start of the kernel. `remaining` is the number
    /// of incomplete blocks in each cluster.
    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time;
    /// Returns the largest memory time for which the blocks in `remaining` end within `window` [ns]. Returns `None` if
    /// these blocks end within `window` under any memory traffic.
    fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64>;
}

impl Governor for Allocator {
    fn deadline(&self) -> Time {
        self.deadline()
    }

    fn nominal(&self) -> Time {
        self.nominal()
    }

    fn restart(&mut self) {
        self.restart();
    }

    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time {
        self.decide(elapsed, remaining)
    }

    fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        self.memory(window, remaining)
    }
}

/// The process that computes budgets during the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// Lead: time from the start of the process to the start of the period for which it computes the budget. The process
    /// observes the running blocks when it starts.
    pub lead: Time,
    /// Memory time that the process uses in each period. gpusched subtracts it from the budget of the best-effort cores.
    pub traffic: Time,
}
