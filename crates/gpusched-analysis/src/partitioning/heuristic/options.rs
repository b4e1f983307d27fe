//! Options of the heuristics, from the command line or a study file. Each option applies only to
//! some heuristics.

use std::time::Duration;

use serde::Deserialize;
use strum::VariantArray;

use super::effort::AUTO_BUDGET;
use super::forbidden::Forbidden;
use super::kind::listed;
use super::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use super::{Heuristic, HeuristicKind, Objective};
use gpusched_model::device::Granularity;
use gpusched_model::error::Error;

/// Options that the user sets.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Whether local search follows the heuristic.
    pub improve: bool,
    /// Objective of the search.
    pub objective: Option<Objective>,
    /// Search effort: maximum number of tests of candidate partitions. If absent, gpusched uses
    /// [`default_budget`](crate::partitioning::default_budget).
    #[serde(alias = "budget")]
    pub search_effort: Option<u64>,
    /// Time limit. The search stops when it has used up the time or the search effort. Studies ignore this option,
    /// because their results must not depend on the machine.
    #[serde(skip)]
    pub time_limit: Option<Duration>,
    /// Initial content of the list of partition pairs that the heuristic must not merge.
    pub forbidden: Option<Forbidden>,
    /// Order of the list of partitions in Algorithm 1.
    pub order: Option<ListOrder>,
    /// Selection of SMS among merges whose unions have equally many SMs.
    pub sms_ties: Option<SmsTies>,
    /// Meaning of U(P) in the ranking of merges: utilization or demand.
    pub bf_measure: Option<BfMeasure>,
    /// Whether the heuristic first tries merges with a small U(P) or merges with a large U(P).
    pub bf_direction: Option<BfDirection>,
    /// Number of partitions of equal size, for `ffd` and `wfd`. If absent, gpusched uses the smallest number with which
    /// every task fits into a partition.
    pub split: Option<u32>,
    /// Accepted optimality gap [SMs]. With [`Objective::Sms`], the search stops at a plan that fits the GPU and uses at
    /// most `gap` SMs more than the lower bound.
    pub gap: Option<u32>,
}

/// Reason why gpusched refuses a combination of options: one of the options would have no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoEffect {
    /// The heuristic does not use this option.
    Option {
        /// Name of the option in study files.
        option: &'static str,
        /// Heuristics that use the option.
        with: Vec<HeuristicKind>,
        /// Whether the option would have an effect if a local search followed the heuristic.
        or_improve: bool,
    },
    /// The user requests a local search after a heuristic that supports no local search.
    Improve {
        /// Heuristics after which a local search is possible.
        after: Vec<HeuristicKind>,
    },
    /// An optimality gap is set together with an objective that ignores the gap.
    GapBeside {
        /// The optimality gap that the user sets.
        gap: u32,
        /// The search objective that the user sets.
        objective: Objective,
    },
}

impl NoEffect {
    /// Returns the name of the refused option in study files.
    pub fn option(&self) -> &'static str {
        match self {
            NoEffect::Option { option, .. } => option,
            NoEffect::Improve { .. } => "improve",
            NoEffect::GapBeside { .. } => "gap",
        }
    }
}

impl From<NoEffect> for Error {
    fn from(refused: NoEffect) -> Error {
        let expected = match &refused {
            NoEffect::Option { with, .. } => format!("{}, where the option has an effect", listed(with)),
            NoEffect::Improve { after } => listed(after),
            NoEffect::GapBeside { .. } => format!("the objective {}", Objective::Sms),
        };
        Error::parameter(refused.option(), "an option without effect", expected)
    }
}

impl HeuristicKind {
    /// Returns the heuristic with this name and with `options`.
    ///
    /// # Errors
    /// Fails if an option would have no effect. The error names the first option without an
    /// effect.
    pub fn with(self, options: &Options) -> Result<Heuristic, NoEffect> {
        let mut all = options.effects(self).into_iter();
        let Some((option, ..)) = all.find(|&(_, given, used)| given && !used) else {
            return Ok(Heuristic {
                kind: self,
                options: *options,
            });
        };
        let with = options.users(option);
        Err(match (option, options.gap) {
            ("improve", _) => NoEffect::Improve { after: with },
            ("gap", Some(gap)) if with.contains(&self) => NoEffect::GapBeside {
                gap,
                objective: options.objective.unwrap_or_default(),
            },
            _ => NoEffect::Option {
                option,
                with,
                or_improve: Options {
                    improve: true,
                    ..*options
                }
                .users(option)
                .contains(&self),
            },
        })
    }
}

impl Options {
    /// Returns the options of a short search for any plan that fits the GPU.
    pub fn shortened(&self) -> Options {
        let effort = self.search_effort.unwrap_or(AUTO_BUDGET);
        Options {
            search_effort: Some(effort.min(AUTO_BUDGET)),
            objective: Some(Objective::Feasible),
            gap: None,
            ..*self
        }
    }

    /// Returns the name of each option in study files, whether the option is set, and whether the heuristic `kind` uses
    /// the option. If the user requests a local search, it counts as a part of the heuristic.
    fn effects(&self, kind: HeuristicKind) -> [(&'static str, bool, bool); 11] {
        use HeuristicKind::{Bf, Ffd, Matching, OneGpu, Savings, Sms, Wfd};
        let bounds = kind.seeks_bound();
        let improves = !bounds && kind != OneGpu;
        let searches = bounds || (improves && self.improve);
        let (sms, bf) = (kind == Sms, kind == Bf);
        let split = matches!(kind, Ffd | Wfd);
        // The largest margin requires a heuristic with a lower bound.
        let fits = self.objective != Some(Objective::Margin);
        let aims = bounds || (fits && (searches || matches!(kind, Savings | Matching)));
        let gap = bounds && self.objective.unwrap_or_default() == Objective::Sms;
        [
            ("improve", self.improve, improves),
            ("objective", self.objective.is_some(), aims),
            ("search_effort", self.search_effort.is_some(), searches),
            ("time_limit", self.time_limit.is_some(), searches),
            ("forbidden", self.forbidden.is_some(), sms || bf),
            ("order", self.order.is_some(), sms || bf),
            ("sms_ties", self.sms_ties.is_some(), sms),
            ("bf_measure", self.bf_measure.is_some(), bf),
            ("bf_direction", self.bf_direction.is_some(), bf),
            ("split", self.split.is_some(), split),
            ("gap", self.gap.is_some(), gap),
        ]
    }

    /// Returns the heuristics that use the option `option` beside the other options.
    fn users(&self, option: &'static str) -> Vec<HeuristicKind> {
        let alone = Options {
            objective: self.objective.filter(|_| option == "objective"),
            ..*self
        };
        let uses = |kind: &HeuristicKind| {
            let mut all = alone.effects(*kind).into_iter();
            all.any(|(name, _, used)| name == option && used)
        };
        HeuristicKind::VARIANTS.iter().copied().filter(uses).collect()
    }
}

/// Whether an optimality gap has an effect at this granularity. Under `gpc` and `mig`, the search
/// ignores the gap, because the plan also requires a placement.
pub fn near_enough(granularity: Option<Granularity>) -> bool {
    !matches!(granularity, Some(Granularity::Gpc | Granularity::Mig))
}

/// Text for messages: the granularities that support an optimality gap.
pub const NEAR_ENOUGH: &str = "with granularity sm, tpc, green-context or mps, where a gap has an effect";
