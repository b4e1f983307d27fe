//! All groups of tasks that may be worth more than their SMs, by depth-first search.
//!
//! What a group needs does not fall as it grows, so a group that is too much for as many SMs as all prices still to come would pay for is
//! left with all that contain it. And it is worth more than its SMs only if the surplus of its tasks, price less least work by
//! period, is positive in sum; what the tasks still to come can add to that is bounded kind by kind.

use super::super::wcet;
use super::Effort;
use super::answer::passes;
use super::offers::Offers;
use crate::model::plan::UNITS_PER_SM;
use crate::model::wcet::MAX_SMS;
use crate::model::{Interference, Kind, Policy, TaskSet};

/// The price of one SM.
const ONE: i64 = UNITS_PER_SM as i64;

/// More than any group can be worth.
const MOST: i64 = (MAX_SMS as i64 + 1) * ONE;

/// A test of a policy counts as so many groups looked at.
const TEST: u64 = 50;

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

/// One task.
#[derive(Copy, Clone, Debug)]
struct Item {
    task: usize,
    kind: usize,
    price: i64,
    /// Price less work, in conflict.
    surplus: i64,
    /// The same with the least work there is.
    alone: i64,
}

/// What is known of the items from a position on, by kind.
#[derive(Copy, Clone, Debug, Default)]
struct Rest {
    prices: i64,
    /// Σ of positive surpluses in conflict.
    surplus: [i64; 3],
    /// The largest surplus alone.
    alone: [i64; 3],
}

/// A group on the way down.
#[derive(Copy, Clone, Debug, Default)]
struct Node {
    counts: [u32; 3],
    price: i64,
    surplus: [i64; 3],
    alone: [i64; 3],
    /// On fewer SMs it does not pass.
    sms: u32,
}

/// The search.
pub(super) struct Walk<'a> {
    set: &'a TaskSet,
    interference: Interference,
    policy: Policy,
    items: Vec<Item>,
    rests: Vec<Rest>,
    path: Vec<Item>,
    offers: Offers<'a>,
    /// Groups that may still be looked at.
    left: u64,
    /// What is left when somebody is told next.
    tell_at: u64,
    effort: &'a Effort<'a>,
    /// A group of which nothing here decides whether it passes.
    open: Option<(Vec<usize>, u32)>,
}

impl<'a> Walk<'a> {
    pub fn new(
        set: &'a TaskSet,
        interference: Interference,
        policy: Policy,
        prices: &[u64],
        effort: &'a Effort<'a>,
    ) -> Walk<'a> {
        let conflicts = interference != Interference::None;
        // A task without a price makes no group worth more.
        let priced = set.tasks().iter().zip(prices).enumerate();
        let priced = priced.filter(|(_, (_, price))| **price > 0);
        let mut items: Vec<Item> = priced
            .map(|(index, (task, &price))| {
                let price = i64::try_from(price).unwrap_or(MOST).min(MOST);
                let work = |conflict| units(wcet::least_work(task.wcet(), conflict), task.period().ns());
                let alone = work(false).min(work(true));
                Item {
                    task: index,
                    kind: match task.kind() {
                        Some(Kind::Compute) => 0,
                        Some(Kind::Memory) => 1,
                        None => 2,
                    },
                    price,
                    surplus: price - work(conflicts),
                    alone: price - alone,
                }
            })
            .collect();
        // The most price per work first; no matter for the answer.
        items.sort_by_key(|item| {
            let work = i128::from(item.price - item.alone).max(1);
            (
                std::cmp::Reverse(i128::from(item.price) * 1_000_000 / work),
                item.task,
            )
        });
        let mut rests = vec![Rest::default(); items.len() + 1];
        let mut rest = Rest::default();
        for (item, slot) in items.iter().zip(&mut rests).rev() {
            rest.prices += item.price;
            rest.add(item);
            *slot = rest;
        }
        Walk {
            set,
            interference,
            policy,
            items,
            rests,
            path: Vec::new(),
            offers: Offers::new(set, policy),
            left: effort.groups,
            tell_at: effort.groups,
            effort,
            open: None,
        }
    }

    /// Looks at all groups.
    pub fn search(mut self) -> Found {
        let all = self.items.clone();
        let none = Node {
            sms: 1,
            ..Node::default()
        };
        match self.extend(&none, &all) {
            Err(end) => end,
            Ok(()) => match self.open {
                Some((tasks, sms)) => Found::Open { tasks, sms },
                None => Found::Nothing,
            },
        }
    }

    /// Looks at `node` with each of `items`, and at what that may grow to.
    fn extend(&mut self, node: &Node, items: &[Item]) -> Result<(), Found> {
        let mut items = items;
        while let Some((item, rest)) = items.split_first() {
            self.path.push(*item);
            if let Some(child) = self.child(node, item, rest.len())? {
                self.extend(&child, rest)?;
            }
            self.path.pop();
            items = rest;
        }
        Ok(())
    }

    /// `node` with `item`, if it may grow to a group of interest with some of the last `rest` items.
    fn child(&mut self, node: &Node, item: &Item, rest: usize) -> Result<Option<Node>, Found> {
        let rest = self
            .items
            .len()
            .checked_sub(rest)
            .and_then(|from| self.rests.get(from))
            .copied()
            .unwrap_or_default();
        let mut child = *node;
        child.take(item);
        if child.may_have(&rest) <= 0 {
            return Ok(None);
        }
        let most = sms_below(child.price + rest.prices);
        let work = child.price - self.surplus_of_path(&child);
        let least = (work.max(0) as u64).div_ceil(UNITS_PER_SM);
        child.sms = child.sms.max(u32::try_from(least).unwrap_or(MAX_SMS));
        while child.sms <= most {
            self.spend(1)?;
            let conflicts = self.interference != Interference::None;
            let members = self.path.iter();
            let members = members.map(|item| (item.task, conflicts && !child.is_lone(item.kind)));
            if !self.offers.hopeless(members, child.sms) {
                break;
            }
            child.sms += 1;
        }
        if child.sms > most {
            return Ok(None);
        }
        if child.price > i64::from(child.sms) * ONE {
            self.look_at(sms_below(child.price))?;
        }
        Ok(Some(child))
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

    /// Σ surplus of the path, which is `node`.
    fn surplus_of_path(&self, node: &Node) -> i64 {
        let surplus = |item: &Item| match node.is_lone(item.kind) {
            true => item.alone,
            false => item.surplus,
        };
        self.path.iter().map(surplus).sum()
    }

    /// The path is worth more than `sms` SMs: does it pass there?
    fn look_at(&mut self, sms: u32) -> Result<(), Found> {
        self.spend(TEST)?;
        let mut tasks: Vec<usize> = self.path.iter().map(|item| item.task).collect();
        tasks.sort_unstable();
        let jobs = super::super::jobs(self.set, &tasks, sms, self.interference);
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

impl Rest {
    fn add(&mut self, item: &Item) {
        if let (Some(surplus), Some(alone)) = (self.surplus.get_mut(item.kind), self.alone.get_mut(item.kind))
        {
            *surplus += item.surplus.max(0);
            *alone = item.alone.max(*alone);
        }
    }
}

impl Node {
    fn take(&mut self, item: &Item) {
        self.price += item.price;
        if let (Some(count), Some(surplus), Some(alone)) = (
            self.counts.get_mut(item.kind),
            self.surplus.get_mut(item.kind),
            self.alone.get_mut(item.kind),
        ) {
            *count += 1;
            *surplus += item.surplus;
            *alone += item.alone;
        }
    }

    /// Whether a task of `kind` in the group has no rival there: a task of no kind is a rival of all.
    fn is_lone(&self, kind: usize) -> bool {
        let [compute, memory, unknown] = self.counts;
        match kind {
            0 => compute == 1 && unknown == 0,
            1 => memory == 1 && unknown == 0,
            _ => compute + memory + unknown == 1,
        }
    }

    /// No group of this one and some of `rest` has a larger surplus. By kind: either one task of it stays alone, or all are in conflict.
    fn may_have(&self, rest: &Rest) -> i64 {
        let mut most = 0;
        for kind in 0..3 {
            let of = |list: &[i64; 3]| list.get(kind).copied().unwrap_or_default();
            let in_conflict = of(&self.surplus) + of(&rest.surplus);
            most += match self.counts.get(kind) {
                Some(0) => in_conflict.max(of(&rest.alone)),
                Some(1) if self.is_lone(kind) => in_conflict.max(of(&self.alone)),
                _ => in_conflict,
            };
        }
        most
    }
}

/// The most SMs that cost less than `price`.
fn sms_below(price: i64) -> u32 {
    let most = (price - 1).max(0) as u64 / UNITS_PER_SM;
    u32::try_from(most).unwrap_or(MAX_SMS).min(MAX_SMS)
}

/// `work` [SM·ns] by `period` in units, rounded down; the largest that matters where it is more.
fn units(work: u128, period: u64) -> i64 {
    let units = work.saturating_mul(UNITS_PER_SM.into()) / u128::from(period.max(1));
    i64::try_from(units).unwrap_or(MOST).min(MOST)
}
