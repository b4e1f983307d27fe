//! Notes on task sets that are valid but probably contain a mistake.

use std::collections::BTreeSet;

use crate::cli::complain;
use crate::cli::report::clip;
use crate::model::{Plan, TaskSet};
use crate::time::Time;

/// A shorter time of a kernel is probably a number without its unit.
const SHORT: Time = Time::from_ns(1_000);

/// Notes that were already written for a stream of task sets; each kind of note appears once.
#[derive(Debug, Default)]
pub struct Notes {
    names: bool,
    times: bool,
}

impl Notes {
    /// Writes the notes on `set`.
    pub fn on(&mut self, set: &TaskSet) {
        if let Some(name) = repeated(set).filter(|_| !self.names) {
            self.names = true;
            complain(&format!(
                "note: several tasks are called `{}`; results tell them apart by their position",
                clip(name, 40)
            ));
        }
        if let Some((field, time)) = short(set).filter(|_| !self.times) {
            self.times = true;
            let ns = time.ns();
            complain(&format!(
                "note: `{field}` of {ns} ns is below 1 us: a number without unit is in nanoseconds (write \"{ns}ms\" for milliseconds)"
            ));
        }
    }
}

/// The first name that two tasks share.
fn repeated(set: &TaskSet) -> Option<&str> {
    let mut seen = BTreeSet::new();
    let mut names = set.tasks().iter().filter_map(|task| task.name());
    names.find(|name| !seen.insert(*name))
}

/// The first period or deadline below [`SHORT`], with its field.
fn short(set: &TaskSet) -> Option<(&'static str, Time)> {
    set.tasks().iter().find_map(|task| {
        let times = [("period", task.period()), ("deadline", task.deadline())];
        times.into_iter().find(|(_, time)| *time < SHORT)
    })
}

/// Writes a note if the plan uses Cⁿ for tasks without a stated Cᶜ.
pub fn conflict(set: &TaskSet, plan: &Plan) {
    let groups = plan.partitions.iter().map(|partition| &partition.tasks[..]);
    conflict_in(set, groups);
}

/// Writes the note of [`conflict`] for the tasks in `groups`; each group shares a partition.
pub fn conflict_in<'t>(set: &TaskSet, groups: impl Iterator<Item = &'t [usize]>) {
    let mut silent: Vec<usize> = Vec::new();
    for group in groups {
        let rivals = |task: usize, other: usize| {
            let kind = |index: usize| set.tasks().get(index).and_then(|task| task.kind());
            task != other && (kind(task).is_none() || kind(other).is_none() || kind(task) == kind(other))
        };
        silent.extend({ group.iter().copied() }.filter(|&task| {
            let stated = { set.tasks().get(task) }.is_none_or(|task| task.wcet().states_conflict());
            !stated && group.iter().any(|&other| rivals(task, other))
        }));
    }
    silent.sort_unstable();
    let Some(&first) = silent.first() else { return };
    let name = clip(&set.label(first), 40);
    let tasks = match silent.len() {
        1 => format!("task `{name}` shares"),
        many => format!("{many} tasks, such as `{name}`, share"),
    };
    complain(&format!(
        "note: {tasks} a partition with tasks of the same kind, without a WCET in `conflict`: \
         gpusched uses the isolated WCET, which is unsafe if they delay each other"
    ));
}
