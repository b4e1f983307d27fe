//! The combined measurements of all blocks of one cluster.

use super::two_sample::Distance;

/// Distribution of the combined measurements of several blocks, as counts on the grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pool {
    blocks: u64,
    per_block: u64,
    /// Number of measurements in each cell of the grid.
    counts: Vec<u64>,
    /// For each cell: number of measurements in all earlier cells. The last entry is the total number of measurements.
    before: Vec<u64>,
}

impl Pool {
    /// Creates an empty pool on a grid with `cells` cells, for blocks with `per_block`
    /// measurements each.
    pub fn new(cells: usize, per_block: usize) -> Pool {
        Pool {
            blocks: 0,
            per_block: per_block as u64,
            counts: vec![0; cells],
            before: vec![0; cells + 1],
        }
    }

    /// Adds the measurements of a block. Call [`Pool::settle`] before you compute a distance.
    pub fn add(&mut self, positions: &[u16]) {
        self.blocks += 1;
        for &position in positions {
            if let Some(count) = self.counts.get_mut(usize::from(position)) {
                *count += 1;
            }
        }
    }

    /// Removes the measurements of a block that the pool contains. Call [`Pool::settle`] before
    /// you compute a distance.
    pub fn remove(&mut self, positions: &[u16]) {
        self.blocks = self.blocks.saturating_sub(1);
        for &position in positions {
            if let Some(count) = self.counts.get_mut(usize::from(position)) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Returns a pool with the blocks of both pools.
    pub fn union(&self, other: &Pool) -> Pool {
        let mut union = self.clone();
        union.blocks += other.blocks;
        for (count, more) in union.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        union.settle();
        union
    }

    /// Computes the cumulative counts, which the distances use.
    pub fn settle(&mut self) {
        let mut sum = 0;
        for (before, count) in self.before.iter_mut().skip(1).zip(&self.counts) {
            sum += count;
            *before = sum;
        }
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns m: the number of measurements in the pool.
    pub fn size(&self) -> u64 {
        self.blocks * self.per_block
    }

    /// Computes the K-S distance between the pool and one block. `positions` has the measurements
    /// of the block in ascending order.
    pub fn distance(&self, positions: &[u16]) -> Distance {
        let denominator = self.denominator(positions);
        let numerator = self.numerator_upto(positions, denominator).unwrap_or(denominator);
        Distance {
            numerator,
            denominator,
        }
    }

    /// Computes [`Pool::distance`] if the distance is at most `limit`. If the distance is larger, returns `None`,
    /// usually after a few measurements.
    pub fn distance_upto(&self, positions: &[u16], limit: Distance) -> Option<Distance> {
        let denominator = self.denominator(positions);
        // x/denominator ≤ limit if and only if x ≤ `largest`.
        let largest =
            u128::from(limit.numerator) * u128::from(denominator) / u128::from(limit.denominator.max(1));
        let largest = u64::try_from(largest).unwrap_or(u64::MAX);
        let numerator = self.numerator_upto(positions, largest)?;
        Some(Distance {
            numerator,
            denominator,
        })
    }

    fn denominator(&self, positions: &[u16]) -> u64 {
        (positions.len() as u64 * self.size()).max(1)
    }

    /// Computes the maximum difference |n·F − m·G| of the cumulative counts F of the pool and G
    /// of the block. Returns `None` if the maximum exceeds `largest`.
    ///
    /// Between two measurements of the block, G is constant and F increases. So the difference is
    /// largest at a measurement of the block, or directly before it.
    fn numerator_upto(&self, positions: &[u16], largest: u64) -> Option<u64> {
        let (n, m) = (positions.len() as u64, self.size());
        // First test the last measurement of the block. If most times in the pool are longer than
        // the times of the block, the difference is largest at this measurement. If most times are shorter, the loop
        // finds the largest difference at the first measurement.
        let upto_last = positions
            .last()
            .and_then(|&last| self.before.get(usize::from(last) + 1));
        let mut numerator = upto_last.map_or(0, |upto| (n * upto).abs_diff(m * n));
        if numerator > largest {
            return None;
        }
        let mut rank = 0;
        for equal in positions.chunk_by(|a, b| a == b) {
            let cell = equal.first().copied().map_or(0, usize::from);
            let (below, upto) = match self.before.get(cell..cell + 2) {
                Some(&[below, upto]) => (below, upto),
                _ => (m, m),
            };
            numerator = numerator.max((n * below).abs_diff(m * rank));
            rank += equal.len() as u64;
            numerator = numerator.max((n * upto).abs_diff(m * rank));
            if numerator > largest {
                return None;
            }
        }
        Some(numerator)
    }

    /// Computes the K-S distance to another pool on the same grid.
    pub fn distance_to(&self, other: &Pool) -> f64 {
        let (a, b) = (self.size().max(1) as f64, other.size().max(1) as f64);
        let pairs = self.before.iter().zip(&other.before);
        pairs
            .map(|(&x, &y)| (x as f64 / a - y as f64 / b).abs())
            .fold(0.0, f64::max)
    }
}
