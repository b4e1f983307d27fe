//! The heuristics by name.

use serde::{Deserialize, Serialize};

/// The heuristics by name.
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
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = former_names)]
pub enum HeuristicKind {
    /// Algorithm 1 with the relation ≫: the merge with the fewest SMs.
    // `sms` is the name in older files, and the one that the hash of a study is made of.
    #[strum(serialize = "fewest-sms", serialize = "sms")]
    #[serde(rename(serialize = "sms", deserialize = "fewest-sms"), alias = "sms")]
    Sms,
    /// Algorithm 1 with the relation >: the first merge that works.
    Bf,
    /// One partition of all SMs.
    #[serde(rename = "1g")]
    #[strum(to_string = "1g")]
    OneGpu,
    /// One partition per task, each of the smallest size (Lemma 2).
    OnePerPartition,
    /// First-fit decreasing on an equal split.
    Ffd,
    /// Worst-fit decreasing on an equal split.
    Wfd,
    /// Merges the pair of partitions that saves the most SMs, until none saves any.
    Savings,
    /// Merges the pairs that save the most SMs together, until none saves any.
    Matching,
    /// The best of savings, matching and fewest-sms, improved by local search.
    #[default]
    Auto,
    /// The fewest SMs by branch and bound, and a lower bound with its proof.
    Optimal,
}

/// Files may have the names of former versions.
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

/// `kinds` as part of a sentence.
pub fn listed(kinds: &[HeuristicKind]) -> String {
    let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    names.join(" or ")
}
