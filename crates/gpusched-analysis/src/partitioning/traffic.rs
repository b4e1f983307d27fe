//! What a search makes of memory traffic.

use serde::{Deserialize, Serialize};

/// What a search makes of memory traffic. Whatever it is, verdicts count all of it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
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
    /// Whether this is the default, which files leave out.
    pub fn is_all(&self) -> bool {
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
