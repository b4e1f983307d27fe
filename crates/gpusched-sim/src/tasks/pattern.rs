//! Release patterns of simulated jobs.
//!
//! Each task has an instant after which its jobs may be released. Either all tasks have the same instant, or the instant of
//! each task is random within one period. With jitter `late`, the first job of a task arrives J before the task's instant.
//! The first job is released at the instant, together with all other jobs that arrive before the instant. All later jobs
//! are released on arrival. With a common instant, this pattern is the worst case for preemptive tasks. A
//! [`Pattern::blocker`] starts a job 1 ns before the common instant.

use serde::{Deserialize, Serialize};

use super::lane::uniform;
use super::{Release, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// The instant of each task, before which no job of the task is released.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Offsets {
    /// All tasks have the same instant.
    #[default]
    Synchronous,
    /// Each task has its own random instant within one period.
    Random,
}

/// The delay between the arrival and the release of a job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Jitter {
    /// Each job is released on arrival.
    None,
    /// The first job is released as late as possible. Later jobs are released on arrival, but not before the first job.
    #[default]
    Late,
    /// Each job has a random delay, up to the jitter of the task.
    Random,
}

/// The distance between two consecutive arrivals of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// The distance is exactly the period.
    #[default]
    Periodic,
    /// The distance is the period plus a random time of up to half a period.
    Sporadic,
}

/// The pattern of all releases in a simulation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// The instant of each task, before which no job of the task is released.
    pub offsets: Offsets,
    /// Delay between the arrival and the release of a job.
    pub jitter: Jitter,
    /// Distance between two consecutive arrivals of a task.
    pub arrivals: Arrivals,
    /// Stream number of a task that blocks the other tasks. The first job of this task arrives and is released 1 ns before
    /// the common instant.
    pub blocker: Option<u64>,
}

impl Pattern {
    /// Returns the common instant of `tasks` [ns]. The common instant is the earliest instant for which no job arrives
    /// before time 0.
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

    /// Returns the releases of each task in `tasks`. `seed` and the task set `set` select the random streams.
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
