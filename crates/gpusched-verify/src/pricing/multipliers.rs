//! Upper bounds on the total price of a group of tasks on m SMs, from one Lagrange multiplier per
//! measure.
//!
//! Let pᵢ be the price of task i, and wᵢⱼ its share by measure j. Suppose that a group has a demand of at most 1 by
//! each measure j. Then for all multipliers yⱼ ≥ 0, the total price of the group is Σ pᵢ ≤ Σ yⱼ + Σ (pᵢ − Σ yⱼ·wᵢⱼ).
//! The best multipliers solve the dual of max Σ pᵢxᵢ, Σ wᵢⱼxᵢ ≤ 1, 0 ≤ xᵢ ≤ 1. The bound on the total price is valid
//! for all multipliers, so rounding errors in the multipliers are safe.

use super::candidate::Candidate;
use super::demands::WHOLE;
use super::measures::Needs;
use gpusched_model::knapsack::Knapsack;
use gpusched_model::plan::UNITS_PER_SM;

/// Price of one SM [units].
const ONE: f64 = UNITS_PER_SM as f64;

/// Number of parts of a price unit. Costs are whole numbers of parts. So the sum of the rounding errors of all tasks
/// stays below one unit.
pub(super) const PARTS: u64 = 1 << 12;

/// Maximum number of tasks in a linear program. For more tasks, the solver takes too long.
const TASKS: usize = 400;

/// Maximum sum of all multipliers [units]. A larger sum would overflow, and its bound would be
/// useless.
const MOST: u64 = 1 << 50;

/// One multiplier per measure [units].
#[derive(Clone, Debug)]
pub(super) struct Multipliers(Vec<u64>);

impl Multipliers {
    /// Creates multipliers. Returns `None` if their sum exceeds [`MOST`].
    fn new(by_measure: Vec<u64>) -> Option<Multipliers> {
        let sum = by_measure
            .iter()
            .fold(0u64, |sum, &each| sum.saturating_add(each));
        (sum <= MOST).then_some(Multipliers(by_measure))
    }

    /// Returns multipliers that use only the long-run share. With these multipliers, the cost of a task is its long-run
    /// share times the price of the SMs.
    pub fn of_long_run(sms: u32, measures: usize) -> Multipliers {
        let mut by_measure = vec![0; measures.max(1)];
        by_measure[0] = u64::from(sms) * UNITS_PER_SM;
        Multipliers(by_measure)
    }

    /// Returns the best multipliers for groups of tasks of `several`. If `lone` is not empty, each group also has one
    /// task of `lone`. Returns `None` if there are too many tasks, or if the solver fails.
    ///
    /// `supply` is the supply by each measure that the group may use.
    pub fn best(supply: &[u64], lone: &[&Candidate], several: &[&Candidate]) -> Option<Multipliers> {
        let measures = several.first()?.needs.shares.len();
        if lone.len() + several.len() > TASKS {
            return None;
        }
        // With a supply of 0, the multiplier would have no limit.
        let room = supply.iter().map(|&supply| share(supply).max(1e-6));
        let one_of_lone = (!lone.is_empty()).then_some(1.0);
        let mut program = Knapsack::new(room.chain(one_of_lone).collect());
        for (candidates, is_lone) in [(several, 0.0), (lone, 1.0)] {
            for candidate in candidates {
                let asks = candidate.needs.shares.iter().map(|&each| share(each));
                program.add(
                    candidate.price as f64 / ONE,
                    asks.chain(one_of_lone.map(|_| is_lone)),
                );
            }
        }
        if !program.solve() {
            return None;
        }
        // The cast saturates, so it converts an invalid floating-point number to a valid integer.
        let units = |measure| (program.price(measure) * ONE).round() as u64;
        Multipliers::new((0..measures).map(units).collect())
    }

    /// Returns Σ yⱼ·sⱼ, the allowance for the supply s, rounded up [units]. No supply exceeds [`WHOLE`].
    pub fn allowance(&self, supply: &[u64]) -> i64 {
        debug_assert_eq!(self.0.len(), supply.len(), "one multiplier per measure");
        let each = self.0.iter().zip(supply);
        let sum = each.fold(0u128, |sum, (&multiplier, &supply)| {
            sum.saturating_add(u128::from(multiplier) * u128::from(supply))
        });
        i64::try_from(sum.div_ceil(WHOLE.into())).unwrap_or(i64::MAX)
    }

    /// Returns Σ yⱼ·wᵢⱼ, the cost of a task i, rounded down [parts of a unit].
    pub fn cost(&self, needs: &Needs) -> i64 {
        let each = self.0.iter().zip(&needs.shares);
        let sum = each.fold(0u128, |sum, (&multiplier, &share)| {
            sum.saturating_add(u128::from(multiplier) * u128::from(share))
        });
        i64::try_from(sum / u128::from(WHOLE / PARTS)).unwrap_or(i64::MAX)
    }
}

/// Converts a share [2⁻⁴⁸].
fn share(share: u64) -> f64 {
    share as f64 / WHOLE as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the sum of the multipliers saturated, the bound would be too low for all groups.
    #[test]
    fn what_a_solver_gets_wrong_is_no_multiplier() {
        assert!(Multipliers::new(vec![MOST, 0]).is_some());
        assert!(Multipliers::new(vec![MOST, 1]).is_none());
        assert!(Multipliers::new(vec![u64::MAX, u64::MAX]).is_none());
    }
}
