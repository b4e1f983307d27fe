//! Warp schedulers. A warp scheduler chooses the warp of a sub-core that issues next.

use serde::{Deserialize, Serialize};

/// Warp scheduler of a sub-core: rule that chooses the warp that issues next ([Singh21] §4.2, [Singh22] §II-A).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Loose round robin: the scheduler chooses the next warp that can issue, starting after the warp that issued last.
    Lrr,
    /// Greedy, then oldest: the scheduler chooses the warp that issued last. If this warp cannot issue, the scheduler
    /// chooses the oldest warp that can issue.
    Gto,
    /// Oldest first: the scheduler chooses the oldest warp that can issue.
    Oldest,
    /// Kernels take turns. The priority of a kernel limits the number of stalls in its turn ([Singh21] chapter 4).
    RtPaws,
    /// Kernels take turns. The issue budget of a kernel limits the number of warp switches in its turn ([Singh22]).
    Qaws,
    /// `rt-paws`, but kernels with equal priorities share a turn ([Singh21] Algorithm 5, line 1).
    RtPawsByPriority,
    /// `qaws`, but kernels with equal issue budgets share a turn ([Singh22] Algorithm 1, line 7).
    QawsByBudget,
    /// `rt-paws-by-priority`, with the rules of [Singh21] Algorithm 5 as printed. The scheduler detects a stall one
    /// cycle late, and a turn ends when the decremented priority is 0.
    RtPawsPrinted,
    /// `qaws-by-budget`, with the rules of [Singh22] Algorithm 1 as printed. The scheduler detects a stall one cycle
    /// late.
    QawsPrinted,
}

impl Scheduler {
    /// All warp schedulers.
    pub const ALL: [Scheduler; 9] = [
        Scheduler::Lrr,
        Scheduler::Gto,
        Scheduler::Oldest,
        Scheduler::RtPaws,
        Scheduler::Qaws,
        Scheduler::RtPawsByPriority,
        Scheduler::QawsByBudget,
        Scheduler::RtPawsPrinted,
        Scheduler::QawsPrinted,
    ];

    /// Returns the name of the scheduler in files and on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether the scheduler requires an issue budget for each kernel. Under `rt-paws` and its variants,
    /// the issue budget is the priority.
    pub const fn has_budgets(self) -> bool {
        !matches!(self, Scheduler::Lrr | Scheduler::Gto | Scheduler::Oldest)
    }
}

/// The error for a text that is not the name of a warp scheduler.
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
