//! Names of the heuristics.

use serde::{Deserialize, Serialize};

/// Name of a search heuristic.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = former_names))]
pub enum HeuristicKind {
    /// SMS of [Singh21], Algorithm 1: selects the merge whose union has the fewest SMs.
    // Older files use the name `sms`, and the hash of a study depends on this name.
    #[strum(serialize = "fewest-sms", serialize = "sms")]
    #[serde(rename(serialize = "sms", deserialize = "fewest-sms"), alias = "sms")]
    Sms,
    /// BF of [Singh21], Algorithm 1: selects the first merge that succeeds.
    Bf,
    /// One partition that contains all tasks and all SMs.
    #[serde(rename = "1g")]
    #[strum(to_string = "1g")]
    OneGpu,
    /// One partition per task, each with the smallest possible size (Lemma 2).
    OnePerPartition,
    /// First-fit decreasing on partitions of equal size.
    Ffd,
    /// Worst-fit decreasing on partitions of equal size.
    Wfd,
    /// Repeatedly merges the two partitions whose merge saves the most SMs.
    Savings,
    /// Repeatedly merges disjoint pairs of partitions that together save the most SMs.
    Matching,
    /// Best plan of `savings`, `matching` and `fewest-sms`, improved by local search.
    #[default]
    Auto,
    /// Plan with the fewest SMs, found by branch and bound, and a proven lower bound.
    Optimal,
}

impl HeuristicKind {
    /// Whether the heuristic computes a lower bound on the SMs of all plans.
    pub(crate) fn seeks_bound(self) -> bool {
        matches!(self, HeuristicKind::Auto | HeuristicKind::Optimal)
    }
}

/// Adds to the schema the heuristic names of earlier gpusched versions.
#[cfg(feature = "schema")]
fn former_names(schema: &mut schemars::Schema) {
    let names = schema.get_mut("oneOf").and_then(|names| names.as_array_mut());
    let former = schemars::json_schema!({
        "description": "The name of `fewest-sms` in older files.",
        "type": "string",
        "const": "sms"
    });
    if let Some(names) = names {
        names.push(former.to_value());
    }
}

/// Lists the names of `kinds` for use in a sentence, separated by "or".
pub fn listed(kinds: &[HeuristicKind]) -> String {
    let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    names.join(" or ")
}
