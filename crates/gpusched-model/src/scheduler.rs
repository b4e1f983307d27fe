//! Warp schedulers: which warp of a sub-core issues next.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a sub-core chooses the warp that issues next (MODELS §8).
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema,
)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Loose round robin: the next warp after the one that issued last.
    Lrr,
    /// Greedy, then oldest: the one that issued last, as long as it can.
    Gto,
    /// The oldest that can issue.
    Oldest,
    /// Kernels take turns, as many stalls long as their priorities say ([Singh21] chapter 4).
    RtPaws,
    /// Kernels take turns, as many switches among their warps long as their budgets say ([Singh22]).
    Qaws,
}

impl Scheduler {
    /// All of them.
    pub const ALL: [Scheduler; 5] = [
        Scheduler::Lrr,
        Scheduler::Gto,
        Scheduler::Oldest,
        Scheduler::RtPaws,
        Scheduler::Qaws,
    ];

    /// The name as in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scheduler::Lrr => "lrr",
            Scheduler::Gto => "gto",
            Scheduler::Oldest => "oldest",
            Scheduler::RtPaws => "rt-paws",
            Scheduler::Qaws => "qaws",
        }
    }

    /// Whether each kernel has a budget (`rt-paws`: a priority).
    pub const fn has_budgets(self) -> bool {
        matches!(self, Scheduler::RtPaws | Scheduler::Qaws)
    }
}

impl fmt::Display for Scheduler {
    /// [`Scheduler::name`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no scheduler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?}, expected one of {}", Scheduler::ALL.map(Scheduler::name).join(", "))]
pub struct UnknownScheduler {
    found: String,
}

impl FromStr for Scheduler {
    type Err = UnknownScheduler;

    fn from_str(text: &str) -> Result<Scheduler, UnknownScheduler> {
        let known = Scheduler::ALL
            .into_iter()
            .find(|scheduler| scheduler.name() == text);
        known.ok_or_else(|| UnknownScheduler {
            found: text.chars().take(40).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_written() {
        for scheduler in Scheduler::ALL {
            assert_eq!(scheduler.to_string().parse(), Ok(scheduler));
            assert_eq!(serde_json::to_value(scheduler).unwrap(), scheduler.name());
        }
        let refusal = "rr".parse::<Scheduler>().unwrap_err().to_string();
        assert_eq!(
            refusal,
            "found \"rr\", expected one of lrr, gto, oldest, rt-paws, qaws"
        );
    }
}
