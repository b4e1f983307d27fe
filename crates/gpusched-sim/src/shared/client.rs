//! Who draws from the memory.

use crate::tasks::Discipline;
use gpusched_model::Bandwidth;

/// A part of a job: takes `time` by itself, and draws `rate` meanwhile.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// [ns].
    pub time: u64,
    /// [bytes per second]; what is above the capacity of the memory counts as that.
    pub rate: u64,
}

/// A task: jobs that come at regular distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// What each job does, in this order.
    pub stages: Vec<Stage>,
    /// The arrival of the first one [ns].
    pub first: u64,
    /// The first one is released that long after its arrival [ns].
    pub jitter: u64,
    /// T [ns], positive.
    pub period: u64,
    /// D [ns], from the arrival.
    pub deadline: u64,
}

/// A partition, or traffic that no task causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The tasks, the most urgent first where ranks matter; ties between deadlines go to the earlier.
    pub tasks: Vec<Task>,
    /// Who runs. Limited preemption counts as none.
    pub discipline: Discipline,
    /// Whether what is late is dropped, and counts as no miss: the budget of a period that is over.
    pub drops: bool,
}

impl Client {
    /// The same at a memory of `bandwidth`: a stage that could use more takes longer there, rounded down.
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
