//! The choice of a heuristic: everything that a user selects about a search.
//!
//! * [`kind`]: the names of the heuristics;
//! * [`objective`], [`forbidden`], [`order`], [`traffic`]: the values of their options;
//! * [`options`]: all options, and the heuristics that use each option;
//! * [`effort`]: limits on the search effort, and their defaults.

pub(super) mod effort;
pub mod forbidden;
pub(super) mod kind;
pub(super) mod objective;
pub(super) mod options;
pub mod order;
pub(super) mod traffic;

use std::time::Duration;

pub(crate) use effort::Limits;
pub use kind::HeuristicKind;
pub use objective::Objective;
pub use options::Options;

/// A heuristic with its options. Each option that is set has an effect, see [`HeuristicKind::with`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Heuristic {
    kind: HeuristicKind,
    options: Options,
}

impl From<HeuristicKind> for Heuristic {
    /// Returns the heuristic `kind` with default options.
    fn from(kind: HeuristicKind) -> Heuristic {
        let options = Options::default();
        Heuristic { kind, options }
    }
}

impl Heuristic {
    /// Returns the name of the heuristic.
    pub fn kind(&self) -> HeuristicKind {
        self.kind
    }

    /// Returns the options. An absent option has its default value.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the objective.
    pub fn objective(&self) -> Objective {
        self.options.objective.unwrap_or_default()
    }

    /// Whether the heuristic computes a lower bound on the SMs of all plans.
    pub(crate) fn seeks_bound(&self) -> bool {
        self.kind.seeks_bound()
    }

    /// Whether limits on search effort and time apply to the heuristic, or to the local search after it.
    pub fn has_limits(&self) -> bool {
        self.seeks_bound() || self.options.improve
    }

    /// Returns the limits of one search for `tasks` tasks. Without an option, the limit on the search effort is its
    /// default. `beside_traffic` states whether tests count the memory traffic of other partitions.
    pub(crate) fn limits(&self, tasks: usize, beside_traffic: bool) -> Limits {
        self.limits_or(effort::default_budget(self.kind, tasks, beside_traffic))
    }

    /// Returns the limits of one search. Without an option, the limit on the search effort is `tests`.
    pub(crate) fn limits_or(&self, tests: u64) -> Limits {
        Limits {
            tests: self.options.search_effort.unwrap_or(tests),
            time: self.options.time_limit,
        }
    }

    /// Returns the heuristic with the time limit `time`. A heuristic without limits stays unchanged.
    pub(crate) fn within(mut self, time: Option<Duration>) -> Heuristic {
        if self.has_limits() {
            self.options.time_limit = time;
        }
        self
    }

    /// Returns the heuristic, which computes a lower bound, with another objective and without an optimality gap.
    pub(crate) fn towards(mut self, objective: Objective) -> Heuristic {
        debug_assert!(self.seeks_bound(), "other heuristics have no objective");
        (self.options.objective, self.options.gap) = (Some(objective), None);
        self
    }

    /// Returns the heuristic, which has limits, with another search effort.
    pub(crate) fn spending(mut self, tests: Option<u64>) -> Heuristic {
        self.options.search_effort = tests;
        self
    }
}
