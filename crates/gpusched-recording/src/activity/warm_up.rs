//! Jobs at the start of a recording that the analysis drops.

use std::collections::BTreeMap;

use gpusched_model::WarmUp;

use super::Job;
use crate::model::Recording;

/// Rules for the warm-up of each activity.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WarmUps {
    /// Rule for the activities without a rule of their own.
    pub all: WarmUp,
    /// Rules by name of the activity.
    pub of: BTreeMap<String, WarmUp>,
}

impl WarmUps {
    /// Returns the rule of the activity `name`.
    pub fn of(&self, name: &str) -> WarmUp {
        self.of.get(name).copied().unwrap_or(self.all)
    }

    /// Whether the rules drop no job of any recording.
    pub fn is_none(&self) -> bool {
        self.all.is_none() && self.of.values().all(|rule| rule.is_none())
    }
}

impl From<WarmUp> for WarmUps {
    fn from(all: WarmUp) -> WarmUps {
        let of = BTreeMap::new();
        WarmUps { all, of }
    }
}

/// Divides `jobs`, which are sorted by release, into the jobs that `warm_up` drops and the jobs that it keeps.
pub fn split<'a>(warm_up: WarmUp, recording: &Recording, jobs: &'a [Job]) -> (&'a [Job], &'a [Job]) {
    let count = match warm_up {
        WarmUp::Jobs(count) => usize::try_from(count).unwrap_or(usize::MAX),
        WarmUp::Time(time) => {
            let end = recording.start().saturating_add_unsigned(time.ns());
            jobs.partition_point(|job| job.release < end)
        }
    };
    jobs.split_at(count.min(jobs.len()))
}
