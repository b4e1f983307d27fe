//! What the tasks of a group ask of m SMs at least, and when that is too much whatever the policy.

use super::super::wcet;
use crate::model::wcet::MAX_SMS;
use crate::model::{Policy, Task, TaskSet};

/// 1, as a sum of shares [2⁻⁶⁴].
const ONE: u128 = 1 << 64;

/// Deadlines looked at in one group.
const DEADLINES: usize = 4_000;

/// What one task asks for.
#[derive(Copy, Clone, Debug)]
struct Ask {
    wcet: u64,
    period: u64,
    /// D − J: from the latest release on.
    due: u64,
    /// C/T, rounded down [2⁻⁶⁴].
    load: u128,
    /// C/min(T, D − J), rounded up [2⁻⁶⁴].
    density: u128,
}

/// What each task asks for, alone and in conflict, on each number of SMs; computed when it is first needed.
pub(super) struct Offers<'a> {
    tasks: &'a [Task],
    counts_work: bool,
    rows: Vec<Vec<Entry>>,
    group: Vec<Ask>,
    next: Vec<u64>,
}

#[derive(Copy, Clone, Debug)]
enum Entry {
    /// Not computed yet.
    Open,
    /// Unknown, or late even alone.
    Never,
    Asks(Ask),
}

impl<'a> Offers<'a> {
    pub fn new(set: &'a TaskSet, policy: Policy) -> Offers<'a> {
        Offers {
            tasks: set.tasks(),
            counts_work: matches!(policy, Policy::WorkCapacity | Policy::WorkCapacityDeadline),
            rows: Vec::new(),
            group: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Whether `members`, (task, whether in conflict), on `sms` SMs pass no test. `false` says nothing.
    pub fn hopeless(&mut self, members: impl Iterator<Item = (usize, bool)>, sms: u32) -> bool {
        if self.counts_work {
            return false; // of another measure, which the walk bounds by itself
        }
        self.group.clear();
        let (mut load, mut density) = (0u128, 0u128);
        for (task, conflict) in members {
            let Some(ask) = self.ask(task, conflict, sms) else {
                return true;
            };
            load += ask.load;
            density = density.saturating_add(ask.density);
            if load > ONE {
                return true;
            }
            self.group.push(ask);
        }
        density > ONE && self.exceeds_some_interval()
    }

    fn ask(&mut self, task: usize, conflict: bool, sms: u32) -> Option<Ask> {
        let row = sms.min(MAX_SMS) as usize;
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let tasks = self.tasks;
        let row = self.rows.get_mut(row)?;
        if row.is_empty() {
            row.resize(2 * tasks.len(), Entry::Open);
        }
        let entry = row.get_mut(2 * task + usize::from(conflict))?;
        if let Entry::Open = entry {
            *entry = Ask::of(tasks.get(task)?, conflict, sms).map_or(Entry::Never, Entry::Asks);
        }
        match entry {
            Entry::Asks(ask) => Some(*ask),
            _ => None,
        }
    }

    /// Whether more is due within some [0, t] than fits: Σ (⌊(t − D)/T⌋ + 1)·C > t for a deadline t.
    ///
    /// Up to the least L with Σ ⌈L/T⌉·C ≤ L: a violation beyond is one before as well.
    fn exceeds_some_interval(&mut self) -> bool {
        let Some(length) = busy(&self.group) else {
            return false; // not clear
        };
        self.next.clear();
        self.next.extend(self.group.iter().map(|ask| ask.due));
        let mut demand = 0u64;
        for _ in 0..DEADLINES {
            let Some(t) = self.next.iter().copied().min().filter(|&t| t <= length) else {
                return false;
            };
            for (ask, next) in self.group.iter().zip(&mut self.next) {
                if *next == t {
                    demand = demand.saturating_add(ask.wcet);
                    *next = next.saturating_add(ask.period);
                }
            }
            if demand > t {
                return true;
            }
        }
        false
    }
}

/// The least L > 0 with Σ ⌈L/T⌉·C ≤ L, from below.
fn busy(group: &[Ask]) -> Option<u64> {
    let mut length = 1u64;
    for _ in 0..DEADLINES {
        let mut work = 0u64;
        for ask in group {
            work = work.checked_add(length.div_ceil(ask.period).checked_mul(ask.wcet)?)?;
        }
        if work <= length {
            return Some(length);
        }
        length = work;
    }
    None
}

impl Ask {
    /// `None` if C is unknown, or the task is late even alone.
    fn of(task: &Task, conflict: bool, sms: u32) -> Option<Ask> {
        let wcet = u64::try_from(wcet::at(task.wcet(), sms, conflict)?).ok()?;
        let due = task.deadline().ns().checked_sub(task.jitter().ns())?;
        if wcet > due {
            return None;
        }
        let period = task.period().ns();
        let share = u128::from(wcet) << 64;
        Some(Ask {
            wcet,
            period,
            due,
            load: share / u128::from(period.max(1)),
            density: share.div_ceil(period.min(due).max(1).into()),
        })
    }
}
