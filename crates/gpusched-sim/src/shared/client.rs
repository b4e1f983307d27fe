//! Clients of the simulated memory.

use crate::tasks::Discipline;
use gpusched_model::Bandwidth;

/// A part of a job: executes for `time` in isolation and demands bandwidth `rate` meanwhile.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Execution time in isolation [ns].
    pub time: u64,
    /// Bandwidth demand [bytes per second]. A rate above the memory capacity counts as the capacity.
    pub rate: u64,
}

/// A task whose jobs arrive periodically.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Stages of each job, in order of execution.
    pub stages: Vec<Stage>,
    /// Arrival of the first job [ns].
    pub first: u64,
    /// Delay from the arrival of the first job to its release [ns].
    pub jitter: u64,
    /// Period T [ns], positive.
    pub period: u64,
    /// Relative deadline D [ns], counted from the arrival.
    pub deadline: u64,
}

/// A partition, or a source of other memory traffic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// Tasks by decreasing priority, if ranks decide. If deadlines decide, a tie goes to the earlier task of the list.
    pub tasks: Vec<Task>,
    /// Scheduling discipline. Limited preemption is simulated as non-preemptive.
    pub discipline: Discipline,
    /// Whether a job is dropped at its deadline and does not count as a miss, as with requests of other traffic.
    pub drops: bool,
}

impl Client {
    /// Returns the client as it behaves at a memory of `bandwidth`. A stage with a higher rate takes longer there, rounded down.
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
