//! Segments on cores with fixed priorities, without enforced releases.

use super::stream::Stream;
use super::table::{Table, cost};
use super::window::{least, smaller, total};

/// Work of one task on a core.
pub(super) struct Load<'a> {
    priority: u32,
    task: usize,
    /// The whole job of a task with busy-waiting. `None` if the task leaves the core while it
    /// waits.
    busy: Option<Whole>,
    /// Work of the whole job, or of its segments on the core. The window for this work starts at any time. `None` if
    /// the task has no bound, or if a job of a pipelined task executes for more than a period.
    carried: Option<Whole>,
    pipelined: bool,
    /// Segments of the task on the core.
    streams: Vec<&'a Stream>,
}

/// Whole jobs. A window of length w contains ⌈(w + early)/T⌉ jobs, each with the work `cost`.
struct Whole {
    period: u128,
    early: Option<u128>,
    cost: Option<u128>,
}

impl Whole {
    fn work(&self, window: u128) -> Option<u128> {
        let jobs = window.saturating_add(self.early?).div_ceil(self.period);
        Some(jobs.saturating_mul(self.cost?))
    }
}

impl Load<'_> {
    /// Whether the task has no bound. The jobs of such a task may queue. At the same priority, an earlier segment of
    /// the analyzed task may execute while these jobs wait. So every window may start with jobs of this task.
    fn queues(&self) -> bool {
        self.streams.iter().any(|stream| stream.end.is_none())
    }

    /// Returns the work in a window of length `window` that starts without ready work of the
    /// task.
    pub fn work(&self, window: u128) -> Option<u128> {
        match &self.busy {
            Some(whole) => whole.work(window),
            None if self.pipelined => {
                let streams = self.streams.iter();
                let streams =
                    total(streams.map(|stream| Some(stream.jobs(window)?.saturating_mul(stream.cost))));
                smaller(streams, self.carried(window))
            }
            None => {
                let streams = total(self.streams.iter().map(|stream| stream.work(window)));
                smaller(streams, self.carried(window))
            }
        }
    }

    /// Returns the work in a window of length `window` that starts at any time, even while work of the task is ready.
    pub fn carried(&self, window: u128) -> Option<u128> {
        let carried = self.carried.as_ref().and_then(|whole| whole.work(window));
        match self.pipelined {
            true => smaller(
                carried,
                total(self.streams.iter().map(|stream| stream.any(window))),
            ),
            false => carried,
        }
    }
}

/// A core with fixed priorities.
pub(super) struct FixedPriorities<'a> {
    loads: Vec<Load<'a>>,
}

impl<'a> FixedPriorities<'a> {
    /// Creates the core with the segments `all`, which are sorted by task.
    pub fn new(table: &Table<'_>, all: &'a [Stream]) -> FixedPriorities<'a> {
        let by_task = all.chunk_by(|a, b| a.task == b.task);
        let loads = by_task.filter_map(|streams| load(table, streams)).collect();
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
            .filter(|load| load.task != task && load.priority <= level);
        // Several jobs of a pipelined task may be ready before the analyzed segment.
        total(higher.map(|load| match load.priority == level {
            true if load.queues() => None,
            true if load.pipelined => load.carried(window),
            _ => work(load),
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
                let work = self.interference(table, (task, w), |load| load.work(w))?;
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
                let work = self.interference(table, (task, w), |load| load.carried(w))?;
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

/// Returns the work of the task with the segments `streams` on a core.
pub(super) fn load<'a>(table: &Table<'_>, streams: &'a [Stream]) -> Option<Load<'a>> {
    let (first, last) = (streams.first()?, streams.last()?); // an empty list is no task
    let task = table.task(first.task);
    let cost = streams
        .iter()
        .map(|stream| stream.cost)
        .fold(0, u128::saturating_add);
    let whole = table.whole(first.task);
    // If a job is incomplete at the start of the window, the job arrived less than R − (its work) before this start.
    let carried = match task.spins() {
        true => table.response(first.task).zip(whole).map(|(end, cost)| Whole {
            period: first.period,
            early: Some(end.saturating_sub(cost)),
            cost: Some(cost),
        }),
        false if first.pipelined && cost > first.period => None,
        false => last.end.map(|end| Whole {
            period: first.period,
            early: Some(end.saturating_sub(cost.saturating_add(first.earliest))),
            cost: Some(cost),
        }),
    };
    Some(Load {
        priority: task.priority,
        task: first.task,
        busy: task.spins().then(|| Whole {
            period: first.period,
            // Every task with busy-waiting has several segments.
            early: table.response(first.task).map(|_| task.jitter.ns().into()),
            cost: whole,
        }),
        carried,
        pipelined: first.pipelined,
        streams: streams.iter().collect(),
    })
}
