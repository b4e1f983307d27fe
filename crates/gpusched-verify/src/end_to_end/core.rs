//! Segments on cores with fixed priorities, without enforced releases.

use gpusched_model::end_to_end::Resource;

use super::load::Load;
use super::table::{Table, cost};
use super::window::{least, smaller, total};

/// A core with fixed priorities.
pub(super) struct FixedPriorities<'a> {
    loads: Vec<Load<'a>>,
}

impl<'a> FixedPriorities<'a> {
    /// Creates the core `on`.
    pub fn new(table: &'a Table<'_>, on: Resource) -> FixedPriorities<'a> {
        let loads = Load::all(table, on);
        FixedPriorities { loads }
    }

    /// Returns the work of all other tasks with the priority of `task` or a higher priority. `work` returns the work of
    /// one task.
    fn interference(
        &self,
        table: &Table<'_>,
        (task, window): (usize, u128),
        work: impl Fn(&Load<'_>) -> Option<u128>,
    ) -> Option<u128> {
        let level = table.task(task).priority;
        let higher = self
            .loads
            .iter()
            .filter(|load| load.task != task && table.task(load.task).priority <= level);
        // Several jobs of a pipelined task may be ready before the analyzed segment. So may several jobs of a task without a
        // bound, because an earlier segment of the analyzed task may execute while they wait.
        total(higher.map(|load| {
            let found = table.task(load.task);
            match found.priority == level {
                true if found.is_pipelined() => load.any(window),
                true if table.response(load.task).is_none() => None,
                _ => work(load),
            }
        }))
    }

    /// Returns the least valid R of `segment` of `task`, or `None` if the segment has no bound.
    pub fn end(&self, table: &Table<'_>, task: usize, segment: usize) -> Option<u128> {
        let limit = table.period(task);
        let found = &table.task(task).segments[segment];
        let from_idle = table.lost_from_idle(found.on, task);
        // A window that starts when no more urgent task has ready work.
        let window = |own: u128| {
            least(own, limit, |w| {
                let work = self.interference(table, (task, w), |load| load.since_idle(w, true, 0))?;
                Some(work.saturating_add(own).saturating_add(from_idle.within(w)))
            })
        };
        // Joint: a single window covers all segments up to this segment. The window starts at the release of the job.
        let jitter = u128::from(table.task(task).jitter.ns());
        let joint = table.prefix(task, segment).and_then(window);
        let joint = joint.map(|length| length.saturating_add(jitter));
        if segment == 0 {
            return joint.filter(|&end| end <= limit);
        }
        // Local: a window for this segment alone. If more urgent work is ready at the release of the segment, the
        // window starts before the release. Earlier segments of the same job may then execute in the window, and their
        // traffic delays the more urgent work. So this window counts the traffic of the analyzed task. A window that
        // starts at the release does not count this traffic. Instead, it counts the pending work of other tasks at the
        // release.
        let own = cost(found);
        let from_release = table.lost_from_release(found.on, task);
        let carried = table.shares_memory().then(|| {
            least(own, limit, |w| {
                let work = self.interference(table, (task, w), |load| load.any(w))?;
                Some(work.saturating_add(own).saturating_add(from_release.within(w)))
            })
        });
        let local = smaller(window(own), carried.flatten());
        let release = table.release(task, segment);
        let local = release
            .zip(local)
            .map(|(release, length)| release.saturating_add(length));
        smaller(joint, local).filter(|&end| end <= limit)
    }
}
