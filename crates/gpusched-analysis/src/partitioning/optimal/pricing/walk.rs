//! Depth-first walk over the groups of one family. The walk visits groups whose excess may be at least the required
//! minimum (the floor).

use super::family::STEPS as PROGRAM_STEPS;
use super::family::{Family, Ranking};
use super::item::Item;
use super::measures::SM;
use super::multipliers::improve;
use super::search::{LESSONS, Search};
use super::table::Table;
use crate::interference::CoLocated;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::search::Part;
use gpusched_model::Policy;
use gpusched_model::policy::Preemption;

/// Number of undecided tasks above which the walk computes new weights.
const MANY: usize = 24;

/// Like [`MANY`], for policies other than preemptive EDF.
const MANY_WITH_PAIRS: usize = 12;

/// Number of additions that take as long as one test of a group (estimated).
const STEPS: u64 = 1_600;

/// Searches the groups of `family` with `weights`, and improves `weights`.
pub(super) fn search(family: &Family<'_>, search: &mut Search<'_, '_, '_>, weights: &mut [f64]) {
    let floor = search.floor;
    if family.items.iter().map(|item| item.price).sum::<i64>() < floor + i64::from(family.level.low) * ONE {
        return;
    }
    let singles = [0, 1, 2].map(|kind| family.growth.counts[kind] == 1);
    let mut items = family.items.clone();
    let supply = family.level.supply();
    if family.weigh(&mut items, weights, (singles, &supply)) < floor {
        return;
    }
    let used = vec![0; family.measures];
    let steps = improve(&family.question(&items, singles, (&used, &supply)), weights);
    search.sizes.charge(steps / PROGRAM_STEPS + 1);
    let bound = family.weigh(&mut items, weights, (singles, &supply));
    if bound < floor {
        return;
    }
    if search.over() {
        search.leave_open(&[], bound, family.level.low);
        return;
    }
    Walk::new(family, search).choose_singles(&items, weights, bound);
}

/// Factors on the weights. The walk tries them one after the other, as long as the bound becomes tighter.
const SMALLER: [f64; 3] = [0.7, 0.7, 0.7];

/// Whether groups that satisfy all measures often fail the test of `policy`.
fn blocks(policy: Policy) -> bool {
    !matches!(
        policy,
        Policy::Edf | Policy::Concurrent | Policy::FixedPriority(Preemption::Preemptive, _)
    )
}

/// The walk: its current group, and its limits.
pub(super) struct Walk<'w, 's, 'e, 'p> {
    family: &'w Family<'w>,
    /// See [`blocks`]. If true, tests of pairs and of all visited groups exclude more groups than the measures.
    blocks: bool,
    /// Whether the walk divides groups by their [chain](super::chain).
    chains: bool,
    /// Row of [`Pairs`](super::pairs::Pairs) with the results for this family.
    pairs: usize,
    pub(super) search: &'w mut Search<'s, 'e, 'p>,
    tasks: Vec<usize>,
    counts: [u32; 3],
    worth: i64,
    /// Demand of the current tasks by each measure. The row k has the demand of the first k tasks.
    used: Vec<i64>,
    /// Deadline and blocking of each current task.
    dues: Vec<(u64, u64)>,
    /// Supply of one SM by each measure, minus the blocking of the [chain](super::chain) of the current tasks.
    supply: Vec<i64>,
    /// Measures with a reduced supply.
    blocked: Vec<usize>,
    /// Number of groups that the walk may still visit in this part of the family. `found` counts the groups that the
    /// walk found in this part.
    nodes: u64,
    found: usize,
    sorted: Vec<usize>,
}

impl<'w, 's, 'e, 'p> Walk<'w, 's, 'e, 'p> {
    pub fn new(family: &'w Family<'w>, search: &'w mut Search<'s, 'e, 'p>) -> Walk<'w, 's, 'e, 'p> {
        let problem = search.sizes.problem();
        let classes = problem
            .interference()
            .class_of_each_kind(&family.growth.co_located);
        Walk {
            used: vec![0; family.measures],
            supply: family.level.supply(),
            dues: Vec::new(),
            blocked: Vec::new(),
            family,
            blocks: blocks(problem.policy()),
            chains: family.items.iter().any(|item| item.blocking > 0),
            pairs: search.pairs.row(classes),
            tasks: Vec::new(),
            counts: [0; 3],
            worth: 0,
            nodes: search.limits.nodes_each,
            found: 0,
            sorted: Vec::new(),
            search,
        }
    }

    /// Visits all groups of the family. `bound` is an upper bound on their excess.
    pub fn choose_singles(&mut self, items: &[Item<'w>], weights: &[f64], bound: i64) {
        let counts = self.family.growth.counts;
        let kinds: Vec<usize> = (0..3).filter(|&kind| counts[kind] == 1).collect();
        let others = items.iter().filter(|item| counts[item.kind] > 1);
        let others: Vec<Item<'w>> = others.copied().collect();
        self.choose((items, &others), weights, &kinds, bound);
    }

    /// Chooses one task of each kind in `kinds`, and then some tasks of `others`.
    fn choose(
        &mut self,
        (items, others): (&[Item<'w>], &[Item<'w>]),
        weights: &[f64],
        kinds: &[usize],
        bound: i64,
    ) {
        let Some((&kind, rest)) = kinds.split_first() else {
            self.choose_others(others, weights, bound);
            return;
        };
        let mut singles: Vec<&Item<'w>> = items.iter().filter(|item| item.kind == kind).collect();
        singles.sort_by_key(|item| (std::cmp::Reverse(item.gain), item.task));
        let Some(first) = singles.first().map(|item| item.gain) else {
            return;
        };
        for item in singles {
            let bound = bound - first + item.gain;
            if bound < self.search.floor {
                return;
            }
            if !self.push(item) {
                continue;
            }
            if rest.is_empty() && others.is_empty() {
                self.look_at_this();
            } else if self.search.over() {
                self.search.leave_open(&self.tasks, bound, self.family.level.low);
            } else {
                self.choose((items, others), weights, rest, bound);
            }
            self.pop(item);
        }
    }

    /// Adds some tasks of `others` to the chosen tasks.
    fn choose_others(&mut self, others: &[Item<'w>], weights: &[f64], bound: i64) {
        let room = bound - self.search.floor;
        let useful = others.iter().filter(|item| item.gain + room >= 0);
        let mut useful: Vec<Item<'w>> = useful.copied().collect();
        if self.blocks {
            if self.tasks.is_empty() && !self.chains {
                self.choose_first(&useful, weights);
                return;
            }
            for place in 0..self.tasks.len() {
                self.retain_with(self.tasks[place], &mut useful);
            }
        }
        match self.chains {
            true => self.chain(&useful, weights, bound, 0),
            false => self.complete(&useful, weights, bound),
        }
    }

    /// Chooses the first task of a group among `others`, and then the other tasks. If the walk ends early, the groups
    /// of the remaining first tasks stay open.
    fn choose_first(&mut self, others: &[Item<'w>], weights: &[f64]) {
        let ranking = self.rank(others, weights, false);
        let items = &ranking.items;
        for (place, item) in items.iter().enumerate() {
            let bound = ranking.base + item.gain + ranking.rest[place + 1];
            if ranking.base + item.gain.min(0) + ranking.rest[place] < self.search.floor {
                return; // later items have smaller gains, so no later group counts either
            }
            if bound < self.search.floor || !self.push(item) {
                continue;
            }
            if self.search.over() {
                self.search.leave_open(&self.tasks, bound, self.family.level.low);
            } else if self.look_at_this() {
                let room = bound - self.search.floor;
                let useful = items[place + 1..].iter().filter(|item| item.gain + room >= 0);
                let mut useful: Vec<Item<'w>> = useful.copied().collect();
                self.retain_with(item.task, &mut useful);
                self.complete(&useful, weights, bound);
            }
            self.pop(item);
        }
    }

    /// Removes the items that cannot share a partition of the family with `task`.
    pub(super) fn retain_with(&mut self, task: usize, items: &mut Vec<Item<'w>>) {
        items.retain(|item| self.may_join(task, item.task));
    }

    /// Adds some tasks of `useful` to the current group. `bound` is an upper bound on the excess of all resulting
    /// groups.
    pub(super) fn complete(&mut self, useful: &[Item<'w>], weights: &[f64], bound: i64) {
        self.nodes = self.search.limits.nodes_each;
        self.found = 0;
        let ranking = self.rank(useful, weights, !self.tasks.is_empty());
        let bound = bound.min(ranking.bound());
        if bound < self.search.floor {
            return;
        }
        let finished = self.extend(&ranking, 0, ranking.base);
        let spent = self.search.limits.nodes_each - self.nodes;
        self.search.sizes.charge(spent / 5);
        if !finished {
            self.search.leave_open(&self.tasks, bound, self.family.level.low);
        }
    }

    pub(super) fn rank(&mut self, items: &[Item<'w>], weights: &[f64], improved: bool) -> Ranking<'w> {
        let mut ranking = self.rank_by(items, weights, improved);
        if !self.blocks {
            return ranking;
        }
        ranking.rest = self.largest_gains(&ranking.items);
        // The weights ignore that pairs fail. If many pairs fail, smaller weights may give a tighter bound.
        for part in SMALLER {
            if ranking.bound() < self.search.floor || ranking.items.len() < 3 {
                break;
            }
            let smaller: Vec<f64> = ranking.weights.iter().map(|weight| weight * part).collect();
            let mut other = self.rank_by(items, &smaller, false);
            other.rest = self.largest_gains(&other.items);
            if other.bound() >= ranking.bound() {
                break;
            }
            ranking = other;
        }
        ranking
    }

    fn rank_by(&mut self, items: &[Item<'w>], weights: &[f64], improved: bool) -> Ranking<'w> {
        let family = self.family;
        let used = &self.used[self.tasks.len() * family.measures..(self.tasks.len() + 1) * family.measures];
        let (ranking, cost) = family.rank(items, weights, (self.worth, used, &self.supply), improved);
        self.search.sizes.charge(cost);
        Ranking {
            begun: self.nodes,
            ..ranking
        }
    }

    /// Returns, for each position, an upper bound on the total gain of a group of the items from this position on.
    /// `items` are sorted by decreasing gain.
    ///
    /// If two items belong to the same class, they cannot share a partition of the family. So a group has at most one item of
    /// each class, and its gain is at most the sum of the largest gains of the classes (a bound from clique searches).
    fn largest_gains(&mut self, items: &[Item<'w>]) -> Vec<i64> {
        let mut rest = vec![0; items.len() + 1];
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (place, item) in items.iter().enumerate().rev() {
            rest[place] = rest[place + 1];
            if item.gain <= 0 {
                continue;
            }
            let mut best: Option<usize> = None;
            for (number, class) in classes.iter().enumerate() {
                // The last item of a class has the largest gain of the class.
                let gain = |number: usize| classes[number].last().map_or(0, |&last| items[last].gain);
                let larger = best.is_none_or(|best| gain(number) > gain(best));
                if larger
                    && class
                        .iter()
                        .all(|&other| !self.may_join(item.task, items[other].task))
                {
                    best = Some(number);
                }
            }
            let before = best.and_then(|number| classes[number].last());
            rest[place] += item.gain - before.map_or(0, |&last| items[last].gain);
            match best {
                Some(number) => classes[number].push(place),
                None => classes.push(vec![place]),
            }
        }
        rest
    }

    /// Whether two tasks pass their test on the largest size of the family, under the contention of the family.
    fn may_join(&mut self, a: usize, b: usize) -> bool {
        let (level, co_located) = (self.family.level, self.family.growth.co_located);
        let search = &mut *self.search;
        let contention = (self.pairs, co_located);
        search.pairs.pass(search.sizes, (a, b), contention, level.high)
    }

    /// Visits all groups that extend the current group by items of `ranking` from position `from`
    /// on. `base` is an upper bound on the excess of the current group. Returns whether the walk
    /// visited or excluded all these groups.
    fn extend(&mut self, ranking: &Ranking<'w>, from: usize, base: i64) -> bool {
        let floor = self.search.floor;
        let (items, rest) = (&ranking.items, &ranking.rest);
        for place in from..items.len() {
            let item = &items[place];
            if base + item.gain.min(0) + rest[place] < floor {
                return true; // later items have smaller gains, so no later group counts either
            }
            if self.nodes == 0 || self.found >= self.search.limits.groups_each {
                return false;
            }
            if self.cannot_reach(ranking, place, base) {
                return true;
            }
            self.nodes -= 1;
            if self.nodes.is_multiple_of(1024) && self.search.over() {
                return false;
            }
            if !self.push(item) {
                continue;
            }
            let base = base + item.gain;
            let done = self.cannot_reach(ranking, place + 1, base)
                || !self.look_at_this()
                || self.extend_further(ranking, place + 1, base);
            self.pop(item);
            if !done {
                return false;
            }
        }
        true
    }

    /// Returns true if a check proves that every group of the chosen tasks and of items from position `from` on has an
    /// excess below the floor. `base` is an upper bound on the excess of the chosen tasks. Returns false without a
    /// check for the first groups of a ranking.
    fn cannot_reach(&mut self, ranking: &Ranking<'w>, from: usize, base: i64) -> bool {
        if ranking.begun - self.nodes < self.search.limits.easy {
            return false;
        }
        let table = ranking.table.get_or_init(|| {
            let most = ranking.allowances.iter().map(|&(_, allowance)| allowance).max();
            let table = Table::new(&ranking.items, most.unwrap_or(0));
            self.search.sizes.charge(table.work() / STEPS + 1);
            table
        });
        let spent = (self.worth - ranking.worth) - (base - ranking.base);
        let reaches = ranking.allowances.iter().any(|&(sms, allowance)| {
            let left = allowance - spent;
            left >= 0 && self.worth + table.most(from, left) - i64::from(sms) * ONE >= self.search.floor
        });
        !reaches
    }

    /// Extends a visited group like [`Walk::extend`]. If many groups contain this group, new weights exclude more of
    /// these groups.
    fn extend_further(&mut self, ranking: &Ranking<'w>, from: usize, base: i64) -> bool {
        let room = base + ranking.rest[from] - self.search.floor;
        // An item with a gain below −`room` is in no group whose excess is at least the floor. Later items have even
        // smaller gains.
        let useful = ranking.items.partition_point(|item| item.gain + room >= 0);
        let items = ranking.items.get(from..useful).unwrap_or_default();
        if self.blocks {
            return self.extend_with_last(ranking, items, room);
        }
        if items.iter().filter(|item| item.gain < room).count() < MANY {
            return self.extend(ranking, from, base);
        }
        let closer = self.rank(items, &ranking.weights, true);
        if closer.bound() < base + ranking.rest[from] {
            return closer.bound() < self.search.floor || self.extend(&closer, 0, closer.base);
        }
        self.extend(ranking, from, base)
    }

    /// Extends a visited group by `items` like [`Walk::extend_further`], without the items that cannot share a partition
    /// with its last task. `room` is the difference between an upper bound on the excess and the floor.
    fn extend_with_last(&mut self, ranking: &Ranking<'w>, items: &[Item<'w>], room: i64) -> bool {
        let mut useful = items.to_vec();
        if let Some(&last) = self.tasks.last() {
            self.retain_with(last, &mut useful);
        }
        if useful.is_empty() {
            return true;
        }
        let open = useful.iter().filter(|item| item.gain < room).count();
        let closer = self.rank(&useful, &ranking.weights, false);
        if closer.bound() < self.search.floor {
            return true;
        }
        if open < MANY_WITH_PAIRS {
            return self.extend(&closer, 0, closer.base);
        }
        let closer = self.rank(&useful, &ranking.weights, true);
        closer.bound() < self.search.floor || self.extend(&closer, 0, closer.base)
    }

    /// Adds `item` to the group if, by every measure, the demand of the group stays within the SMs of the family.
    /// Returns whether the group now contains the item.
    pub(super) fn push(&mut self, item: &Item<'_>) -> bool {
        let measures = self.family.measures;
        let from = self.tasks.len() * measures;
        let most = i64::from(self.family.level.high) * SM;
        self.used.resize(from + 2 * measures, 0);
        let (before, after) = self.used[from..].split_at_mut(measures);
        let mut largest = 0;
        for ((after, before), ask) in after.iter_mut().zip(before.iter()).zip(item.asks) {
            *after = before + ask;
            largest = largest.max(*after);
        }
        if largest > most {
            return false;
        }
        let high = i64::from(self.family.level.high);
        let exceeds = |&measure: &usize| after[measure] > high * self.supply[measure];
        if self.blocked.iter().any(exceeds) {
            return false;
        }
        self.tasks.push(item.task);
        self.dues.push((item.due, item.blocking));
        self.counts[item.kind] += 1;
        self.worth += item.price;
        true
    }

    pub(super) fn pop(&mut self, item: &Item<'_>) {
        self.tasks.pop();
        self.dues.pop();
        self.counts[item.kind] -= 1;
        self.worth -= item.price;
    }

    /// Whether no task is chosen.
    pub(super) fn has_no_tasks(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Records that the walk missed some groups with the chosen tasks. The excess of these groups is at most `bound`.
    pub(super) fn leave_open(&mut self, bound: i64) {
        self.search.leave_open(&self.tasks, bound, self.family.level.low);
    }

    /// Returns the rank in the [chain](super::chain) and the relative deadline of the chosen task with the largest blocking,
    /// among the chosen tasks with a relative deadline above `from` ns.
    pub(super) fn largest_blocking_after(&self, from: u64) -> Option<((u64, usize), u64)> {
        let tasks = self.tasks.iter().zip(&self.dues);
        let later = tasks.filter(|(_, (due, _))| *due > from);
        later
            .map(|(&task, &(due, blocking))| ((blocking, task), due))
            .max()
    }

    /// Whether the demand of the chosen tasks exceeds the supply in at least one measure.
    pub(super) fn exceeds_supply(&self) -> bool {
        let measures = self.family.measures;
        let asked = &self.used[self.tasks.len() * measures..(self.tasks.len() + 1) * measures];
        let high = i64::from(self.family.level.high);
        let mut blocked = self.blocked.iter();
        blocked.any(|&measure| asked[measure] > high * self.supply[measure])
    }

    /// Runs `visit` while the blocking of `blocking` ns reduces the supply of all intervals with a length in
    /// `from`..`due` ns.
    pub(super) fn with_blocking(
        &mut self,
        (from, due): (u64, u64),
        blocking: u64,
        visit: impl FnOnce(&mut Self),
    ) {
        let (supply, blocked) = (self.supply.clone(), self.blocked.clone());
        self.family.level.block(&mut self.supply, (from, due), blocking);
        let reduced = self.supply.iter().enumerate().filter(|&(_, &supply)| supply < SM);
        self.blocked = reduced.map(|(measure, _)| measure).collect();
        visit(self);
        (self.supply, self.blocked) = (supply, blocked);
    }

    /// Whether the group passes its test on the largest size of the family, under the contention of the family. If it fails,
    /// every group of the family that contains this group fails, too.
    fn passes_partly(&mut self) -> bool {
        if self.tasks.len() < 3 {
            return true; // tests of pairs have already decided smaller groups
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.tasks);
        self.sorted.sort_unstable();
        let co_located = self.family.growth.co_located;
        self.search
            .sizes
            .passes(&self.sorted, co_located, self.family.level.high)
    }

    /// Tests the group if its excess can be at least the floor. Returns false if the group fails on all sizes of the
    /// family. Every group that contains this group then fails, too.
    pub(super) fn look_at_this(&mut self) -> bool {
        let level = self.family.level;
        let measures = self.family.measures;
        let asked = &self.used[self.tasks.len() * measures..(self.tasks.len() + 1) * measures];
        let largest = asked.iter().copied().max().unwrap_or(0);
        let mut low = whole(largest, SM).max(level.low);
        for &measure in &self.blocked {
            low = low.max(whole(asked[measure], self.supply[measure]));
        }
        let worth = self.worth - i64::from(low) * ONE;
        let enough = |&count: &u32, &wanted: &u8| count >= u32::from(wanted);
        let counts = self.counts.iter().zip(&self.family.growth.counts);
        if worth < self.search.floor || !counts.clone().all(|(count, wanted)| enough(count, wanted)) {
            return !self.blocks || self.passes_partly();
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.tasks);
        self.sorted.sort_unstable();
        let problem = self.search.sizes.problem();
        let co_located: CoLocated = problem.co_located(&self.sorted);
        let Some(sms) = self.search.sizes.first(&self.sorted, co_located, low, level.high) else {
            if self.search.failed.len() < LESSONS {
                self.search.failed.push((self.sorted.clone(), level.high));
            }
            return false;
        };
        let worth = self.worth - i64::from(sms) * ONE;
        // A group that passes its test on fewer SMs belongs to another family.
        if sms == level.low
            && sms > 1
            && self
                .search
                .sizes
                .first(&self.sorted, co_located, sms - 1, sms - 1)
                .is_some()
        {
            return true;
        }
        self.search.note(&self.tasks, worth, sms);
        if worth >= self.search.floor {
            self.found += 1;
            self.search.priced.groups.push(Part {
                sms,
                tasks: self.sorted.clone(),
            });
        }
        true
    }
}

/// Returns the fewest SMs whose supply is at least `asked`, if one SM supplies `supply`.
fn whole(asked: i64, supply: i64) -> u32 {
    if asked <= 0 {
        return 0;
    }
    match supply {
        ..=0 => u32::MAX,
        _ => u32::try_from(asked / supply + i64::from(asked % supply > 0)).unwrap_or(u32::MAX),
    }
}
