//! Linear program for the selection of groups: min Σ size·x with every task covered. A primal simplex with an explicit
//! inverse of the basis solves the program.
//!
//! The program has one row per task, so most programs have a few tens of rows. The right-hand sides are perturbed
//! slightly to avoid degeneracy. The prices are floats and only proposals. The callers round the prices down and
//! continue with integers.

use super::groups::Groups;
use super::inverse::{Nonzero, inverse_of};
use crate::partitioning::search::Part;

/// Tolerance of reduced costs and pivots.
const EPSILON: f64 = 1e-9;

/// Maximum number of candidate columns. The simplex examines the candidates repeatedly before it examines all columns
/// again.
const CANDIDATES: usize = 50;

/// Threshold below which a pivot counts as 0.
const PIVOT: f64 = 1e-7;

/// Tolerance for negative values.
const SLACK: f64 = 1e-9;

/// Number of pivots between two checks of the time limit.
const ASKED: u32 = 16;

/// Maximum number of pivots.
const PIVOTS: u32 = 100_000;

/// The linear program and its current basis.
#[derive(Debug, Clone)]
pub(crate) struct Master {
    rows: usize,
    columns: Groups,
    /// Columns of the basis. An entry is a column number, or [`SURPLUS`] + row.
    basis: Vec<usize>,
    /// Inverse of the basis, column by column.
    inverse: Vec<f64>,
    right: Vec<f64>,
    values: Vec<f64>,
    prices: Vec<f64>,
    pivots: usize,
    work: usize,
}

/// Number of the surplus column of the first row.
pub(super) const SURPLUS: usize = usize::MAX / 2;

impl Master {
    /// Creates the program with one column of cost `costs[task]` for each single task. These columns form the first basis.
    pub fn new(costs: &[f64]) -> Master {
        let rows = costs.len();
        let right: Vec<f64> = (0..rows)
            .map(|row| 1.0 + 1e-5 * ((row * 7919 + 13) % 101) as f64 / 101.0)
            .collect();
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        Master {
            rows,
            columns: Groups::singles(costs),
            basis: (0..rows).collect(),
            inverse,
            values: right.clone(),
            right,
            prices: costs.to_vec(),
            pivots: 0,
            work: 0,
        }
    }

    /// Returns the column numbers of the basis. Surplus columns have the largest numbers.
    pub fn basis(&self) -> &[usize] {
        &self.basis
    }

    /// Continues from `basis`. The columns of `basis` may have higher costs than before. If `basis` is invalid or
    /// singular, the current basis remains.
    pub fn start_from(&mut self, basis: &[usize]) {
        let known = |&column: &usize| column < self.columns.len() || column >= SURPLUS;
        if basis.len() == self.rows && basis.iter().all(known) {
            let singles = std::mem::replace(&mut self.basis, basis.to_vec());
            self.work += self.rows * self.rows * self.rows / 8;
            if !self.refactor() {
                self.basis = singles;
            }
        }
    }

    pub fn add(&mut self, part: &Part) {
        self.add_at(part, f64::from(part.sms));
    }

    /// Adds `part` with the cost `cost` instead of its SMs.
    pub fn add_at(&mut self, part: &Part, cost: f64) {
        self.columns
            .push(part.tasks.iter().map(|&task| task as u32), cost);
    }

    /// Returns the columns as groups.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        (0..self.columns.len()).map(|column| self.part(column))
    }

    /// Returns column `column` as a group.
    pub fn part(&self, column: usize) -> Part {
        let tasks = self.columns.rows(column).iter();
        Part {
            sms: self.columns.cost(column) as u32, // the cost was an integer
            tasks: tasks.map(|&task| task as usize).collect(),
        }
    }

    /// Solves the program from its current basis. Returns false if the solution needs too many pivots, or if `late`
    /// returns true. The argument of `late` is the work so far, converted to tests of groups.
    pub fn solve(&mut self, late: impl Fn(u64) -> bool) -> bool {
        let mut pivots = 0;
        loop {
            // The simplex examines the best columns repeatedly before it examines all columns again.
            let mut candidates = self.entering();
            if candidates.is_empty() {
                return true;
            }
            while let Some((entering, reduced)) = self.best_of(&mut candidates) {
                pivots += 1;
                let column = self.column(entering);
                let Some(row) = self.leaving(&column).filter(|_| pivots < PIVOTS) else {
                    return false;
                };
                if pivots.is_multiple_of(ASKED) && late(tests(self.work)) {
                    return false;
                }
                self.pivot(row, entering, reduced, &column);
                self.work += candidates.len() + self.rows * self.rows / 4;
            }
        }
    }

    /// Returns the columns with several tasks and a reduced cost of at most `most`.
    pub fn columns_within(&self, most: f64) -> impl Iterator<Item = usize> + '_ {
        (self.rows..self.columns.len()).filter(move |&column| self.reduced(column) <= most)
    }

    /// Sets the cost of the selected column `column` to 0. As a result, the next solution moves the prices of the tasks
    /// of this column to 0.
    pub fn pay(&mut self, column: usize) {
        let cost = self.columns.take_cost(column);
        for (place, _) in self
            .basis
            .iter()
            .enumerate()
            .filter(|&(_, &basic)| basic == column)
        {
            let inverse = self.inverse.iter().skip(place).step_by(self.rows);
            for (price, &entry) in self.prices.iter_mut().zip(inverse) {
                *price -= cost * entry;
            }
        }
    }

    /// Returns the work since the last call, converted to tests of groups (estimated).
    pub fn work(&mut self) -> u64 {
        tests(std::mem::take(&mut self.work))
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the reduced cost of column `column`: its cost minus the price sum of its tasks.
    fn reduced(&self, column: usize) -> f64 {
        let rows = self.columns.rows(column).iter();
        rows.fold(self.columns.cost(column), |cost, &row| {
            cost - self.prices[row as usize]
        })
    }

    /// Drops the columns whose reduced cost is above `most`. Keeps the columns of single tasks and of the basis.
    pub fn drop_above(&mut self, most: f64) {
        let mut kept: Vec<bool> = (0..self.columns.len())
            .map(|column| column < self.rows || self.reduced(column) <= most)
            .collect();
        for &column in self.basis.iter().filter(|&&column| column < SURPLUS) {
            kept[column] = true;
        }
        let mut new = vec![0; kept.len()];
        let mut count = 0;
        for (column, &kept) in kept.iter().enumerate() {
            new[column] = count;
            count += usize::from(kept);
        }
        for column in self.basis.iter_mut().filter(|column| **column < SURPLUS) {
            *column = new[*column];
        }
        self.columns.retain(&kept);
    }

    /// Returns the price of each task [SMs].
    pub fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// Returns the columns that have a positive value, with their values. The columns of single tasks have the first
    /// numbers. The other columns are numbered in the order of their addition.
    pub fn chosen(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.basis
            .iter()
            .zip(&self.values)
            .filter(|&(&column, &value)| column < SURPLUS && value > 1e-3)
            .map(|(&column, &value)| (column, value))
    }

    /// Returns the columns with the most negative reduced costs.
    fn entering(&mut self) -> Vec<usize> {
        self.work += self.columns.len();
        let columns = (0..self.columns.len()).chain((0..self.rows).map(|row| SURPLUS + row));
        let saving = columns.map(|column| (self.saved(column), column));
        let mut saving: Vec<(f64, usize)> = saving.filter(|&(saved, _)| saved > EPSILON).collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if saving.len() > CANDIDATES {
            saving.select_nth_unstable_by(CANDIDATES, order);
            saving.truncate(CANDIDATES);
        }
        saving.sort_unstable_by(order);
        saving.iter().map(|&(_, column)| column).collect()
    }

    /// Returns the candidate with the most negative reduced cost, and this cost. Removes the candidates whose reduced
    /// cost is not negative.
    fn best_of(&self, candidates: &mut Vec<usize>) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        candidates.retain(|&column| {
            let saved = self.saved(column);
            if saved > EPSILON && best.is_none_or(|(_, most)| saved > -most) {
                best = Some((column, -saved));
            }
            saved > EPSILON
        });
        best
    }

    /// Returns the negated reduced cost of a column.
    fn saved(&self, column: usize) -> f64 {
        match column.checked_sub(SURPLUS) {
            Some(row) => -self.prices[row],
            None => -self.reduced(column),
        }
    }

    /// Returns B⁻¹·a for the column `a` that enters the basis.
    fn column(&self, entering: usize) -> Vec<f64> {
        let inverse = |row: usize| &self.inverse[row * self.rows..(row + 1) * self.rows];
        if let Some(surplus) = entering.checked_sub(SURPLUS) {
            return inverse(surplus).iter().map(|entry| -entry).collect();
        }
        let mut column = vec![0.0; self.rows];
        for &row in self.columns.rows(entering) {
            for (value, entry) in column.iter_mut().zip(inverse(row as usize)) {
                *value += entry;
            }
        }
        column
    }

    /// Returns the row whose value becomes 0 first while `column` enters the basis. If several rows have nearly equal
    /// ratios, returns the row with the largest pivot, for numerical stability (Harris 1973).
    fn leaving(&self, column: &[f64]) -> Option<usize> {
        let rows = column.iter().enumerate().filter(|&(_, &pivot)| pivot > PIVOT);
        let ratio = |row: usize, slack: f64| (self.values[row].max(0.0) + slack) / column[row];
        let least = rows
            .clone()
            .map(|(row, _)| ratio(row, SLACK))
            .fold(f64::INFINITY, f64::min);
        rows.filter(|&(row, _)| ratio(row, 0.0) <= least)
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map(|(row, _)| row)
    }

    fn pivot(&mut self, row: usize, entering: usize, reduced: f64, column: &[f64]) {
        self.basis[row] = entering;
        self.pivots += 1;
        if self.pivots.is_multiple_of(200) && self.refactor() {
            return;
        }
        let rows = self.rows;
        let scale = 1.0 / column[row];
        let value = self.values[row] * scale;
        let mut others = column.to_vec();
        others[row] = 0.0;
        let others = Nonzero::of(&others);
        for (target, price) in self.inverse.chunks_exact_mut(rows).zip(&mut self.prices) {
            let by = target[row] * scale;
            if by != 0.0 {
                others.subtract_from(target, by);
                *price += reduced * by;
            }
            target[row] = by;
        }
        others.subtract_from(&mut self.values, value);
        self.values[row] = value;
    }

    /// Recomputes the inverse, the values and the prices from the basis. If the basis is singular, returns false and
    /// changes nothing.
    fn refactor(&mut self) -> bool {
        let rows = self.rows;
        let mut matrix = vec![0.0_f64; rows * rows];
        for (place, &column) in self.basis.iter().enumerate() {
            match column.checked_sub(SURPLUS) {
                Some(surplus) => matrix[surplus * rows + place] = -1.0,
                None => {
                    for &row in self.columns.rows(column) {
                        matrix[row as usize * rows + place] = 1.0;
                    }
                }
            }
        }
        let Some(inverse) = inverse_of(matrix, rows) else {
            return false;
        };
        self.inverse = inverse;
        self.values.fill(0.0);
        for (column, &right) in self.inverse.chunks_exact(rows).zip(&self.right) {
            for (value, &entry) in self.values.iter_mut().zip(column) {
                *value += entry * right;
            }
        }
        let basic = |&column: &usize| (column < SURPLUS).then(|| self.columns.cost(column));
        let costs: Vec<Option<f64>> = self.basis.iter().map(basic).collect();
        for (column, price) in self.inverse.chunks_exact(rows).zip(&mut self.prices) {
            let costs = costs.iter().zip(column);
            let costs = costs.filter_map(|(&cost, &entry)| Some(cost? * entry));
            *price = costs.fold(0.0, |price, cost| price + cost);
        }
        true
    }
}

/// Converts the work of linear programs to tests of groups (estimated).
fn tests(work: usize) -> u64 {
    (work / 256) as u64
}
