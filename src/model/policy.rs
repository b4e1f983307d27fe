//! The scheduling policies and tests a partition can be analysed under, by name.

use serde::{Deserialize, Serialize};

/// How the kernels of one partition are scheduled, and which test decides.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Preemptive earliest deadline first, exact.
    #[default]
    Edf,
    /// Σ C(1)/T ≤ m and C(m) ≤ D: necessary only, proves nothing (a reading of [Singh21] §3.6).
    WorkCapacity,
}

/// What a positive verdict of a test is worth.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Schedulable if and only if the test says so.
    Exact,
    /// The test may pass sets that miss deadlines: it proves nothing.
    NecessaryOnly,
}

impl std::fmt::Display for Strength {
    /// The name as in files.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Strength::Exact => "exact",
            Strength::NecessaryOnly => "necessary-only",
        })
    }
}

impl Policy {
    /// What a positive verdict under this policy is worth.
    pub fn strength(self) -> Strength {
        match self {
            Policy::Edf => Strength::Exact,
            Policy::WorkCapacity => Strength::NecessaryOnly,
        }
    }
}

impl std::fmt::Display for Policy {
    /// The name as in files and on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Policy::Edf => "edf",
            Policy::WorkCapacity => "work-capacity",
        })
    }
}
