//! Patterns of runs: rules that give each task of a system its [`TaskRun`].

use super::{Delay, Execution, TaskRun};
use crate::engine::releases::{Arrivals, Jitter, Offsets, uniform};
use gpusched_model::end_to_end::{self, System, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Pattern of a run. The random time that extends a period is at most half a period. The time between two arrivals
/// never exceeds `max_interarrival`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// Start instants of the tasks.
    pub offsets: Offsets,
    /// Whether each task with a stated phase starts at its phase instead.
    pub phases: bool,
    /// Delay between the arrival and the release of a job. With one common start instant for all tasks, the first releases
    /// of late jobs are at this instant.
    pub jitter: Jitter,
    /// Times between two consecutive arrivals of a task.
    pub arrivals: Arrivals,
    /// Execution times of the segments.
    pub execution: Execution,
}

impl Default for Pattern {
    /// Returns the pattern of periodic jobs with stated phases, without jitter, and with WCETs.
    fn default() -> Pattern {
        Pattern {
            offsets: Offsets::Synchronous,
            phases: true,
            jitter: Jitter::None,
            arrivals: Arrivals::Periodic,
            execution: Execution::Wcet,
        }
    }
}

impl Pattern {
    /// Returns the rules for each task of `system`. `seed` and `set` select the random streams.
    pub fn runs(&self, system: &System, (seed, set): (u64, u64)) -> Vec<TaskRun> {
        // All jobs arrive at time 0 or later, even if the first arrivals precede the common start instant.
        let common = match (self.offsets, self.jitter) {
            (Offsets::Synchronous, Jitter::Late) if !self.phases => {
                system.tasks().iter().map(|task| task.jitter.ns()).max()
            }
            _ => None,
        };
        let tasks = system.tasks().iter().enumerate();
        tasks
            .map(|(position, task)| {
                let random = || {
                    let mut rng = stream(seed, Purpose::TaskOffsets, set, position as u64);
                    uniform(&mut rng, task.period.ns().saturating_sub(1))
                };
                let stated = task.phase.filter(|_| self.phases).map(Time::ns);
                let first = stated.unwrap_or_else(|| match self.offsets {
                    // The common start instant is the maximum jitter, so the difference is not negative.
                    Offsets::Synchronous => {
                        common.map_or(0, |instant| instant.saturating_sub(task.jitter.ns()))
                    }
                    Offsets::Random => random(),
                });
                self.task(task, first)
            })
            .collect()
    }

    fn task(&self, task: &Task, first: u64) -> TaskRun {
        let spare = task.max_interarrival.map(|most| most.ns() - task.period.ns());
        let sporadic = match task.arrivals {
            end_to_end::Arrivals::Periodic => task.period.ns() / 2,
            end_to_end::Arrivals::Sporadic => {
                spare.map_or(task.period.ns() / 2, |spare| spare.min(task.period.ns() / 2))
            }
        };
        TaskRun {
            first: Time::from_ns(first),
            earliest: match self.jitter {
                Jitter::Late => Time::from_ns(first.saturating_add(task.jitter.ns())),
                _ => Time::ZERO,
            },
            delay: match self.jitter {
                Jitter::None | Jitter::Late => Delay::Zero,
                Jitter::Random => Delay::Random,
            },
            gap: match self.arrivals {
                Arrivals::Periodic => Time::ZERO,
                Arrivals::Sporadic => Time::from_ns(sporadic),
            },
            execution: self.execution,
        }
    }
}
