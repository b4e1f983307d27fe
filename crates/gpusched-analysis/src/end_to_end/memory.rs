//! Time that resources lose because they share a memory: while one resource executes a segment, the traffic of all
//! other resources delays the segment. `docs/explanation/end-to-end.md` has the equations and their proof.

use gpusched_model::Bandwidth;
use gpusched_model::end_to_end::{Resource, System};
use gpusched_model::time::Time;

use super::arithmetic::INFINITE;
use super::streams::{Part, State};
use crate::interference::bandwidth::{Delay, Load, Source};

/// Traffic that a window does not count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Omitted {
    /// The window counts the traffic of all other resources.
    Nothing,
    /// The window omits the traffic of this task, because no segment of the task executes on another resource while the
    /// analyzed segment waits or executes.
    Task(usize),
}

impl Omitted {
    /// Omits the traffic of `task` if `condition` is true.
    pub fn only_if(condition: bool, task: usize) -> Omitted {
        match condition {
            true => Omitted::Task(task),
            false => Omitted::Nothing,
        }
    }
}

/// The memory that all resources share.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    bandwidth: Bandwidth,
    /// Whether the total demand of the resources can exceed the bandwidth of the memory.
    contended: bool,
}

impl Memory {
    /// Returns the memory of `system`, whose segments are `parts`; `None` if the system has no shared memory.
    pub fn of<'a>(system: &System, parts: impl Iterator<Item = &'a Part> + Clone) -> Option<Memory> {
        let bandwidth = system.memory()?;
        let peak = |resource: Resource| {
            let here = parts.clone().filter(|part| part.on == resource);
            let rates = here
                .map(|part| traffic(part, bandwidth))
                .filter(|&(_, bytes)| bytes > 0);
            rates.map(|(rate, _)| rate).max().unwrap_or(0)
        };
        let peaks = system.resources().map(peak).fold(0, u128::saturating_add);
        Some(Memory {
            bandwidth,
            contended: peaks > bandwidth.bytes_per_second().into(),
        })
    }
}

/// Returns d and V of a segment [nano-bytes per nanosecond, nano-bytes].
fn traffic(part: &Part, memory: Bandwidth) -> (u128, u128) {
    let peak = part.bandwidth.map_or(memory, |peak| peak.min(memory));
    let rate = u128::from(peak.bytes_per_second());
    let most = rate.saturating_mul(part.cost.into());
    (rate, part.traffic.map_or(most, |bytes| bytes.nano().min(most)))
}

impl State {
    /// Returns the time that `resource` loses in any window, because of the traffic of all other resources.
    pub fn lost(&self, resource: Resource, omitted: Omitted) -> Delay {
        let Some(memory) = self.memory.filter(|memory| memory.contended) else {
            return Delay::new(Bandwidth::LIMIT, []);
        };
        let mut others: Vec<(Resource, Vec<Source>)> = Vec::new();
        for (task, owner) in self.tasks.iter().enumerate() {
            if omitted == Omitted::Task(task) {
                continue;
            }
            for (segment, part) in owner
                .parts
                .iter()
                .enumerate()
                .filter(|(_, part)| part.on != resource)
            {
                let end = match self.response(task) {
                    INFINITE => INFINITE, // the jobs of the task may queue
                    _ => self.bound(task, segment).end,
                };
                let span = (end != INFINITE).then(|| Time::from_ns(end.saturating_sub(part.earliest)));
                let period = Time::from_ns(owner.period);
                let source = Source::of_segment(traffic(part, memory.bandwidth), period, span);
                match others.iter_mut().find(|(other, _)| *other == part.on) {
                    Some((_, sources)) => sources.push(source),
                    None => others.push((part.on, vec![source])),
                }
            }
        }
        // A resource executes one segment at a time.
        Delay::new(
            memory.bandwidth,
            others.into_iter().map(|(_, sources)| Load::new(sources)),
        )
    }

    /// Returns the longest time for which a segment blocks other segments in a window, if it started before the window.
    /// Without a shared memory, the segment has executed for at least 1 ns before the window. With a shared memory, the
    /// segment may have lost this time.
    pub fn blocking(&self, length: u64) -> u64 {
        length.saturating_sub(u64::from(self.memory.is_none()))
    }
}
