//! Linear program of a knapsack with several measures: max p·x with A·x ≤ b, 0 ≤ x ≤ 1, where b ≥ 0. A simplex on a
//! tableau with few rows solves the program. An item outside the basis has the share 0 or 1.
//!
//! The program computes with floating-point numbers, so its dual prices prove nothing. They only guide searches whose
//! bounds are valid for all prices.

/// Tolerance of reduced costs and pivots.
const EPSILON: f64 = 1e-9;

/// The linear program and its current solution.
#[derive(Clone, Debug)]
pub struct Knapsack {
    /// Value of each row: the unused room, or the share of the basic item.
    values: Vec<f64>,
    /// Basis by row. An entry is an item, or [`SLACK`] + row.
    basis: Vec<usize>,
    /// Whether an item outside the basis has the share 1.
    taken: Vec<bool>,
    /// Column of each item, transformed to the basis, row by row. `slacks` contains the columns of the slack variables.
    columns: Vec<f64>,
    slacks: Vec<f64>,
    /// Reduced profit of each item. `slack_gains` contains the reduced profit of each slack variable.
    gains: Vec<f64>,
    slack_gains: Vec<f64>,
    work: u64,
}

const SLACK: usize = usize::MAX / 2;

/// Item or slack variable that enters the basis, and whether its value grows.
type Entering = (usize, bool);

impl Knapsack {
    /// Creates a program with the room `room` in each row. A negative room counts as 0.
    pub fn new(room: Vec<f64>) -> Knapsack {
        let rows = room.len();
        let mut slacks = vec![0.0; rows * rows];
        (0..rows).for_each(|row| slacks[row * rows + row] = 1.0);
        Knapsack {
            values: room.into_iter().map(|room| room.max(0.0)).collect(),
            basis: (0..rows).map(|row| SLACK + row).collect(),
            taken: Vec::new(),
            columns: Vec::new(),
            slacks,
            gains: Vec::new(),
            slack_gains: vec![0.0; rows],
            work: 0,
        }
    }

    /// Adds an item with the profit `price` and the demand `asks` in each row.
    pub fn add(&mut self, price: f64, asks: impl Iterator<Item = f64>) {
        self.columns.extend(asks);
        self.gains.push(price);
        self.taken.push(false);
    }

    /// Solves the program. Returns false if the solution takes too many steps.
    pub fn solve(&mut self) -> bool {
        for _ in 0..20 * (self.gains.len() + self.values.len()) {
            let Some(entering) = self.entering() else {
                return true;
            };
            self.step(entering);
        }
        false
    }

    /// Returns the dual price of row `row`: the value of one more unit of room.
    pub fn price(&self, row: usize) -> f64 {
        -self.slack_gains[row]
    }

    /// Returns the items with a positive share, and their shares.
    pub fn taken(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let whole = self.taken.iter().enumerate().filter(|&(_, &taken)| taken);
        let parts = self.basis.iter().zip(&self.values);
        let parts = parts.filter(|&(&item, _)| item < SLACK);
        whole
            .map(|(item, _)| (item, 1.0))
            .chain(parts.map(|(&item, &share)| (item, share)))
    }

    /// Returns the number of innermost-loop steps so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Returns the item or slack variable with the largest reduced profit.
    fn entering(&mut self) -> Option<Entering> {
        self.work += self.gains.len() as u64;
        let mut best = (EPSILON, None);
        for (item, (&gain, &taken)) in self.gains.iter().zip(&self.taken).enumerate() {
            let gain = if taken { -gain } else { gain };
            if gain > best.0 {
                best = (gain, Some((item, !taken)));
            }
        }
        for (row, &gain) in self.slack_gains.iter().enumerate() {
            if gain > best.0 {
                best = (gain, Some((SLACK + row, true)));
            }
        }
        best.1
    }

    fn column(&self, item: usize) -> &[f64] {
        let rows = self.values.len();
        match item.checked_sub(SLACK) {
            Some(slack) => &self.slacks[slack * rows..(slack + 1) * rows],
            None => &self.columns[item * rows..(item + 1) * rows],
        }
    }

    /// Increases or decreases `entering` until a row has no more room, or until the share of an item becomes 0 or 1.
    fn step(&mut self, (item, grows): Entering) {
        let mut most = if item < SLACK { 1.0 } else { f64::INFINITY };
        let mut leaving: Option<(usize, bool)> = None;
        let column: Vec<f64> = self.column(item).to_vec();
        for (row, &by) in column.iter().enumerate() {
            let by = if grows { by } else { -by };
            let (room, whole) = match self.basis[row] < SLACK {
                _ if by > EPSILON => (self.values[row].max(0.0) / by, false),
                true if by < -EPSILON => ((1.0 - self.values[row]).max(0.0) / -by, true),
                _ => continue,
            };
            let held = leaving.map_or(0.0, |(row, _)| column[row].abs());
            if room < most - 1e-12 || (room <= most && leaving.is_some() && by.abs() > held) {
                most = room;
                leaving = Some((row, whole));
            }
        }
        let change = if grows { most } else { -most };
        for (value, by) in self.values.iter_mut().zip(&column) {
            *value -= change * by;
        }
        let Some((row, whole)) = leaving else {
            if let Some(taken) = self.taken.get_mut(item) {
                *taken = grows;
            }
            return;
        };
        let out = std::mem::replace(&mut self.basis[row], item);
        if let Some(taken) = self.taken.get_mut(out) {
            *taken = whole;
        }
        self.values[row] = if grows { most } else { 1.0 - most };
        if let Some(taken) = self.taken.get_mut(item) {
            *taken = false;
        }
        self.pivot(row, item, &column);
    }

    /// Transforms the tableau to a basis that contains `item` in `row`.
    fn pivot(&mut self, row: usize, item: usize, column: &[f64]) {
        let rows = self.values.len();
        self.work += (self.gains.len() * rows + rows * rows) as u64;
        let gain = match item.checked_sub(SLACK) {
            Some(slack) => self.slack_gains[slack],
            None => self.gains[item],
        };
        let pivot = column[row];
        let all = self.columns.chunks_exact_mut(rows).zip(&mut self.gains);
        let all = all.chain(self.slacks.chunks_exact_mut(rows).zip(&mut self.slack_gains));
        for (other, gains) in all {
            let by = other[row] / pivot;
            if by != 0.0 {
                other
                    .iter_mut()
                    .zip(column)
                    .for_each(|(entry, column)| *entry -= by * column);
                other[row] = by;
                *gains -= by * gain;
            }
        }
    }
}
