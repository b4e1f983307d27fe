//! Enumeration of all divisions of a few tasks into groups.

use super::least_sms::{Divisions, Least};
use super::parts_of;
use crate::partitioning::search::{Part, lemmas, total};

/// Maximum number of tasks for an enumeration. 10 tasks have 115,975 divisions into groups, and the enumeration skips
/// most of these divisions.
const MOST_TASKS: usize = 10;

/// Replaces `best` by a plan with fewer than `below` SMs, until no division of the tasks has such a plan, or until the plan
/// has at most `target` SMs. Returns whether the search examined all divisions.
///
/// The enumeration skips a division if some of its tasks already need too many SMs. This is correct only if tasks never need
/// fewer SMs together than alone ([`lemmas::hold`]).
pub(super) fn enumerate(
    divisions: &mut Divisions<'_>,
    best: &mut Option<Vec<Part>>,
    (target, below): (u32, u32),
) -> bool {
    let problem = divisions.problem();
    if problem.tasks().len() > MOST_TASKS || !lemmas::hold(problem) {
        return false;
    }
    let mut all = Enumeration {
        divisions,
        best,
        below,
        target,
        groups: Vec::new(),
        complete: true,
    };
    all.extend(0);
    all.complete && all.below > target
}

struct Enumeration<'d, 'p> {
    divisions: &'d mut Divisions<'p>,
    best: &'d mut Option<Vec<Part>>,
    /// The enumeration seeks plans with fewer SMs than this number.
    below: u32,
    target: u32,
    /// Groups of the current division.
    groups: Vec<Vec<usize>>,
    complete: bool,
}

impl Enumeration<'_, '_> {
    /// Adds `task` to each group of the division, or to a new group, and continues with the next task.
    fn extend(&mut self, task: usize) {
        if self.below <= self.target {
            return; // the plan is good enough
        }
        if self.divisions.exhausted() {
            self.complete = false;
            return;
        }
        // A group needs at least as many SMs with more tasks and with memory traffic.
        let mut least = 0u32;
        for index in 0..self.groups.len() {
            let Some(sms) = self.divisions.alone(&self.groups[index]) else {
                return;
            };
            least = least.saturating_add(sms);
        }
        if least >= self.below {
            return;
        }
        if task == self.divisions.problem().tasks().len() {
            self.note();
            return;
        }
        for place in 0..self.groups.len() {
            self.groups[place].push(task);
            self.extend(task + 1);
            self.groups[place].pop();
        }
        self.groups.push(vec![task]);
        self.extend(task + 1);
        self.groups.pop();
    }

    /// Keeps the current division, which contains all tasks, if it has a plan with fewer SMs.
    fn note(&mut self) {
        match self.divisions.least_sms(&self.groups, self.below - 1, u64::MAX) {
            Least::Sizes(sizes) => {
                let parts = parts_of(&self.groups, &sizes);
                self.below = total(&parts);
                *self.best = Some(parts);
            }
            Least::Nothing => {}
            Least::Unknown => self.complete = false,
        }
    }
}
