//! Names of the policies in files, on the command line and in schemas.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Policy, Preemption, Priorities};

/// All policies, each with its name and one line of help.
const NAMES: &[(Policy, &str, &str)] = &[
    (Policy::Edf, "edf", "Earliest deadline first, preemptive: exact"),
    (
        Policy::NpEdf,
        "np-edf",
        "Earliest deadline first, non-preemptive: exact",
    ),
    (
        Policy::LpEdf,
        "lp-edf",
        "Earliest deadline first, preemption at block boundaries: sufficient",
    ),
    (
        Policy::NpFifo,
        "np-fifo",
        "First in, first out, non-preemptive: exact",
    ),
    (
        Policy::Concurrent,
        "concurrent",
        "Kernels run together, each task in its own stream: exact for every division of the SMs",
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
        "dm",
        "Deadline-monotonic priorities, preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::RateMonotonic),
        "rm",
        "Rate-monotonic priorities, preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::Given),
        "fp-given",
        "Priorities in task order, first task highest, preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::Preemptive, Priorities::Audsley),
        "fp-audsley",
        "Optimal priorities (Audsley), preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::NonPreemptive, Priorities::DeadlineMonotonic),
        "np-fp",
        "Deadline-monotonic priorities, non-preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::NonPreemptive, Priorities::RateMonotonic),
        "np-fp-rm",
        "Rate-monotonic priorities, non-preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::NonPreemptive, Priorities::Given),
        "np-fp-given",
        "Priorities in task order, first task highest, non-preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::NonPreemptive, Priorities::Audsley),
        "np-fp-audsley",
        "Optimal priorities (Audsley), non-preemptive: exact",
    ),
    (
        Policy::FixedPriority(Preemption::Limited, Priorities::DeadlineMonotonic),
        "lp-fp",
        "Deadline-monotonic priorities, preemption at block boundaries: sufficient",
    ),
    (
        Policy::FixedPriority(Preemption::Limited, Priorities::RateMonotonic),
        "lp-fp-rm",
        "Rate-monotonic priorities, preemption at block boundaries: sufficient",
    ),
    (
        Policy::FixedPriority(Preemption::Limited, Priorities::Given),
        "lp-fp-given",
        "Priorities in task order, first task highest, preemption at block boundaries: sufficient",
    ),
    (
        Policy::FixedPriority(Preemption::Limited, Priorities::Audsley),
        "lp-fp-audsley",
        "Optimal priorities (Audsley), preemption at block boundaries: sufficient",
    ),
    (
        Policy::Density,
        "density",
        "Σ C/min(T, D − J) ≤ 1: sufficient for edf",
    ),
    (
        Policy::Hyperbolic,
        "hyperbolic",
        "Π (C/T' + 1) ≤ 2: sufficient for preemptive priorities in the order of T' = min(T, D) − J",
    ),
    (
        Policy::LiuLayland,
        "liu-layland",
        "Σ C/T' ≤ n·(2^(1/n) − 1): sufficient for the priorities of `hyperbolic`",
    ),
    (
        Policy::WorkCapacity,
        "work-capacity",
        "Σ C(1)/T ≤ m: necessary only (an interpretation of [Singh21] §3.6)",
    ),
    (
        Policy::WorkCapacityDeadline,
        "work-capacity-deadline",
        "Σ C(1)/T ≤ m, and C(m) ≤ D for each task: necessary only",
    ),
];

impl Policy {
    /// Returns all policies.
    pub fn all() -> impl Iterator<Item = Policy> {
        NAMES.iter().map(|&(policy, ..)| policy)
    }

    /// Returns the name of the policy in files and on the command line.
    pub fn name(self) -> &'static str {
        self.entry().map_or("?", |&(_, name, _)| name)
    }

    /// Returns one line of help about the policy.
    pub fn description(self) -> &'static str {
        self.entry().map_or("?", |&(.., description)| description)
    }

    fn entry(self) -> Option<&'static (Policy, &'static str, &'static str)> {
        NAMES.iter().find(|&&(policy, ..)| policy == self)
    }
}

impl fmt::Display for Policy {
    /// Writes the name of the policy in files and on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a text that is not the name of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant `{found}`, expected one of {}", expected())]
pub struct UnknownPolicy {
    found: String,
}

fn expected() -> String {
    let names: Vec<String> = NAMES.iter().map(|(_, name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Policy, UnknownPolicy> {
        NAMES
            .iter()
            .find(|&&(_, name, _)| name == text)
            .map(|&(policy, ..)| policy)
            .ok_or_else(|| UnknownPolicy {
                found: text.chars().take(40).collect(),
            })
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
        struct NameVisitor;
        impl serde::de::Visitor<'_> for NameVisitor {
            type Value = Policy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "the name of a policy: one of {}", expected())
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Policy, E> {
                name.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Policy {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Policy".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<serde_json::Value> = NAMES
            .iter()
            .map(|(_, name, description)| {
                serde_json::json!({"type": "string", "const": name, "description": description})
            })
            .collect();
        schemars::json_schema!({
            "description": "Scheduling rule for the kernels of one partition, together with its schedulability test.",
            "oneOf": names,
        })
    }
}
