//! The windows of each task: (1) and (2) of the page.

use std::ops::RangeInclusive;

use gpusched_model::end_to_end::{CorePolicy, Resource, System, Task};

use super::super::arithmetic::{INFINITE, least};
use super::super::streams::State;
use super::super::work::Work;
use super::busy::Busy;
use super::joint::Joint;
use super::station::{Rule, Station};

/// The parts of a system that the windows cover.
pub(in super::super) struct Windows {
    stations: Vec<Station>,
    /// For each task and segment: position of its station; `None` if no window covers the segment on its resource.
    homes: Vec<Vec<Option<usize>>>,
    /// Whether windows bound the segments of the task.
    allowed: Vec<bool>,
    /// Whether the core of the task has earliest deadline first. No window covers a segment on such a core.
    by_deadline: Vec<bool>,
    /// For each segment: position of the window that gave the last bound. It is most often the best one again.
    best: Vec<Vec<usize>>,
}

impl Windows {
    /// Returns the windows of `system`. With a shared memory, overheads of dispatchers or enforced releases, no task has windows.
    /// A pipelined task never has windows. One segment on a core has no windows if all tasks leave the core while they wait: its
    /// only window has the work of the equation of the core, or more.
    pub fn of(system: &System, state: &State) -> Windows {
        let covered = state.memory.is_none() && system.overheads().is_none() && !state.enforced;
        let mut occupied = vec![false; system.cores().len()];
        for core in system
            .tasks()
            .iter()
            .filter(|task| task.spins())
            .filter_map(|task| task.core)
        {
            occupied[core] = true;
        }
        let single = |task: &Task| match task.segments[..] {
            [ref only] => matches!(only.on, Resource::Core(core) if !occupied[core]),
            _ => false,
        };
        let allowed = { system.tasks().iter() }.map(|task| covered && !task.is_pipelined() && !single(task));
        let allowed: Vec<bool> = allowed.collect();
        if !allowed.contains(&true) {
            return Windows::none(state);
        }
        let by_deadline = system.tasks().iter().map(|task| {
            let core = task.core.and_then(|core| system.cores().get(core));
            core.is_some_and(|core| core.policy == CorePolicy::Edf)
        });
        let stations = Station::all(system, state);
        let homes = Station::homes(&stations, state);
        Windows {
            allowed,
            by_deadline: by_deadline.collect(),
            best: homes.iter().map(|row| vec![usize::MAX; row.len()]).collect(),
            stations,
            homes,
        }
    }

    /// Returns no windows.
    pub fn none(state: &State) -> Windows {
        Windows {
            stations: Vec::new(),
            homes: Vec::new(),
            allowed: vec![false; state.tasks.len()],
            by_deadline: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Marks the tasks whose bounds the windows of `task` use.
    pub fn mark(&self, state: &State, task: usize, marks: &mut [bool]) {
        if !self.allowed[task] {
            return;
        }
        let mut stations: Vec<usize> = self.homes[task].iter().flatten().copied().collect();
        for (other, _) in self.more_urgent(state, task) {
            marks[other] = true;
            if state.tasks[other].spins {
                stations.extend(self.homes[other].iter().flatten());
            }
        }
        stations.sort_unstable();
        stations.dedup();
        for &(other, _) in stations.iter().flat_map(|&station| &self.stations[station].tasks) {
            marks[other] = true;
        }
    }

    /// Returns the bound on the end of `segment` of `task`: the smaller value of `end` and of the bounds of all windows. If it is at
    /// most the present bound of the segment, the exact value does not matter, because bounds never decrease. `prepared` has the
    /// windows of the last task.
    pub fn smaller(
        &mut self,
        state: &State,
        (task, segment): (usize, usize),
        end: u64,
        prepared: &mut Option<JobWindows>,
    ) -> u64 {
        if !self.allowed[task] || end <= state.bound(task, segment).end {
            return end;
        }
        if prepared.as_ref().is_none_or(|windows| windows.task != task) {
            *prepared = Some(self.prepare(state, task));
        }
        let best = &mut self.best[task][segment];
        prepared
            .as_ref()
            .map_or(end, |windows| windows.end(state, segment, end, best))
    }

    fn prepare(&self, state: &State, task: usize) -> JobWindows {
        let own = &state.tasks[task];
        let mut loads = Vec::new();
        let mut busy = Vec::new();
        for (other, core) in self.more_urgent(state, task) {
            let first = state.tasks[other].priority < own.priority;
            match state.tasks[other].spins {
                true => busy.push(Busy::new(state, other, first)),
                false => loads.push(Work::of(state, other, core, first)),
            }
        }
        let mut joints: Vec<(usize, Joint)> = Vec::new();
        let clients = std::iter::once(task).chain(busy.iter().map(|busy| busy.task));
        for home in clients.flat_map(|client| self.homes[client].iter().flatten().copied()) {
            let station = &self.stations[home];
            // Without other tasks, the delay of a segment is its WCET, except for the turns of a time-sliced GPU.
            let shared = station.tasks.len() > 1 || matches!(station.rule, Rule::TimeSliced(_));
            if shared
                && joints.iter().all(|(found, _)| *found != home)
                && let Some(joint) = Joint::new(state, station, task, &busy)
            {
                joints.push((home, joint));
            }
        }
        let place = |segment: &Option<usize>| joints.iter().position(|(home, _)| Some(*home) == *segment);
        for busy in &mut busy {
            busy.joints = self.homes[busy.task].iter().map(place).collect();
        }
        JobWindows {
            task,
            by_deadline: self.by_deadline[task],
            places: self.homes[task].iter().map(place).collect(),
            joints: joints.into_iter().map(|(_, joint)| joint).collect(),
            loads,
            busy,
        }
    }

    /// Returns the other tasks on the core of `task` that are at least as urgent there, with the core. A core under earliest
    /// deadline first has none.
    fn more_urgent(&self, state: &State, task: usize) -> impl Iterator<Item = (usize, Resource)> {
        let own = &state.tasks[task];
        let core = own.on_core.map(|(first, _)| own.parts[first].on);
        let core = core.filter(|_| !self.by_deadline[task]);
        let others = state
            .tasks
            .iter()
            .enumerate()
            .filter(move |&(other, _)| other != task);
        let more = others.filter(|(_, other)| other.priority <= own.priority);
        more.filter_map(move |(other, found)| {
            let core = core.filter(|&core| found.parts.iter().any(|part| part.on == core))?;
            Some((other, core))
        })
    }
}

/// The windows of one task, for given bounds of the other tasks.
pub(in super::super) struct JobWindows {
    task: usize,
    /// Whether no window covers a segment on the core.
    by_deadline: bool,
    /// Work of the tasks that leave the core.
    loads: Vec<Work>,
    busy: Vec<Busy>,
    joints: Vec<Joint>,
    /// For each own segment: position in `joints`.
    places: Vec<Option<usize>>,
}

/// A window from the release of one segment to the end of another one.
struct Span<'a> {
    segments: RangeInclusive<usize>,
    /// Positions of the joint resources.
    joint: &'a [usize],
}

impl JobWindows {
    /// Returns the smaller value of `end` and of the bounds of all windows of `segment`. `position` is the window that is tried first,
    /// and becomes the best window.
    fn end(&self, state: &State, segment: usize, end: u64, position: &mut usize) -> u64 {
        let owner = &state.tasks[self.task];
        let on_core = owner.parts[segment].on.is_core();
        let known = state.bound(self.task, segment).end;
        let mut best = end;
        let mut pool: Vec<usize> = Vec::new();
        let mut spans = Vec::new();
        let mut core = false;
        for first in (0..=segment).rev() {
            if owner.parts[first].on.is_core() && self.by_deadline {
                break;
            }
            if owner.parts[first].on.is_core() && !core {
                core = true;
                for waiting in self.busy.iter().flat_map(|busy| busy.joints.iter().flatten()) {
                    if !pool.contains(waiting) {
                        pool.push(*waiting);
                    }
                }
            }
            if let Some(place) = self.places[first].filter(|place| !pool.contains(place)) {
                pool.push(place);
            }
            if first == segment && !on_core {
                continue;
            }
            spans.push((first, Vec::new()));
            spans.extend(pool.iter().map(|&place| (first, vec![place])));
            if pool.len() > 1 {
                spans.push((first, pool.clone()));
            }
        }
        // Without a known window, the largest window with the most joint resources is most often the best one.
        let tried = *position;
        let order = std::iter::once(tried).chain((0..spans.len()).rev().filter(|&other| other != tried));
        for index in order {
            if best <= known {
                break;
            }
            let Some((first, joint)) = spans.get(index) else {
                continue;
            };
            let before = match first.checked_sub(1) {
                None => owner.jitter,
                Some(before) => state.bound(self.task, before).end,
            };
            if before >= best {
                continue;
            }
            let limit = owner.period.min(best.saturating_sub(before));
            let segments = *first..=segment;
            let span = Span { segments, joint };
            // The present bound is at most the result, so it is a start for the iteration.
            let window = self.window(state, &span, known.saturating_sub(before), limit);
            let found = before.saturating_add(window);
            if found < best {
                (best, *position) = (found, index);
            }
        }
        best
    }

    /// Returns the least window of `span` that is at least `start`; [`INFINITE`] above `limit`.
    fn window(&self, state: &State, span: &Span<'_>, start: u64, limit: u64) -> u64 {
        let parts = &state.tasks[self.task].parts;
        let segments = span.segments.clone();
        let on_core = segments.clone().any(|segment| parts[segment].on.is_core());
        let busy = if on_core { &self.busy[..] } else { &[] };
        let loads = if on_core { &self.loads[..] } else { &[] };
        let closed = !on_core || !span.joint.iter().any(|&joint| self.joints[joint].opens);
        // Then the first segment starts without delay if a job takes its BCETs, and the window starts with it.
        let prompt = segments
            .clone()
            .next()
            .is_some_and(|first| parts[first].on.is_core())
            && !span.joint.iter().any(|&joint| self.joints[joint].is_preemptive());
        let own = segments.map(|segment| {
            let joined = self.places[segment].is_some_and(|place| span.joint.contains(&place));
            match joined || parts[segment].on.is_core() {
                true => parts[segment].cost,
                false => state.bound(self.task, segment).delay,
            }
        });
        let own = own.fold(0, u64::saturating_add);
        let occupied: Vec<u64> = busy.iter().map(|busy| busy.occupied(span.joint)).collect();
        if own > limit || occupied.contains(&INFINITE) {
            return INFINITE;
        }
        least(start.max(own), limit, |window| {
            let mut work = own;
            for load in loads {
                work = work.saturating_add(if closed {
                    load.within(window)
                } else {
                    load.any(window)
                });
            }
            for (busy, &occupied) in busy.iter().zip(&occupied) {
                work = work.saturating_add(busy.work(window, closed, occupied));
            }
            for &joint in span.joint {
                if work > limit {
                    return INFINITE;
                }
                let joint = &self.joints[joint];
                work =
                    work.saturating_add(joint.delay(state, (&span.segments, prompt), busy, (window, closed)));
            }
            work
        })
    }
}
