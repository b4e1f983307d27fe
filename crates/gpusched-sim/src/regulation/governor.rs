//! Governors, which decide on budgets, and the cost of their decisions.

use gpusched_analysis::bandwidth::Allocator;
use gpusched_model::time::Time;

/// Decides on the budget of each period. An [`Allocator`] is a governor. Tests also use unsafe governors.
pub trait Governor {
    /// Returns the deadline of the kernel, counted from its start.
    fn deadline(&self) -> Time;
    /// Returns Q̄·T, the memory time of the periods before the first decision.
    fn nominal(&self) -> Time;
    /// Forgets the present run.
    fn restart(&mut self);
    /// Returns the budget Q·T of the period that starts `elapsed` after the start of the kernel. The number of incomplete
    /// blocks of each cluster is `remaining`.
    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time;
    /// Returns the largest memory time with which these blocks end within `window` [ns]. `None` if they end under any traffic.
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

/// The process that computes budgets at run time.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// Lead: the process starts and observes the running blocks this long before each period.
    pub lead: Time,
    /// Memory time that the process uses in each period. The budget of the best-effort cores shrinks by this time.
    pub traffic: Time,
}
