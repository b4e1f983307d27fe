//! Patterns of runs: rules that give each task of a system its [`TaskRun`].

use super::source::uniform;
use super::{Delay, Execution, TaskRun};
use gpusched_model::end_to_end::{Arrivals, System, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// First arrivals of the tasks.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Phases {
    /// All tasks have one common start instant.
    Synchronous,
    /// Each task with a stated phase starts at its phase. All other tasks start at time 0.
    #[default]
    Stated,
    /// Each task starts at a random time within one period.
    Random,
    /// Each task with a stated phase starts at its phase. All other tasks start at a random time within one period.
    StatedOrRandom,
}

/// Delay between the arrivals and the releases of jobs.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Jitter {
    /// Each job is released on arrival.
    #[default]
    None,
    /// The first job of each task is released as late as possible. Later jobs are released on arrival, but never before
    /// the first job is released. With synchronous phases, the first releases of all tasks are at the common start
    /// instant.
    Late,
    /// Each job is released as late as possible.
    Max,
    /// Each job has a random delay, up to the jitter of the task.
    Random,
}

/// Times between two consecutive arrivals of a task.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Gaps {
    /// Exactly one period.
    #[default]
    Periodic,
    /// Consecutive arrivals of a periodic task are exactly one period apart. Consecutive arrivals of a sporadic task
    /// are one period plus a random time apart.
    Stated,
    /// Consecutive arrivals of every task are one period plus a random time apart.
    Sporadic,
}

/// Pattern of a run. The random time that extends a period is at most half a period. The time between two arrivals
/// never exceeds `max_interarrival`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// First arrivals of the tasks.
    pub phases: Phases,
    /// Delay between the arrivals and the releases of jobs.
    pub jitter: Jitter,
    /// Times between two consecutive arrivals of a task.
    pub gaps: Gaps,
    /// Execution times of the segments.
    pub execution: Execution,
}

impl Pattern {
    /// Returns the rules for each task of `system`. `seed` and `set` select the random streams.
    pub fn runs(&self, system: &System, (seed, set): (u64, u64)) -> Vec<TaskRun> {
        // All jobs arrive at time 0 or later, even if the first arrivals precede the common start instant.
        let common = match (self.phases, self.jitter) {
            (Phases::Synchronous, Jitter::Late) => system.tasks().iter().map(|task| task.jitter.ns()).max(),
            _ => None,
        };
        let tasks = system.tasks().iter().enumerate();
        tasks
            .map(|(position, task)| {
                let random = || {
                    let mut rng = stream(seed, Purpose::TaskOffsets, set, position as u64);
                    uniform(&mut rng, task.period.ns().saturating_sub(1))
                };
                let stated = task.phase.map(Time::ns);
                let first = match self.phases {
                    // The common start instant is the maximum jitter, so the difference is not negative.
                    Phases::Synchronous => {
                        common.map_or(0, |instant| instant.saturating_sub(task.jitter.ns()))
                    }
                    Phases::Stated => stated.unwrap_or(0), // documented default phase
                    Phases::Random => random(),
                    Phases::StatedOrRandom => stated.unwrap_or_else(random),
                };
                self.task(task, first)
            })
            .collect()
    }

    fn task(&self, task: &Task, first: u64) -> TaskRun {
        let spare = task.max_interarrival.map(|most| most.ns() - task.period.ns());
        let sporadic = match task.arrivals {
            Arrivals::Periodic => task.period.ns() / 2,
            Arrivals::Sporadic => spare.map_or(task.period.ns() / 2, |spare| spare.min(task.period.ns() / 2)),
        };
        let varies = match self.gaps {
            Gaps::Periodic => false,
            Gaps::Stated => task.arrivals == Arrivals::Sporadic,
            Gaps::Sporadic => true,
        };
        TaskRun {
            first: Time::from_ns(first),
            earliest: match self.jitter {
                Jitter::Late => Time::from_ns(first.saturating_add(task.jitter.ns())),
                _ => Time::ZERO,
            },
            delay: match self.jitter {
                Jitter::None | Jitter::Late => Delay::Zero,
                Jitter::Max => Delay::Max,
                Jitter::Random => Delay::Random,
            },
            gap: Time::from_ns(if varies { sporadic } else { 0 }),
            execution: self.execution,
        }
    }
}
