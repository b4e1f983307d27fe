//! WCET of every task for every number of SMs and every contention class, in flat tables that are filled on demand.
//!
//! A search reads each WCET many times. A merge of k tasks reads k WCETs for each number of SMs
//! that it tries, and similar merges read the same WCETs. Most searches use fewer than twelve SMs
//! per partition. The first use of a number of SMs therefore creates the row for this number, and
//! the first read of an entry computes the entry.

use super::load::{Frame, Load};
use crate::interference::kind_index;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::group::Group;
use gpusched_model::time::Time;

/// Tables of WCETs and of loads.
#[derive(Debug)]
pub(crate) struct Costs {
    /// Rows by number of SMs. An entry has the index task · classes + class in its row.
    rows: Vec<Vec<Cost>>,
    classes: usize,
    /// Kind of each task.
    kinds: Vec<u8>,
    /// Values of each task from which [`Frame::load`] computes its load.
    frames: Vec<Frame>,
}

/// Values of one task for a number of SMs and a contention class.
#[derive(Copy, Clone, Debug)]
struct Cost {
    load: Load,
    /// C(m); 0 if unknown. A known WCET is never 0.
    wcet: Time,
}

impl Cost {
    /// An entry that has not been computed yet.
    const NONE: Cost = Cost {
        load: Load::NONE,
        wcet: Time::ZERO,
    };

    #[cold]
    #[inline(never)]
    fn of(problem: &Problem<'_>, task: usize, frame: &Frame, sms: u32, group: &Group<'_>) -> Cost {
        match problem.wcet(task, sms, &group.co_located) {
            Some(wcet) => Cost {
                load: frame.load(wcet),
                wcet,
            },
            None => Cost {
                load: Load::LATE,
                wcet: Time::ZERO,
            },
        }
    }
}

impl Costs {
    pub fn new(problem: &Problem<'_>) -> Costs {
        Costs {
            rows: Vec::new(),
            classes: problem.interference().classes().into(),
            frames: problem
                .tasks()
                .iter()
                .map(|task| Frame::of(problem, task))
                .collect(),
            kinds: problem
                .tasks()
                .iter()
                .map(|task| kind_index(task.kind()))
                .collect(),
        }
    }

    /// Returns the load of `tasks` on `sms` SMs. `tasks` is one part of `group`.
    pub fn load(&mut self, problem: &Problem<'_>, tasks: &[usize], group: &Group<'_>, sms: u32) -> Load {
        let row = sms as usize;
        if self.rows.get(row).is_none_or(Vec::is_empty) {
            self.add_row(row);
        }
        let row = &mut self.rows[row][..];
        let mut total = Load::NONE;
        for &task in tasks {
            let class = group.classes[usize::from(self.kinds[task])];
            let cost = &mut row[task * self.classes + usize::from(class)];
            if cost.load.is_none() {
                *cost = Cost::of(problem, task, &self.frames[task], sms, group);
            }
            total = total + cost.load;
        }
        total
    }

    /// Returns C(m) of `task` in `group` on `sms` SMs, or `None` if it is unknown. Requires an earlier call of
    /// [`Costs::load`] with the same arguments.
    pub fn wcet(&self, task: usize, group: &Group<'_>, sms: u32) -> Option<Time> {
        let class = group.classes[usize::from(self.kinds[task])];
        let cost = &self.rows[sms as usize][task * self.classes + usize::from(class)];
        (cost.wcet > Time::ZERO).then_some(cost.wcet)
    }

    #[cold]
    fn add_row(&mut self, row: usize) {
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        self.rows[row] = vec![Cost::NONE; self.kinds.len() * self.classes];
    }
}
