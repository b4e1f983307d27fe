//! A common grid of cells. Each measurement is a position on the grid, and each distribution is an array with one count
//! per cell.

use rayon::prelude::*;

use crate::kernel_wcet::trace::Measurements;

/// Largest number of cells. With this limit, a position fits into two bytes.
pub const CELLS: usize = 1 << 16;

/// The kept measurements of all blocks, as positions on a grid of cells.
///
/// If the measurements have at most [`CELLS`] different values, each value has its own cell, and
/// distances are exact. If the measurements have more values, the edges of the cells are quantiles of all measurements.
/// Values in one cell count as equal, as if the clock were less precise. At most the fraction 1/[`CELLS`] of all
/// measurements is in one cell, not counting measurements with the largest value of the cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    cells: usize,
    exact: bool,
    per_block: usize,
    /// Positions of all measurements, block by block. Each block has its positions in ascending
    /// order.
    positions: Vec<u16>,
}

impl Grid {
    /// Creates the grid of `measurements`.
    pub fn new(measurements: &Measurements) -> Grid {
        let (blocks, per_block) = (measurements.blocks(), measurements.kept());
        let mut values: Vec<u64> = Vec::with_capacity(blocks * per_block);
        (0..blocks).for_each(|block| values.extend(measurements.sample(block)));
        let (edges, exact) = edges(values);
        let positions = (0..blocks).into_par_iter().flat_map_iter(|block| {
            let mut positions: Vec<u16> = measurements
                .sample(block)
                .map(|value| {
                    let position = edges.partition_point(|&edge| edge < value);
                    u16::try_from(position).unwrap_or(u16::MAX)
                })
                .collect();
            positions.sort_unstable();
            positions
        });
        Grid {
            positions: positions.collect(),
            cells: edges.len(),
            exact,
            per_block,
        }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Returns whether each value has its own cell.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns n: the number of measurements of each block.
    pub fn per_block(&self) -> usize {
        self.per_block
    }

    /// Returns N: the number of blocks.
    pub fn blocks(&self) -> usize {
        self.positions.len().checked_div(self.per_block).unwrap_or(0)
    }

    /// Returns the cells of the measurements of `block`, in ascending order.
    pub fn block(&self, block: usize) -> &[u16] {
        let start = block * self.per_block;
        self.positions
            .get(start..start + self.per_block)
            .unwrap_or_default()
    }
}

/// Returns the largest value of each cell, in ascending order, and whether each cell has only one value.
fn edges(mut values: Vec<u64>) -> (Vec<u64>, bool) {
    values.par_sort_unstable();
    let mut distinct: Vec<u64> = Vec::with_capacity(CELLS + 1);
    for &value in &values {
        if distinct.last() != Some(&value) {
            distinct.push(value);
            if distinct.len() > CELLS {
                break;
            }
        }
    }
    if distinct.len() <= CELLS {
        return (distinct, true);
    }
    let count = values.len();
    let mut edges: Vec<u64> = (1..=CELLS)
        .filter_map(|cell| values.get((cell * count / CELLS).saturating_sub(1)).copied())
        .collect();
    edges.dedup();
    (edges, false)
}
