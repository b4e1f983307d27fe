//! Work of other tasks on the core of a window, (4) and (5).

use gpusched_model::end_to_end::Resource;

use super::super::load::Load;
use super::super::table::{Table, cost};
use super::super::window::{smaller, total};

/// A task on a core.
pub(super) struct Member<'a> {
    pub task: usize,
    /// Priority on the core.
    pub priority: u32,
    /// Whether the task busy-waits.
    pub busy: bool,
    period: u128,
    jitter: u128,
    /// R: `None` if the task has no bound.
    response: Option<u128>,
    /// e: sum of all WCETs.
    executed: u128,
    load: Load<'a>,
}

impl<'a> Member<'a> {
    /// Creates the task with the work `load` on a core.
    pub fn new(table: &Table<'_>, load: Load<'a>) -> Member<'a> {
        let task = load.task;
        let found = table.task(task);
        Member {
            task,
            priority: found.priority,
            busy: found.spins(),
            period: table.period(task),
            jitter: found.jitter.ns().into(),
            response: table.response(task),
            executed: found.segments.iter().map(cost).fold(0, u128::saturating_add),
            load,
        }
    }

    /// Returns E(Z) of a busy-waiting task: the smaller value of R and the sum of c on the core and on joint resources, and
    /// of S on all others. Returns `None` if the task has no bound.
    pub fn occupied(&self, table: &Table<'_>, is_joint: impl Fn(Resource) -> bool) -> Option<u128> {
        let segments = table.task(self.task).segments.iter().enumerate();
        let times = segments.map(
            |(position, segment)| match segment.on.is_core() || is_joint(segment.on) {
                true => Some(cost(segment)),
                false => table.delay(self.task, position),
            },
        );
        self.response?;
        smaller(self.response, total(times))
    }

    /// Returns n(w), the number of jobs of a busy-waiting task in a window of length `window`. `from_start` tells whether only
    /// jobs count that are released in the window.
    pub fn jobs(&self, window: u128, from_start: bool) -> Option<u128> {
        let response = self.response?;
        let early = if from_start { self.jitter } else { response };
        Some(window.saturating_add(early).div_ceil(self.period))
    }

    /// Returns the time that the task counts on the core, in a window of length `window`. `occupied` is E(Z).
    pub fn work(&self, window: u128, from_start: bool, occupied: Option<u128>) -> Option<u128> {
        if !self.busy {
            return match from_start {
                true => self.load.since_idle(window, true, 0),
                false => self.load.any(window),
            };
        }
        let early = self.response?.saturating_sub(self.executed);
        let carried = window.saturating_add(early).div_ceil(self.period);
        let jobs = match from_start {
            true => self.jobs(window, true)?.min(carried),
            false => carried,
        };
        Some(jobs.saturating_mul(occupied?))
    }
}
