//! Which heuristics an option has an effect on: one table for the command line and for studies, which refuse it elsewhere.

use super::HeuristicKind;
use HeuristicKind::{Auto, Bf, Ffd, Matching, OnePerPartition, Optimal, Savings, Sms, Wfd};
use gpusched_model::SharedMemory;
use gpusched_model::device::Granularity;

/// What local search may follow.
const IMPROVABLE: &[HeuristicKind] = &[Sms, Bf, OnePerPartition, Ffd, Wfd, Savings, Matching];

impl HeuristicKind {
    /// The heuristics on which the option called `field` in files has an effect, with or without local search after them;
    /// `None` for an option of all, or of none.
    pub fn heeding(field: &str, improve: bool) -> Option<&'static [HeuristicKind]> {
        Some(match (field, improve) {
            ("improve", _) | ("objective" | "budget" | "time_limit", true) => IMPROVABLE,
            ("objective", false) => &[Savings, Matching, Auto, Optimal],
            ("budget" | "time_limit", false) | ("gap", _) => &[Auto, Optimal],
            ("forbidden" | "order", _) => &[Sms, Bf],
            ("bf_measure" | "bf_direction", _) => &[Bf],
            ("split", _) => &[Ffd, Wfd],
            ("solver", _) => &[Optimal],
            _ => return None,
        })
    }
}

/// Whether a search by this granularity, before this memory, knows how far its plan is from a bound, so that a gap has an effect.
pub fn near_enough(granularity: Option<Granularity>, memory: Option<SharedMemory>) -> bool {
    memory.is_none() && !matches!(granularity, Some(Granularity::Gpc | Granularity::Mig))
}

/// Where that is so, as part of a sentence.
pub const NEAR_ENOUGH: &str =
    "without memory traffic, by single SMs, TPCs, green contexts or MPS, where it has an effect";

/// `kinds` as part of a sentence.
pub fn listed(kinds: &[HeuristicKind]) -> String {
    let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    names.join(" or ")
}
