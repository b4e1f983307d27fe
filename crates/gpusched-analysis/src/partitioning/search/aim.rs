//! End condition of a search, which follows from the objective of its heuristic.

use crate::partitioning::heuristic::{Heuristic, Objective};
use crate::partitioning::problem::Problem;

/// End condition of a search: the objective, the SMs of the GPU, and the accepted optimality gap.
///
/// A search for the largest WCET margin runs several searches for a plan that fits.
/// [`Objective::Margin`] therefore has the end condition of [`Objective::Feasible`].
#[derive(Copy, Clone, Debug)]
pub(crate) struct Aim {
    pub objective: Objective,
    /// M, the number of SMs of the GPU.
    pub sms: u32,
    /// Accepted optimality gap [SMs]. The gap applies to plans that fit. If no plan can fit, the gap applies to every
    /// plan.
    pub gap: u32,
}

impl Aim {
    /// Returns the end condition of a search by `heuristic` on `problem`.
    pub fn of(heuristic: &Heuristic, problem: &Problem<'_>) -> Aim {
        let (objective, gap) = match heuristic.objective() {
            // Partitions may have no placement although the GPU has enough allocation units. The
            // search therefore minimizes the number of allocation units.
            _ if problem.has_places() => (Objective::Sms, 0),
            Objective::Sms => (Objective::Sms, heuristic.options().gap.unwrap_or_default()),
            Objective::Feasible | Objective::Margin => (Objective::Feasible, 0),
        };
        Aim {
            objective,
            sms: problem.shares(),
            gap,
        }
    }

    /// Returns the number of SMs at which the search may stop, if every plan has at least `bound` SMs.
    pub fn target(self, bound: u32) -> u32 {
        let near = bound.saturating_add(self.gap);
        match self.objective {
            Objective::Sms if bound <= self.sms => near.min(self.sms),
            Objective::Sms => near,
            Objective::Feasible | Objective::Margin => self.sms.max(bound),
        }
    }

    /// Returns the smallest lower bound with which the search may stop at a plan of `held` SMs.
    pub fn enough(self, held: u32) -> u32 {
        let near = held.saturating_sub(self.gap);
        match self.objective {
            Objective::Sms if held <= self.sms => near,
            Objective::Sms => near.max(self.sms.saturating_add(1)),
            Objective::Feasible | Objective::Margin => held.min(self.sms.saturating_add(1)),
        }
    }

    /// Returns the largest number of SMs that a plan may have in one search, if every plan has at least `least` SMs.
    pub fn reach(self, least: u32) -> u32 {
        match self.objective {
            Objective::Sms => least,
            Objective::Feasible | Objective::Margin => least.max(self.sms),
        }
    }

    /// Whether the objective excludes plans with `least` or more SMs, because they exceed the SMs of the GPU.
    pub fn is_beyond(self, least: u32) -> bool {
        self.objective != Objective::Sms && least > self.sms
    }
}
