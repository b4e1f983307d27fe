//! What every task costs on every number of SMs in every class of company: flat tables, filled where they are read.
//!
//! A search asks for the same WCETs again and again: a merge of k tasks reads k of them for each number of SMs it tries,
//! and neighboring merges read the same ones. Most searches stay below a dozen SMs per partition, so a row of the table
//! exists only from its first use on, and an entry is computed when it is first read.

use super::Problem;
use super::group::{Group, kind_index};
use super::load::Load;
use crate::schedulability::Demand;
use crate::time::Time;

/// The tables.
#[derive(Debug)]
pub(super) struct Costs {
    /// Rows by number of SMs; the entries of a row by task · classes + class.
    rows: Vec<Vec<Cost>>,
    classes: usize,
    /// By task.
    kinds: Vec<u8>,
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
    fn of(problem: &Problem<'_>, task: usize, sms: u32, group: &Group<'_>) -> Cost {
        match problem.wcet(task, sms, group.company()) {
            Some(wcet) => Cost {
                load: Load::of(&problem.tasks()[task], wcet),
                wcet,
            },
            None => Cost {
                load: Load::UNKNOWN,
                wcet: Time::ZERO,
            },
        }
    }
}

impl Costs {
    pub fn new(problem: &Problem<'_>) -> Costs {
        Costs {
            rows: Vec::new(),
            classes: problem.interference().classes(),
            kinds: problem
                .tasks()
                .iter()
                .map(|task| kind_index(task.kind()))
                .collect(),
        }
    }

    /// The load of `group` on `sms` SMs.
    pub fn load(&mut self, problem: &Problem<'_>, group: &Group<'_>, sms: u32) -> Load {
        let row = sms as usize;
        if self.rows.get(row).is_none_or(Vec::is_empty) {
            self.add_row(row);
        }
        let row = &mut self.rows[row];
        let mut total = Load::NONE;
        for part in group.parts() {
            for &task in part {
                let cost = &mut row[task * self.classes + group.class(self.kinds[task])];
                if cost.load.is_none() {
                    *cost = Cost::of(problem, task, sms, group);
                }
                total = total + cost.load;
            }
        }
        total
    }

    /// Puts what the tasks of `group` ask of `sms` SMs into `demands`, in the order of their positions; `false` if a
    /// WCET is unknown. After [`Costs::load`] of the same.
    pub fn demands(
        &self,
        problem: &Problem<'_>,
        group: &Group<'_>,
        sms: u32,
        demands: &mut Vec<Demand>,
    ) -> bool {
        let row = &self.rows[sms as usize];
        demands.clear();
        demands.extend(group.ascending().map(|task| {
            let wcet = row[task * self.classes + group.class(self.kinds[task])].wcet;
            problem.demand_of(task, wcet, group.company())
        }));
        demands.iter().all(|demand| demand.wcet > Time::ZERO)
    }

    #[cold]
    fn add_row(&mut self, row: usize) {
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        self.rows[row] = vec![Cost::NONE; self.kinds.len() * self.classes];
    }
}
