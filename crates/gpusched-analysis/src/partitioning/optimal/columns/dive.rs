//! Diving: computation of plans from the linear program (Sadykov, Vanderbeck, Pessoa, Tahiri, Uchoa: "Primal heuristics for
//! branch and price", 2019).
//!
//! A dive repeatedly selects groups from the solution of the linear program. Each selection contains all groups with a
//! share of nearly 1. If there is no such group, the dive selects the group with the largest share. After each
//! selection, the dive generates new groups for the remaining tasks.

#[cfg(test)]
mod tests;

use super::branching::thinned;
use super::generation::FLOOR;
use super::master::Master;
use super::{Columns, Known, ROUND, Reach, TESTED_ROUND};
use crate::partitioning::optimal::bound::rounded;
use crate::partitioning::optimal::pricing::Limits;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::search::{Part, Sizes, total};

/// Share above which a group counts as fully contained in the solution of the linear program.
const SURE: f64 = 0.999;

/// If the loss [SMs] is at most this value, gpusched generates no new groups. The loss is the increase of the total SMs
/// in the linear program since the first selection.
const LOSS: f64 = 0.1;

/// Maximum number of generation rounds between two selections.
const ROUNDS: u32 = 30;

/// Reduced cost [SMs] above which gpusched drops a group when it rebuilds the linear program.
const FAR: f64 = 0.3;

/// Maximum number of visited groups in one part of a family, as long as the search finds no group.
const NODES: u64 = 1_000;

impl Columns {
    /// Replaces `parts` by the result of a dive if the result has fewer SMs.
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, known: Known<'_, '_>, parts: &mut Vec<Part>) {
        if let Some(plan) = self.plan_below(sizes, known, total(parts)) {
            *parts = plan;
        }
    }

    /// Returns the result of a dive, or `None` if the dive finds no plan with fewer than `most` SMs.
    fn plan_below(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        most: u32,
    ) -> Option<Vec<Part>> {
        let mut left = vec![true; self.alone.len()];
        let mut chosen: Vec<Part> = Vec::new();
        let mut rest = Rest {
            master: self.master.clone(),
            groups: self.master.parts().collect(),
            row_of: (0..left.len()).map(Some).collect(),
            rows: left.len(),
        };
        let mut fair = f64::INFINITY;
        while left.contains(&true) {
            let known = (works, &mut *pricing);
            let paid = f64::from(total(&chosen));
            let value = self.complete(sizes, known, &mut rest, fair - paid)?;
            // After the first selection, a loss above `LOSS` triggers a search for better groups.
            fair = fair.min(paid + value + LOSS);
            let groups = rest.surest(&left);
            if groups.is_empty() {
                return None; // only float residues of the selected groups remain
            }
            for column in groups {
                let group = &rest.groups[column];
                group.tasks.iter().for_each(|&task| left[task] = false);
                chosen.push(group.clone());
                rest.master.pay(column);
            }
            if total(&chosen) >= most {
                return None;
            }
            if left.iter().filter(|&&left| left).count() * 5 < rest.rows * 3 {
                rest = Rest::new(&self.alone, &left, rest.within(FAR));
            }
        }
        let plan = thinned(self.alone.len(), &chosen.iter().collect::<Vec<_>>())?;
        (total(&plan) < most).then_some(plan)
    }

    /// Solves the linear program `rest`. As long as the value of the program exceeds `fair`, generates groups for it.
    /// Returns the value, or `None` if the search effort is used up first.
    fn complete(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        rest: &mut Rest,
        fair: f64,
    ) -> Option<f64> {
        let mut nodes = ROUND.nodes_each;
        for round in 0.. {
            let solved = rest.master.solve(|work| sizes.is_late_after(work));
            sizes.charge(rest.master.work());
            if !solved || sizes.exhausted() {
                return None;
            }
            let value: f64 = rest.master.prices().iter().sum();
            if value <= fair || round == ROUNDS {
                return Some(value);
            }
            let reach = Reach {
                measured: Limits {
                    nodes_each: nodes,
                    ..ROUND
                },
                tested: TESTED_ROUND,
            };
            let known = (works, &mut *pricing);
            let (groups, all) = Columns::worth(sizes, known, &rest.prices(&self.alone), FLOOR, &reach);
            if groups.is_empty() {
                nodes *= 4;
                if all || nodes > NODES {
                    return Some(value);
                }
            }
            for group in groups {
                self.master.add(&group);
                rest.add(group);
            }
        }
        None
    }
}

/// Linear program of the tasks that remain. If the dive selects a group after the creation of the program, this group
/// costs 0.
struct Rest {
    master: Master,
    /// Group of each column. A group contains positions in the task set, not rows of the program.
    groups: Vec<Part>,
    /// Row of each task in the linear program.
    row_of: Vec<Option<usize>>,
    rows: usize,
}

impl Rest {
    /// Creates the program of the tasks in `left`. `groups` are restricted to these tasks.
    fn new(alone: &[u32], left: &[bool], mut groups: Vec<Part>) -> Rest {
        let tasks: Vec<usize> = (0..left.len()).filter(|&task| left[task]).collect();
        let costs: Vec<f64> = tasks.iter().map(|&task| f64::from(alone[task])).collect();
        let mut row_of = vec![None; left.len()];
        (0..)
            .zip(&tasks)
            .for_each(|(row, &task)| row_of[task] = Some(row));
        let single = |&task: &usize| Part {
            sms: alone[task],
            tasks: vec![task],
        };
        let mut rest = Rest {
            master: Master::new(&costs),
            groups: tasks.iter().map(single).collect(),
            row_of,
            rows: tasks.len(),
        };
        for group in &mut groups {
            group.tasks.retain(|&task| left[task]);
        }
        groups.sort_by(|a, b| a.tasks.cmp(&b.tasks).then(a.sms.cmp(&b.sms)));
        groups.dedup_by(|larger, smaller| larger.tasks == smaller.tasks);
        groups.retain(|group| group.tasks.len() > 1);
        groups.into_iter().for_each(|group| rest.add(group));
        rest
    }

    fn add(&mut self, group: Part) {
        let rows = group.tasks.iter().filter_map(|&task| self.row_of[task]);
        self.master.add(&Part {
            sms: group.sms,
            tasks: rows.collect(),
        });
        self.groups.push(group);
    }

    /// Returns the price of each task [price units]. A task that the dive assigned before the
    /// creation of the program has the price 0.
    fn prices(&self, alone: &[u32]) -> Vec<i64> {
        let price = |(row, &alone): (&Option<usize>, &u32)| match *row {
            Some(row) => rounded(self.master.prices()[row]).min(i64::from(alone) * ONE),
            None => 0,
        };
        self.row_of.iter().zip(alone).map(price).collect()
    }

    /// Returns the groups that contain tasks of `left` and have a share of nearly 1. If no such group exists, returns
    /// the group with the largest share.
    fn surest(&self, left: &[bool]) -> Vec<usize> {
        let of_use = |column: usize| self.groups[column].tasks.iter().any(|&task| left[task]);
        let mut columns: Vec<(usize, f64)> = self
            .master
            .chosen()
            .filter(|&(column, _)| of_use(column))
            .collect();
        columns.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let sure = columns.iter().take_while(|(_, share)| *share > SURE).count();
        columns.truncate(sure.max(1));
        columns.into_iter().map(|(column, _)| column).collect()
    }

    /// Returns the groups with a reduced cost of at most `most`.
    fn within(&self, most: f64) -> Vec<Part> {
        let columns = self.master.columns_within(most);
        columns.map(|column| self.groups[column].clone()).collect()
    }
}
