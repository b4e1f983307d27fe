//! The heuristics by name.

use serde::{Deserialize, Serialize};

/// The heuristics by name.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum HeuristicKind {
    /// Algorithm 1 with the relation ≫: the merge with the fewest SMs.
    #[default]
    Sms,
    /// Algorithm 1 with the relation >: the first merge that works, in order of utilization.
    Bf,
    /// One partition of all SMs.
    #[serde(rename = "1g")]
    #[cfg_attr(feature = "clap", value(name = "1g"))]
    OneGpu,
    /// One partition per task, each of the smallest size (Lemma 2).
    OnePerPartition,
    /// First-fit decreasing on an equal split.
    Ffd,
    /// Worst-fit decreasing on an equal split.
    Wfd,
    /// Of all pairs of partitions the one whose merge saves the most SMs is merged, until none saves any.
    Savings,
    /// Partitions are paired so that the pairs save the most SMs together, until no pair saves any.
    Matching,
    /// The best of savings, matching and sms, improved by local search.
    Auto,
    /// The fewest SMs, by column generation and branch and bound, and a lower bound with its proof.
    Optimal,
}

impl HeuristicKind {
    /// All of them, in the order of [`HeuristicKind`].
    pub const ALL: [HeuristicKind; 10] = [
        HeuristicKind::Sms,
        HeuristicKind::Bf,
        HeuristicKind::OneGpu,
        HeuristicKind::OnePerPartition,
        HeuristicKind::Ffd,
        HeuristicKind::Wfd,
        HeuristicKind::Savings,
        HeuristicKind::Matching,
        HeuristicKind::Auto,
        HeuristicKind::Optimal,
    ];
}

impl std::fmt::Display for HeuristicKind {
    /// The name as in files and on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            HeuristicKind::OneGpu => "1g",
            HeuristicKind::Sms => "sms",
            HeuristicKind::Bf => "bf",
            HeuristicKind::OnePerPartition => "one-per-partition",
            HeuristicKind::Ffd => "ffd",
            HeuristicKind::Wfd => "wfd",
            HeuristicKind::Savings => "savings",
            HeuristicKind::Matching => "matching",
            HeuristicKind::Auto => "auto",
            HeuristicKind::Optimal => "optimal",
        })
    }
}

/// `kinds` as part of a sentence.
pub fn listed(kinds: &[HeuristicKind]) -> String {
    let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    names.join(" or ")
}
