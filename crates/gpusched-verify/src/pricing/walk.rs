//! All groups of tasks that may be worth more than some SMs, by depth-first search, and whether one of them passes its test there.
//!
//! Single tasks and pairs are tested at once. All others are looked for on one number of SMs after the other, family by family: groups with one task of a kind and
//! several of the other, and groups in which all are in conflict. A part of a group is left, with all that contain it, if the rest cannot make
//! it worth enough, or if it is too much for so many SMs whatever the policy.

use super::answer::passes;
use super::candidate::Candidate;
use super::demands::{Group, WHOLE};
use super::effort::Effort;
use super::family::{Family, Part};
use super::measures::{Measures, What};
use super::multipliers::Multipliers;
use crate::hardware::Sizes;
use crate::job::jobs;
use crate::wcet::Wcets;
use gpusched_model::plan::UNITS_PER_SM;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Kind, Policy, TaskSet};

/// The price of one SM.
const ONE: i64 = UNITS_PER_SM as i64;

/// More than any group can be worth.
const MOST: i64 = (MAX_SMS as i64 + 1) * ONE;

/// A test of a policy counts as so many groups looked at.
const TEST: u64 = 50;

/// The same of a pair.
const PAIR: u64 = 5;

/// What a family begins with counts as so many groups for each task.
const FAMILY: u64 = 10;

/// Groups from one telling to the next.
const PACE: u64 = 10_000;

/// How a search ends.
pub(super) enum Found {
    /// No group is worth more than its SMs.
    Nothing,
    /// The limit was reached first.
    TooMuch,
    /// These tasks are worth more than that many SMs and pass the test there.
    Worth { tasks: Vec<usize>, sms: u32 },
    /// The same, but whether they pass is not clear.
    Open { tasks: Vec<usize>, sms: u32 },
}

/// The search.
pub(super) struct Walk<'a> {
    set: &'a TaskSet,
    wcets: Wcets<'static>,
    policy: Policy,
    sizes: &'a Sizes,
    /// The tasks that have a price, by position, which is in units: those without make no group worth more.
    prices: Vec<(usize, i64)>,
    measures: Measures,
    group: Group,
    /// Groups that may still be looked at.
    left: u64,
    /// What is left when somebody is told next.
    tell_at: u64,
    effort: &'a Effort<'a>,
    /// A group of which nothing here decides whether it passes.
    open: Option<(Vec<usize>, u32)>,
}

impl<'a> Walk<'a> {
    /// A search over the tasks of `set`, with a price for each, in partitions of `sizes`.
    pub fn new(
        set: &'a TaskSet,
        (wcets, policy): (Wcets<'static>, Policy),
        sizes: &'a Sizes,
        prices: &[u64],
        effort: &'a Effort<'a>,
    ) -> Walk<'a> {
        debug_assert_eq!(prices.len(), set.tasks().len(), "each task has a price");
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
            effort,
            open: None,
        }
    }

    /// Looks at all groups.
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

    /// Looks at the groups of three tasks and more on `sms` SMs.
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

    /// The tasks that may be in a group that passes on `sms` SMs.
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

    /// Looks at the groups of `several` and, if there are any, one of `lone`.
    fn look_at_family(&mut self, sms: u32, lone: &[&Candidate], several: &[&Candidate]) -> Result<(), Found> {
        if several.is_empty() {
            return Ok(());
        }
        // By work alone, most families are of no interest.
        let by_work = Multipliers::of_long_run(sms);
        if Family::new(&by_work, sms, lone, several).is_settled() {
            return Ok(());
        }
        self.spend(FAMILY * several.len() as u64)?;
        let best = |lone: &[&Candidate]| Multipliers::best(lone, several).unwrap_or_else(|| by_work.clone());
        let family = Family::new(&best(lone), sms, lone, several);
        if lone.is_empty() {
            return self.extend(&family, &mut Vec::new(), 0, family.none());
        }
        for scored in family.lone.iter().filter(|scored| family.begin(scored).is_some()) {
            // More is known with multipliers for this one alone.
            self.spend(FAMILY * several.len() as u64)?;
            let candidate = scored.candidate;
            let alone = Family::new(&best(&[candidate]), sms, &[candidate], several);
            for part in alone.lone.iter().filter_map(|lone| alone.begin(lone)) {
                self.extend(&alone, &mut vec![candidate], 0, part)?;
            }
        }
        Ok(())
    }

    /// Looks at `group`, of which `part` is known, with some of what `family` has from `position` on.
    fn extend<'c>(
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
            self.look_at(&tasks, self.sms_below(family.limit + 1))?;
        }
        for (position, next) in family.several.iter().enumerate().skip(position) {
            self.spend(1)?;
            if family.is_of_no_interest(part, position) {
                return Ok(()); // and so with all that follow
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

    /// Whether `group` passes no test on its SMs, whatever is added to it. `false` says nothing.
    fn is_hopeless(&mut self, group: &[&Candidate]) -> bool {
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

    /// So many groups are looked at.
    fn spend(&mut self, groups: u64) -> Result<(), Found> {
        self.left = self.left.checked_sub(groups).ok_or(Found::TooMuch)?;
        if self.left <= self.tell_at {
            (self.effort.watch)(self.effort.groups - self.left);
            self.tell_at = self.left.saturating_sub(PACE);
        }
        Ok(())
    }

    /// The largest partition that costs less than `price`, or 0.
    fn sms_below(&self, price: i64) -> u32 {
        let most = (price - 1).max(0) as u64 / UNITS_PER_SM;
        self.sizes
            .at_most(u32::try_from(most).unwrap_or(MAX_SMS).min(MAX_SMS))
    }

    /// `tasks`, ascending, are worth more than `sms` SMs: do they pass there?
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

/// Those of `candidates` that are of `kind`.
fn of_kind(candidates: &[Candidate], kind: Kind) -> Vec<&Candidate> {
    let of_kind = candidates.iter().filter(|candidate| candidate.kind == Some(kind));
    of_kind.collect()
}
