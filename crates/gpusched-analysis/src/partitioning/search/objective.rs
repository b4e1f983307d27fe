//! Objective of a search.

use serde::{Deserialize, Serialize};

/// Search objective.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Objective {
    /// As few SMs as possible.
    #[default]
    Sms,
    /// The first plan that fits on the GPU.
    Feasible,
    /// The plan on the whole GPU whose WCETs may grow by the largest common factor. Ties: the fewest SMs.
    Margin,
}

impl Objective {
    /// Whether this is the default value, which files omit.
    pub fn is_default(&self) -> bool {
        *self == Objective::default()
    }
}

/// End condition of a search: the objective, the SMs of the GPU, and the accepted optimality gap.
///
/// A search for the largest WCET margin consists of searches for a plan that fits, and uses their end condition.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Aim {
    pub objective: Objective,
    /// M, the SMs of the GPU.
    pub sms: u32,
    /// Accepted optimality gap in SMs, for a plan that fits, or if no plan can fit.
    pub gap: u32,
}

impl Aim {
    /// The number of SMs at which the search may end if no plan has fewer than `bound` SMs.
    pub fn target(self, bound: u32) -> u32 {
        let near = bound.saturating_add(self.gap);
        match self.objective {
            Objective::Sms if bound <= self.sms => near.min(self.sms),
            Objective::Sms => near,
            Objective::Feasible | Objective::Margin => self.sms.max(bound),
        }
    }

    /// The smallest lower bound at which the search may end with a plan of `held` SMs.
    pub fn enough(self, held: u32) -> u32 {
        let near = held.saturating_sub(self.gap);
        match self.objective {
            Objective::Sms if held <= self.sms => near,
            Objective::Sms => near.max(self.sms.saturating_add(1)),
            Objective::Feasible | Objective::Margin => held.min(self.sms.saturating_add(1)),
        }
    }

    /// The largest number of SMs of the plans that one search covers, if no plan has fewer than `least` SMs.
    pub fn reach(self, least: u32) -> u32 {
        match self.objective {
            Objective::Sms => least,
            Objective::Feasible | Objective::Margin => least.max(self.sms),
        }
    }

    /// Whether plans with at least `least` SMs are of no use.
    pub fn is_beyond(self, least: u32) -> bool {
        self.objective != Objective::Sms && least > self.sms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound suffices if and only if the search may end with the plan. If a plan can fit, the search only ends with a plan
    /// that fits.
    #[test]
    fn enough_is_the_least_bound_at_which_the_search_may_end() {
        let objective = Objective::Sms;
        for (sms, gap) in (1..12).flat_map(|sms| (0..6).map(move |gap| (sms, gap))) {
            let aim = Aim { objective, sms, gap };
            for held in 1..20 {
                let least = (0..=held).find(|&bound| held <= aim.target(bound));
                assert_eq!(least, Some(aim.enough(held)), "{aim:?} {held}");
            }
            for bound in 0..20 {
                let target = aim.target(bound);
                assert!((bound..=bound + gap).contains(&target));
                assert!(bound > sms || target <= sms);
                assert_eq!(aim.reach(bound), bound);
            }
        }
    }

    #[test]
    fn without_a_gap_the_bound_is_the_target() {
        let aim = |objective| Aim {
            objective,
            sms: 8,
            gap: 0,
        };
        for bound in 0..20 {
            assert_eq!(aim(Objective::Sms).target(bound), bound);
            assert_eq!(aim(Objective::Sms).enough(bound), bound);
            assert_eq!(aim(Objective::Feasible).target(bound), bound.max(8));
            assert_eq!(aim(Objective::Feasible).enough(bound), bound.min(9));
            assert_eq!(aim(Objective::Feasible).is_beyond(bound), bound > 8);
        }
    }
}
