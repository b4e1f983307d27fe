//! Groups with the same number of SMs and the same tasks in conflict, and what they are worth at most.
//!
//! By multipliers, all measures become one: a cost of each task, and an allowance for all (`multipliers`). The most that tasks are worth within an allowance is a
//! knapsack problem, solved for every allowance at once by dynamic programming (Bellman): in steps of it, of which each task takes
//! what it costs, rounded down.

use super::measures::Asked;
use super::multipliers::Multipliers;
use crate::model::Kind;
use crate::model::plan::UNITS_PER_SM;

/// A task that a group on some SMs may have, alone of its kind or in conflict.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub task: usize,
    pub kind: Option<Kind>,
    /// In units.
    pub price: i64,
    pub asked: Asked,
}

/// The same with the steps of the allowance that it takes.
#[derive(Copy, Clone, Debug)]
pub(super) struct Scored<'c> {
    pub candidate: &'c Candidate,
    pub steps: usize,
}

/// Steps of an allowance, at most.
const STEPS: usize = 2_000;

/// Steps for all tasks together, at most.
const ALL_STEPS: usize = 2_000_000;

/// Groups of some of `several` and, if there are any, one of `lone`.
pub(super) struct Family<'c> {
    /// The worth of its SMs [units]: what is worth more is of interest.
    pub limit: i64,
    pub lone: Vec<Scored<'c>>,
    /// The dearest first.
    pub several: Vec<Scored<'c>>,
    /// The allowance.
    pub steps: usize,
    /// The most that those of `several` from a position on are worth, by position and allowance [units].
    most: Vec<i64>,
}

impl<'c> Family<'c> {
    pub fn new(
        multipliers: &Multipliers,
        sms: u32,
        lone: &[&'c Candidate],
        several: &[&'c Candidate],
    ) -> Family<'c> {
        let steps = STEPS.min(ALL_STEPS / several.len().max(1)).max(1);
        let step = (multipliers.sum() / steps as i64).saturating_add(1);
        let steps = usize::try_from(multipliers.sum() / step).unwrap_or(0);
        let scored = |candidates: &[&'c Candidate]| -> Vec<Scored<'c>> {
            let scored = candidates.iter().map(|&candidate| Scored {
                candidate,
                steps: usize::try_from(multipliers.cost(&candidate.asked) / step).unwrap_or(usize::MAX),
            });
            scored.collect()
        };
        let mut several = scored(several);
        several.sort_by_key(|scored| (std::cmp::Reverse(scored.steps), scored.candidate.task));
        Family {
            limit: i64::from(sms) * UNITS_PER_SM as i64,
            lone: scored(lone),
            most: most(&several, steps),
            several,
            steps,
        }
    }

    /// What those of `several` from `position` on that take no more than `steps` are worth at most [units].
    pub fn most(&self, position: usize, steps: usize) -> i64 {
        let row = position.saturating_mul(self.steps + 1);
        self.most.get(row.saturating_add(steps)).copied().unwrap_or(0)
    }
}

/// The most that `tasks` from a position on are worth, by position and allowance.
fn most(tasks: &[Scored<'_>], steps: usize) -> Vec<i64> {
    let width = steps + 1;
    let mut all = vec![0i64; (tasks.len() + 1) * width];
    for (position, task) in tasks.iter().enumerate().rev() {
        let (before, after) = all.split_at_mut((position + 1) * width);
        let row = before.iter_mut().skip(position * width);
        for (allowance, (slot, &without)) in row.zip(after.iter()).enumerate() {
            let with = allowance.checked_sub(task.steps).and_then(|rest| after.get(rest));
            let with = with.map_or(0, |&rest| rest.saturating_add(task.candidate.price));
            *slot = without.max(with);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn candidate(task: usize, price: i64, shares: Vec<u64>) -> Candidate {
        Candidate {
            task,
            kind: None,
            price,
            asked: Asked { ask: None, shares },
        }
    }

    /// The worth of the best group of `candidates` that asks for 1 at most by each measure.
    fn best(candidates: &[Candidate]) -> i64 {
        let groups = (0u32..1 << candidates.len()).map(|group| {
            let members: Vec<&Candidate> = (0..candidates.len())
                .filter(|&place| group & (1 << place) != 0)
                .map(|place| &candidates[place])
                .collect();
            let asked = |measure: usize| {
                members
                    .iter()
                    .map(|member| member.asked.shares[measure])
                    .sum::<u64>()
            };
            match (0..2).all(|measure| asked(measure) <= 1 << 32) {
                true => members.iter().map(|member| member.price).sum(),
                false => 0,
            }
        });
        groups.max().unwrap_or(0)
    }

    /// Never less than the best group, whatever the multipliers; and with the best of these and one measure that binds, hardly more.
    #[test]
    fn no_group_is_worth_more_than_the_most() {
        let mut rng = ChaCha8Rng::seed_from_u64(41);
        let mut close = 0;
        for round in 0..400 {
            let sms = rng.random_range(1..6u32);
            let other = if round % 2 == 0 { 1 << 10 } else { 1 << 31 };
            let candidates: Vec<Candidate> = (0..rng.random_range(3..10))
                .map(|task| {
                    let shares = vec![rng.random_range(1..1 << 31), rng.random_range(0..other)];
                    candidate(task, rng.random_range(0..2 * UNITS_PER_SM as i64), shares)
                })
                .collect();
            let several: Vec<&Candidate> = candidates.iter().collect();
            let best = best(&candidates);
            let found = Multipliers::best(&[], &several).expect("a small program");
            for (multipliers, good) in [(Multipliers::of_long_run(sms), false), (found, true)] {
                let family = Family::new(&multipliers, sms, &[], &several);
                let most = family.most(0, family.steps);
                assert!(most >= best, "{most} {best}");
                close += u32::from(good && round % 2 == 0 && most <= best + best / 20);
            }
        }
        assert!(close > 150, "{close} of 200");
    }
}
