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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns options that all have a value. Each heuristic uses only some of the options.
    fn all() -> Options {
        Options {
            improve: true,
            objective: Some(Objective::Sms),
            search_effort: Some(7),
            time_limit: Some(Duration::from_millis(5)),
            forbidden: Some(Forbidden::Act),
            order: Some(ListOrder::Increasing),
            sms_ties: Some(SmsTies::Position),
            bf_measure: Some(BfMeasure::Demand),
            bf_direction: Some(BfDirection::Descending),
            split: Some(3),
            gap: Some(2),
        }
    }

    #[test]
    fn each_option_has_an_effect_somewhere_and_one_gpu_takes_none() {
        let all = all();
        for (option, given, _) in all.effects(HeuristicKind::OneGpu) {
            assert!(given && !all.users(option).is_empty(), "{option}");
            assert!(!all.users(option).contains(&HeuristicKind::OneGpu), "{option}");
        }
        for &kind in HeuristicKind::VARIANTS {
            assert_eq!(Heuristic::from(kind).kind(), kind);
            assert_eq!(kind.with(&Options::default()), Ok(Heuristic::from(kind)));
            assert!(kind.with(&all).is_err(), "{kind}");
        }
    }

    #[test]
    fn what_has_no_effect_is_named_with_where_it_would_have_one() {
        use HeuristicKind::{Auto, Bf, Ffd, Matching, OneGpu, OnePerPartition, Optimal, Savings, Sms, Wfd};
        let none = Options::default();
        let refused = |kind: HeuristicKind, options: Options| kind.with(&options).unwrap_err();
        let option = |option, with: &[HeuristicKind], or_improve| NoEffect::Option {
            option,
            with: with.to_vec(),
            or_improve,
        };
        let budget = Options {
            search_effort: Some(1),
            ..none
        };
        assert_eq!(
            refused(Sms, budget),
            option("search_effort", &[Auto, Optimal], true)
        );
        assert_eq!(
            refused(OneGpu, budget),
            option("search_effort", &[Auto, Optimal], false)
        );
        let feasible = Options {
            objective: Some(Objective::Feasible),
            ..none
        };
        let aims = [Savings, Matching, Auto, Optimal];
        assert_eq!(refused(Bf, feasible), option("objective", &aims, true));
        let margin = Options {
            objective: Some(Objective::Margin),
            ..none
        };
        for improve in [false, true] {
            let savings = Options { improve, ..margin };
            assert_eq!(
                refused(Savings, savings),
                option("objective", &[Auto, Optimal], false)
            );
        }
        let split = Options {
            split: Some(2),
            improve: true,
            ..none
        };
        assert_eq!(refused(Sms, split), option("split", &[Ffd, Wfd], false));
        let gap = Options { gap: Some(1), ..none };
        assert_eq!(refused(Sms, gap), option("gap", &[Auto, Optimal], false));
        assert_eq!(
            refused(
                Auto,
                Options {
                    gap: Some(1),
                    ..feasible
                }
            ),
            NoEffect::GapBeside {
                gap: 1,
                objective: Objective::Feasible,
            }
        );
        let after = vec![Sms, Bf, OnePerPartition, Ffd, Wfd, Savings, Matching];
        for kind in [OneGpu, Auto, Optimal] {
            let improve = Options {
                improve: true,
                ..budget
            };
            assert_eq!(refused(kind, improve), NoEffect::Improve { after: after.clone() });
        }
    }
}
