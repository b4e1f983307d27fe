//! One window for several segments of a job: R(i,k) ≤ R(i,m−1) + W(m,k,Z).
//!
//! The window covers the segments m to k of a job, the core of the task, and the joint resources Z. Each more urgent job
//! counts once. The numbers of the equations are from the page "One window for several segments". The check searches all m
//! and Z of this page for the smallest bound.
//!
//! * `core_work`: the work of other tasks on the core;
//! * `joint`: the work and the losses of joint resources.

mod core_work;
mod joint;

use std::collections::HashMap;

use gpusched_model::end_to_end::{CorePolicy, Idle, Resource};

use super::load::Load;
use super::table::{Table, cost};
use super::window::{least, total};
use core_work::Member;
use joint::{Joint, OnDevice};

/// The windows of all jobs of a system.
pub(super) struct Windows<'a> {
    table: &'a Table<'a>,
    /// Tasks on each core with fixed priorities.
    cores: HashMap<usize, Vec<Member<'a>>>,
    /// Tasks on each copy engine and partition.
    devices: HashMap<Resource, Vec<OnDevice<'a>>>,
}

impl<'a> Windows<'a> {
    /// Prepares the windows; `None` if the proof does not cover the system.
    pub fn new(table: &'a Table<'a>) -> Option<Windows<'a>> {
        let system = table.system;
        if table.shares_memory() || table.enforced() || system.overheads().is_some() {
            return None;
        }
        let (mut cores, mut devices) = (HashMap::new(), HashMap::new());
        for resource in system.resources() {
            let loads = Load::all(table, resource).into_iter();
            match resource {
                Resource::Core(core) if system.cores()[core].policy == CorePolicy::Fp => {
                    let members = loads.map(|load| Member::new(table, load));
                    cores.insert(core, members.collect());
                }
                Resource::Core(_) => {}
                _ => {
                    let tasks = loads.map(|load| OnDevice::new(table, load));
                    devices.insert(resource, tasks.collect());
                }
            }
        }
        Some(Windows {
            table,
            cores,
            devices,
        })
    }

    /// Returns the smallest R of segment `last` of the sequential task `task` that is below `best` and follows from a window. Returns `best` if no
    /// window has a smaller value.
    pub fn end(&self, task: usize, last: usize, best: Option<u128>) -> Option<u128> {
        let found = self.table.task(task);
        let on_core = found.segments[last].on.is_core();
        let members: Vec<&Member<'_>> = match found.core {
            // A core with earliest deadline first has no list, and no window covers a segment on it.
            Some(core) => {
                let all = self.cores.get(&core).map_or(&[][..], Vec::as_slice);
                let urgent = |member: &&Member<'_>| member.task != task && member.priority <= found.priority;
                all.iter().filter(urgent).collect()
            }
            None => Vec::new(),
        };
        let by_deadline = found.core.is_some_and(|core| !self.cores.contains_key(&core));
        let mut best = best;
        let count = if on_core { last + 1 } else { last };
        for first in 0..count {
            let Some(release) = self.table.release(task, first) else {
                continue;
            };
            let uses_core = found.segments[first..=last]
                .iter()
                .any(|segment| segment.on.is_core());
            if uses_core && by_deadline {
                continue;
            }
            let pool = self.pool(task, (first, last), &members);
            for joint in choices(&pool) {
                if !uses_core && joint.is_empty() {
                    continue; // the sum of the delays
                }
                let shortest = best
                    .unwrap_or(self.table.period(task) + 1)
                    .checked_sub(release + 1);
                let Some(limit) = shortest else { break };
                let window = Window::new(self, (task, first, last), &members, &joint);
                let length = window.and_then(|window| least(window.own, limit, |w| window.length(w)));
                if let Some(length) = length {
                    best = Some(release + length);
                }
            }
        }
        best
    }

    /// Returns the suitable resources with a segment `first` to `last` of `task`. If one of these segments is on the core,
    /// also returns the suitable resources with segments of busy-waiting tasks among `members`.
    fn pool(&self, task: usize, (first, last): (usize, usize), members: &[&Member<'_>]) -> Vec<Joint> {
        let covered = &self.table.task(task).segments[first..=last];
        let mut used: Vec<Resource> = covered.iter().map(|segment| segment.on).collect();
        if used.iter().any(|on| on.is_core()) {
            for member in members.iter().filter(|member| member.busy) {
                let segments = self.table.task(member.task).segments.iter();
                used.extend(segments.map(|segment| segment.on));
            }
        }
        let joints = used.into_iter().filter_map(|on| Joint::of(self.table, on));
        let mut joints: Vec<Joint> = joints.collect();
        joints.sort_unstable();
        joints.dedup();
        joints.retain(|&joint| self.suitable(joint, task, members));
        joints
    }

    /// Returns whether a window of `task` may cover `joint`.
    fn suitable(&self, joint: Joint, task: usize, members: &[&Member<'_>]) -> bool {
        let alone = |on: Resource| self.on_device(on).len() < 2;
        match joint {
            Joint::Device(on) => joint::has_rule(self.table.system, on) && !alone(on),
            Joint::Gpu(gpu) => {
                let gpu = &self.table.system.time_slices()[gpu];
                let concerned = |other: usize| {
                    other == task || members.iter().any(|member| member.task == other && member.busy)
                };
                gpu.idle == Idle::Skip
                    && gpu.contexts.iter().all(|context| {
                        let on = Resource::Partition(context.partition);
                        let mut tasks = self.on_device(on).iter();
                        alone(on) || !tasks.any(|found| concerned(found.task))
                    })
            }
        }
    }

    /// Returns the tasks on a copy engine or partition.
    fn on_device(&self, on: Resource) -> &[OnDevice<'a>] {
        self.devices.get(&on).map_or(&[], Vec::as_slice) // no segment uses the resource
    }
}

/// Returns the whole pool, each resource of `pool`, and the empty set. The whole pool often gives the smallest bound, and a small
/// bound ends the search in other windows early.
fn choices(pool: &[Joint]) -> Vec<Vec<Joint>> {
    let whole = (pool.len() > 1).then(|| pool.to_vec());
    let each = pool.iter().map(|&joint| vec![joint]);
    whole.into_iter().chain(each).chain([Vec::new()]).collect()
}

/// One window.
struct Window<'w> {
    /// Σ own.
    own: u128,
    closed: bool,
    /// The tasks of H, with E(Z) of each busy-waiting task.
    members: Vec<(&'w Member<'w>, bool, Option<u128>)>,
    joint: Vec<joint::Losses<'w>>,
}

impl<'w> Window<'w> {
    /// Returns the window over the segments `first` to `last` of `task` and the resources `joint`, or `None` if no bound
    /// follows.
    fn new(
        windows: &'w Windows<'_>,
        (task, first, last): (usize, usize, usize),
        members: &[&'w Member<'w>],
        joint: &[Joint],
    ) -> Option<Window<'w>> {
        let table = windows.table;
        let found = table.task(task);
        let uses_core = found.segments[first..=last]
            .iter()
            .any(|segment| segment.on.is_core());
        let members: &[&Member<'_>] = if uses_core { members } else { &[] };
        let is_joint = |on: Resource| Joint::of(table, on).is_some_and(|of| joint.contains(&of));
        let own = (first..=last).map(|segment| {
            let of = &found.segments[segment];
            match of.on.is_core() || is_joint(of.on) {
                true => Some(cost(of)),
                false => table.delay(task, segment),
            }
        });
        let open = joint.iter().any(|&of| {
            of.orders_by_priority(table.system)
                && of.serves(table, task)
                && members.iter().any(|member| {
                    member.busy
                        && member.priority < found.priority
                        && table.task(member.task).gpu_priority >= found.gpu_priority
                        && of.serves(table, member.task)
                })
        });
        let counted = members
            .iter()
            .map(|&member| {
                let from_start = !open && member.priority < found.priority;
                (member, from_start, member.occupied(table, is_joint))
            })
            .collect();
        // If the job starts without delay, the window starts with the segment `first`.
        let prompt =
            found.segments[first].on.is_core() && !joint.iter().any(|&of| of.is_preemptive(table.system));
        let losses = joint.iter().map(|&of| {
            let busy = members.iter().copied();
            let busy = busy.filter(|member| member.busy && of.serves(table, member.task));
            joint::Losses::new(windows, of, ((task, first, last), prompt), busy.collect())
        });
        Some(Window {
            own: total(own)?,
            closed: !open,
            members: counted,
            joint: losses.collect(),
        })
    }

    /// Returns the right-hand side of (2) for a window of length `window` > 0.
    fn length(&self, window: u128) -> Option<u128> {
        let core = self
            .members
            .iter()
            .map(|(member, from_start, occupied)| member.work(window, *from_start, *occupied));
        let jobs = |member: &Member<'_>| {
            let found = self.members.iter().find(|(other, ..)| other.task == member.task);
            found.and_then(|(_, from_start, _)| member.jobs(window, *from_start))
        };
        let joint = self
            .joint
            .iter()
            .map(|losses| losses.within(window, self.closed, jobs));
        total([Some(self.own)].into_iter().chain(core).chain(joint))
    }
}
