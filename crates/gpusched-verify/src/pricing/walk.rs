//! Depth-first search over all groups of tasks whose total price may exceed the price of m SMs.
//! The search tests each such group.
//!
//! The search tests single tasks and pairs of tasks first. Then, for each number of SMs, the search examines larger
//! groups, one family after the other. A group of a family has only tasks in conflict, or it has several conflicting
//! tasks of one kind and one task of the other kind. The search skips a partial group and all its extensions if their
//! total prices cannot exceed the price of the SMs. The search also skips a partial group that fails its test under
//! every policy.

use super::answer::passes;
use super::candidate::Candidate;
use super::demands::{Group, WHOLE};
use super::division::{Division, NO_RECORDS};
use super::effort::Effort;
use super::family::{Family, Part};
use super::measures::{Measures, What};
use super::multipliers::Multipliers;
use crate::hardware::Sizes;
use crate::jobs::{Wcets, jobs};
use gpusched_model::plan::UNITS_PER_SM;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Kind, Policy, TaskSet};

/// Price of one SM [units].
const ONE: i64 = UNITS_PER_SM as i64;

/// A price that exceeds the total price of every group on [`MAX_SMS`] SMs.
const MOST: i64 = (MAX_SMS as i64 + 1) * ONE;

/// Search effort that one schedulability test uses, counted in groups.
const TEST: u64 = 50;

/// Search effort that the test of one pair of tasks uses, counted in groups.
const PAIR: u64 = 5;

/// Search effort per task that the setup of a family uses, counted in groups.
pub(super) const FAMILY: u64 = 10;

/// Number of groups between two progress reports.
const PACE: u64 = 10_000;

/// Result of a search over groups.
pub(super) enum Found {
    /// Every group either has a total price of at most its number of SMs, or fails its test.
    Nothing,
    /// The search reached the limit of the search effort.
    TooMuch,
    /// The search of a family has reached the limit of [`Walk::pause_after`].
    Paused,
    /// The listed tasks have a total price above the number of SMs, and pass their test on these
    /// SMs.
    Worth { tasks: Vec<usize>, sms: u32 },
    /// The listed tasks have a total price above the number of SMs. The test of these tasks on these SMs is
    /// inconclusive.
    Open { tasks: Vec<usize>, sms: u32 },
}

/// State of the search over groups.
pub(super) struct Walk<'a> {
    set: &'a TaskSet,
    wcets: Wcets<'static>,
    policy: Policy,
    sizes: &'a Sizes,
    /// Position and price of each task with a positive price [units]. Tasks with the price 0 do
    /// not increase a total price.
    prices: Vec<(usize, i64)>,
    pub(super) measures: Measures,
    group: Group,
    /// Number of groups that the search may still examine.
    left: u64,
    /// Value of `left` at which the search reports its progress next.
    tell_at: u64,
    /// Value of `left` below which the search of a family pauses.
    pause_at: Option<u64>,
    effort: &'a Effort<'a>,
    /// First group whose test is inconclusive, and its number of SMs.
    open: Option<(Vec<usize>, u32)>,
}

impl<'a> Walk<'a> {
    /// Creates a search over groups of tasks of `set`, in partitions of `sizes`. `prices` has one
    /// price per task.
    pub fn new(
        set: &'a TaskSet,
        (wcets, policy): (Wcets<'static>, Policy),
        sizes: &'a Sizes,
        prices: &[u64],
        effort: &'a Effort<'a>,
    ) -> Walk<'a> {
        debug_assert_eq!(prices.len(), set.tasks().len(), "one price per task");
        let prices = prices.iter().enumerate().filter(|&(_, &price)| price > 0);
        let prices = prices.map(|(task, &price)| (task, i64::try_from(price).unwrap_or(MOST).min(MOST)));
        Walk {
            set,
            wcets,
            policy,
            sizes,
            prices: prices.collect(),
            measures: Measures::new(set, policy, wcets),
            group: Group::default(),
            left: effort.groups,
            tell_at: effort.groups,
            pause_at: None,
            effort,
            open: None,
        }
    }

    /// Searches all groups.
    pub fn search(mut self) -> Found {
        match self.look_at_all() {
            Err(end) => end,
            Ok(()) => match self.open {
                Some((tasks, sms)) => Found::Open { tasks, sms },
                None => Found::Nothing,
            },
        }
    }

    fn look_at_all(&mut self) -> Result<(), Found> {
        let prices = self.prices.clone();
        let mut rest = prices.as_slice();
        while let Some((&(task, price), others)) = rest.split_first() {
            self.look_at(&[task], self.sms_below(price))?;
            for &(other, more) in others {
                self.spend(PAIR)?;
                self.look_at(&[task, other], self.sms_below(price + more))?;
            }
            rest = others;
        }
        let all = prices
            .iter()
            .fold(0i64, |sum, &(_, price)| sum.saturating_add(price));
        let sizes = self.sizes;
        sizes
            .up_to(self.sms_below(all))
            .try_for_each(|sms| self.look_at_groups_on(sms))
    }

    /// Searches the groups of at least three tasks on `sms` SMs.
    fn look_at_groups_on(&mut self, sms: u32) -> Result<(), Found> {
        self.spend(self.prices.len() as u64)?;
        if !self.wcets.conflict() {
            let all = self.candidates(false, sms);
            return self.look_at_family(sms, &[], &all.iter().collect::<Vec<_>>());
        }
        let (alone, in_conflict) = (self.candidates(false, sms), self.candidates(true, sms));
        self.look_at_family(sms, &[], &in_conflict.iter().collect::<Vec<_>>())?;
        for (lone, several) in [(Kind::Compute, Kind::Memory), (Kind::Memory, Kind::Compute)] {
            let (lone, several) = (of_kind(&alone, lone), of_kind(&in_conflict, several));
            if !lone.is_empty() {
                self.look_at_family(sms, &lone, &several)?;
            }
        }
        Ok(())
    }

    /// Returns the tasks that can be in a group that passes its test on `sms` SMs. `conflict`
    /// selects the WCETs.
    fn candidates(&self, conflict: bool, sms: u32) -> Vec<Candidate> {
        let candidate = |&(index, price): &(usize, i64)| {
            let task = &self.set.tasks()[index];
            Some(Candidate {
                task: index,
                kind: task.kind(),
                price,
                needs: self.measures.needs(task, conflict, sms)?,
            })
        };
        self.prices.iter().filter_map(candidate).collect()
    }

    /// Searches the groups of tasks of `several`. If `lone` is not empty, each group also has one
    /// task of `lone`.
    fn look_at_family(&mut self, sms: u32, lone: &[&Candidate], several: &[&Candidate]) -> Result<(), Found> {
        if several.is_empty() {
            return Ok(());
        }
        // For most families, the long-run share already proves that no group has a total price above the price of the
        // SMs.
        let supply = self.measures.supply();
        let by_work = Multipliers::of_long_run(sms, supply.len());
        if Family::within(&by_work, &supply, (sms, 0), (lone, several)).is_settled() {
            return Ok(());
        }
        let from = if self.measures.has_blocking() {
            0
        } else {
            NO_RECORDS
        };
        let division = |multipliers| Division {
            sms,
            free: several,
            supply: &supply,
            from,
            multipliers,
        };
        if lone.is_empty() {
            return self.divide(&mut Vec::new(), &division(&by_work));
        }
        self.spend(FAMILY * several.len() as u64)?;
        let best = Multipliers::best(&supply, lone, several);
        let multipliers = best.as_ref().unwrap_or(&by_work);
        let family = Family::within(multipliers, &supply, (sms, 0), (lone, several));
        for scored in family.lone.iter().filter(|scored| family.begin(scored).is_some()) {
            self.divide(&mut vec![scored.candidate], &division(multipliers))?;
        }
        Ok(())
    }

    /// Pauses the search after `groups` more groups.
    pub(super) fn pause_after(&mut self, groups: u64) {
        self.pause_at = self.left.checked_sub(groups);
    }

    /// Searches all groups that extend `group` by tasks of `family` from `position` on. `part`
    /// has the sums over `group`.
    pub(super) fn extend<'c>(
        &mut self,
        family: &Family<'c>,
        group: &mut Vec<&'c Candidate>,
        position: usize,
        part: Part,
    ) -> Result<(), Found> {
        if group.len() > 2 && part.price > family.limit {
            self.spend(TEST)?;
            let mut tasks: Vec<usize> = group.iter().map(|candidate| candidate.task).collect();
            tasks.sort_unstable();
            self.look_at(&tasks, family.sms)?;
        }
        for (position, next) in family.several.iter().enumerate().skip(position) {
            self.spend(1)?;
            if self.pause_at.is_some_and(|pause_at| self.left < pause_at) {
                return Err(Found::Paused);
            }
            if family.is_of_no_interest(part, position) {
                return Ok(()); // later positions are of no interest either
            }
            let Some(with) = family.with(part, next) else {
                continue;
            };
            if family.is_of_no_interest(with, position + 1) {
                continue;
            }
            group.push(next.candidate);
            if !self.is_hopeless(group) {
                self.extend(family, group, position + 1, with)?;
            }
            group.pop();
        }
        Ok(())
    }

    /// Returns `true` only if `group` and every group that contains `group` fail their tests on these SMs. The result
    /// `false` proves nothing.
    pub(super) fn is_hopeless(&mut self, group: &[&Candidate]) -> bool {
        match self.measures.what {
            What::Demand(_) => {
                let demands = group
                    .iter()
                    .filter_map(|candidate| candidate.needs.demand.as_ref());
                self.group.is_hopeless(demands)
            }
            What::Work => {
                let shares = group
                    .iter()
                    .filter_map(|candidate| candidate.needs.shares.first());
                shares.fold(0, |sum: u64, &share| sum.saturating_add(share)) > WHOLE
            }
        }
    }

    /// Subtracts `groups` groups from the search effort. Fails if the remaining search effort is
    /// too small.
    pub(super) fn spend(&mut self, groups: u64) -> Result<(), Found> {
        self.left = self.left.checked_sub(groups).ok_or(Found::TooMuch)?;
        if self.left <= self.tell_at {
            (self.effort.watch)(self.effort.groups - self.left);
            self.tell_at = self.left.saturating_sub(PACE);
        }
        Ok(())
    }

    /// Returns the largest partition size whose price is below `price`, or 0 if there is no such
    /// size.
    fn sms_below(&self, price: i64) -> u32 {
        let most = (price - 1).max(0) as u64 / UNITS_PER_SM;
        self.sizes
            .at_most(u32::try_from(most).unwrap_or(MAX_SMS).min(MAX_SMS))
    }

    /// Tests the group of tasks at the positions `tasks`, in ascending order. The total price of
    /// the group is above the price of `sms` SMs.
    fn look_at(&mut self, tasks: &[usize], sms: u32) -> Result<(), Found> {
        if sms == 0 {
            return Ok(());
        }
        let tasks = tasks.to_vec();
        let jobs = jobs(self.set, &tasks, sms, self.wcets);
        match jobs.map_or(Some(false), |jobs| passes(self.policy, &jobs, sms)) {
            Some(true) => Err(Found::Worth { tasks, sms }),
            Some(false) => Ok(()),
            None => {
                self.open.get_or_insert((tasks, sms));
                Ok(())
            }
        }
    }
}

/// Returns the `candidates` of kind `kind`.
fn of_kind(candidates: &[Candidate], kind: Kind) -> Vec<&Candidate> {
    let of_kind = candidates.iter().filter(|candidate| candidate.kind == Some(kind));
    of_kind.collect()
}
