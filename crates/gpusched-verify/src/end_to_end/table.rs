//! The table of bounds, and the streams of releases that follow from it.

use std::collections::HashMap;

use gpusched_model::end_to_end::{Evidence, Resource, Segment, System, Task, TaskBounds};
use gpusched_model::time::Time;

use super::compare::same_length;
use super::edf::signed;
use super::service::{Lost, Memory, Service, TimeSliced, Until, starts_idle};
use super::stream::Stream;
use super::window::total;
use crate::fault::Fault;

/// The table of bounds of a system.
pub(super) struct Table<'a> {
    pub system: &'a System,
    bounds: &'a [TaskBounds],
    offsets: Option<&'a [Vec<Time>]>,
    streams: HashMap<Resource, Vec<Stream>>,
    /// The memory that all resources share; `None` if the system counts no memory traffic.
    memory: Option<Memory>,
    /// The time-sliced partitions, in the order of the system.
    time_sliced: Vec<TimeSliced>,
}

impl<'a> Table<'a> {
    /// Reads the table in `evidence`.
    ///
    /// # Errors
    /// Fails if a list has a wrong length, if a bound is above the period, if a value that must be null has a bound, or
    /// if the enforced releases are invalid.
    pub fn new(system: &'a System, evidence: &'a Evidence) -> Result<Table<'a>, Fault> {
        let bounds = evidence.bounds.0.as_slice();
        let tasks = system.tasks();
        same_length("bounds", bounds.len(), tasks.len(), "task")?;
        let offsets = evidence.offsets_ns.as_deref();
        for (index, (task, bounds)) in tasks.iter().zip(bounds).enumerate() {
            check_shape(task, bounds, offsets.is_some())
                .map_err(|fault| fault.inside(&format!("bounds[{index}]")))?;
        }
        if let Some(offsets) = offsets {
            check_offsets(tasks, offsets)?;
        }
        if offsets.is_some() && tasks.iter().any(Task::is_pipelined) {
            let message = "found enforced releases, expected none with a pipelined task";
            return Err(Fault::new("offsets_ns", message));
        }
        let mut table = Table {
            system,
            bounds,
            offsets,
            streams: HashMap::new(),
            memory: None,
            time_sliced: Vec::new(),
        };
        for (task, found) in tasks.iter().enumerate() {
            for (segment, on) in found.segments.iter().map(|segment| segment.on).enumerate() {
                let stream = table.stream(task, segment);
                table.streams.entry(on).or_default().push(stream);
            }
        }
        table.memory = Memory::new(system, &table.streams);
        let gpus = system.time_slices().iter();
        table.time_sliced = gpus
            .map(|gpu| TimeSliced::new(gpu, system, &table.streams))
            .collect();
        Ok(table)
    }

    /// Returns whether timers release the segments.
    pub fn enforced(&self) -> bool {
        self.offsets.is_some()
    }

    /// Returns whether all resources share a memory.
    pub fn shares_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Returns the time that `resource` loses in windows that start at the release of a segment of `task` on
    /// `resource`. While this segment waits or executes, no other segment of `task` executes.
    pub fn lost_from_release(&self, resource: Resource, task: usize) -> Lost<'_> {
        let memory = self.memory.as_ref();
        memory.map_or(Lost::default(), |memory| memory.lost(resource, Some(task)))
    }

    /// Returns the time that `resource` loses in windows that start when no work of other tasks is pending. These
    /// windows start at the release of a segment of `task` or before. Before the release, other segments of `task` may
    /// execute. If `resource` has no other tasks, the window starts at the release.
    pub fn lost_from_idle(&self, resource: Resource, task: usize) -> Lost<'_> {
        if self.streams(resource).iter().all(|stream| stream.task == task) {
            return self.lost_from_release(resource, task);
        }
        let memory = self.memory.as_ref();
        memory.map_or(Lost::default(), |memory| memory.lost(resource, None))
    }

    /// Returns the service of `resource` in windows where it loses the time `lost` to memory traffic.
    pub fn service<'b>(&'b self, resource: Resource, lost: Lost<'b>) -> Service<'b> {
        let turns = self
            .gpu(resource)
            .map(|(gpu, context)| self.time_sliced[gpu].turns(context));
        Service { lost, turns }
    }

    /// Returns the position of the time-sliced partition with the context `resource`, and the position of the context.
    pub fn gpu(&self, resource: Resource) -> Option<(usize, usize)> {
        let Resource::Partition(partition) = resource else {
            return None;
        };
        let mut gpus = self.system.time_slices().iter().enumerate();
        gpus.find_map(|(gpu, found)| Some((gpu, found.position(partition)?)))
    }

    /// Returns the time-sliced partition at `gpu`, a position among the time-sliced partitions of the system.
    pub fn time_sliced(&self, gpu: usize) -> &TimeSliced {
        &self.time_sliced[gpu]
    }

    /// Returns the end of a window that starts at the release of `stream`.
    pub fn until_end(&self, stream: &Stream) -> Until {
        let on = self.task(stream.task).segments[stream.segment].on;
        let from_idle = self
            .system
            .context(on)
            .is_some_and(|(gpu, _)| starts_idle(gpu.idle, self.system, self.streams(on), stream));
        match from_idle {
            true => Until::EndFromIdle,
            false => Until::End,
        }
    }

    /// Returns the task at `task`, a position in the system.
    pub fn task(&self, task: usize) -> &'a Task {
        &self.system.tasks()[task]
    }

    /// Returns T, the period of `task`. A bound above T is invalid.
    pub fn period(&self, task: usize) -> u128 {
        self.task(task).period.ns().into()
    }

    /// Returns R(i,k), the bound on the time from the arrival to the end of the segment.
    pub fn end(&self, task: usize, segment: usize) -> Option<u128> {
        let end = *self.bounds.get(task)?.ends_ns.get(segment)?;
        end.map(|end| end.ns().into())
    }

    /// Returns R(i,k−1), the bound on the release of segment k. For the first segment, this bound is J.
    pub fn release(&self, task: usize, segment: usize) -> Option<u128> {
        match segment.checked_sub(1) {
            Some(before) => self.end(task, before),
            None => Some(self.task(task).jitter.ns().into()),
        }
    }

    /// Returns S(i,k), the bound on the time from the release to the end of the segment.
    pub fn delay(&self, task: usize, segment: usize) -> Option<u128> {
        let delay = *self.bounds.get(task)?.delays_ns.get(segment)?;
        delay.map(|delay| delay.ns().into())
    }

    /// Returns A(i,k), the bound on the time from the arrival of a pipelined task until the segment is eligible.
    pub fn eligible(&self, task: usize, segment: usize) -> Option<u128> {
        let (of, slots) = (self.task(task), self.task(task).slots(segment));
        let ready = self.release(task, segment)?;
        let Some(slots) = slots else { return Some(ready) };
        // The job `slots` positions earlier has ended the next segment.
        let ahead = u128::from(slots).saturating_mul(of.period.ns().into());
        let free = self.end(task, segment + 1)?.saturating_sub(ahead);
        Some(ready.max(free))
    }

    /// Returns R(i,n), the bound on the response time.
    pub fn response(&self, task: usize) -> Option<u128> {
        self.end(task, self.task(task).segments.len() - 1)
    }

    /// Returns φ(i,k), the minimum time from the arrival to the release of the segment. Under enforced releases,
    /// returns the offset.
    pub fn earliest(&self, task: usize, segment: usize) -> u128 {
        let earliest = match self.offsets {
            Some(offsets) => offsets[task][segment],
            None => self.task(task).earliest(segment),
        };
        earliest.ns().into()
    }

    /// Returns the latest time at which segment k may end under enforced releases: the offset of the next segment.
    /// `None` for the last segment.
    pub fn next_offset(&self, task: usize, segment: usize) -> Option<u128> {
        let next = self.offsets?.get(task)?.get(segment + 1)?;
        Some(next.ns().into())
    }

    /// Returns a sum over the segments up to `last`. The sum contains c for a segment on a core, and S for a segment on
    /// another resource.
    pub fn prefix(&self, task: usize, last: usize) -> Option<u128> {
        let segments = self.task(task).segments.iter().enumerate().take(last + 1);
        total(segments.map(|(position, segment)| match segment.on.is_core() {
            true => Some(cost(segment)),
            false => self.delay(task, position),
        }))
    }

    /// Returns E, the time for which a whole job executes or waits: the sum of its execution and waiting times, or its
    /// response time if this time is shorter.
    pub fn whole(&self, task: usize) -> Option<u128> {
        let sum = self.prefix(task, self.task(task).segments.len() - 1)?;
        Some(self.response(task).map_or(sum, |response| sum.min(response)))
    }

    /// Returns the streams on `resource`, in the order of the tasks.
    pub fn streams(&self, resource: Resource) -> &[Stream] {
        self.streams.get(&resource).map_or(&[], Vec::as_slice) // no segment uses the resource
    }

    /// Returns J(i,k), the release jitter of segment k. If a task with several segments has no bound, its jobs may
    /// queue. So the jitter of each of its segments has no bound, including the first segment.
    fn jitter(&self, task: usize, segment: usize) -> Option<u128> {
        if self.task(task).is_pipelined() {
            let latest = self.eligible(task, segment)?;
            return Some(latest.saturating_sub(self.earliest(task, segment)));
        }
        if self.task(task).segments.len() > 1 {
            self.response(task)?;
        }
        match (segment, self.enforced()) {
            (0, _) => Some(self.task(task).jitter.ns().into()),
            (_, true) => Some(0),
            // R is at least φ in a valid table. In an invalid table, the check of R fails.
            (_, false) => Some(
                self.release(task, segment)?
                    .saturating_sub(self.earliest(task, segment)),
            ),
        }
    }

    /// Returns D − φ, the time from a + φ to the deadline. With enforced releases, each segment has its own deadline:
    /// the offset of the next segment.
    fn deadline(&self, task: usize, segment: usize) -> i128 {
        let last = u128::from(self.task(task).deadline.ns());
        let deadline = self.next_offset(task, segment).unwrap_or(last); // no next offset: last segment
        signed(deadline) - signed(self.earliest(task, segment))
    }

    /// Returns δ(i,k). The thread of a sequential task executes a whole job between two releases. The thread of a pipelined task
    /// executes the previous segment. The distance is unknown for the first segment of a pipelined task, for a segment that waits
    /// for free slots, and with enforced releases.
    fn distance(&self, task: usize, segment: usize) -> u128 {
        let found = self.task(task);
        let executed = match found.is_pipelined() {
            false if self.enforced() => 0..0,
            false => 0..found.segments.len(),
            true if found.slots(segment).is_some() => 0..0,
            true => segment.saturating_sub(1)..segment,
        };
        let times = found.segments[executed]
            .iter()
            .map(|segment| u128::from(segment.bcet.ns()));
        times.fold(0, u128::saturating_add)
    }

    fn stream(&self, task: usize, position: usize) -> Stream {
        let segment = &self.task(task).segments[position];
        let pipelined = self.task(task).is_pipelined();
        // Late jobs of a sequential task queue. A stage of a pipelined task does not wait for later stages.
        let counts = pipelined || self.response(task).is_some();
        Stream {
            task,
            segment: position,
            period: self.period(task),
            cost: cost(segment),
            block: segment.block.min(segment.wcet).ns().into(),
            earliest: self.earliest(task, position),
            jitter: self.jitter(task, position),
            end: self.end(task, position).filter(|_| counts),
            deadline: self.deadline(task, position),
            pipelined,
            distance: self.distance(task, position),
        }
    }
}

/// Returns c, the WCET of `segment`.
pub(super) fn cost(segment: &Segment) -> u128 {
    segment.wcet.ns().into()
}

/// Checks the lengths of the lists in `bounds`, and that no bound of a sequential task is above the period. Without
/// enforced releases, segments on cores have no value S. Segments of pipelined tasks never have a value S.
fn check_shape(task: &Task, bounds: &TaskBounds, enforced: bool) -> Result<(), Fault> {
    for (field, values) in [("ends_ns", &bounds.ends_ns), ("delays_ns", &bounds.delays_ns)] {
        same_length(field, values.len(), task.segments.len(), "segment")?;
        for (position, (value, segment)) in values.iter().zip(&task.segments).enumerate() {
            let Some(value) = value else { continue };
            let place = format!("{field}[{position}]");
            if *value > task.period && !task.is_pipelined() {
                let expected = format!("at most {} ns, the period, or null", task.period.ns());
                let message = format!("found {} ns, expected {expected}", value.ns());
                return Err(Fault::new(place, message));
            }
            let segment = match task.is_pipelined() {
                true => "a pipelined task",
                false if segment.on.is_core() && !enforced => "a segment on a core",
                false => continue,
            };
            if field == "delays_ns" {
                let message = format!("found {} ns, expected null for {segment}", value.ns());
                return Err(Fault::new(place, message));
            }
        }
    }
    Ok(())
}

/// Checks that every task has one offset per segment, and that the offsets start at 0 and never decrease. A task that
/// occupies its core while it waits must not have enforced releases.
fn check_offsets(tasks: &[Task], offsets: &[Vec<Time>]) -> Result<(), Fault> {
    same_length("offsets_ns", offsets.len(), tasks.len(), "task")?;
    for (index, (task, offsets)) in tasks.iter().zip(offsets).enumerate() {
        let field = format!("offsets_ns[{index}]");
        same_length(&field, offsets.len(), task.segments.len(), "segment")?;
        if task.spins() {
            let message = "found enforced releases of a task with busy-waiting, expected self-suspension";
            return Err(Fault::new(field, message));
        }
        if offsets.first() != Some(&Time::ZERO) {
            return Err(Fault::new(format!("{field}[0]"), "expected 0 ns"));
        }
        let earlier = offsets.iter().zip(offsets.iter().skip(1));
        for (position, (earlier, later)) in earlier.enumerate() {
            if later < earlier {
                let message = format!("found {} ns, expected at least {} ns", later.ns(), earlier.ns());
                return Err(Fault::new(format!("{field}[{}]", position + 1), message));
            }
        }
    }
    Ok(())
}
