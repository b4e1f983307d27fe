//! Options of the heuristics, from the command line or a study file. Each option applies only to
//! some heuristics.

use std::time::Duration;

use serde::Deserialize;
use strum::VariantArray;

use super::heuristic::{Goal, Heuristic, LocalSearch};
use super::kind::HeuristicKind;
use super::merge::forbidden::Forbidden;
use super::merge::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use super::search::{Objective, SearchLimits};
use gpusched_model::device::Granularity;

/// Options that the user sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Whether local search follows the heuristic.
    pub improve: bool,
    /// Objective of the search.
    pub objective: Option<Objective>,
    /// Search effort: maximum number of tests of candidate partitions, see [`SearchLimits::budget`].
    #[serde(alias = "budget")]
    pub search_effort: Option<u64>,
    /// Time limit, see [`SearchLimits::time`]. Studies ignore this option, because their results must not depend on the
    /// machine.
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
    /// Number of partitions of equal size, for `ffd` and `wfd`.
    pub split: Option<u32>,
    /// Accepted optimality gap [SMs], see [`Goal::Sms::gap`].
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

impl HeuristicKind {
    /// Returns the heuristic with this name and with `options`.
    ///
    /// # Errors
    /// Fails if an option would have no effect. The error names the first option without an
    /// effect.
    pub fn with(self, options: &Options) -> Result<Heuristic, NoEffect> {
        let mut left = *options;
        let heuristic = left.build(self);
        let Some(option) = left.first() else {
            return Ok(heuristic);
        };
        let with = options.heeding(option);
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
                .heeding(option)
                .contains(&self),
            },
        })
    }
}

impl From<HeuristicKind> for Heuristic {
    /// Returns the heuristic `kind` with default options.
    fn from(kind: HeuristicKind) -> Heuristic {
        Options::default().build(kind)
    }
}

impl Options {
    /// Builds the heuristic `kind`. Removes from `self` the options that the heuristic uses.
    fn build(&mut self, kind: HeuristicKind) -> Heuristic {
        match kind {
            HeuristicKind::Sms => Heuristic::Sms {
                forbidden: self.forbidden.take().unwrap_or_default(),
                order: self.order.take().unwrap_or_default(),
                ties: self.sms_ties.take().unwrap_or_default(),
                improve: self.local_search(),
            },
            HeuristicKind::Bf => Heuristic::Bf {
                forbidden: self.forbidden.take().unwrap_or_default(),
                order: self.order.take().unwrap_or_default(),
                measure: self.bf_measure.take().unwrap_or_default(),
                direction: self.bf_direction.take().unwrap_or_default(),
                improve: self.local_search(),
            },
            HeuristicKind::OneGpu => Heuristic::OneGpu,
            HeuristicKind::OnePerPartition => Heuristic::OnePerPartition {
                improve: self.local_search(),
            },
            HeuristicKind::Ffd => Heuristic::Ffd {
                split: self.split.take(),
                improve: self.local_search(),
            },
            HeuristicKind::Wfd => Heuristic::Wfd {
                split: self.split.take(),
                improve: self.local_search(),
            },
            HeuristicKind::Savings => Heuristic::Savings {
                objective: self.fit().unwrap_or_default(),
                improve: self.improve().then(|| self.limits()),
            },
            HeuristicKind::Matching => Heuristic::Matching {
                objective: self.fit().unwrap_or_default(),
                improve: self.improve().then(|| self.limits()),
            },
            HeuristicKind::Auto => Heuristic::Auto {
                goal: self.goal(),
                limits: self.limits(),
            },
            HeuristicKind::Optimal => Heuristic::Optimal {
                goal: self.goal(),
                limits: self.limits(),
            },
        }
    }

    fn improve(&mut self) -> bool {
        std::mem::take(&mut self.improve)
    }

    fn local_search(&mut self) -> Option<LocalSearch> {
        self.improve().then(|| LocalSearch {
            objective: self.fit().unwrap_or_default(),
            limits: self.limits(),
        })
    }

    /// Removes and returns the objective, unless it is [`Objective::Margin`]. This objective remains, because it
    /// requires a heuristic with a lower bound.
    fn fit(&mut self) -> Option<Objective> {
        self.objective
            .take_if(|objective| *objective != Objective::Margin)
    }

    fn limits(&mut self) -> SearchLimits {
        SearchLimits {
            budget: self.search_effort.take(),
            time: self.time_limit.take(),
        }
    }

    fn goal(&mut self) -> Goal {
        match self.objective.take().unwrap_or_default() {
            Objective::Sms => Goal::Sms {
                gap: self.gap.take().unwrap_or_default(),
            },
            Objective::Feasible => Goal::Feasible,
            Objective::Margin => Goal::Margin,
        }
    }

    /// Returns the name of the first option that is set. Study files use the same name.
    fn first(&self) -> Option<&'static str> {
        self.given()
            .into_iter()
            .find_map(|(option, given)| given.then_some(option))
    }

    /// Returns the name of each option, and whether the option is set.
    fn given(&self) -> [(&'static str, bool); 11] {
        [
            ("improve", self.improve),
            ("objective", self.objective.is_some()),
            ("search_effort", self.search_effort.is_some()),
            ("time_limit", self.time_limit.is_some()),
            ("forbidden", self.forbidden.is_some()),
            ("order", self.order.is_some()),
            ("sms_ties", self.sms_ties.is_some()),
            ("bf_measure", self.bf_measure.is_some()),
            ("bf_direction", self.bf_direction.is_some()),
            ("split", self.split.is_some()),
            ("gap", self.gap.is_some()),
        ]
    }

    /// Returns the heuristics that use the option `option`. If the user requests a local search, it counts as a part of
    /// the heuristic.
    fn heeding(&self, option: &'static str) -> Vec<HeuristicKind> {
        let alone = Options {
            objective: self.objective.filter(|_| option == "objective"),
            ..*self
        };
        let heeds = |kind: &HeuristicKind| {
            let mut left = alone;
            left.build(*kind);
            !left.given().contains(&(option, true))
        };
        HeuristicKind::VARIANTS.iter().copied().filter(heeds).collect()
    }
}

/// Whether an optimality gap has an effect at this granularity. Under `gpc` and `mig`, the search
/// ignores the gap, because the plan also requires a placement.
pub fn near_enough(granularity: Option<Granularity>) -> bool {
    !matches!(granularity, Some(Granularity::Gpc | Granularity::Mig))
}

/// Text for messages: the granularities that support an optimality gap.
pub const NEAR_ENOUGH: &str = "with granularity sm, tpc, green-context or mps, where a gap has an effect";
