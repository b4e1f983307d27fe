//! Warp schedulers: which warp of a sub-core issues next.

use serde::{Deserialize, Serialize};

/// How a sub-core chooses the warp that issues next (MODELS §8).
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(
    strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(
    serialize_all = "kebab-case",
    parse_err_ty = UnknownScheduler,
    parse_err_fn = UnknownScheduler::of
)]
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
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether each kernel has a budget (`rt-paws`: a priority).
    pub const fn has_budgets(self) -> bool {
        matches!(self, Scheduler::RtPaws | Scheduler::Qaws)
    }
}

/// A text that names no scheduler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?}, expected one of {}", Scheduler::ALL.map(Scheduler::name).join(", "))]
pub struct UnknownScheduler {
    found: String,
}

impl UnknownScheduler {
    fn of(text: &str) -> UnknownScheduler {
        UnknownScheduler {
            found: text.chars().take(40).collect(),
        }
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
