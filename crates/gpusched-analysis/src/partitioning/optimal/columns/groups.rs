//! The columns of the linear program in few lists, because a solution reads all columns many times.

/// Columns with entries 1: their rows, and their costs.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// Rows of all columns, one column after the other.
    rows: Vec<u32>,
    /// Ends of the columns in `rows`.
    ends: Vec<usize>,
    costs: Vec<f64>,
}

impl Groups {
    /// Creates one column with cost `costs[row]` for each row.
    pub fn singles(costs: &[f64]) -> Groups {
        Groups {
            rows: (0..).take(costs.len()).collect(),
            ends: (1..=costs.len()).collect(),
            costs: costs.to_vec(),
        }
    }

    /// Adds a column.
    pub fn push(&mut self, rows: impl Iterator<Item = u32>, cost: f64) {
        self.rows.extend(rows);
        self.ends.push(self.rows.len());
        self.costs.push(cost);
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Returns the rows of column `column`.
    pub fn rows(&self, column: usize) -> &[u32] {
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[column]]
    }

    /// Returns the cost of column `column`.
    pub fn cost(&self, column: usize) -> f64 {
        self.costs[column]
    }

    /// Sets the cost of column `column` to 0, and returns its earlier cost.
    pub fn take_cost(&mut self, column: usize) -> f64 {
        std::mem::take(&mut self.costs[column])
    }

    /// Removes the columns whose entry in `kept` is false.
    pub fn retain(&mut self, kept: &[bool]) {
        let before = std::mem::replace(self, Groups::singles(&[]));
        for column in (0..before.len()).filter(|&column| kept[column]) {
            self.push(before.rows(column).iter().copied(), before.cost(column));
        }
    }
}
