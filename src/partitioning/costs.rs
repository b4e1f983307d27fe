//! What every task costs on every number of SMs in every class of company: flat tables, filled where they are read.
//!
//! A search asks for the same WCETs again and again: a merge of k tasks reads k of them for each number of SMs it tries,
//! and neighboring merges read the same ones. Most searches stay below a dozen SMs per partition, so a row of the table
//! exists only from its first use on, and an entry is computed when it is first read.

use super::group::Group;
use super::{Problem, load::Load};
use crate::schedulability::Demand;

/// The tables.
#[derive(Debug)]
pub(super) struct Costs {
    /// Rows by number of SMs; the entries of a row by task · classes + class.
    rows: Vec<Row>,
    classes: usize,
}

/// Everything on one number of SMs. Loads, which every merge reads, are apart from demands, which few merges need.
#[derive(Debug, Default)]
struct Row {
    loads: Vec<Option<Load>>,
    demands: Vec<Option<Demand>>,
}

impl Costs {
    pub fn new(problem: &Problem<'_>) -> Costs {
        Costs {
            rows: Vec::new(),
            classes: problem.interference().classes(),
        }
    }

    /// The load of `group` on `sms` SMs.
    pub fn load(&mut self, problem: &Problem<'_>, group: &Group<'_>, sms: u32) -> Load {
        let classes = self.classes;
        let row = self.row(problem, sms);
        let mut total = Load::NONE;
        for task in group.tasks() {
            let entry = task * classes + group.class(problem, task);
            total = total
                + match row.loads[entry] {
                    Some(load) => load,
                    None => row.fill(entry, problem.demand(task, sms, group.company())),
                };
        }
        total
    }

    /// Puts what the tasks of `group` ask of `sms` SMs into `demands`, in the order of their positions; `false` if a
    /// WCET is unknown. After [`Costs::load`] for the same group and SMs.
    pub fn demands(
        &self,
        problem: &Problem<'_>,
        group: &Group<'_>,
        sms: u32,
        demands: &mut Vec<Demand>,
    ) -> bool {
        demands.clear();
        let Some(row) = self.rows.get(sms as usize) else {
            return false;
        };
        for task in group.ascending() {
            match row.demands[task * self.classes + group.class(problem, task)] {
                Some(demand) => demands.push(demand),
                None => return false,
            }
        }
        true
    }

    fn row(&mut self, problem: &Problem<'_>, sms: u32) -> &mut Row {
        let sms = sms as usize;
        if self.rows.len() <= sms {
            self.rows.resize_with(sms + 1, Row::default);
        }
        let row = &mut self.rows[sms];
        if row.loads.is_empty() {
            let entries = problem.tasks().len() * self.classes;
            row.loads.resize(entries, None);
            row.demands.resize(entries, None);
        }
        row
    }
}

impl Row {
    #[cold]
    fn fill(&mut self, entry: usize, demand: Option<Demand>) -> Load {
        let load = Load::of(demand);
        self.demands[entry] = demand;
        self.loads[entry] = Some(load);
        load
    }
}
