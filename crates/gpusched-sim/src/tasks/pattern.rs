//! Release patterns of simulated jobs.
//!
//! Each task has an instant, from which its jobs may be released. All tasks share one instant, or the instant of each task is
//! drawn from the period after it. With jitter `late`, the first job of a task arrives J before its instant. The first job
//! and all jobs that arrive before the instant are released at the instant. All later jobs are released on arrival. With a
//! common instant, this pattern is the worst case of preemptive tasks. A [`Pattern::blocker`] starts a job 1 ns before the
//! common instant.

use serde::{Deserialize, Serialize};

use super::lane::uniform;
use super::{Release, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// The instants from which the jobs of each task may be released.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Offsets {
    /// The same instant for all tasks.
    #[default]
    Synchronous,
    /// One instant per task, drawn from one period.
    Random,
}

/// The delay from arrival to release.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Jitter {
    /// Jobs are released on arrival.
    None,
    /// The first job is released as late as possible. Later jobs are released on arrival, but not before the first job.
    #[default]
    Late,
    /// A random delay for each job, up to the jitter of the task.
    Random,
}

/// The distances between arrivals.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// Exactly the period.
    #[default]
    Periodic,
    /// The period plus a random time for each job, up to half a period.
    Sporadic,
}

/// The release pattern of a simulation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// Instants from which jobs may be released.
    pub offsets: Offsets,
    /// Delay from arrival to release.
    pub jitter: Jitter,
    /// Distance between arrivals.
    pub arrivals: Arrivals,
    /// Stream number of a task whose first job arrives and is released 1 ns before the common instant.
    pub blocker: Option<u64>,
}

impl Pattern {
    /// Returns the common instant of `tasks` [ns]: the earliest instant after all early arrivals.
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

    /// Returns the releases of each of `tasks`. The seed `seed` and the task set `set` select the random streams.
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
