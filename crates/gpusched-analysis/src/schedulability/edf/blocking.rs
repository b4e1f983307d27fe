//! Blocking by a running job with a later deadline.

use crate::schedulability::Demand;

/// Blocking B(t) = max {lengthₖ − 1 : Dₖ > t}. A blocking job has a later deadline, and started its non-preemptable part at least 1
/// ns before the job that it blocks was released.
#[derive(Copy, Clone, Debug)]
pub(super) struct Blocking {
    /// lengthₖ − 1 [ns].
    hold: fn(&Demand) -> u64,
    most: u64,
}

/// Value of the step function B at t, and the start of the interval on which B has this value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// B(t) [ns].
    pub hold: u64,
    /// Start of the interval: B is constant on [since, t].
    pub since: u64,
}

impl Blocking {
    /// No blocking.
    pub const NONE: Blocking = Blocking { hold: |_| 0, most: 0 };

    /// Creates the blocking of `tasks`. `hold` returns the longest time for which a job of a task continues after the release of a
    /// job with an earlier deadline [ns].
    pub fn new(tasks: &[Demand], hold: fn(&Demand) -> u64) -> Blocking {
        let earliest = tasks.iter().map(|task| task.deadline).min().unwrap_or_default();
        let later = tasks.iter().filter(|task| task.deadline > earliest);
        Blocking {
            hold,
            most: later.map(hold).max().unwrap_or(0),
        }
    }

    /// Returns the blocking that `task` causes [ns].
    pub fn by(&self, task: &Demand) -> u64 {
        if self.most == 0 { 0 } else { (self.hold)(task) }
    }

    /// Returns the largest B(t) over all deadlines t.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns the value of B at t = `interval`.
    pub fn at(&self, tasks: &[Demand], interval: u64) -> Step {
        if self.most == 0 {
            return Step { hold: 0, since: 0 };
        }
        let (later, due) = (|task: &&Demand| task.deadline.ns() > interval, tasks.iter());
        let hold = due.clone().filter(later).map(self.hold).max().unwrap_or(0);
        // As t decreases, B increases at the deadline of a task that blocks longer.
        let since = due
            .filter(|task| task.deadline.ns() <= interval && (self.hold)(task) > hold)
            .map(|task| task.deadline.ns())
            .max()
            .unwrap_or(0);
        Step { hold, since }
    }
}
