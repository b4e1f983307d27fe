//! Who decides on budgets, and what deciding costs.

use gpusched_analysis::bandwidth::Allocator;
use gpusched_model::time::Time;

/// Decides on the budget of each period; an [`Allocator`], or in a test something worse.
pub trait Governor {
    /// When the kernel must have ended, after its start.
    fn deadline(&self) -> Time;
    /// Q̄·T: the memory time of the periods before the first decision.
    fn nominal(&self) -> Time;
    /// Forgets the run so far.
    fn restart(&mut self);
    /// Q·T of the period that begins `elapsed` after the start of the kernel, while `remaining` blocks of each cluster are not
    /// done.
    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time;
    /// The most memory time with which these blocks end within `window` [ns]; `None` if they do under any traffic.
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
    /// How long before a period it starts, and looks which blocks run.
    pub lead: Time,
    /// The memory time that it takes itself in each period; best-effort cores get that much less.
    pub traffic: Time,
}
