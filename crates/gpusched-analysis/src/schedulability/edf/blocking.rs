//! Blocking under EDF: a running job delays another job that has an earlier deadline.

use crate::schedulability::Demand;

/// Blocking B(t) = max {lₖ − 1 : Dₖ > t}, where lₖ is the longest non-preemptable part of task k [ns]. The blocking job
/// has a later deadline. It started its non-preemptable part at least 1 ns before the release of the job that it
/// blocks. If jobs may start between two nanoseconds ([`Demand::lead`]), B(t) = max {lₖ : Dₖ > t}.
#[derive(Copy, Clone, Debug)]
pub(super) struct Blocking {
    /// Returns the longest blocking by task k [ns].
    hold: fn(&Demand) -> u64,
    most: u64,
}

/// Value of the step function B at t, and the interval up to t on which B has this value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Value of B(t) [ns].
    pub hold: u64,
    /// Start of the interval [ns]. B is constant from this start to t.
    pub since: u64,
}

impl Blocking {
    /// No blocking, as under immediate preemption.
    pub const NONE: Blocking = Blocking { hold: |_| 0, most: 0 };

    /// Creates the function B of `tasks`. `hold` returns the longest time for which a running job
    /// of a task can delay a newly released job [ns].
    pub fn new(tasks: &[Demand], hold: fn(&Demand) -> u64) -> Blocking {
        let earliest = tasks.iter().map(|task| task.deadline).min().unwrap_or_default();
        let later = tasks.iter().filter(|task| task.deadline > earliest);
        Blocking {
            hold,
            most: later.map(hold).max().unwrap_or(0),
        }
    }

    /// Returns the longest blocking that a job of `task` causes [ns].
    pub fn by(&self, task: &Demand) -> u64 {
        if self.most == 0 { 0 } else { (self.hold)(task) }
    }

    /// Returns the maximum of B(t) over all deadlines t.
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
        // As t decreases, B increases when t passes the deadline of a task that blocks longer.
        let since = due
            .filter(|task| task.deadline.ns() <= interval && (self.hold)(task) > hold)
            .map(|task| task.deadline.ns())
            .max()
            .unwrap_or(0);
        Step { hold, since }
    }
}
