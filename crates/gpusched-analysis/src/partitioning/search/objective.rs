//! What a search aims for.

use serde::{Deserialize, Serialize};

/// What a search aims for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Objective {
    /// As few SMs as possible.
    #[default]
    Sms,
    /// A plan that fits on the GPU; the search ends with the first.
    Feasible,
    /// On the whole GPU, the plan whose WCETs may all grow by the largest common factor; the fewest SMs among equals.
    Margin,
}

impl Objective {
    /// Whether this is the default, which files leave out.
    pub fn is_default(&self) -> bool {
        *self == Objective::default()
    }
}

/// When a search may end: its objective on a GPU of so many SMs, and how far from the bound a plan may stay.
///
/// A search for the largest margin consists of searches for a plan that fits, so its aim is theirs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Aim {
    pub objective: Objective,
    /// M.
    pub sms: u32,
    /// SMs above the bound that do not matter; of a plan that fits, or where none can.
    pub gap: u32,
}

impl Aim {
    /// The number of SMs at which the search may end, if no plan has fewer than `bound`.
    pub fn target(self, bound: u32) -> u32 {
        let near = bound.saturating_add(self.gap);
        match self.objective {
            Objective::Sms if bound <= self.sms => near.min(self.sms),
            Objective::Sms => near,
            Objective::Feasible | Objective::Margin => self.sms.max(bound),
        }
    }

    /// From where on a lower bound is of no interest, beside a plan of `held` SMs.
    pub fn enough(self, held: u32) -> u32 {
        let near = held.saturating_sub(self.gap);
        match self.objective {
            Objective::Sms if held <= self.sms => near,
            Objective::Sms => near.max(self.sms.saturating_add(1)),
            Objective::Feasible | Objective::Margin => held.min(self.sms.saturating_add(1)),
        }
    }

    /// Up to how many SMs plans are sought at once, where none with fewer than `least` is left.
    pub fn reach(self, least: u32) -> u32 {
        match self.objective {
            Objective::Sms => least,
            Objective::Feasible | Objective::Margin => least.max(self.sms),
        }
    }

    /// Whether plans of `least` SMs and more are of no interest.
    pub fn is_beyond(self, least: u32) -> bool {
        self.objective != Objective::Sms && least > self.sms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound is enough if and only if the plan may stay; and what is near enough fits, where anything does.
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
