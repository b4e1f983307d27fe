//! The heuristics, each with the options that have an effect on it.

use std::time::Duration;

use super::budgets::default_budget;
use super::kind::HeuristicKind;
use super::merge::forbidden::Forbidden;
use super::merge::order::{BfDirection, BfMeasure, ListOrder};
use super::optimal::Solver;
use super::search::{Aim, Limits, Objective, Problem, SearchLimits};

/// A heuristic with all its options.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Heuristic {
    /// [`HeuristicKind::Sms`].
    Sms {
        /// How the list of forbidden pairs is filled.
        forbidden: Forbidden,
        /// How the list of partitions is kept.
        order: ListOrder,
        /// The local search that follows, if any does.
        improve: Option<LocalSearch>,
    },
    /// [`HeuristicKind::Bf`].
    Bf {
        /// How the list of forbidden pairs is filled.
        forbidden: Forbidden,
        /// How the list of partitions is kept.
        order: ListOrder,
        /// What U of a prospective merge means.
        measure: BfMeasure,
        /// Which U is preferred.
        direction: BfDirection,
        /// The local search that follows, if any does.
        improve: Option<LocalSearch>,
    },
    /// [`HeuristicKind::OneGpu`].
    OneGpu,
    /// [`HeuristicKind::OnePerPartition`].
    OnePerPartition {
        /// The local search that follows, if any does.
        improve: Option<LocalSearch>,
    },
    /// [`HeuristicKind::Ffd`].
    Ffd {
        /// The number of partitions; if absent, the smallest that fits.
        split: Option<u32>,
        /// The local search that follows, if any does.
        improve: Option<LocalSearch>,
    },
    /// [`HeuristicKind::Wfd`].
    Wfd {
        /// The number of partitions; if absent, the smallest that fits.
        split: Option<u32>,
        /// The local search that follows, if any does.
        improve: Option<LocalSearch>,
    },
    /// [`HeuristicKind::Savings`].
    Savings {
        /// What it aims for, and the local search that follows.
        objective: Objective,
        /// What the local search that follows may spend, if any does.
        improve: Option<SearchLimits>,
    },
    /// [`HeuristicKind::Matching`].
    Matching {
        /// What it aims for, and the local search that follows.
        objective: Objective,
        /// What the local search that follows may spend, if any does.
        improve: Option<SearchLimits>,
    },
    /// [`HeuristicKind::Auto`].
    Auto {
        /// Where the search may end.
        goal: Goal,
        /// What it may spend.
        limits: SearchLimits,
    },
    /// [`HeuristicKind::Optimal`].
    Optimal {
        /// Where the search may end.
        goal: Goal,
        /// What it may spend.
        limits: SearchLimits,
        /// What chooses among known groups.
        solver: Solver,
    },
}

/// Local search after a heuristic that has no objective of its own.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LocalSearch {
    /// What it aims for.
    pub objective: Objective,
    /// What it may spend.
    pub limits: SearchLimits,
}

/// Where a search that knows a lower bound may end.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// [`Objective::Sms`].
    Sms {
        /// The search ends as soon as its plan fits and has at most so many SMs more than the lower bound.
        gap: u32,
    },
    /// [`Objective::Feasible`].
    Feasible,
    /// [`Objective::Margin`].
    Margin,
}

impl Default for Goal {
    /// The fewest SMs, without a gap.
    fn default() -> Goal {
        Goal::Sms { gap: 0 }
    }
}

impl Heuristic {
    /// Which heuristic.
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

    /// What it aims for: without a gap if it knows no lower bound.
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

    /// When it may end on `problem`.
    pub(crate) fn aim(&self, problem: &Problem<'_>) -> Aim {
        let (objective, gap) = match self.goal() {
            // Whose shares are there may still have no place: the fewer, the better.
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

    /// The same with another objective, where it has one, and within `limits`.
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

    /// [`Heuristic::limits`], to be changed.
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

    /// What the user lets it spend, or the local search after it; `None` for a heuristic that ends by itself.
    pub(crate) fn limits(mut self) -> Option<SearchLimits> {
        self.limits_mut().copied()
    }

    /// The same with another limit to its time, if it heeds one.
    pub(crate) fn within(mut self, time: Option<Duration>) -> Heuristic {
        if let Some(limits) = self.limits_mut() {
            limits.time = time;
        }
        self
    }

    /// Whether it seeks a lower bound on the SMs of all plans.
    pub(crate) fn seeks_bound(&self) -> bool {
        matches!(self, Heuristic::Auto { .. } | Heuristic::Optimal { .. })
    }

    /// What it spends on `tasks` tasks within `limits`, where tests count the traffic of others if `beside_traffic`.
    pub(crate) fn spends(&self, limits: SearchLimits, tasks: usize, beside_traffic: bool) -> Limits {
        limits.or(default_budget(self.kind(), tasks, beside_traffic))
    }
}
