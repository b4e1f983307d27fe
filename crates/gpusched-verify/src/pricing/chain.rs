//! Division of groups of tasks by blocking, for policies without immediate preemption.
//!
//! A task blocks if one of its jobs starts 1 ns before a job with an earlier deadline is released. Without preemption,
//! the blocking job runs to its end. Under limited preemption, it runs to the end of its longest block. Suppose that a
//! group passes its test, and that a task of the group blocks for q and has a relative deadline above t. Then the
//! demand in an interval of length t is at most t − q, because the jobs of the interval start only after the blocking.
//!
//! The check divides the groups of a family by their *records*. The first record is the task with the longest blocking.
//! The next record is the task with the longest blocking among the tasks with a later deadline than the previous
//! record. The records determine the longest blocking for every t, and therefore also the supply by every measure.

use super::candidate::Candidate;
use super::division::{Division, NO_RECORDS};
use super::family::Family;
use super::multipliers::Multipliers;
use super::walk::{FAMILY, Found, Walk};

/// If at most this number of tasks may join the group, the check does not divide the groups further.
const FEW: usize = 2;

/// Number of groups that a search examines before it computes new multipliers.
const PATIENCE: u64 = 20_000;

impl Walk<'_> {
    /// Searches the groups of `division` that contain the tasks of `group`.
    pub(super) fn divide<'c>(
        &mut self,
        group: &mut Vec<&'c Candidate>,
        division: &Division<'_, 'c>,
    ) -> Result<(), Found> {
        let &Division {
            sms,
            free,
            supply,
            from,
            multipliers,
        } = division;
        self.spend(1 + free.len() as u64 / 10)?;
        let Some(left) = left(supply, group) else {
            return Ok(()); // the demand of the group exceeds the supply
        };
        let price = group
            .iter()
            .fold(0i64, |sum, candidate| sum.saturating_add(candidate.price));
        let family = Family::within(multipliers, &left, (sms, price), (&[], free));
        if family.is_settled() {
            return Ok(());
        }
        self.spend(FAMILY * free.len() as u64)?;
        let best = Multipliers::best(&left, &[], free);
        let multipliers = best.as_ref().unwrap_or(multipliers);
        let family = Family::within(multipliers, &left, (sms, price), (&[], free));
        if family.is_settled() {
            return Ok(());
        }
        let fixed = group.iter().copied().filter(|candidate| candidate.due() > from);
        let fixed = fixed.max_by_key(|candidate| candidate.rank());
        let mut later: Vec<&Candidate> = free
            .iter()
            .copied()
            .filter(|candidate| candidate.due() > from)
            .collect();
        if free.len() <= FEW || (later.is_empty() && fixed.is_none()) {
            let division = Division {
                multipliers,
                ..*division
            };
            return self.finish(&family, group, &division);
        }
        later.retain(|candidate| fixed.is_none_or(|fixed| candidate.rank() > fixed.rank()));
        later.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for &record in &later {
            group.push(record);
            if !self.is_hopeless(group) {
                self.divide_after(group, division, (record, multipliers))?;
            }
            group.pop();
        }
        match fixed {
            Some(record) => self.divide_after(group, division, (record, multipliers)),
            None => {
                let free: Vec<&Candidate> = free
                    .iter()
                    .copied()
                    .filter(|candidate| candidate.due() <= from)
                    .collect();
                let division = Division {
                    free: &free,
                    multipliers,
                    ..*division
                };
                self.divide(group, &division)
            }
        }
    }

    /// Searches the groups of `division` that have no further records. `family` contains these groups.
    ///
    /// The search first uses the multipliers of the family. If it takes too long, it chooses one more task and then
    /// computes new multipliers.
    fn finish<'c>(
        &mut self,
        family: &Family<'c>,
        group: &mut Vec<&'c Candidate>,
        division: &Division<'_, 'c>,
    ) -> Result<(), Found> {
        let chosen = group.len();
        self.pause_after(PATIENCE);
        match self.extend(family, group, 0, family.none()) {
            Err(Found::Paused) => group.truncate(chosen),
            end => {
                self.pause_after(u64::MAX);
                return end;
            }
        }
        self.pause_after(u64::MAX);
        for (position, next) in family.several.iter().enumerate() {
            if family.is_of_no_interest(family.none(), position) {
                return Ok(());
            }
            let with = family.with(family.none(), next);
            if with.is_none_or(|with| family.is_of_no_interest(with, position + 1)) {
                continue;
            }
            group.push(next.candidate);
            if !self.is_hopeless(group) {
                let mut free = Vec::new();
                for other in family.several.iter().skip(position + 1) {
                    if !self.is_hopeless(&[next.candidate, other.candidate]) {
                        free.push(other.candidate);
                    }
                }
                let division = Division {
                    free: &free,
                    from: NO_RECORDS,
                    ..*division
                };
                self.divide(group, &division)?;
            }
            group.pop();
        }
        Ok(())
    }

    /// Searches the groups of `division` whose next record is `record`. `group` contains `record`.
    fn divide_after<'c>(
        &mut self,
        group: &mut Vec<&'c Candidate>,
        division: &Division<'_, 'c>,
        (record, multipliers): (&'c Candidate, &Multipliers),
    ) -> Result<(), Found> {
        let from = division.from;
        let mut free = Vec::new();
        for &candidate in division.free {
            let may_follow = candidate.due() <= from || candidate.rank() < record.rank();
            if may_follow && !self.is_hopeless(&[record, candidate]) {
                free.push(candidate);
            }
        }
        let mut supply = division.supply.to_vec();
        self.measures
            .block(&mut supply, (from, record.due()), record.rank().0);
        let division = Division {
            sms: division.sms,
            free: &free,
            supply: &supply,
            from: record.due(),
            multipliers,
        };
        self.divide(group, &division)
    }
}

/// Returns, for each measure, the supply that `group` leaves unused. Returns `None` if the demand of `group` exceeds
/// the supply.
fn left(supply: &[u64], group: &[&Candidate]) -> Option<Vec<u64>> {
    let mut left = supply.to_vec();
    for candidate in group {
        for (left, &share) in left.iter_mut().zip(&candidate.needs.shares) {
            *left = left.checked_sub(share)?;
        }
    }
    Some(left)
}
