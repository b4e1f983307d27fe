//! Tasks that occupy the core while they wait: (5) of the page.

use super::super::arithmetic::{INFINITE, released};
use super::super::streams::State;

/// A more urgent task on the core that occupies the core while it waits.
pub(super) struct Busy {
    pub task: usize,
    /// Whether its priority on the core is higher than the priority of the analyzed task.
    pub first: bool,
    /// Time from an arrival to the release of the job, and to its end.
    jitter: u64,
    response: u64,
    period: u64,
    /// Sum of all WCETs.
    least: u64,
    /// WCET and delay of each segment. On a core, both are the WCET.
    segments: Vec<(u64, u64)>,
    /// For each segment: position among the resources that may be joint.
    pub joints: Vec<Option<usize>>,
}

impl Busy {
    pub fn new(state: &State, task: usize, first: bool) -> Busy {
        let owner = &state.tasks[task];
        let costs = owner.parts.iter().map(|part| part.cost);
        let parts = owner.parts.iter().zip(&state.bounds[task]);
        Busy {
            task,
            first,
            jitter: owner.jitter,
            response: state.response(task),
            period: owner.period,
            least: costs.fold(0, u64::saturating_add),
            segments: parts
                .map(|(part, bound)| match part.on.is_core() {
                    true => (part.cost, part.cost),
                    false => (part.cost, bound.delay),
                })
                .collect(),
            joints: Vec::new(),
        }
    }

    /// E: time for which a job counts, if the resources `joint` execute its segments without delay.
    /// [`INFINITE`] if the task has no bound, because its jobs queue.
    pub fn occupied(&self, joint: &[usize]) -> u64 {
        if self.response == INFINITE {
            return INFINITE;
        }
        let segments = self.segments.iter().zip(&self.joints);
        let each = segments.map(|(&(cost, delay), place)| {
            let joined = place.is_some_and(|place| joint.contains(&place));
            if joined { cost } else { delay }
        });
        each.fold(0, u64::saturating_add).min(self.response)
    }

    /// Number of jobs with a request in the window.
    pub fn count(&self, window: u64, closed: bool) -> u64 {
        let early = match closed && self.first {
            true => self.jitter,
            false => self.response,
        };
        window.saturating_add(early).div_ceil(self.period)
    }

    /// Work on the core, if each job counts for `occupied`.
    pub fn work(&self, window: u64, closed: bool, occupied: u64) -> u64 {
        let early = self.response.saturating_sub(self.least);
        let any = released(window, (early, self.period, occupied));
        match closed && self.first {
            true => any.min(released(window, (self.jitter, self.period, occupied))),
            false => any,
        }
    }
}
