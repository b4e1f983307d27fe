//! Time that resources lose because they share a memory: while one resource executes a segment, the traffic of all
//! other resources delays the segment. `docs/explanation/end-to-end.md` has the equations and their proof.

use gpusched_model::Bandwidth;
use gpusched_model::end_to_end::{Resource, System};

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
    pub bandwidth: Bandwidth,
    /// Whether the total demand of the resources can exceed the bandwidth of the memory.
    pub contended: bool,
}

impl Memory {
    /// Returns the memory of `system`; `None` if the system has no shared memory. `segments` has the resource of each
    /// segment, and its d and V for a memory of the given bandwidth.
    pub fn of(
        system: &System,
        segments: impl Fn(Bandwidth) -> Vec<(Resource, (u128, u128))>,
    ) -> Option<Memory> {
        let bandwidth = system.memory()?;
        let segments = segments(bandwidth);
        let peak = |resource: Resource| {
            let moving = segments
                .iter()
                .filter(|(on, (_, bytes))| *on == resource && *bytes > 0);
            moving.map(|&(_, (rate, _))| rate).max().unwrap_or(0) // no traffic
        };
        let peaks = system.resources().map(peak).fold(0, u128::saturating_add);
        Some(Memory {
            bandwidth,
            contended: peaks > bandwidth.bytes_per_second().into(),
        })
    }
}
