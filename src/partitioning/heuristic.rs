//! The heuristics and their options, as data: one shape for the command line and for studies.

use serde::{Deserialize, Serialize};

use super::forbidden::Forbidden;
use super::order::{BfDirection, BfMeasure, ListOrder};

/// A heuristic with all its options.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heuristic {
    /// Which heuristic.
    #[serde(rename = "heuristic")]
    pub kind: HeuristicKind,
    /// SMS and BF: how the list of forbidden pairs is filled.
    #[serde(default)]
    pub forbidden: Forbidden,
    /// SMS and BF: how the list of partitions is kept.
    #[serde(default)]
    pub order: ListOrder,
    /// BF: what U of a prospective merge means.
    #[serde(default)]
    pub bf_measure: BfMeasure,
    /// BF: which U is preferred.
    #[serde(default)]
    pub bf_direction: BfDirection,
    /// Equal split: the number of partitions; if absent, the smallest that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u32>,
    /// Where the memory traffic of partitions counts: what the search makes of it.
    #[serde(default, skip_serializing_if = "Traffic::is_all")]
    pub traffic: Traffic,
}

/// What a search makes of memory traffic. Whatever it is, verdicts count all of it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// The others, in this order, until one of them leads to a schedulable plan.
    #[default]
    All,
    /// Every test of the search counts the traffic of all tasks that are not in the partition.
    Heed,
    /// Tasks that draw much go together until no more can be drawn at once than there is. sms, bf; others ignore traffic then.
    Gather,
    /// The search is that without traffic.
    Ignore,
}

impl Traffic {
    fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}

impl std::fmt::Display for Traffic {
    /// The name as in files and on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Traffic::All => "all",
            Traffic::Heed => "heed",
            Traffic::Gather => "gather",
            Traffic::Ignore => "ignore",
        })
    }
}

/// The heuristics by name.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum HeuristicKind {
    /// Algorithm 1 with the relation ≫: the merge with the fewest SMs.
    #[default]
    Sms,
    /// Algorithm 1 with the relation >: the first merge that works, in order of utilization.
    Bf,
    /// One partition of all SMs.
    #[serde(rename = "1g")]
    #[cfg_attr(feature = "cli", value(name = "1g"))]
    OneGpu,
    /// One partition per task, each of the smallest size (Lemma 2).
    OnePerPartition,
    /// First-fit decreasing on an equal split.
    Ffd,
    /// Worst-fit decreasing on an equal split.
    Wfd,
}

impl From<HeuristicKind> for Heuristic {
    fn from(kind: HeuristicKind) -> Heuristic {
        Heuristic {
            kind,
            ..Heuristic::default()
        }
    }
}
