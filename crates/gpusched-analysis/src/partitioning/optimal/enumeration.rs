//! Enumeration of all plans of a few tasks, for partitions that require a placement. A plan with
//! fewer allocation units does not always have a better placement, so a bound on allocation units
//! cannot end the search.

use crate::partitioning::problem::Problem;
use crate::partitioning::search::{Part, Sizes};

/// Maximum number of tasks for an enumeration. 10 tasks have 115,975 divisions into groups, and the enumeration skips
/// most of these divisions.
const MOST_TASKS: usize = 10;

/// Cost of one search for a placement, converted to tests.
const PLACE: u64 = 5;

/// Enumeration of all divisions of the tasks into groups.
struct Enumeration<'s, 'e, 'p> {
    sizes: &'s mut Sizes<'e, 'p>,
    problem: &'p Problem<'p>,
    /// Fewest SMs on which each group (a bit set of tasks) passes its test; `None` if it fails on every supported size.
    needs: Vec<Option<u32>>,
    /// Groups of the current division.
    groups: Vec<usize>,
    /// Fewest SMs of a placed plan so far. The enumeration seeks only plans with fewer SMs.
    best: u64,
    /// Groups of the plan with the fewest SMs so far.
    found: Option<Vec<usize>>,
    cut_short: bool,
}

/// Returns the groups of the plan with the fewest SMs on the hardware, and the number of SMs that each group needs.
/// Returns `Some(None)` if no plan has fewer SMs than `parts`. The sizes of `parts` are allocation units.
///
/// Returns `None` if the search effort is used up, if the set has more than [`MOST_TASKS`] tasks,
/// or if partitions require no placement. Also returns `None` if tests count memory traffic,
/// because in this case a single group has no verdict.
pub(crate) fn fewest_placed(sizes: &mut Sizes<'_, '_>, parts: &[Part]) -> Option<Option<Vec<Part>>> {
    let problem = sizes.problem();
    let tasks = problem.tasks().len();
    if !problem.has_places() || tasks > MOST_TASKS || sizes.expects_traffic() {
        return None;
    }
    let offered = problem.offer()?.sizes();
    let need = |group: usize| {
        let members = members(group);
        // The test is monotone in the SMs, so bisection is exact.
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

/// Returns the tasks of `group`, ascending.
fn members(group: usize) -> Vec<usize> {
    (0..MOST_TASKS).filter(|task| group & (1 << task) != 0).collect()
}

impl Enumeration<'_, '_, '_> {
    /// Adds `task` to each group of the division, or to a new group, and continues with the next task.
    fn extend(&mut self, task: usize) {
        if self.sizes.exhausted() {
            self.cut_short = true;
            return;
        }
        let needs = self.groups.iter().map(|&group| self.needs[group]);
        let Some(needs) = needs.collect::<Option<Vec<u32>>>() else {
            return; // a group that fails also fails with more tasks
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

    /// Keeps the current groups as the best plan if their placement has fewer SMs than the best plan. The groups contain
    /// all tasks and need `needs` SMs.
    fn note(&mut self, needs: &[u32]) {
        self.sizes.charge(PLACE);
        let placed = self.problem.placed_sms(needs).map(u64::from);
        if let Some(sms) = placed.filter(|&sms| sms < self.best) {
            self.best = sms;
            self.found = Some(self.groups.clone());
        }
    }
}
