//! Governors decide on memory bandwidth budgets. These decisions have a cost.

use gpusched_analysis::bandwidth::Allocator;
use gpusched_model::time::Time;

/// Decides on the memory bandwidth budget of each regulation period. An [`Allocator`] guarantees
/// that the kernel meets its deadline. Some governors in tests lack this guarantee.
pub trait Governor {
    /// Returns the deadline of the kernel, counted from its start.
    fn deadline(&self) -> Time;
    /// Returns the nominal budget Q̄·T, where T is the regulation period. The nominal budget
    /// applies until the first decision of the governor.
    fn nominal(&self) -> Time;
    /// Prepares the governor for the next run.
    fn restart(&mut self);
    /// Returns the budget Q·T of the regulation period that starts `elapsed` after the start of
    /// the kernel. `remaining` is the number of incomplete blocks in each cluster.
    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time;
    /// Returns the largest memory time of best-effort cores with which the blocks in `remaining` still end within
    /// `window` [ns]. Returns `None` if these blocks end within `window` under any memory traffic.
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

/// The CPU process that computes budgets during the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// Lead. The process starts this time before the period for which it computes the budget. The process observes the
    /// running blocks when it starts.
    pub lead: Time,
    /// Memory time that the process uses in each period. gpusched subtracts this time from the budget of the
    /// best-effort cores.
    pub traffic: Time,
}
