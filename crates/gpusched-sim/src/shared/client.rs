//! Clients of the simulated memory.

use crate::tasks::Discipline;
use gpusched_model::Bandwidth;

/// A part of a job with a constant bandwidth demand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Execution time of the stage in isolation [ns].
    pub time: u64,
    /// Bandwidth demand of the stage [bytes per second]. A demand above the memory bandwidth
    /// counts as a demand for the whole memory bandwidth.
    pub rate: u64,
}

/// A task whose jobs arrive periodically.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Stages of each job, in execution order.
    pub stages: Vec<Stage>,
    /// Arrival of the first job [ns].
    pub first: u64,
    /// Delay from the arrival of the first job to its release [ns].
    pub jitter: u64,
    /// Period T [ns]; positive.
    pub period: u64,
    /// Relative deadline D, counted from the arrival of a job [ns].
    pub deadline: u64,
}

/// A client of the memory: a partition, or a source of memory traffic other than the tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// Tasks of the client. Under fixed priorities, the list is sorted by decreasing priority. If two jobs have equal
    /// deadlines under EDF, the job of the task that is earlier in the list has priority.
    pub tasks: Vec<Task>,
    /// Scheduling discipline of the client. Limited preemption is simulated as non-preemptive
    /// scheduling.
    pub discipline: Discipline,
    /// Whether the simulator drops late jobs at their deadlines and does not count deadline
    /// misses. True for sources of memory traffic other than the tasks.
    pub drops: bool,
}

impl Client {
    /// Returns the client with all demands limited to `bandwidth`. A stage with a reduced demand takes longer, so that
    /// it still transfers the same amount of data. Times are rounded down.
    pub fn within(&self, bandwidth: Bandwidth) -> Client {
        let most = bandwidth.bytes_per_second();
        let stage = |stage: &Stage| {
            let moved = u128::from(stage.time) * u128::from(stage.rate);
            match moved.checked_div(most.into()).filter(|_| stage.rate > most) {
                None => *stage,
                Some(time) => Stage {
                    time: u64::try_from(time).unwrap_or(u64::MAX),
                    rate: most,
                },
            }
        };
        let task = |task: &Task| Task {
            stages: task.stages.iter().map(stage).collect(),
            ..task.clone()
        };
        Client {
            tasks: self.tasks.iter().map(task).collect(),
            ..self.clone()
        }
    }
}
