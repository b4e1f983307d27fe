//! What every task costs on every number of SMs in every class of company: flat tables, filled where they are read.
//!
//! A search asks for the same WCETs again and again: a merge of k tasks reads k of them for each number of SMs it tries,
//! and neighboring merges read the same ones. Most searches stay below a dozen SMs per partition, so a row of the table
//! exists only from its first use on, and an entry is computed when it is first read.

use super::load::{Frame, Load};
use crate::interference::kind_index;
use crate::partitioning::search::group::Group;
use crate::partitioning::search::problem::Problem;
use gpusched_model::time::Time;

/// The tables.
#[derive(Debug)]
pub(crate) struct Costs {
    /// Rows by number of SMs; the entries of a row by task · classes + class.
    rows: Vec<Vec<Cost>>,
    classes: usize,
    /// By task.
    kinds: Vec<u8>,
    /// By task.
    frames: Vec<Frame>,
}

/// One task on one number of SMs in one class of company.
#[derive(Copy, Clone, Debug)]
struct Cost {
    load: Load,
    /// C(m); 0, which no WCET is, if unknown.
    wcet: Time,
}

impl Cost {
    /// An entry that was not read before.
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
            frames: problem.tasks().iter().map(Frame::of).collect(),
            kinds: problem
                .tasks()
                .iter()
                .map(|task| kind_index(task.kind()))
                .collect(),
        }
    }

    /// The load of `tasks`, a part of `group`, on `sms` SMs.
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

    /// C(m) of `task` in `group` on `sms` SMs; `None` if unknown. After [`Costs::load`] of the same.
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
