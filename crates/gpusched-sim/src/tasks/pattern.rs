//! Release patterns of simulated jobs.
//!
//! Each task has a *start instant*, and releases no job earlier. Either all tasks have one common start instant, or
//! each task has a random start instant within one period. With jitter `late`, the first job of a task arrives J before
//! the start instant. J is the jitter of the task. All jobs that arrive before the start instant are released at the
//! start instant. All later jobs are released on arrival. With a common start instant and jitter `late`, the pattern is
//! the worst case for preemptive tasks. A [`Pattern::blocker`] starts a job 1 ns before the common start instant.

use super::{Release, Task};
use crate::engine::releases::{Arrivals, Jitter, Offsets, uniform};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Pattern of all releases in a simulation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// Start instant of each task. No job of the task is released earlier.
    pub offsets: Offsets,
    /// Delay between the arrival and the release of a job.
    pub jitter: Jitter,
    /// Time between two consecutive arrivals of a task.
    pub arrivals: Arrivals,
    /// Field `stream` of the task that blocks the other tasks; absent if no task blocks. The first job of the blocking
    /// task arrives and is released 1 ns before the common start instant.
    pub blocker: Option<u64>,
}

impl Pattern {
    /// Returns the common start instant of `tasks` [ns]. The common start instant is the earliest
    /// instant for which all jobs arrive at time 0 or later.
    fn instant(&self, tasks: &[Task]) -> u64 {
        let room = match self.jitter {
            Jitter::Late => tasks.iter().map(|task| task.jitter.ns()).max().unwrap_or(0),
            Jitter::None | Jitter::Random => 0,
        };
        match self.blocker {
            Some(_) => room.max(1),
            None => room,
        }
    }

    /// Returns the release parameters of each task in `tasks`. `seed` and the number `set` of the task set select the
    /// random streams.
    pub fn releases(&self, tasks: &[Task], (seed, set): (u64, u64)) -> Vec<Release> {
        let common = self.instant(tasks);
        let release = |task: &Task| {
            let blocks = self.blocker == Some(task.stream);
            let instant = match self.offsets {
                _ if blocks => common - 1,
                Offsets::Synchronous => common,
                Offsets::Random => {
                    let mut rng = stream(seed, Purpose::TaskOffsets, set, task.stream);
                    common.saturating_add(uniform(&mut rng, task.period.ns().saturating_sub(1)))
                }
            };
            let early = match self.jitter {
                Jitter::Late if !blocks => task.jitter.ns(),
                _ => 0,
            };
            Release {
                first: Time::from_ns(instant - early),
                earliest: Time::from_ns(instant),
                jitter: match self.jitter {
                    Jitter::Random if !blocks => task.jitter,
                    _ => Time::ZERO,
                },
                gap: match self.arrivals {
                    Arrivals::Periodic => Time::ZERO,
                    Arrivals::Sporadic => Time::from_ns(task.period.ns() / 2),
                },
            }
        };
        tasks.iter().map(release).collect()
    }
}
