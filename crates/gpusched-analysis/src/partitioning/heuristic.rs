//! The heuristics and their options.

use std::time::Duration;

use super::budgets::default_budget;
use super::kind::HeuristicKind;
use super::merge::forbidden::Forbidden;
use super::merge::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use super::search::{Aim, Limits, Objective, Problem, SearchLimits};

/// A heuristic with all its options.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Heuristic {
    /// The heuristic [`HeuristicKind::Sms`].
    Sms {
        /// Initial content of the list of partition pairs that the heuristic must not merge.
        forbidden: Forbidden,
        /// Order of the list of partitions in Algorithm 1.
        order: ListOrder,
        /// Selection among merges whose unions have equally many SMs.
        ties: SmsTies,
        /// Local search after the heuristic, if requested.
        improve: Option<LocalSearch>,
    },
    /// The heuristic [`HeuristicKind::Bf`].
    Bf {
        /// Initial content of the list of partition pairs that the heuristic must not merge.
        forbidden: Forbidden,
        /// Order of the list of partitions in Algorithm 1.
        order: ListOrder,
        /// Meaning of U(P) in the ranking of merges: utilization or demand.
        measure: BfMeasure,
        /// Whether the heuristic first tries merges with a small U(P) or merges with a large U(P).
        direction: BfDirection,
        /// Local search after the heuristic, if requested.
        improve: Option<LocalSearch>,
    },
    /// The heuristic [`HeuristicKind::OneGpu`].
    OneGpu,
    /// The heuristic [`HeuristicKind::OnePerPartition`].
    OnePerPartition {
        /// Local search after the heuristic, if requested.
        improve: Option<LocalSearch>,
    },
    /// The heuristic [`HeuristicKind::Ffd`].
    Ffd {
        /// Number of partitions. If absent, gpusched uses the smallest number with which every
        /// task fits into a partition.
        split: Option<u32>,
        /// Local search after the heuristic, if requested.
        improve: Option<LocalSearch>,
    },
    /// The heuristic [`HeuristicKind::Wfd`].
    Wfd {
        /// Number of partitions. If absent, gpusched uses the smallest number with which every
        /// task fits into a partition.
        split: Option<u32>,
        /// Local search after the heuristic, if requested.
        improve: Option<LocalSearch>,
    },
    /// The heuristic [`HeuristicKind::Savings`].
    Savings {
        /// Objective of the heuristic and of the local search that follows.
        objective: Objective,
        /// Limits of the local search that follows, if requested.
        improve: Option<SearchLimits>,
    },
    /// The heuristic [`HeuristicKind::Matching`].
    Matching {
        /// Objective of the heuristic and of the local search that follows.
        objective: Objective,
        /// Limits of the local search that follows, if requested.
        improve: Option<SearchLimits>,
    },
    /// The heuristic [`HeuristicKind::Auto`].
    Auto {
        /// Objective of the search, and its accepted optimality gap.
        goal: Goal,
        /// Search effort and time limit of the search.
        limits: SearchLimits,
    },
    /// The heuristic [`HeuristicKind::Optimal`].
    Optimal {
        /// Objective of the search, and its accepted optimality gap.
        goal: Goal,
        /// Search effort and time limit of the search.
        limits: SearchLimits,
    },
}

/// Options of a local search that follows a heuristic. The heuristic itself has no objective.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LocalSearch {
    /// Objective of the local search.
    pub objective: Objective,
    /// Search effort and time limit of the search.
    pub limits: SearchLimits,
}

/// Objective of a search that computes a lower bound on the SMs of every plan.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// The objective [`Objective::Sms`].
    Sms {
        /// Accepted optimality gap [SMs]. The search stops at a plan that fits the GPU and uses
        /// at most `gap` SMs more than the lower bound.
        gap: u32,
    },
    /// The objective [`Objective::Feasible`].
    Feasible,
    /// [`Objective::Margin`].
    Margin,
}

impl Default for Goal {
    /// The fewest SMs, with an optimality gap of 0.
    fn default() -> Goal {
        Goal::Sms { gap: 0 }
    }
}

impl Heuristic {
    /// Returns the name of the heuristic.
    pub fn kind(&self) -> HeuristicKind {
        match self {
            Heuristic::Sms { .. } => HeuristicKind::Sms,
            Heuristic::Bf { .. } => HeuristicKind::Bf,
            Heuristic::OneGpu => HeuristicKind::OneGpu,
            Heuristic::OnePerPartition { .. } => HeuristicKind::OnePerPartition,
            Heuristic::Ffd { .. } => HeuristicKind::Ffd,
            Heuristic::Wfd { .. } => HeuristicKind::Wfd,
            Heuristic::Savings { .. } => HeuristicKind::Savings,
            Heuristic::Matching { .. } => HeuristicKind::Matching,
            Heuristic::Auto { .. } => HeuristicKind::Auto,
            Heuristic::Optimal { .. } => HeuristicKind::Optimal,
        }
    }

    /// Returns the objective. The gap is 0 if the heuristic computes no lower bound.
    pub(crate) fn goal(&self) -> Goal {
        let objective = match *self {
            Heuristic::OneGpu => Objective::Sms,
            Heuristic::Sms { improve, .. }
            | Heuristic::Bf { improve, .. }
            | Heuristic::OnePerPartition { improve }
            | Heuristic::Ffd { improve, .. }
            | Heuristic::Wfd { improve, .. } => improve.unwrap_or_default().objective,
            Heuristic::Savings { objective, .. } | Heuristic::Matching { objective, .. } => objective,
            Heuristic::Auto { goal, .. } | Heuristic::Optimal { goal, .. } => return goal,
        };
        match objective {
            Objective::Sms => Goal::Sms { gap: 0 },
            Objective::Feasible => Goal::Feasible,
            Objective::Margin => Goal::Margin,
        }
    }

    /// Returns the end condition of a search on `problem`.
    pub(crate) fn aim(&self, problem: &Problem<'_>) -> Aim {
        let (objective, gap) = match self.goal() {
            // Partitions may have no placement although the GPU has enough allocation units. The
            // search therefore minimizes the number of allocation units.
            _ if problem.has_places() => (Objective::Sms, 0),
            Goal::Sms { gap } => (Objective::Sms, gap),
            Goal::Feasible | Goal::Margin => (Objective::Feasible, 0),
        };
        Aim {
            objective,
            sms: problem.shares(),
            gap,
        }
    }

    /// Returns the heuristic with the limits `limits`. If the heuristic supports objectives, the result has the
    /// objective `objective`.
    pub(crate) fn towards(mut self, objective: Objective, limits: SearchLimits) -> Heuristic {
        match &mut self {
            Heuristic::OneGpu => {}
            Heuristic::Sms { improve, .. }
            | Heuristic::Bf { improve, .. }
            | Heuristic::OnePerPartition { improve }
            | Heuristic::Ffd { improve, .. }
            | Heuristic::Wfd { improve, .. } => {
                if let Some(search) = improve {
                    search.objective = objective;
                }
            }
            Heuristic::Savings { objective: own, .. } | Heuristic::Matching { objective: own, .. } => {
                *own = objective;
            }
            Heuristic::Auto { goal, .. } | Heuristic::Optimal { goal, .. } => {
                *goal = match objective {
                    Objective::Sms => Goal::default(),
                    Objective::Feasible => Goal::Feasible,
                    Objective::Margin => Goal::Margin,
                };
            }
        }
        if let Some(own) = self.limits_mut() {
            *own = limits;
        }
        self
    }

    /// Returns a mutable reference to the limits that [`Heuristic::limits`] returns.
    fn limits_mut(&mut self) -> Option<&mut SearchLimits> {
        match self {
            Heuristic::OneGpu => None,
            Heuristic::Sms { improve, .. }
            | Heuristic::Bf { improve, .. }
            | Heuristic::OnePerPartition { improve }
            | Heuristic::Ffd { improve, .. }
            | Heuristic::Wfd { improve, .. } => improve.as_mut().map(|search| &mut search.limits),
            Heuristic::Savings { improve, .. } | Heuristic::Matching { improve, .. } => improve.as_mut(),
            Heuristic::Auto { limits, .. } | Heuristic::Optimal { limits, .. } => Some(limits),
        }
    }

    /// Returns the user's limits on search effort and time. The limits apply to the heuristic or
    /// to the local search after it. Returns `None` if the heuristic has no limits.
    pub(crate) fn limits(mut self) -> Option<SearchLimits> {
        self.limits_mut().copied()
    }

    /// Returns the heuristic with the time limit `time`. A heuristic without limits stays unchanged.
    pub(crate) fn within(mut self, time: Option<Duration>) -> Heuristic {
        if let Some(limits) = self.limits_mut() {
            limits.time = time;
        }
        self
    }

    /// Whether the heuristic computes a lower bound on the SMs of all plans.
    pub(crate) fn seeks_bound(&self) -> bool {
        matches!(self, Heuristic::Auto { .. } | Heuristic::Optimal { .. })
    }

    /// Returns `limits`. If the user sets no search effort, the result has the default search
    /// effort for `tasks` tasks. `beside_traffic` states whether tests count the memory traffic
    /// of other partitions.
    pub(crate) fn spends(&self, limits: SearchLimits, tasks: usize, beside_traffic: bool) -> Limits {
        limits.or(default_budget(self.kind(), tasks, beside_traffic))
    }
}
