//! Every plan of few tasks, where partitions need a place: fewer SMs do not always lie better, so no bound on shares tells when to
//! stop.

use crate::partitioning::search::{Part, Sizes};

/// The most tasks: 10 have 115,975 divisions, of which most end early.
const MOST_TASKS: usize = 10;

/// All divisions of the tasks of a problem whose partitions need places.
struct Enumeration<'s, 'e, 'p> {
    sizes: &'s mut Sizes<'e, 'p>,
    tasks: usize,
    /// By group, as bits: the shares that it needs, if it passes at all.
    shares: Vec<Option<u32>>,
    /// The groups so far.
    groups: Vec<usize>,
    /// The fewest SMs so far, on the hardware, and the groups.
    best: Option<(u32, Vec<usize>)>,
    cut_short: bool,
}

/// Makes `parts` a plan with the fewest SMs on the hardware, if there is one. These SMs, unless the search is cut short, or there
/// is nothing to enumerate: too many tasks, or partitions that need no places.
pub(super) fn fewest_placed(sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>) -> Option<u32> {
    let problem = sizes.problem();
    let tasks = problem.tasks().len();
    if !problem.has_places() || tasks > MOST_TASKS {
        return None;
    }
    let mut smallest = |group| sizes.smallest(&members(group, tasks), 1, problem.shares());
    let shares = (0..1usize << tasks).map(|group| if group == 0 { None } else { smallest(group) });
    let shares: Vec<Option<u32>> = shares.collect();
    let held = problem.placed_sms(parts.iter().map(|part| part.sms));
    let mut all = Enumeration {
        sizes,
        tasks,
        shares,
        groups: Vec::new(),
        best: held.map(|sms| (sms, Vec::new())),
        cut_short: false,
    };
    all.extend(0);
    let cut_short = all.cut_short;
    let (fewest, groups) = all.best.take()?;
    if !groups.is_empty() {
        let part = |&group: &usize| {
            Some(Part {
                sms: all.shares[group]?,
                tasks: members(group, tasks),
            })
        };
        *parts = groups.iter().filter_map(part).collect();
        debug_assert_eq!(parts.len(), groups.len(), "groups that pass");
    }
    (!cut_short).then_some(fewest)
}

/// The tasks of `group`, ascending.
fn members(group: usize, tasks: usize) -> Vec<usize> {
    (0..tasks).filter(|task| group & (1 << task) != 0).collect()
}

impl Enumeration<'_, '_, '_> {
    /// Puts `task`, and then all after it, into each group, and into one of its own.
    fn extend(&mut self, task: usize) {
        if self.sizes.exhausted() {
            self.cut_short = true;
            return;
        }
        if self.groups.iter().any(|&group| self.shares[group].is_none()) || !self.is_better() {
            return; // groups only grow
        }
        if task == self.tasks {
            self.note();
            return;
        }
        for place in 0..self.groups.len() {
            self.groups[place] |= 1 << task;
            self.extend(task + 1);
            self.groups[place] &= !(1 << task);
        }
        self.groups.push(1 << task);
        self.extend(task + 1);
        self.groups.pop();
    }

    /// Whether the groups have fewer SMs than the best plan, wherever they lie.
    fn is_better(&self) -> bool {
        let problem = self.sizes.problem();
        let sizes = self.groups.iter().filter_map(|&group| self.shares[group]);
        let sms: u64 = sizes.map(|shares| u64::from(problem.sms_of(shares))).sum();
        self.best.as_ref().is_none_or(|(best, _)| sms < u64::from(*best))
    }

    /// Keeps the groups, which have all tasks, if they have a place of fewer SMs than the best.
    fn note(&mut self) {
        self.sizes.charge(1);
        let shares = self.groups.iter().filter_map(|&group| self.shares[group]);
        let placed = self.sizes.problem().placed_sms(shares);
        if let Some(sms) = placed
            && self.best.as_ref().is_none_or(|(best, _)| sms < *best)
        {
            self.best = Some((sms, self.groups.clone()));
        }
    }
}
