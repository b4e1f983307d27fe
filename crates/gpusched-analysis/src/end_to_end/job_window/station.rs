//! Copy engines, partitions and whole time-sliced GPUs that windows may cover.

use gpusched_model::end_to_end::{EnginePolicy, Idle, PartitionPolicy, Resource, System};

use super::super::contexts::by_task;
use super::super::streams::State;

/// A copy engine, a partition, or a time-sliced GPU with all its contexts.
pub(super) struct Station {
    pub rule: Rule,
    /// Tasks with segments on the station, and these segments.
    pub tasks: Vec<(usize, Vec<usize>)>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Fifo,
    Preemptive,
    NonPreemptive,
    /// Contexts that have turns only while they have kernels. The number is the position of the GPU.
    TimeSliced(usize),
}

impl Station {
    /// Returns the stations of `system`.
    pub fn all(system: &System, state: &State) -> Vec<Station> {
        let gpus = state.time_sliced.iter().enumerate();
        let gpus = gpus
            .filter(|(_, gpu)| gpu.idle == Idle::Skip)
            .map(|(index, gpu)| {
                let mut segments: Vec<_> = gpu.resources().flat_map(|on| system.on(on)).collect();
                segments.sort_unstable();
                Station {
                    rule: Rule::TimeSliced(index),
                    tasks: by_task(segments),
                }
            });
        let others = system.resources().filter_map(|resource| {
            Some(Station {
                rule: rule(system, resource)?,
                tasks: by_task(system.on(resource)),
            })
        });
        gpus.chain(others).collect()
    }

    /// For each task and segment: returns the position of its station; `None` if no station has the segment.
    pub fn homes(stations: &[Station], state: &State) -> Vec<Vec<Option<usize>>> {
        let rows = state.tasks.iter().map(|task| vec![None; task.parts.len()]);
        let mut homes: Vec<Vec<Option<usize>>> = rows.collect();
        for (position, station) in stations.iter().enumerate() {
            for &(task, ref segments) in &station.tasks {
                for &segment in segments {
                    homes[task][segment] = Some(position);
                }
            }
        }
        homes
    }
}

/// Returns the rule of a copy engine or partition; `None` for a core, a context, and under other policies.
fn rule(system: &System, resource: Resource) -> Option<Rule> {
    match resource {
        Resource::Core(_) => None,
        Resource::Engine(index) => match system.engines().get(index)?.policy {
            EnginePolicy::Fifo => Some(Rule::Fifo),
            EnginePolicy::NpFp => Some(Rule::NonPreemptive),
        },
        Resource::Partition(_) if system.context(resource).is_some() => None,
        Resource::Partition(index) => match system.partitions().get(index)?.policy {
            PartitionPolicy::NpFifo => Some(Rule::Fifo),
            PartitionPolicy::NpFp => Some(Rule::NonPreemptive),
            PartitionPolicy::Fp => Some(Rule::Preemptive),
            _ => None,
        },
    }
}
