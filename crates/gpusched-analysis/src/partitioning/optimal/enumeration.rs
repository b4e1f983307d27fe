//! Every plan of few tasks, where partitions need a place: fewer shares do not always lie better, so no bound on shares tells when
//! to stop.

use crate::partitioning::search::{Part, Problem, Sizes};

/// The most tasks: 10 have 115,975 divisions, of which most end early.
const MOST_TASKS: usize = 10;

/// A search for a place costs as many tests.
const PLACE: u64 = 5;

/// All divisions of the tasks of a problem whose partitions need places.
struct Enumeration<'s, 'e, 'p> {
    sizes: &'s mut Sizes<'e, 'p>,
    problem: &'p Problem<'p>,
    /// By group, as bits: the fewest SMs on which it passes, if it does at all.
    needs: Vec<Option<u32>>,
    /// The groups so far.
    groups: Vec<usize>,
    /// The fewest SMs so far, on the hardware; only fewer are of interest.
    best: u64,
    /// The groups that have them.
    found: Option<Vec<usize>>,
    cut_short: bool,
}

/// The plan with the fewest SMs on the hardware, if it has fewer than `parts`, which count shares: its groups, and the SMs that
/// each needs.
///
/// `None` if the search is cut short, or if there is nothing to enumerate: too many tasks, partitions that need no places, or
/// tests beside the traffic of others, which no group passes by itself.
pub(crate) fn fewest_placed(sizes: &mut Sizes<'_, '_>, parts: &[Part]) -> Option<Option<Vec<Part>>> {
    let problem = sizes.problem();
    let tasks = problem.tasks().len();
    if !problem.has_places() || tasks > MOST_TASKS || sizes.expects_traffic() {
        return None;
    }
    let offered = problem.offer()?.sizes();
    let need = |group: usize| {
        let members = members(group);
        // The test is monotone in the SMs.
        let first = offered.partition_point(|&sms| !problem.accepts(&members, sms));
        offered.get(first).copied()
    };
    let needs = (0..1usize << tasks).map(|group| if group == 0 { None } else { need(group) });
    let needs: Vec<Option<u32>> = needs.collect();
    sizes.charge(needs.len() as u64);
    let held: Vec<u32> = parts.iter().map(|part| problem.sms_of(part.sms)).collect();
    let mut all = Enumeration {
        sizes,
        problem,
        needs,
        groups: Vec::new(),
        best: problem.placed_sms(&held).map_or(u64::MAX, u64::from),
        found: None,
        cut_short: false,
    };
    all.extend(0);
    let Enumeration {
        needs,
        found,
        cut_short,
        ..
    } = all;
    let part = |group: usize| {
        Some(Part {
            sms: needs[group]?,
            tasks: members(group),
        })
    };
    let better = found.map(|groups| groups.into_iter().filter_map(part).collect());
    (!cut_short).then_some(better)
}

/// The tasks of `group`, ascending.
fn members(group: usize) -> Vec<usize> {
    (0..MOST_TASKS).filter(|task| group & (1 << task) != 0).collect()
}

impl Enumeration<'_, '_, '_> {
    /// Puts `task`, and then all after it, into each group, and into one of its own.
    fn extend(&mut self, task: usize) {
        if self.sizes.exhausted() {
            self.cut_short = true;
            return;
        }
        let needs = self.groups.iter().map(|&group| self.needs[group]);
        let Some(needs) = needs.collect::<Option<Vec<u32>>>() else {
            return; // groups only grow
        };
        if needs.iter().map(|&sms| u64::from(sms)).sum::<u64>() >= self.best {
            return;
        }
        if task == self.problem.tasks().len() {
            self.note(&needs);
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

    /// Keeps the groups, which have all tasks and these `needs`, if they have a place of fewer SMs than the best.
    fn note(&mut self, needs: &[u32]) {
        self.sizes.charge(PLACE);
        let placed = self.problem.placed_sms(needs).map(u64::from);
        if let Some(sms) = placed.filter(|&sms| sms < self.best) {
            self.best = sms;
            self.found = Some(self.groups.clone());
        }
    }
}
