//! Blocking by a running job with a later deadline.

use crate::schedulability::Demand;

/// B(t) = max {lengthₖ − 1 : Dₖ > t}. A job with a later deadline started its non-preemptable part at least 1 ns before.
#[derive(Copy, Clone, Debug)]
pub(super) struct Blocking {
    /// lengthₖ − 1 [ns].
    hold: fn(&Demand) -> u64,
    most: u64,
}

/// B(t), and the start of the interval on which the step function B has this value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// B(t) [ns].
    pub hold: u64,
    /// B is constant on [since, t].
    pub since: u64,
}

impl Blocking {
    /// No blocking.
    pub const NONE: Blocking = Blocking { hold: |_| 0, most: 0 };

    /// Blocking by a job that continues for up to `hold` [ns] after the release of a job with an earlier deadline.
    pub fn new(tasks: &[Demand], hold: fn(&Demand) -> u64) -> Blocking {
        let earliest = tasks.iter().map(|task| task.deadline).min().unwrap_or_default();
        let later = tasks.iter().filter(|task| task.deadline > earliest);
        Blocking {
            hold,
            most: later.map(hold).max().unwrap_or(0),
        }
    }

    /// The blocking that `task` causes [ns].
    pub fn by(&self, task: &Demand) -> u64 {
        if self.most == 0 { 0 } else { (self.hold)(task) }
    }

    /// The largest B(t) at a deadline t.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// B(t) at t = `interval`.
    pub fn at(&self, tasks: &[Demand], interval: u64) -> Step {
        if self.most == 0 {
            return Step { hold: 0, since: 0 };
        }
        let (later, due) = (|task: &&Demand| task.deadline.ns() > interval, tasks.iter());
        let hold = due.clone().filter(later).map(self.hold).max().unwrap_or(0);
        // Towards shorter intervals, B grows at the deadline of a task that blocks longer.
        let since = due
            .filter(|task| task.deadline.ns() <= interval && (self.hold)(task) > hold)
            .map(|task| task.deadline.ns())
            .max()
            .unwrap_or(0);
        Step { hold, since }
    }
}
