//! When jobs come.
//!
//! Each task has an instant: that of all, or one that is drawn from the period after it. With jitter `late` its first job
//! arrives J before and is released there, as are those that arrive in between, and all later ones are released on arrival:
//! with all instants the same, that is the worst that can happen to preemptive tasks. What runs already when it begins
//! may be a [`Pattern::blocker`], released 1 ns before.

use serde::{Deserialize, Serialize};

use super::lane::uniform;
use super::{Release, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// The instants of the tasks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Offsets {
    /// The same for all tasks.
    #[default]
    Synchronous,
    /// One for each task, drawn from a period.
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
    /// First jobs are released as late as possible, later ones on arrival, but not before.
    #[default]
    Late,
    /// Drawn for each job, up to the task's jitter.
    Random,
}

/// The distances between arrivals.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// The period.
    #[default]
    Periodic,
    /// The period, and up to half of it more, drawn for each job.
    Sporadic,
}

/// When jobs come.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// The instants of the tasks.
    pub offsets: Offsets,
    /// The delay from arrival to release.
    pub jitter: Jitter,
    /// The distances between arrivals.
    pub arrivals: Arrivals,
    /// The stream number of a task whose first job arrives 1 ns before the common instant, and is released at once.
    pub blocker: Option<u64>,
}

impl Pattern {
    /// The common instant of `tasks` [ns]: the earliest that leaves room for what comes before.
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

    /// When the jobs of each of `tasks` come, with random numbers of `seed` for task set `set`.
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
